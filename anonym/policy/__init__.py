"""The policy: read, checked, resolved against a schema, and explained."""

from anonym.policy.explain import explain
from anonym.policy.model import Policy
from anonym.policy.resolve import ResolvedColumn

__all__ = ["Policy", "ResolvedColumn", "explain"]
