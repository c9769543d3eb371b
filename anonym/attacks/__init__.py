"""Attacks on a release: each counts what an attacker gets right; `outcome` turns the counts into a verdict."""
