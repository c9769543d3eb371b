"""`anonym demo`: the shipped sample through the whole main job."""

from __future__ import annotations

from pathlib import Path

from anonym.errors import CallError, OutputError
from anonym.io import guarded
from anonym.pipeline import Outcome, apply_files
from anonym.pipeline.progress import Progress


def run_demo(folder: Path, *, rows: int, force: bool, progress: Progress) -> tuple[Outcome, str]:
    """Write the invented tickets and their policy into `folder`, release them there, and say where to look."""
    from anonym.demo import write_demo

    if folder.exists() and not force:
        raise CallError(f"{folder} exists: choose another folder with -o, or say --force to write into it")
    with guarded("preparing the demo's folder", OutputError):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "release").mkdir(exist_ok=True)
    progress.stage("inventing support tickets", rows)
    sample = write_demo(folder, rows=rows)
    output = folder / "release" / "tickets.parquet"
    outcome = apply_files(sample.policy, (sample.table,), output, force=force, progress=progress)
    return outcome, _places(folder, outcome)


def _places(folder: Path, outcome: Outcome) -> str:
    return "\n".join(
        (
            f"table    {folder / 'tickets.parquet'} (invented)",
            f"policy   {folder / 'policy.yaml'} (read it: this is all you write)",
            f"release  {outcome.output}",
            f"report   {outcome.report} (open it in a browser)",
        )
    )
