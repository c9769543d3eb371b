"""How a file is to be read, told from the file: never held whole to tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from anonym.policy.infer.reading import HEAD, sniff

ROWS = "name;n\n" + "ab;1\n" * 50


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (ROWS.encode(), "utf-8"),
        ((ROWS + "é;1\n").encode("cp1252"), "cp1252"),
        (ROWS.encode("utf-16"), "utf-16"),
        (("name;n\n" + "a" * (HEAD - 8) + "é;1\n").encode(), "utf-8"),  # a letter of two bytes between two pieces
        (("name;n\n" + "a" * HEAD + ";1\n").encode() + b"\xe9;1\n", "cp1252"),
    ],
    ids=["utf-8", "windows", "utf-16", "a letter cut in two", "a late byte"],
)
def test_the_encoding_is_that_of_the_whole_file(tmp_path: Path, content: bytes, encoding: str) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    found = sniff([path])
    assert (found.encoding, found.separator) == (encoding, ";")


def test_formats_with_types_of_their_own_need_nothing(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"a": 1}\n', encoding="utf-8")
    assert sniff([path]).types == {}
