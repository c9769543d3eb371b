"""Checks by name that a rule pack may ask for: check digits and structure, on the matched string alone."""

from __future__ import annotations

import importlib
import ipaddress
import re
from collections.abc import Callable
from functools import cache

from anonym.text.words import dictionary, words

Validator = Callable[[str], bool]

_PHONE_REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "IN", "BR", "AU", "NL", "SE", "CH", "AT", "PL", "BE", "IL")


def luhn(value: str) -> bool:
    """The Luhn check over the digits of `value` (ISO/IEC 7812-1)."""
    digits = [int(c) for c in value if c.isdigit()]
    if len(digits) < 2 or len(set(digits)) == 1:
        return False
    doubled = (sum(divmod(2 * d, 10)) for d in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def iban(value: str) -> bool:
    """ISO 13616 mod 97 over the letters and digits of `value`."""
    plain = re.sub(r"[^0-9A-Za-z]", "", value).upper()
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def ip(value: str) -> bool:
    """An IPv4 or IPv6 address, with or without a prefix length or zone."""
    try:
        ipaddress.ip_address(value.split("/")[0].split("%")[0])
    except ValueError:
        return False
    return value not in {"::", "0.0.0.0"}


def date(value: str) -> bool:
    """A numeric date whose parts can be a day, a month and a year in some order."""
    parts = [int(p) for p in re.findall(r"\d+", value)][:3]
    if len(parts) < 3:
        return False
    year = parts[0] if parts[0] > 31 else parts[2]
    rest = parts[1:] if parts[0] > 31 else parts[:2]
    return (year < 100 or 1000 <= year <= 2999) and min(rest) in range(1, 13) and max(rest) in range(1, 32)


def phone(value: str) -> bool:
    """A number that phonenumbers holds possible and valid in one of sixteen regions, or internationally."""
    import phonenumbers

    regions = (None,) if value.lstrip("(").startswith("+") else _PHONE_REGIONS
    for region in regions:
        try:
            number = phonenumbers.parse(value, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number(number):
            return True
    return False


def mixed_or_long(value: str) -> bool:
    """A code of at least four characters with three digits or more, and no date."""
    digits = sum(c.isdigit() for c in value)
    return digits >= 3 and len(value) >= 4 and not (re.search(r"[/.\-]", value) and date(value))


def mixed(value: str) -> bool:
    """Letters and digits both, as codes have and words have not."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def three_digits(value: str) -> bool:
    """A reference number: at least three digits."""
    return sum(c.isdigit() for c in value) >= 3


def five_digits(value: str) -> bool:
    """A code in groups: at least five digits, which section numbers and model names have not."""
    return sum(c.isdigit() for c in value) >= 5


def plate(value: str) -> bool:
    """A vehicle's registration: five to nine letters and digits, of each at least one, two digits or more."""
    plain = re.sub(r"[^A-Z0-9]", "", value)
    return 5 <= len(plain) <= 9 and sum(map(str.isdigit, plain)) >= 2 and not plain.isdigit()


def day_and_month(value: str) -> bool:
    """`18/06`, and not `24/7`, `1/2` or `120/80`: a day and a month in some order; an ordinal is a day."""
    parts = [int(part) for part in re.findall(r"\d+", value)]
    if len(parts) == 1:
        return True
    return parts != [24, 7] and max(parts) > 4 and 1 <= min(parts) <= 12 and max(parts) <= 31


def docket(value: str) -> bool:
    """`51422/09`, and not `142/88` or `24/07`: a number, and a year of two or four digits."""
    left, right = (part.strip() for part in value.split("/", 1))
    if len(left) == 4 and left[:2] in {"19", "20"}:
        return len(right) >= 2
    return len(left) >= 3 and not (len(left) == 3 and _blood_pressure(int(left), int(right)))


def _blood_pressure(systolic: int, diastolic: int) -> bool:
    return systolic <= 260 and 40 <= diastolic <= 130 and diastolic < systolic


def handle(value: str) -> bool:
    """An account name after an at sign, not a decorator or an annotation."""
    plain = value.lstrip("@＠ ").casefold()
    return len(plain) >= 2 and plain not in words("annotations") and not plain.replace(".", "").isdigit()


def username(value: str) -> bool:
    """An account name and not a word of a sentence: it has a digit, a separator or capitals inside, or is long."""
    plain = value.casefold()
    if plain in words("no_user") or len(value) < 3:
        return False
    return bool(re.search(r"[\d_.\-]|[a-z][A-Z]", value)) or len(value) >= 8


def no_system_user(value: str) -> bool:
    """A home folder's owner that is a person."""
    return value.casefold() not in {
        "ubuntu",
        "root",
        "public",
        "default",
        "admin",
        "user",
        "shared",
        "runner",
        "ec2-user",
        "vagrant",
        "app",
        "postgres",
        "mysql",
        "guest",
        "test",
    }


def no_word(value: str) -> bool:
    """What stands where a name stands is not one of the words that stand there as often."""
    found = re.findall(r"[^\W\d_]+", value.casefold())
    return bool(found) and found[0] not in words("no_name")


def no_country(value: str) -> bool:
    """Not `U.S. Army` or `U.K. Government`: initials that stand for a country."""
    return re.match(r"(?:U\.\s?S\.?|U\.\s?K\.?|E\.\s?U\.?|U\.\s?N\.?|D\.\s?C\.?|P\.\s?S\.?|N\.\s?B\.?)", value) is None


_HEADED = re.compile(r"(?:[A-H]|[IVX]+)\.\s?([^\W\d_]+)")


def no_heading(value: str) -> bool:
    """`H. Brandvold`, and not `C. Proceedings` or `I. THE`: a letter or Roman numeral before a common word."""
    match = _HEADED.fullmatch(value.strip())
    word = match[1].casefold() if match else ""
    if word in words("function_words") or word in words("headings"):
        return False
    if not word or word in words("also_words") or word in given_names():
        return no_country(value)
    common = dictionary("en")
    return not (common and word in common[0]) and no_country(value)


_LOCALES = "en_US en_GB fr_FR es_ES de_DE it_IT nl_NL pt_PT pl_PL sv_SE da_DK no_NO fi_FI tr_TR en_IN cs_CZ hu_HU ro_RO"
_MORE_LOCALES = (
    "en_IE en_KE en_NG en_NZ en_PK ga_IE ha_NG ig_NG yo_NG tw_GH sw zu_ZA id_ID de_AT de_CH es_AR es_CL es_CO es_MX"
    " fr_CA fr_CH fr_BE fr_DZ pt_BR hr_HR sk_SK sl_SI et_EE lt_LT lv_LV az_AZ is_IS nl_BE"
)


@cache
def given_names() -> frozenset[str]:
    """Folded given names of Faker's locale lists (MIT), the Latin script's; of the smaller lists, those that are no
    English word.
    """
    known = dictionary("en")
    lower = known[0] if known else frozenset()
    return _faker_names(_LOCALES) | (_faker_names(_MORE_LOCALES) - lower)


def _faker_names(locales: str) -> frozenset[str]:
    names: set[str] = set()
    for locale in locales.split():
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        for attribute in ("first_names", "first_names_male", "first_names_female"):
            listed = getattr(provider, attribute, ())
            if not isinstance(listed, property):  # as some locales make both lists one
                names.update(str(name).casefold() for name in listed)
    return frozenset(name for name in names if len(name) >= 3 and name.isalpha())


def given_name_first(value: str) -> bool:
    """The first word is a given name, or begins with one (`Anne-Laure`); a particle is none, though Del is a name."""
    first = value.split()[0].partition("-")[0].casefold()
    return first in given_names() and first not in words("particles")


def given_name_alone(value: str) -> bool:
    """A given name that is no common word as well."""
    return value.casefold() in given_names() and value.casefold() not in words("also_words")


_PLACEHOLDER = re.compile(
    r"(?i)^(?:[\"'`<\[{(]*(?:none|null|nil|true|false|undefined|not[-_ ]?set|example|changeme|change_me|redacted|hidden"
    r"|your[-_ ].*|my[-_ ]?(?:password|secret|token|key)|x{3,}|\*{3,}|\.{3,}|-+|_+|=+|password|secret|token|required"
    r"|string|str|int|bool|optional|default|here|below|above|it|is|was|and|or|the|a|an|for|to|in|of|on|at|by|with|this"
    r"|that|protected|reset|changed|expired|incorrect|wrong|invalid|missing|manager|policy)[\"'`>\]})]*"
    r"|<[^>]*>|\$\{?[\w.:/\-]*\}?.*|%\w+%|\{\{.*|\{[\w.]*\}.*|#\{.*|.*\b(?:process\.env|os\.(?:environ|getenv)|getenv|System\."
    r"|config\.|settings\.|self\.|this\.|request\.|params\[).*|\w+\(.*|[\w.]+\[.*)$"
)


_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")  # a kind of its own
_SEQUENCE = re.compile(r"(?i)1234567|abcdefg|a1b2c3|(\w)\1{7}")
_HEX, _HEX_LENGTHS = (
    re.compile(r"[0-9a-fA-F]{18,}"),
    {18, 20, 24, 28, 30, 32, 34, 36, 40, 48, 52, 56, 60, 64, 72, 80, 96, 128, 256},
)
_NUMBERED = re.compile(r"\d{6,}[_\-]")  # a record's number with a suffix


def secret_value(value: str) -> bool:
    """Not a placeholder, a variable, a call or a run of one character: a value that could be a credential."""
    plain = value.strip("\"'` ")
    if len(plain) < 4 or len(set(plain)) < 4 or " " in plain.strip() or _UUID.fullmatch(plain):
        return False
    if len(plain) >= 16 and (len(set(plain)) < 6 or _SEQUENCE.search(plain)):
        return False
    return not _PLACEHOLDER.match(plain) and not (_HEX.fullmatch(plain) and len(plain) not in _HEX_LENGTHS)


def password_in_prose(value: str) -> bool:
    """A word of a sentence that is no word of any language: it has a digit, or a symbol inside, or case within."""
    if not secret_value(value) or not 6 <= len(value) <= 128:
        return False
    digit = any(c.isdigit() for c in value)
    symbol = re.search(r"\w[^\w\s'’\-./,:]\w", value) is not None
    inner = re.search(r"[a-z][A-Z]", value) is not None
    return (digit and any(c.isalpha() for c in value)) or symbol or (inner and len(value) >= 8)


def key_value(value: str) -> bool:
    """Long and irregular enough for a generated key: letters and digits mixed, hexadecimal, base64."""
    if not secret_value(value) or len(value) < 12 or _NUMBERED.match(value) or re.fullmatch(r"[\d.\-:]+", value):
        return False
    return (
        any(c.isdigit() for c in value)
        and len(set(value)) >= 8
        and not re.fullmatch(r"[\w.\-]+\.(?:com|net|org|io|js|py|json|html?)", value)
    )


@cache
def _stdnum(name: str) -> Validator:
    module = importlib.import_module(f"stdnum.{name}")
    check: Validator = module.is_valid
    return check


OWN: dict[str, Validator] = {
    "luhn": luhn,
    "iban": iban,
    "ip": ip,
    "date": date,
    "phone": phone,
    "three_digits": three_digits,
    "five_digits": five_digits,
    "plate": plate,
    "day_and_month": day_and_month,
    "docket": docket,
    "handle": handle,
    "username": username,
    "no_system_user": no_system_user,
    "no_word": no_word,
    "no_country": no_country,
    "no_heading": no_heading,
    "given_name_first": given_name_first,
    "given_name_alone": given_name_alone,
    "mixed": mixed,
    "mixed_or_long": mixed_or_long,
    "secret_value": secret_value,
    "password_in_prose": password_in_prose,
    "key_value": key_value,
}


def validator(name: str) -> Validator:
    """The check called `name`: one of `OWN`, or `stdnum:gb.nhs` for python-stdnum's `stdnum.gb.nhs`.

    Raises KeyError for an unknown name.
    """
    if name.startswith("stdnum:"):
        try:
            return _stdnum(name.removeprefix("stdnum:"))
        except ImportError as missing:
            raise KeyError(name) from missing
    return OWN[name]
