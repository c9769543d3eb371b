"""Reading tables and writing releases: nothing here knows what a policy is."""

from anonym.io.guard import guarded
from anonym.io.private import PrivateFolder, private_file
from anonym.io.release import refuse_unwritable, written
from anonym.io.source import Source, as_lazy, open_frame, open_paths
from anonym.io.target import Target, refuse_existing

__all__ = [
    "PrivateFolder",
    "Source",
    "Target",
    "as_lazy",
    "guarded",
    "open_frame",
    "open_paths",
    "private_file",
    "refuse_existing",
    "refuse_unwritable",
    "written",
]
