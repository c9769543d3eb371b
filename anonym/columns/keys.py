"""Secret keys: where they come from, and the one keyed function that everything secret is derived from."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from anonym.errors import CallError

MIN_BYTES = 32
MAX_BYTES = 4096
SALT_BYTES = 32
HOW_TO_MAKE_ONE = "make one with: openssl rand -hex 32"

_BLOCK = 64  # bytes of a SHA-256 block, RFC 2104's B
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


@dataclass(frozen=True)
class Key:
    """Where a secret key is found: `env:NAME` or `file:PATH`. The key itself never enters a policy."""

    source: str


@dataclass(frozen=True)
class SecretKey:
    """A key of at least 32 bytes. It is not printed, and takes part in equality only.

    Everything derived from it is HMAC-SHA256 (RFC 2104) over a list of parts, each preceded by its length as eight
    bytes, so that no two lists give the same message. The first part names the purpose, which keeps tokens,
    surrogates and shifts under one key independent of each other.
    """

    secret: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """Twelve hex digits that tell keys apart (48 bits of a keyed digest); nothing of the key follows from them."""
        return self.digest(b"anonym key id").hex()[:12]

    def digest(self, *parts: bytes) -> bytes:
        """32 bytes that depend on the key and on every part."""
        return hmac.digest(self.secret, joined(parts), "sha256")

    def digester(self, *parts: bytes) -> Callable[[bytes], bytes]:
        """`digest(*parts, last)` as a function of the last part.

        Works from the two saved SHA-256 states: 1.3 us a value where a copied `hmac` object takes 3.4 us.
        """
        key = self.secret if len(self.secret) <= _BLOCK else hashlib.sha256(self.secret).digest()
        key = key.ljust(_BLOCK, b"\0")
        inner, outer = hashlib.sha256(key.translate(_INNER)), hashlib.sha256(key.translate(_OUTER))
        inner.update(joined(parts))

        def digest_of(last: bytes) -> bytes:
            message, result = inner.copy(), outer.copy()
            message.update(len(last).to_bytes(8, "big") + last)
            result.update(message.digest())
            return result.digest()

        return digest_of


def joined(parts: Iterable[bytes]) -> bytes:
    """The parts as one message, each preceded by its length in eight bytes, most significant first."""
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def read_key(key: Key, base: Path) -> SecretKey:
    """The key that `key.source` names. A relative `file:` path starts at `base`, the policy's folder.

    The key is the bytes of the variable or file as they stand (a hex or base64 text is not decoded), without one
    trailing line end. Raises CallError where it is missing or shorter than 32 bytes; the message never holds any of it.
    """
    where, _, name = key.source.partition(":")
    if where not in ("env", "file") or not name:
        raise CallError("a key is named as env:NAME or file:PATH; a key itself is never written into a policy")
    secret = _without_line_end(_from_variable(name) if where == "env" else _from_file(name, base))
    if len(secret) < MIN_BYTES:
        raise CallError(
            f"the key in {_shown(key.source)} has {len(secret)} bytes, expected at least {MIN_BYTES}; {HOW_TO_MAKE_ONE}"
        )
    return SecretKey(secret)


def _shown(source: str) -> str:
    """The source for a message; hidden where it may be a key that somebody pasted in the place of a name."""
    where, _, name = source.partition(":")
    pasted = len(name) >= MIN_BYTES and not {".", "/", "_"} & set(name)
    return f"{where}:(a name of {len(name)} characters)" if pasted else source


def _without_line_end(secret: bytes) -> bytes:
    return secret.removesuffix(b"\n").removesuffix(b"\r")


def _from_variable(name: str) -> bytes:
    value = os.environ.get(name)
    if not value:
        raise CallError(
            f"no key: the environment variable of {_shown('env:' + name)} is not set; {HOW_TO_MAKE_ONE}, and export it"
        )
    return os.fsencode(value)


def _from_file(name: str, base: Path) -> bytes:
    try:
        with open(base / Path(name).expanduser(), "rb") as file:
            secret = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CallError(
            f"no key: {_shown('file:' + name)} cannot be read ({error.strerror}); {HOW_TO_MAKE_ONE}"
        ) from None
    if len(secret) > MAX_BYTES:
        raise CallError(
            f"{_shown('file:' + name)} is larger than {MAX_BYTES} bytes and does not look like a key; {HOW_TO_MAKE_ONE}"
        )
    return secret


@dataclass(frozen=True)
class Keyring:
    """The keys of one run, read once, and the run's salt.

    `salt` is drawn from the system's cryptographic source for every run, is kept nowhere, and enters what has scope
    `release`: so nobody, not even who holds the key, can join two releases by such tokens.
    """

    keys: Mapping[Key, SecretKey] = field(default_factory=dict)
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(SALT_BYTES), repr=False)

    def __getitem__(self, key: Key) -> SecretKey:
        return self.keys[key]

    @property
    def ids(self) -> dict[str, str]:
        """Key id by source, for the evidence."""
        return {key.source: secret.id for key, secret in self.keys.items()}


def read_keys(keys: Iterable[Key], base: Path) -> Keyring:
    """All keys of a policy. Raises one CallError that names every key at fault."""
    found: dict[Key, SecretKey] = {}
    faults: list[str] = []
    for key in dict.fromkeys(keys):
        try:
            found[key] = read_key(key, base)
        except CallError as error:
            faults.append(str(error))
    if faults:
        raise CallError("\n".join(faults))
    return Keyring(found)
