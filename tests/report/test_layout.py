"""The page as Chromium lays it out: nothing is cut or overlaps, contrast AA; on a phone, a desk, paper, in the dark."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from golden.report.examples import EXAMPLES

from anonym.report.evidence import complete
from anonym.report.html import render

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SCRIPT = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")
PHONE, DESK, PAPER = 390, 1280, 718  # pixels; A4 with margins of 1 cm
BESIDE = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --hide-scrollbars --window-size=1400,1000"
)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


def laid_out(page: str, folder: Path, width: int, *, dark: bool = False, paper: bool = False) -> dict[str, Any]:
    """What the script finds on the page in a frame of this width, which media queries go by."""
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)  # it forbids the script that looks
    if paper:
        text = re.sub(r'media="\((?:prefers|min|max)[^"]*"', 'media="not all"', text)
        text = text.replace('media="print"', 'media="all"')
    text = text.replace("</body>", f"<script>{SCRIPT}</script></body>")
    frame = f'<iframe style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(text)}"></iframe>'
    shell = folder / "shell.html"
    shell.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">{frame}</body>', encoding="utf-8")
    options = [*BESIDE.split(), f"--user-data-dir={folder / 'profile'}"]
    options.append(f"--blink-settings=preferredColorScheme={0 if dark else 1}")
    called = [str(CHROMIUM), *options, "--dump-dom", shell.as_uri()]
    dom = subprocess.run(called, capture_output=True, text=True, timeout=180, check=True).stdout
    told = re.search(r'<pre id="layout">(.*?)</pre>', dom, re.DOTALL)
    assert told is not None, "the page was not laid out"
    return json.loads(html.unescape(told[1]))  # type: ignore[no-any-return]


@needs_chromium
@pytest.mark.parametrize("name", ["signed", "hostile"])
@pytest.mark.parametrize(
    ("width", "dark", "paper"),
    [(PHONE, False, False), (PHONE, True, False), (DESK, False, False), (PAPER, False, True)],
    ids=["phone", "dark", "desk", "paper"],
)
def test_nothing_is_cut_or_overlaps_and_all_can_be_read(
    name: str, width: int, dark: bool, paper: bool, tmp_path: Path
) -> None:
    before = complete(EXAMPLES["tickets"]())
    found = laid_out(render(complete(EXAMPLES[name]()), before), tmp_path, width, dark=dark, paper=paper)
    assert found["wide"] == width
    assert found["texts"] > 300
    assert found["found"] == []


@needs_chromium
@pytest.mark.parametrize(
    ("style", "said"),
    [
        (".sentence { width: 900px }", "cut"),
        (".tiles .sub { margin-top: -1.2rem }", "overlaps"),
        (".note { color: #aaa }", "contrast"),
        ("body { min-width: 700px }", "page is"),
    ],
)
def test_the_look_sees_what_is_wrong(style: str, said: str, tmp_path: Path) -> None:
    page = render(complete(EXAMPLES["signed"]()))
    broken = page.replace("</head>", f"<style>{style}</style></head>")
    assert broken != page
    found = laid_out(broken, tmp_path, PHONE)["found"]
    assert any(line.startswith(said) for line in found), found[:5]
