"""Presidio's recogniser of telephone numbers, without asking phonenumbers what it is sure to refuse.

phonenumbers takes a window of text apart once for each of eight regions, 0.2 ms each time, and refuses most of it: of
the digits in logs and tables few are telephone numbers. Which digits cannot be one is seen at once: none of what can be
left of them, without the region's country code and national prefix, is a number of any kind there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

_KINDS = (
    *("fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "voip", "personal_number", "pager", "uan"),
    "voicemail",
)
"""The kinds of numbers in the metadata of phonenumbers: a number of none of them is not valid."""

_PLAIN = re.compile(r"[0-9 ()\[\].\-/]*")
"""Digits as most are written: no sign of a country, no extension, no digits of other scripts. What else there is
phonenumbers is always asked about."""

RECENT = 1 << 14
"""Strings of digits of which is remembered where they may be a number: the parts of a window have many in common."""


@dataclass(frozen=True)
class Numbering:
    """What digits must look like to be a number where a region is assumed: they begin with `abroad` (the prefix of
    calls to other countries), or what is left without the country `code` and national `prefixes` is one of `numbers`.
    """

    abroad: re.Pattern[str]
    code: str
    prefixes: tuple[re.Pattern[str], ...]
    transforms: bool
    numbers: re.Pattern[str]

    def may_be(self, digits: str) -> bool:
        """False where phonenumbers is sure to find no valid number in these digits."""
        if self.abroad.match(digits):
            return True
        forms = {digits}
        if digits.startswith(self.code):
            forms.add(digits[len(self.code) :])
        for _ in range(2):  # one prefix may stand before the country code's removal, and one behind it
            found = [(form, match) for form in forms for prefix in self.prefixes if (match := prefix.match(form))]
            if found and self.transforms:
                return True
            forms.update(form[match.end() :] for form, match in found)
        return any(self.numbers.fullmatch(form) for form in forms)


@cache
def numbering(region: str) -> Numbering:
    """How a region numbers, by the metadata of phonenumbers."""
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata

    own: Any = PhoneMetadata.metadata_for_region(region)
    regions = COUNTRY_CODE_TO_REGION_CODE[own.country_code]
    sharing: list[Any] = [PhoneMetadata.metadata_for_region(each) for each in regions]
    kinds = [getattr(each, kind) for each in sharing for kind in _KINDS]
    patterns = dict.fromkeys(kind.national_number_pattern for kind in kinds if kind and kind.national_number_pattern)
    stripped = [each for each in (own, sharing[0]) if each.national_prefix_for_parsing]
    return Numbering(
        abroad=re.compile(own.international_prefix or "(?!)"),
        code=str(own.country_code),
        prefixes=tuple(re.compile(each.national_prefix_for_parsing) for each in stripped),
        transforms=any(each.national_prefix_transform_rule for each in stripped),
        numbers=re.compile("|".join(f"(?:{pattern})" for pattern in patterns)),
    )


@lru_cache(RECENT)
def _regions_of(digits: str, regions: tuple[str, ...]) -> frozenset[str]:
    return frozenset(region for region in regions if numbering(region).may_be(digits))


def possible(candidate: str, regions: tuple[str, ...]) -> frozenset[str]:
    """The regions without those in which phonenumbers is sure to refuse `candidate`."""
    if _PLAIN.fullmatch(candidate) is None:
        return frozenset(regions)
    return _regions_of("".join(filter(str.isdigit, candidate)), regions)


@cache
def _matchers() -> tuple[Any, Any]:
    """phonenumbers' matcher asking nothing that is refused, and one that only notes what would be asked."""
    from phonenumbers import PhoneNumberMatcher

    class Gated(PhoneNumberMatcher):  # type: ignore[misc, unused-ignore]
        def __init__(self, text: str, region: str, regions: tuple[str, ...], leniency: int) -> None:
            super().__init__(text, region, leniency=leniency)
            self._regions = regions

        def _parse_and_verify(self, candidate: str, offset: int) -> Any:
            refused = self.preferred_region not in possible(candidate, self._regions)
            return None if refused else super()._parse_and_verify(candidate, offset)

    class Noting(PhoneNumberMatcher):  # type: ignore[misc, unused-ignore]
        def __init__(self, text: str) -> None:
            super().__init__(text, None)
            self.whole: set[tuple[int, int]] = set()
            self.asked: dict[tuple[int, int], str] = {}

        def _extract_match(self, candidate: str, offset: int) -> Any:
            self.whole.add((offset, offset + len(candidate)))
            return super()._extract_match(candidate, offset)

        def _parse_and_verify(self, candidate: str, offset: int) -> None:
            self.asked[offset, offset + len(candidate)] = candidate

    return Gated, Noting


def numbers(text: str, regions: tuple[str, ...], leniency: int) -> set[tuple[int, int]]:
    """Where phonenumbers finds a number when it assumes each of the regions, without numbers inside others.

    Until it finds one it asks the same whatever the region, which is noted once. A region of which nothing noted can be
    a number finds none; where all that can be lies in candidates that an earlier region took whole, it finds only
    numbers inside those.
    """
    gated, noting = _matchers()
    notes = noting(text)
    notes.has_next()
    found: set[tuple[int, int]] = set()
    may_be = [(span, possible(candidate, regions)) for span, candidate in notes.asked.items()]
    for region in regions:
        taken = found & notes.whole
        left = [span for span, where in may_be if region in where and not _inside(span, taken)]
        if left:
            found.update((match.start, match.end) for match in gated(text, region, regions, leniency))
    return found


def _inside(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


def gated(base: Any) -> Any:
    """Presidio's recogniser `base` of telephone numbers, with the same results, but without explanations."""
    from presidio_analyzer import RecognizerResult

    class GatedPhoneRecognizer(base):  # type: ignore[misc]
        def analyze(self, text: str, _entities: Any, _nlp_artifacts: Any = None) -> Any:
            (entity,) = self.supported_entities
            found = numbers(text, tuple(self.supported_regions), self.leniency)
            return self.remove_duplicates([RecognizerResult(entity, start, end, self.SCORE) for start, end in found])

    return GatedPhoneRecognizer
