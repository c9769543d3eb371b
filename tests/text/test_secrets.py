"""Credentials: detect-secrets really called, whole values with exact offsets, nothing in prose."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from anonym.errors import CallError
from anonym.text.plugins import LINE_LIMIT, PLUGINS, asked, plugins
from anonym.text.scanner import Column, scanner
from anonym.text.secrets import Secrets
from anonym.text.validators import key_value


def secrets_in(text: str) -> list[str]:
    finder = Secrets("en")
    return [text[span.start : span.end] for _, span in finder.detect(Column([text], scanner(finder.expressions)))]


def test_every_plugin_is_one_of_detect_secrets_and_made_once() -> None:
    made = plugins()
    assert len(made) == len(PLUGINS) == 25
    assert made is plugins()
    assert all(type(plugin).__module__.startswith("detect_secrets.plugins.") for plugin in made)


def test_plugins_are_called_line_by_line_as_for_an_ini_file(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []
    keyword = next(plugin for plugin in plugins() if type(plugin).__name__ == "KeywordDetector")
    real = type(keyword).analyze_line

    def analyze_line(self: object, filename: str, line: str, **rest: object) -> object:
        seen.append((filename, line))
        return real(keyword, filename=filename, line=line, **rest)

    monkeypatch.setattr(type(keyword), "analyze_line", analyze_line)
    assert "hunter2-and-more" in secrets_in("first line\npassword = hunter2-and-more\nlast")
    assert ("x.ini", "password = hunter2-and-more\n") in seen
    assert ("x.ini", "first line\n") not in seen


def test_a_plugin_is_shown_every_line_that_it_finds_something_in(bench_data: Path) -> None:
    lines = [
        line[:LINE_LIMIT]
        for text in pl.read_ndjson(bench_data / "text" / "secrets_positive.jsonl.gz")["text"].to_list()
        for line in text.splitlines()
    ]
    column = Column(lines, scanner(tuple(regex for _, regex in asked())))
    shown = {(number, row) for number, regex in asked() for row, _ in column.fired(regex)}
    for number, plugin in enumerate(plugins()):
        for row, line in enumerate(lines):
            values = [each.secret_value for each in plugin.analyze_line(filename="x.ini", line=line, line_number=1)]
            if any(len(value) >= 16 or "Entropy" not in type(plugin).__name__ for value in values):
                assert (number, row) in shown


def test_a_pragma_in_the_data_changes_nothing() -> None:
    with_pragma = "aws_key = 'AKIAQJZ7W5TN2X4M6R3P'  # pragma: allowlist secret"
    assert "AKIAQJZ7W5TN2X4M6R3P" in secrets_in(with_pragma)
    assert any("Q3rTy-9981" in value for value in secrets_in("password = Q3rTy-9981  # pragma: allowlist secret"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("the staging password is Kestrel-91-Harbour, ask ops", "Kestrel-91-Harbour"),
        ("token ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 seen", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
        ("key AKIAQJZ7W5TN2X4M6R3P too", "AKIAQJZ7W5TN2X4M6R3P"),
        ("postgres://app:Pseg2020@db.example:5439/x", "Pseg2020"),
        ("softlayer_pass: " + "5u7tnhe4zonnhxm8w1g74wljrs3v67ek" * 2, "5u7tnhe4zonnhxm8w1g74wljrs3v67ek" * 2),
        ("cl-pw = " + "29c88c1fad819db8f872b7eac04023fe" * 2, "29c88c1fad819db8f872b7eac04023fe" * 2),
        ("REACT_APP_AUTH_PASS=whiteduke # comment", "whiteduke"),
    ],
)
def test_values_are_found_whole(text: str, value: str) -> None:
    assert value in secrets_in(text)


def test_a_plugin_that_is_missing_stops_the_run_before_any_text(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr("anonym.text.plugins.PLUGINS", ("keyword.NoSuchDetector",))
        with pytest.raises(CallError, match=r"text\.secrets.*--upgrade detect-secrets"):
            Secrets("en")
    assert len(plugins()) == len(PLUGINS)


def test_prose_is_left_alone() -> None:
    for text in (
        "a perfectly ordinary sentence about the harbour at nine",
        "callValidateSupplierDefaultsPerpetualLedger recallNoticesBusinessUnits-validation-group-1420093311-2",
        "My password was changed yesterday and the secret is well kept; the key point is trust.",
    ):
        assert not secrets_in(text)


PEM = "-----BEGIN RSA PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9u\n-----END RSA PRIVATE KEY-----"


def test_pem_bodies_go_whole_in_lines_and_in_json() -> None:
    assert PEM in secrets_in(f"before\n{PEM}\nafter")
    document = json.dumps({"private_key": PEM, "n": 1})
    from anonym.text.options import TextOptions
    from anonym.text.scrub import Scrubber

    scrubbed = Scrubber(TextOptions(packs=("general",), ner=None)).scrub(pl.Series([document])).text[0]
    assert json.loads(scrubbed) == {"private_key": "<SECRET>", "n": 1}


def test_a_very_long_line_is_read_in_windows() -> None:
    text = "x " * 3_000 + "password = hunter2-and-more" + " y" * 3_000
    assert "hunter2-and-more" in secrets_in(text)


def test_random_strings_without_a_name_are_identifiers_not_secrets() -> None:
    assert not secrets_in('id "MjuHWoGbzYmJv3ZuHaBvSENfyevu00NQuBc40VM"')
    assert key_value("MjuHWoGbzYmJv3ZuHaBvSENfyevu00NQuBc40VM")


def test_recall_and_restraint_on_real_samples(bench_data: Path) -> None:
    def flagged(name: str) -> tuple[int, int]:
        texts = pl.read_ndjson(bench_data / "text" / f"{name}.jsonl.gz")["text"].to_list()
        finder = Secrets("en")
        return len({row for row, _ in finder.detect(Column(texts, scanner(finder.expressions)))}), len(texts)

    found, of = flagged("secrets_positive")
    assert found >= 0.75 * of
    assert flagged("secrets_negative")[0] <= 15  # 13 of these stand among the positives, too, word for word
    assert flagged("uner_ewt_dev")[0] <= 2
