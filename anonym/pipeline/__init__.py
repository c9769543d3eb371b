"""From a policy and a table to a release with evidence: the parts below, put together in order."""

from anonym.pipeline.attacking import attack, attack_files
from anonym.pipeline.checking import Verdict, check, check_file
from anonym.pipeline.frames import Release, apply
from anonym.pipeline.releasing import Outcome, apply_files
from anonym.pipeline.words import draw_report, explain_policy, scrub

__all__ = [
    "Outcome",
    "Release",
    "Verdict",
    "apply",
    "apply_files",
    "attack",
    "attack_files",
    "check",
    "check_file",
    "draw_report",
    "explain_policy",
    "scrub",
]
