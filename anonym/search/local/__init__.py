"""Local recoding: classes found one by one, each generalised as little as it needs."""
