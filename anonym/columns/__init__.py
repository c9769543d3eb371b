"""What a policy can do to one column: identifier actions and release forms, each a Polars expression."""
