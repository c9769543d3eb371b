"""detect-secrets' plugins over a column of texts, line by line.

A line is shown to the plugins as a line of an `.ini` file, where the keyword plugin takes unquoted values (114 of 212
passwords in prose and logs; as `.txt` it takes 13). Plugins say which value they saw, not where, and some give only its
prefix: every occurrence in the line is taken and widened to the whole token. The comment that asks
detect-secrets to look away is data here and is cut off first.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from anonym.errors import CallError
from anonym.text.scanner import Column, Regex
from anonym.text.spans import SECRET, Span
from anonym.text.validators import key_value, secret_value

LINE_LIMIT = 2_000
"""Characters of the longest line a plugin sees; their patterns are not all linear."""

_QUOTED = re.compile(r"['\"][0-9A-Za-z_+/=\-]{16}")
"""What quotes a value that may be long enough for the plugins that measure entropy."""

_NEXT = re.compile(r"[;&](?=[\w.\-]{1,40}=|\s|$)")
"""Where a value ends in a connection string or a query: `Password=…;Timeout=5`."""

_WORD = r"[\w\-+/=.~]"
_NAMED = re.compile(r"(?i)passw|secret|token|key|credential|bearer")  # a random string alone is an identifier
_PRAGMA = re.compile(r"(?i)(?:#|//|/\*|--|<!--)?\s*pragma:?\s*(?:white|allow)list[ -](?:nextline[ -])?secret.*$")

_CHECKS = {
    "KeywordDetector": secret_value,
    "BasicAuthDetector": secret_value,
    "Base64HighEntropyString": key_value,
    "HexHighEntropyString": key_value,
}
"""What a plugin's value must look like, where the plugin itself is easily content."""

PLUGINS = (
    "artifactory.ArtifactoryDetector",
    "aws.AWSKeyDetector",
    "azure_storage_key.AzureStorageKeyDetector",
    "basic_auth.BasicAuthDetector",
    "cloudant.CloudantDetector",
    "discord.DiscordBotTokenDetector",
    "github_token.GitHubTokenDetector",
    "gitlab_token.GitLabTokenDetector",
    "high_entropy_strings.Base64HighEntropyString",
    "high_entropy_strings.HexHighEntropyString",
    "ibm_cloud_iam.IbmCloudIamDetector",
    "ibm_cos_hmac.IbmCosHmacDetector",
    "jwt.JwtTokenDetector",
    "keyword.KeywordDetector",
    "mailchimp.MailchimpDetector",
    "npm.NpmDetector",
    "openai.OpenAIDetector",
    "pypi_token.PypiTokenDetector",
    "sendgrid.SendGridDetector",
    "slack.SlackDetector",
    "softlayer.SoftlayerDetector",
    "square_oauth.SquareOAuthDetector",
    "stripe.StripeDetector",
    "telegram_token.TelegramBotTokenDetector",
    "twilio.TwilioKeyDetector",
)
"""All plugins of detect-secrets 1.5 but two: public IP addresses are found as such, PEM keys by their whole body."""


@cache
def plugins() -> tuple[Any, ...]:
    """detect-secrets' plugins, instantiated once per process, with their default limits. Raises CallError where the
    installed detect-secrets lacks one.
    """
    named = (entry.split(".") for entry in PLUGINS)
    try:
        modules = ((importlib.import_module(f"detect_secrets.plugins.{module}"), name) for module, name in named)
        return tuple(getattr(module, name)() for module, name in modules)
    except (ImportError, AttributeError):
        raise CallError(
            "text.secrets: expected detect-secrets 1.5 with all its plugins, found none or another version; install it "
            "(pip install --upgrade detect-secrets) or declare `secrets: false`"
        ) from None


def asked() -> tuple[tuple[int, Regex], ...]:
    """By number, the plugins with the expressions of which one matches in every line that they find something in."""
    return tuple((number, regex) for number, plugin in enumerate(plugins()) for regex in _expressions(plugin))


def _expressions(plugin: Any) -> tuple[Regex, ...]:
    from detect_secrets.plugins.keyword import REGEX_BY_FILETYPE
    from detect_secrets.util.filetype import FileType

    match type(plugin).__name__:
        case "KeywordDetector":
            return tuple(REGEX_BY_FILETYPE[FileType.INI])
        case "Base64HighEntropyString" | "HexHighEntropyString":
            return (_QUOTED,)
    return tuple(plugin.denylist)


class Plugins:
    """The plugins, each shown the lines in which one of its expressions matches."""

    def __init__(self) -> None:
        self._asked = asked()  # a missing plugin stops the run here, not at a text
        self.version = importlib.metadata.version("detect-secrets")

    @property
    def expressions(self) -> tuple[Regex, ...]:
        """What a column must have been scanned for before `detect`."""
        return tuple(regex for _, regex in self._asked)

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row."""
        fired: dict[int, list[Fired]] = {}
        for number, regex in self._asked:
            for row, match in column.fired(regex):
                fired.setdefault(row, []).append((*match.span(), number))
        for row, places in sorted(fired.items(), key=itemgetter(0)):
            for span in scan(column.texts[row], places):
                yield row, span


Fired = tuple[int, int, int]
"""Where an expression of a plugin matches, and the plugin's number."""


def scan(text: str, fired: Sequence[Fired]) -> Iterator[Span]:
    """What plugins find in the lines of one text in which their expressions match."""
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        here = [each for each in fired if each[0] < end and start < each[1]]
        for left, right in _parts(start, end) if here else ():
            chosen = {number for first, last, number in here if first < right and left < last}
            if chosen:
                yield from _scan_line(text[left:right], left, chosen)
        start = end


def _parts(start: int, end: int) -> Iterator[tuple[int, int]]:
    """A line as overlapping parts of `LINE_LIMIT` characters at most."""
    for left in range(start, end, LINE_LIMIT - 200):
        right = min(left + LINE_LIMIT, end)
        yield left, right
        if right == end:
            return


def _scan_line(line: str, base: int, chosen: Iterable[int]) -> Iterator[Span]:
    line = _PRAGMA.sub("", line)
    named = _NAMED.search(line) is not None
    for plugin in (plugins()[number] for number in sorted(chosen)):
        check = _CHECKS.get(type(plugin).__name__, bool)
        keyword = type(plugin).__name__ == "KeywordDetector"
        if check is key_value and not named:
            continue
        for found in plugin.analyze_line(filename="x.ini", line=line, line_number=1):
            value = (found.secret_value or "").strip()
            if keyword:
                value = _closed(_NEXT.split(value, maxsplit=1)[0])
            if value and check(value):
                rule = f"detect-secrets:{type(plugin).__name__}"
                for start, end in _occurrences(line, value, widen=not keyword):
                    yield Span(base + start, base + end, SECRET, 0.8, rule)


def _closed(value: str) -> str:
    """A value without what ends the object or list that it stands in unquoted: `null,` or `482139}`."""
    plain = value.rstrip(",")
    while plain and plain[-1] in "}])" and plain.count(plain[-1]) > plain.count("{[("["}])".index(plain[-1])]):
        plain = plain[:-1].rstrip()
    return plain


def _occurrences(line: str, value: str, *, widen: bool) -> Iterator[tuple[int, int]]:
    seen = 0
    while (start := line.find(value, seen)) >= 0:
        end = start + len(value)
        if widen:
            while start > 0 and re.match(r"[\w]", line[start - 1]):
                start -= 1
            rest = re.compile(_WORD + "*").match(line, end)
            end = rest.end() if rest else end
            while line[end - 1] in ".=" and end - start > len(value):
                end -= 1
        yield start, end
        seen = max(end, start + 1)
