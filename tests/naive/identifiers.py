"""Pseudonyms value by value, with the standard library's hmac."""

from __future__ import annotations

import hmac
import struct


def token(secret: bytes, scope: str, salt: bytes, domain: str, text: str | None) -> str | None:
    if text is None:
        return None
    message = b""
    for part in (b"pseudonym", scope.encode(), salt, domain.encode(), text.encode()):
        message += struct.pack(">Q", len(part)) + part
    return hmac.new(secret, message, "sha256").hexdigest()[:32]
