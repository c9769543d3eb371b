"""What values look like: patterns that tell an identifier, a date or a code whatever its column is called."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

import polars as pl

from anonym.policy.infer.facts import Facts
from anonym.policy.infer.vocabulary import agreement
from anonym.text.validators import given_names, iban, ip, luhn

MOST = 0.9

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
URL = re.compile(r"(?:https?|ftp)://\S+|www\.\S+", re.I)
IP = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*", re.I)
MAC = re.compile(r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.I)
UUID = re.compile(r"\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?", re.I)
HEX = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{12,}", re.I)
IBAN = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}")
CARD = re.compile(r"\d{4}(?:[ -]?\d{4}){2}(?:[ -]?\d{1,7})?")
PHONE = re.compile(
    r"(?:\+|00)\d[\d\s().\-/]{6,17}|\(?0\d{1,5}\)?[\s\-/.]?\d[\d\s\-/.]{4,12}|\(?\d{3}\)?[\s.\-]\d{3}[\s.\-]\d{4}"
)
SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})|"
    r"\d{1,2}[ /.-]?[A-Za-zéûäç.]{3,9}[ /-]?\d{2,4}|[A-Za-zéûäç.]{3,9} \d{1,2},? \d{4}"
)
DAY = re.compile(_DAY)
ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?")
MOMENT = re.compile(
    rf"(?:[A-Za-z]{{2,9}},? )?(?:{_DAY})[T ,:_-]+\d{{1,2}}[:.h-]\d{{2}}.*|"
    r"(?:[A-Za-z]{3} )?[A-Za-z]{3} +\d{1,2} \d{2}:\d{2}:\d{2} (?:[A-Z]{3,4} )?\d{4}"
)
PERIOD = re.compile(
    r"\d{4}[-/.](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])[-/.]\d{4}|\d{4}[- /]?[QW]\d{1,2}|[QW]\d{1,2}[- /]?\d{4}", re.I
)
CLOCK = re.compile(r"\d{1,2}[:h]\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[AaPp]\.?[Mm]\.?)?")
JSON = re.compile(r"\s*[\[{].*[\]}]\s*", re.S)
AMOUNT = re.compile(r"[-+]?[$€£]?\s?(?:\d{1,3}(?:[.,' ]\d{3})+|\d+)(?:[.,]\d+)?\s?(?:[$€£%]|[A-Z]{3})?")
MONEY = re.compile(
    r"[-+(]?\s?(?:[$€£¥]\s?\d[\d.,' ]*|\d[\d.,' ]*\s?(?:[$€£¥%]|[A-Z]{3}|kr|zł|Ft)|"
    r"(?:\d{1,3}(?:[.,' ]\d{3})*|\d+)[.,]\d{1,2})\)?"
)
HANDLE = re.compile(r"@[\w.\-]{2,}")
COMPACT = re.compile(
    r"(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T?(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?(?:[-+]\d{4})?)?"
)
AGENT = re.compile(r"Mozilla/\d|AppleWebKit|okhttp/|curl/\d|Dalvik/")
ICD = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?")
ATC = re.compile(r"[A-DGHJL-NPRSV]\d{2}[A-Z](?:[A-Z](?:\d{2})?)?")
GENOTYPE = re.compile(r"[ACGT][/|]?[ACGT]")
TUMOUR_STAGE = re.compile(r"(?:stage )?(?:0|I{1,3}|IV)[ABC]?", re.I)
PAIR = re.compile(r"[-+]?\d{1,3}\.\d{3,}\s*[,; ]\s*[-+]?\d{1,3}\.\d{3,}|POINT\s*\(.*\)")
STREET = re.compile(
    r"(?i).*(?:\b(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|blvd|court|ct|way|square|rue|avenue|chemin|calle|avda|"
    r"plaza|via|viale|piazza|rua|ulica|ul|laan)\b|(?:stra(?:ss|ß)e|str\.?|weg|platz|gasse|allee|straat|gracht|plein|gatan|vägen)(?![a-z])).*"
)
HOUSE = re.compile(r"\d{1,5}[a-zA-Z]?,? [A-ZÀ-Þ][\w.'\-]+(?: [\w.'\-#]+){1,5}")
COMPANY = re.compile(r"(?i)\b(?:inc|llc|ltd|plc|gmbh|ag|kg|corp|co|group|sons|sa|sarl|srl|bv|ab|spa|and|und|et)\b|&")
TITLE = re.compile(r"(?i)^(?:dr|prof|mr|mrs|ms|st)\b\.? ?")
DOTTED = re.compile(r"\w\w\.\w\w|'s\b")
DIGITS = re.compile(r"\d")
LETTERED = re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d")
POSTCODES = re.compile(rf"\d{{4,6}}(?:-\d{{3,4}})?|{LETTERED.pattern}|\d{{2}}-\d{{3}}|\d{{3}} \d{{2}}")
CODE = re.compile(r"(?=.*\d)[A-Za-z]{0,6}[-_#/.]?[A-Za-z0-9]{2,}(?:[-_/.][A-Za-z0-9]+)*")
BAND = re.compile(
    r"\[?\(?[<>≥≤]?=?\s?\d+\s?(?:-|–|to|bis|a|,)?\s?\d*\s?[\])+]?(?:\s?(?:years|yrs|jahre|ans|anos))?", re.I
)


def identifier(facts: Facts) -> tuple[str, str] | None:
    """(concept, reason) of values that identify by their shape."""
    if not facts.is_text or not facts.sample:
        return None
    for pattern, concept, words in (
        (EMAIL, "email", "values are e-mail addresses"),
        (UUID, "record_id", "values are UUIDs"),
        (MAC, "device_id", "values are hardware addresses"),
        (SSN, "national_id", "values have the form of social security numbers"),
        (HANDLE, "username", "values are names of accounts"),
    ):
        if facts.share(pattern) >= MOST:
            return concept, words
    checked = [text for text in facts.sample if IBAN.fullmatch(text)]
    if len(checked) >= MOST * len(facts.sample) and sum(map(iban, checked)) >= len(checked) / 2:
        return "account", "values are bank account numbers"
    checked = [text for text in facts.sample if CARD.fullmatch(text)]
    if facts.distinct > 5 and len(checked) >= MOST * len(facts.sample) and _luhn(checked) >= MOST:
        return "account", "values pass the check digit of cards and devices"
    if facts.share(IP) >= MOST and sum(map(_address, facts.sample)) >= MOST * len(facts.sample):
        return "ip", "values are network addresses"
    if facts.distinct > 10 and facts.share(URL) >= MOST and facts.uniqueness > 0.3:
        return "url", "values are web addresses that hardly repeat"
    if facts.distinct > 10 and facts.share(HEX) >= MOST and facts.length >= 12:
        return "record_id", "values are long hexadecimal keys"
    return None


def streets(facts: Facts) -> bool:
    """Street addresses: a word for a street and a number, or a house number before a name."""
    if not facts.is_text or facts.distinct <= 20 or facts.words >= 9:
        return False
    if facts.share(STREET) > 0.7 and facts.holding(DIGITS) > 0.6:
        return True
    return facts.uniqueness > 0.5 and facts.share(HOUSE) >= MOST


def answers(facts: Facts) -> bool:
    """Yes and no, in any spelling."""
    return facts.distinct == 2 and (facts.dtype == pl.Boolean or agreement(facts.sample, "yes_no") == 1)


def ticks(facts: Facts) -> bool:
    """Whole numbers that can be Unix times of this century, in seconds down to nanoseconds."""
    if not facts.is_whole or not facts.distinct:
        return False
    return any(10**9 <= facts.low / unit <= facts.high / unit <= 4 * 10**9 for unit in (1, 10**3, 10**6, 10**9))


def years(facts: Facts) -> bool:
    """Whole numbers that are years of the last two centuries and the next decades."""
    return facts.is_whole and facts.distinct > 1 and 1800 <= facts.low <= facts.high <= 2100


def compact_days(facts: Facts) -> bool:
    """Days written as one number, 20240131, with or without a time, 20240131093000."""
    written = facts.is_text or facts.is_whole
    return written and facts.distinct > 2 and bool(facts.sample) and facts.share(COMPACT) == 1


def diagnoses(facts: Facts) -> str | None:
    """What clinical codes the values have the form of: diagnoses, drugs, genotypes or stages of a tumour.

    Codes of one letter are more often those of a place or a thing: B01, B02, B03.
    """
    if not facts.is_text or facts.distinct <= 2:
        return None
    letters = len({text[0] for text in facts.sample})
    if facts.distinct > 3 and letters > 1 and facts.share(ICD) > MOST and facts.length <= 7:
        return "diagnosis codes"
    if facts.distinct > 3 and letters > 1 and facts.share(ATC) > MOST and facts.length >= 4:
        return "codes of drugs"
    if facts.share(GENOTYPE) == 1:
        return "genotypes"
    return "stages of a tumour" if facts.distinct > 3 and facts.share(TUMOUR_STAGE) == 1 else None


def _luhn(texts: list[str]) -> float:
    return sum(luhn(re.sub(r"\D", "", text)) for text in texts) / max(len(texts), 1)


def _address(text: str) -> bool:
    return ip(text.split(":")[0] if text.count(":") == 1 else text)


def telephone(facts: Facts) -> bool:
    """Telephone numbers with their marks: a plus, a leading zero or separators."""
    return facts.distinct > 10 and facts.uniqueness > 0.15 and facts.share(PHONE) >= MOST and facts.share(DAY) < 0.5


def names(facts: Facts) -> float:
    """The share of sampled values that hold a common given name or family name."""
    known = given_names() | _family_names()
    held = sum(
        any(word in known for word in re.split(r"[^\w]+", text.casefold()))
        and not any(other.search(text) for other in (COMPANY, STREET, DOTTED))
        for text in (TITLE.sub("", text) for text in facts.sample)
    )
    return held / len(facts.sample) if facts.sample else 0.0


def is_name_like(facts: Facts) -> bool:
    """Words of letters, few of them."""
    return facts.is_text and facts.holding(DIGITS) < 0.1 and facts.words <= 4.5 and 2 <= facts.length <= 45


@cache
def _family_names() -> frozenset[str]:
    """Folded family names of Faker's locale lists (MIT)."""
    names: set[str] = set()
    for locale in _LOCALES:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        names.update(str(name).casefold() for name in getattr(provider, "last_names", ()))
    return frozenset(name for name in names if len(name) >= 3 and name.isalpha())


_LOCALES = (
    *("en_US", "en_GB", "fr_FR", "es_ES", "de_DE", "it_IT", "nl_NL", "pt_PT"),
    *("pl_PL", "sv_SE", "da_DK", "fi_FI", "tr_TR", "en_IN", "cs_CZ"),
)
