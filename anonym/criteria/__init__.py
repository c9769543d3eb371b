"""Privacy criteria: what an equivalence class must satisfy, and under which operations it stays satisfied."""

from anonym.criteria.histograms import ClassHistograms
from anonym.criteria.k_anonymity import KAnonymity
from anonym.criteria.l_diversity import DistinctL, EntropyL, LDiversity, RecursiveL
from anonym.criteria.t_closeness import Ground, TCloseness

__all__ = ["ClassHistograms", "DistinctL", "EntropyL", "Ground", "KAnonymity", "LDiversity", "RecursiveL", "TCloseness"]
