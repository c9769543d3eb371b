"""A starter policy from a profile of the data: roles, hierarchies and the unit, each with its reason."""

from anonym.policy.infer.concepts import Guess
from anonym.policy.infer.draft import Draft, Entry, Question, draft
from anonym.policy.infer.facts import Facts, profile_columns
from anonym.policy.infer.guess import guess
from anonym.policy.infer.reading import Reading, sniff

__all__ = ["Draft", "Entry", "Facts", "Guess", "Question", "Reading", "draft", "guess", "profile_columns", "sniff"]
