"""Keys: where they come from, what is refused, and that nothing of them is printed."""

from __future__ import annotations

import hmac
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonym.columns.keys import Key, Keyring, SecretKey, joined, read_key, read_keys
from anonym.errors import CallError

TEXT = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"  # 32 characters


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Key:
    monkeypatch.setenv("SAMPLE_KEY", TEXT)
    return Key("env:SAMPLE_KEY")


def test_a_variable_is_taken_as_its_bytes(named: Key, tmp_path: Path) -> None:
    assert read_key(named, tmp_path).secret == TEXT.encode()


@pytest.mark.parametrize(
    ("content", "secret"),
    [
        (TEXT.encode(), TEXT.encode()),
        (TEXT.encode() + b"\n", TEXT.encode()),
        (TEXT.encode() + b"\r\n", TEXT.encode()),
        (TEXT.encode() + b" \n", TEXT.encode() + b" "),
        (TEXT.encode() + b"\n\n", TEXT.encode() + b"\n"),
        (bytes(range(200, 240)), bytes(range(200, 240))),
    ],
)
def test_a_file_is_taken_as_its_bytes_without_one_line_end(content: bytes, secret: bytes, tmp_path: Path) -> None:
    (tmp_path / "project.key").write_bytes(content)
    assert read_key(Key("file:project.key"), tmp_path).secret == secret


def test_an_absolute_file_path_ignores_the_base(tmp_path: Path) -> None:
    (tmp_path / "project.key").write_text(TEXT)
    assert read_key(Key(f"file:{tmp_path / 'project.key'}"), Path("/nowhere")).secret == TEXT.encode()


@pytest.mark.parametrize("value", ["", "short", TEXT[:-1], TEXT[:-1] + "\n"])
def test_a_missing_or_short_variable_is_refused_with_the_cure(
    value: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SAMPLE_KEY", value)
    with pytest.raises(CallError, match=r"SAMPLE_KEY.*openssl rand -hex 32") as caught:
        read_key(Key("env:SAMPLE_KEY"), tmp_path)
    assert caught.value.status == 2
    assert not value or value not in str(caught.value)


@pytest.mark.parametrize("source", ["file:absent.key", "file:.", "file:short.key", "file:long.key"])
def test_an_unfit_file_is_refused_with_the_cure(source: str, tmp_path: Path) -> None:
    (tmp_path / "short.key").write_text("hunter2\n")
    (tmp_path / "long.key").write_bytes(b"x" * 5000)
    with pytest.raises(CallError, match="openssl rand -hex 32") as caught:
        read_key(Key(source), tmp_path)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("source", [TEXT, f"env:{TEXT}", f"file:{TEXT}", f"vault:{TEXT}", f":{TEXT}", "env:", "file:"])
def test_a_key_pasted_into_the_policy_is_refused_and_not_echoed(source: str, tmp_path: Path) -> None:
    with pytest.raises(CallError) as caught:
        read_key(Key(source), tmp_path)
    assert TEXT not in str(caught.value)


def test_all_faults_are_named_at_once(named: Key, tmp_path: Path) -> None:
    with pytest.raises(CallError) as caught:
        read_keys([named, Key("env:FIRST_ABSENT"), Key("file:second-absent")], tmp_path)
    assert "FIRST_ABSENT" in str(caught.value)
    assert "second-absent" in str(caught.value)


def test_keys_are_not_in_any_repr(named: Key, tmp_path: Path) -> None:
    ring = read_keys([named], tmp_path)
    assert TEXT not in repr(ring)
    assert TEXT not in repr(ring[named])
    assert repr(ring.salt) not in repr(ring)


def test_every_run_has_a_salt_of_its_own() -> None:
    assert Keyring().salt != Keyring().salt
    assert len(Keyring().salt) == 32


def test_the_key_id_is_stable_tells_keys_apart_and_is_no_plain_digest(named: Key, tmp_path: Path) -> None:
    first, second = SecretKey(b"a" * 32), SecretKey(b"a" * 31 + b"b")
    assert first.id == hmac.new(b"a" * 32, (13).to_bytes(8, "big") + b"anonym key id", "sha256").hexdigest()[:12]
    assert first.id != second.id
    assert read_keys([named], tmp_path).ids == {"env:SAMPLE_KEY": SecretKey(TEXT.encode()).id}


@given(st.binary(min_size=32, max_size=200), st.lists(st.binary(max_size=80), max_size=4), st.binary(max_size=300))
def test_the_fast_digest_is_hmac(secret: bytes, parts: list[bytes], last: bytes) -> None:
    expected = hmac.new(secret, joined([*parts, last]), "sha256").digest()
    assert SecretKey(secret).digest(*parts, last) == expected
    assert SecretKey(secret).digester(*parts)(last) == expected


@given(st.lists(st.binary(max_size=4), max_size=4), st.lists(st.binary(max_size=4), max_size=4))
def test_the_encoding_of_parts_is_unambiguous(one: list[bytes], other: list[bytes]) -> None:
    assert (joined(one) == joined(other)) == (one == other)
