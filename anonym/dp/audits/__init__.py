"""What a trained model gives away, measured: membership, canaries, extraction. Each beside its non-private twin."""
