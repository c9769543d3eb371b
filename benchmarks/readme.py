"""Runs a benchmark and puts what it prints into the project's README, where that is marked with the script's name.

python benchmarks/readme.py text_speed.py --megabytes 1
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def into_readme(mark: str, text: str) -> None:
    """Put `text` between `<!-- benchmarks/MARK -->` and `<!-- end -->`. Raises SystemExit where that mark is not."""
    readme = HERE.parent / "README.md"
    between = re.compile(rf"(<!-- benchmarks/{re.escape(mark)} -->\n).*?(<!-- end -->)", re.DOTALL)
    changed, times = between.subn(lambda found: found[1] + text + "\n" + found[2], readme.read_text(encoding="utf-8"))
    if times != 1:
        raise SystemExit(f"README.md has no place for benchmarks/{mark}")
    readme.write_text(changed, encoding="utf-8")


def main(script: str, *words: str) -> None:
    lines = []
    with subprocess.Popen([sys.executable, HERE / script, *words], stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    if run.returncode:
        raise SystemExit(run.returncode)
    into_readme(script, "".join(lines).strip())


if __name__ == "__main__":
    main(*sys.argv[1:])
