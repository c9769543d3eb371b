"""Facts of runs as the pipeline gives them: a usual one, and ones that are hard to print."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from anonym.report.evidence import Group, class_histogram, protect

Facts = dict[str, Any]

SHA = "9f2c41d0a7c5b1e85f6e2b7780ab3c1d94e0f6a5b8c7d6e5f4a3b2c1d0e9f8a7"
ATTACK_STRING = "<script>alert('x')</script>\"'><img src=x onerror=alert(1)>\n</style></svg>&amp;"


def column(name: str, role: str, action: str, **more: Any) -> Facts:
    return {"name": name, "role": role, "action": action, "form": None, "loss": None, "levels": None, **more}


def quasi(name: str, loss: float | None, levels: dict[str, str], **more: Any) -> Facts:
    return column(name, "quasi", "generalise", **{"form": "label", "loss": loss, "levels": levels, **more})


AGE_LEVELS = {"0": "as it is", "1": "intervals of 5", "2": "intervals of 10", "3": "intervals of 20", "4": "*"}
ZIP_LEVELS = {"1": "first 3 characters", "2": "first character", "3": "*"}
DATE_LEVELS = {"0": "day", "1": "month", "2": "quarter", "3": "year", "4": "decade", "5": "*"}


def tickets() -> Facts:
    """A usual release: units, pseudonym, text, one promise each of k, l and t; the policy is a draft."""
    return {
        "policy": {"name": "support-tickets", "sha256": SHA, "reviewed": None},
        "threat_model": {
            "attacker": "a colleague of another department",
            "auxiliary": "the CRM and what customers post in the forum",
            "exposure": "internal, to the model team",
        },
        "input": {"rows": 4000, "units": 1450, "digest": None, "unit": "customer_id", "paths": ["tickets.parquet"]},
        "output": {
            "rows": 3921,
            "units": 1437,
            "digest": "ab12" * 16,
            "paths": ["release.parquet"],
            "order": "shuffle",
        },
        "columns": [
            column("customer_id", "identifier", "pseudonym", dtype="Int64", key_id="5d41402abc4b", scope="project"),
            column("full_name", "identifier", "drop", dtype="String"),
            column("email", "identifier", "drop", dtype="String"),
            quasi("age", 0.2214, AGE_LEVELS, dtype="Int64"),
            quasi("zip", 0.118, ZIP_LEVELS, dtype="String"),
            quasi("joined", 0.0913, DATE_LEVELS, dtype="Date"),
            quasi("device", 0.0095, {"0": "as it is", "1": "*"}, dtype="String"),
            column("topic", "sensitive", "keep", dtype="String", k_if_known=1),
            column("notes", "text", "scrub", dtype="String"),
            column("plan", "keep", "keep", dtype="String", k_if_known=12, reason=None),
            column("internal_flag", "drop", "drop", dtype="Boolean"),
        ],
        "search": {
            "strategy": "global",
            "why": "one level for the whole table satisfies the promise within the limit",
            "objective": "loss",
            "optimal": True,
            "bound": 0.1100,
            "levels": {"age": 2, "zip": 1, "joined": 3, "device": 0},
            "reproducible": True,
            "checks": 41,
        },
        "suppression": {
            "rows": 79,
            "rate": 79 / 4000,
            "units": 13,
            "units_rate": 13 / 1450,
            "limit": 0.02,
            "limit_rows": 80,
            "uncovered": 0,
            "action": "drop",
            "groups": protect(ticket_groups(), 10),
        },
        "guarantee": {
            "k": {
                "required": 10,
                "achieved": 11,
                "rows": 12,
                "units": 11,
                "profiles": 11,
                "counted": "profiles",
                "linkable": None,
                "classes_failing": 0,
            },
            "l": {"topic": {"kind": "distinct", "required": 3, "achieved": 4, "classes_failing": 0}},
            "t": {
                "topic": {
                    "distance": "equal",
                    "required": 0.2,
                    "achieved": 0.17144999,
                    "against_input": 0.1741,
                    "moved": 0.0031,
                    "classes_failing": 0,
                }
            },
        },
        "classes": {
            "count": 131,
            "average": 3921 / 131,
            "counted": "units",
            "sizes": class_histogram(
                {11: (31, 402), 17: (30, 601), 24: (44, 1310), 41: (21, 1048), 88: (4, 410), 161: (1, 150)}, 10
            ),
        },
        "loss": {"ncp": 0.11012, "discernibility": 528_554, "average_class_size": 2.9931},
        "risk": {"prosecutor_max": 1 / 11, "prosecutor_mean": 131 / 3921, "journalist": None, "marketer": 131 / 3921},
        "text": {
            "notes": {
                "documents": 4000,
                "withheld": 0,
                "spans": {
                    "PERSON": 5120,
                    "EMAIL_ADDRESS": 2210,
                    "PHONE_NUMBER": 977,
                    "LOCATION": 640,
                    "DATE_TIME": 311,
                    "PASSWORD": 63,
                    "AWS_KEY": 9,
                },
                "ner": ["spacy en_core_web_sm 3.8.0"],
                "also_from": ["full_name", "email", "age", "zip", "joined"],
                "changed": 3711,
                "distinct": 3990,
            }
        },
        "recall": None,
        "attacks": [],
        "training": None,
        "verification": {
            "file": "release.parquet",
            "checks": [
                {"name": "k recomputed", "held": True, "detail": "131 classes, the smallest of 11 units"},
                {"name": "l of topic recomputed", "held": True, "detail": "4 distinct values in the worst class"},
                {"name": "t of topic recomputed", "held": True, "detail": "0.17145 in the worst class"},
                {
                    "name": "cells cover their originals",
                    "held": True,
                    "detail": "3,921 rows, 4 quasi-identifiers",
                },
                {"name": "sensitive and keep unchanged", "held": True, "detail": "topic, plan"},
                {"name": "rows in = rows out + suppressed", "held": True, "detail": "4,000 = 3,921 + 79"},
                {"name": "no identifier left", "held": True, "detail": "full_name, email, customer_id in 8 columns"},
                {"name": "no value in metadata", "held": None, "detail": "not a Parquet file of ours"},
            ],
        },
        "environment": {
            "versions": {"anonym": "0.1.0", "python": "3.11.9", "polars": "2.1.0", "numba": "0.61.0"},
            "files": {"policy.yaml": "cd34" * 16, "release.parquet": "ef56" * 16, "release.plan.json": "0178" * 16},
            "started": "2026-11-30T18:02:11Z",
            "finished": "2026-11-30T18:02:29Z",
            "wall_s": 18.2,
            "cpu_s": 21.9,
            "search_cpu_s": 0.3124,
            "search_compile_s": 4.2,
            "peak_memory_mb": 512,
            "platform": "Linux x86_64",
            "threads": 2,
        },
    }


def ticket_groups() -> list[Group]:
    ages = [("10-19", 3, 240), ("20-29", 12, 812), ("30-39", 6, 901), ("40-49", 0, 777), ("50-59", 11, 600)]
    ages += [("60-69", 24, 420), ("70-79", 16, 190), (">=80", 7, 60)]
    zips = [(f"{digits}**", rows, of) for digits, rows, of in (("101", 31, 1400), ("112", 12, 1300), ("113", 14, 700))]
    zips += [("119**", 22, 600)]
    devices = [("android", 21, 1700), ("ios", 20, 1650), ("web", 30, 600), (None, 8, 50)]
    years = [(str(year), 11 + year % 4, 570) for year in range(2019, 2025)]
    groups = [Group("age", *group, released=200) for group in ages]
    groups += [Group("zip", *group, released=200) for group in zips]
    groups += [Group("joined", *group, released=100) for group in years]
    return groups + [Group("device", *group, released=42) for group in devices]


def signed() -> Facts:
    """The same, reviewed, with attacks, recall and private training on record."""
    facts = tickets()
    facts["policy"]["reviewed"] = {"by": "J. Doe, DPO", "date": "2026-11-30"}
    proportion = {"found": 1902, "of": 1960, "rate": 0.9704, "low": 0.9620, "high": 0.9770}
    none = {"found": 0, "of": 0, "rate": None, "low": None, "high": None}
    facts["recall"] = {
        "documents": 400,
        "overall": proportion,
        "entities": {"PERSON": proportion, "PASSPORT": none},
        "required": 0.95,
        "holds": True,
    }
    facts["attacks"] = [
        attack("linkage", ["age", "zip"], 0.021, 0.017, 0.026, 0.0001, 0.004, "pass"),
        attack("inference of topic", ["age", "zip", "device"], 0.24, 0.222, 0.259, 0.11, 0.137, "inconclusive"),
        attack("uniqueness", "every quasi-identifier", 0.0, 0.0, 0.003, None, None, None),
    ]
    facts["training"] = {
        "unit": "customer_id",
        "epsilon": 1.7912,
        "delta": 1e-6,
        "adjacency": "add or remove one unit",
        "sampler": "Poisson over units",
        "accountant": "PLD",
        "noise_multiplier": 1.1,
        "steps": 93,
        "outside": ["choice of the learning rate on private data"],
    }
    return facts


def attack(
    name: str,
    knows: str | list[str],
    rate: float | None,
    low: float | None,
    high: float | None,
    baseline: float | None,
    control: float | None,
    verdict: str | None,
) -> Facts:
    advantage = None if rate is None or control is None else (rate - control) / (1 - control)
    figures = {"rate": rate, "low": low, "high": high, "baseline": baseline, "control": control}
    counts = {"targets": 2000, "attempts": 2000, "correct": 2000 * (rate or 0), "false_accepts": None}
    rest = {"advantage": advantage, "verdict": verdict, "seed": 7, "detail": {"worst subgroup": 0.03}}
    return {"name": name, "knows": knows, **counts, **figures, **rest}


def plain_table() -> Facts:
    """Local recoding of a table without a unit, text or sensitive columns; 0 rows suppressed."""
    facts = tickets()
    facts["policy"] = {"name": "adult", "sha256": SHA, "reviewed": {"by": "J. Doe", "date": "2026-11-30"}}
    facts.pop("threat_model")
    facts["input"] = {"rows": 30162, "units": None, "digest": None}
    facts["output"] = {"rows": 30162, "units": None, "digest": "ab12" * 16, "order": "keep"}
    facts["columns"] = [column_ for column_ in facts["columns"] if column_["role"] == "quasi"]
    facts["columns"][0]["form"] = "set"
    facts["search"] |= {"strategy": "local", "levels": None, "optimal": False, "bound": None, "reproducible": False}
    facts["suppression"] |= {"rows": 0, "rate": 0.0, "units": None, "units_rate": None, "limit": 0.0, "limit_rows": 0}
    facts["suppression"]["groups"] = []
    k = {"required": 5, "achieved": 5, "rows": 5, "units": None, "profiles": None}
    facts["guarantee"] = {"k": k, "l": {}, "t": {}}
    facts["text"] = {}
    return facts


def refused() -> Facts:
    """A release that was written and failed: k, recursive l, t and the suppression limit; unique rows."""
    facts = tickets()
    facts["guarantee"]["k"] |= {"achieved": 1, "rows": 1, "units": 1, "profiles": 1, "classes_failing": 12}
    recursive = {"kind": "recursive", "required": {"c": 3, "l": 2}, "achieved": {"c": 7.25, "l": 2}}
    facts["guarantee"]["l"] = {"topic": recursive | {"classes_failing": 3}}
    facts["guarantee"]["t"]["topic"] |= {"achieved": 0.2000004, "classes_failing": 2}
    facts["suppression"] |= {"rows": 410, "rate": 0.1025, "limit": 0.02, "limit_rows": 80}
    facts["classes"]["sizes"] = class_histogram({1: (9, 9), 4: (3, 12), 11: (80, 900), 35: (70, 2600)}, 10)
    facts["verification"]["checks"][0] |= {"held": False, "detail": "12 classes below 10 units"}
    facts["attacks"] = [attack("linkage", ["age", "zip"], 0.34, 0.31, 0.37, 0.001, 0.02, "fail")]
    return facts


def infeasible() -> Facts:
    """No recoding satisfies the policy: no file was written, most figures are null."""
    facts = tickets()
    facts["output"] = {"rows": None, "units": None, "digest": None}
    facts["guarantee"]["k"] |= {"achieved": 3, "rows": 3, "units": None, "profiles": None, "classes_failing": 40}
    facts["guarantee"]["l"]["topic"] |= {"achieved": None}
    facts["guarantee"]["t"]["topic"] |= {"achieved": None, "against_input": None, "moved": None}
    facts["classes"] = {"count": None, "average": None, "sizes": []}
    facts["loss"] = dict.fromkeys(("ncp", "discernibility", "average_class_size"))
    facts["risk"] = dict.fromkeys(("prosecutor_max", "prosecutor_mean", "journalist", "marketer"))
    facts["suppression"] |= {"rows": None, "rate": None, "units": None, "units_rate": None, "groups": []}
    facts["search"] |= {"levels": None, "bound": None, "optimal": False}
    for one in facts["columns"]:
        one["loss"] = None
        one.pop("k_if_known", None)
    facts["text"]["notes"] = {"documents": 0, "withheld": 0, "spans": {}, "ner": None}
    facts["verification"] = {"checks": []}
    facts["environment"] = {}
    facts["verdict"] = {
        "reasons": ["no recoding within the hierarchies satisfies k = 10 with at most 80 rows suppressed"]
    }
    return facts


def checked() -> Facts:
    """A released file checked alone: the input, the search and the texts are unknown, units were not checked."""
    facts = infeasible()
    facts |= {"verdict": {"holds": True, "reasons": []}, "search": None, "text": {}}
    facts["input"] = {"rows": None, "units": None, "digest": None, "unit": "customer_id"}
    facts["output"] = {"rows": 3921, "units": None, "digest": "ab12" * 16, "paths": ["release.parquet"]}
    facts["columns"] = [one | {"action": "none", "levels": None} for one in facts["columns"]]
    achieved = {"achieved": 12, "rows": 12, "units": None, "profiles": None, "counted": "rows", "classes_failing": 0}
    facts["guarantee"]["k"] |= achieved
    facts["guarantee"]["l"]["topic"] |= {"achieved": 4}
    facts["guarantee"]["t"]["topic"] |= {"achieved": 0.17}
    facts["classes"] = tickets()["classes"] | {"counted": "rows"}
    facts["suppression"].pop("limit_rows")
    return facts


def empty() -> Facts:
    """Zero rows in, zero rows out: every measure is null."""
    facts = infeasible()
    facts.pop("verdict")
    facts["input"] |= {"rows": 0, "units": 0}
    facts["output"] = {"rows": 0, "units": 0, "digest": "ab12" * 16}
    facts["guarantee"]["k"] |= {"achieved": None, "rows": None, "units": None, "profiles": None, "classes_failing": 0}
    facts["classes"] = {"count": 0, "average": None, "sizes": []}
    facts["suppression"] |= {"rows": 0, "rate": None, "units": 0, "units_rate": None}
    facts["verification"] = {"checks": [{"name": "schema of the output", "held": True, "detail": "8 columns"}]}
    return facts


def text_only() -> Facts:
    """Documents alone: no quasi-identifier, no guarantee, no search."""
    facts = tickets()
    facts["columns"] = [one for one in facts["columns"] if one["role"] == "text"]
    facts["guarantee"] = {"k": None, "l": {}, "t": {}}
    facts["search"] = None
    facts["classes"] = {"count": None, "average": None, "sizes": []}
    facts["loss"] = dict.fromkeys(("ncp", "discernibility", "average_class_size"))
    facts["risk"] = dict.fromkeys(("prosecutor_max", "prosecutor_mean", "journalist", "marketer"))
    none = {"rows": 0, "rate": 0.0, "units_rate": None, "limit": None, "groups": []}
    facts["suppression"] = none
    facts["text"]["notes"] |= {"ner": None, "also_from": None, "withheld": 3}
    return facts


def hostile() -> Facts:
    """Strings that want to be markup, escape sequences and look-alikes, wherever a string may stand."""

    def poisoned(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: poisoned(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [poisoned(one, key) for one in value]
        return value + ATTACK_STRING if isinstance(value, str) and key not in KEPT_VALUES else value

    facts: Facts = poisoned(tickets())
    for part in ("l", "t"):
        facts["guarantee"][part] = {f"topic{ATTACK_STRING}": one for one in facts["guarantee"][part].values()}
    facts["search"]["levels"] = {name + ATTACK_STRING: level for name, level in facts["search"]["levels"].items()}
    facts["text"] = {ATTACK_STRING: facts["text"]["notes"] | {"spans": {ATTACK_STRING: 5}}}
    facts["environment"]["files"] = {ATTACK_STRING: SHA}
    facts["environment"]["versions"] = {ATTACK_STRING: ATTACK_STRING}
    facts["columns"][0]["name"] = "price\u202e\x1b[31m\u200b\nsecond line"
    facts["columns"][1]["name"] = "'; DROP TABLE x; -- | `code` [link](javascript:alert(1)) *b* \u0007"
    return facts


KEPT_VALUES = {
    *("sha256", "digest", "role", "form", "strategy", "objective", "action", "order", "scope", "counted", "kind"),
    *("distance", "verdict", "files"),
}


def wide() -> Facts:
    """Sixty columns with long names, many groups, many promises: ten million rows."""
    facts = tickets()
    facts["policy"]["name"] = "customer-interactions-all-channels-" + "and-archives-" * 6 + "2026"
    facts["input"] = {
        "rows": 10_000_000,
        "units": None,
        "digest": None,
        "paths": [f"part-{i:05d}.parquet" for i in range(40)],
    }
    facts["output"] |= {"rows": 9_870_112, "units": None}
    quasis = [
        quasi(f"quasi_identifier_with_a_long_descriptive_name_{i:02d}_from_the_source_system", i / 30, AGE_LEVELS)
        for i in range(24)
    ]
    quasis[0]["levels"] = {str(level): f"step {level} of a deep hierarchy of product categories" for level in range(14)}
    quasis[1]["name"] = "x" * 300
    others = [
        column(f"measured_value_{i:02d}", role, action, k_if_known=i)
        for i, (role, action) in enumerate(12 * [("keep", "keep"), ("sensitive", "keep"), ("identifier", "redact")])
    ]
    facts["columns"] = quasis + others
    names = [one["name"] for one in quasis]
    facts["search"]["levels"] = {name: index % 5 for index, name in enumerate(names)}
    sensitive = [one["name"] for one in others if one["role"] == "sensitive"]
    entropy = {"kind": "entropy", "required": 2.5, "achieved": 2.4999999999}
    facts["guarantee"]["k"] |= {"counted": "rows", "units": None, "profiles": None, "achieved": 10, "rows": 10}
    facts["guarantee"]["l"] = {name: dict(entropy) for name in sensitive}
    facts["guarantee"]["t"] = {name: dict(facts["guarantee"]["t"]["topic"]) for name in sensitive}
    groups = [
        Group(name, f"category {g:03d} with a rather long label", (7 * i + 13 * g * g) % 900, 40_000 + g, 1000)
        for i, name in enumerate(names)
        for g in range(60)
    ]
    facts["suppression"] |= {
        "rows": 129_888,
        "rate": 0.0129888,
        "units": None,
        "units_rate": None,
        "limit_rows": 200_000,
    }
    facts["suppression"]["groups"] = protect(groups, 10)
    facts["classes"] |= {"count": 402_113, "average": 24.5456, "counted": "rows"}
    facts["classes"]["sizes"] = class_histogram(
        {10 * 2**i: (200_000 >> i, (200_000 >> i) * 10 << i) for i in range(15)}, 10
    )
    facts["text"] = {f"free_text_{i}": copy.deepcopy(facts["text"]["notes"]) for i in range(4)}
    for i, part in enumerate(facts["text"].values()):
        part["spans"] |= {f"A_VERY_LONG_ENTITY_NAME_OF_A_USER_RULE_{j}": 3 * j + i for j in range(30)}
    return facts


EXAMPLES: dict[str, Callable[[], Facts]] = {
    "tickets": tickets,
    "signed": signed,
    "plain_table": plain_table,
    "refused": refused,
    "infeasible": infeasible,
    "checked": checked,
    "empty": empty,
    "text_only": text_only,
    "hostile": hostile,
    "wide": wide,
}
