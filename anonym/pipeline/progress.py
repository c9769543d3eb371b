"""What a long run tells while it runs. The default tells nothing."""

from __future__ import annotations

from typing import Any


class Progress:
    """Stages with an optional number of rows. This one is silent."""

    def stage(self, name: str, total: int | None = None) -> None:
        """Begin a stage; `total` is its number of rows where that is known."""

    def advance(self, rows: int) -> None:
        """So many more rows of the current stage are done."""


class TerminalProgress(Progress):
    """Bars on standard error: rows per second and time left."""

    def __enter__(self) -> TerminalProgress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        self._bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description:<28}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bars.start()
        self._task: Any = None
        return self

    def __exit__(self, *_error: object) -> None:
        self._bars.stop()

    def stage(self, name: str, total: int | None = None) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(name, total=total, rate="")

    def advance(self, rows: int) -> None:
        if self._task is None:
            return
        self._bars.advance(self._task, rows)
        speed = self._bars.tasks[-1].speed
        self._bars.update(self._task, rate=f"{speed:,.0f} rows/s" if speed else "")
