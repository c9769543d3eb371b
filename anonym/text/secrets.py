"""Credentials in text: detect-secrets' plugins line by line, and our own rules for what they leave.

A line is shown to the plugins as a line of an `.ini` file, where the keyword plugin takes unquoted values (114 of 212
passwords in prose and logs; as `.txt` it takes 13). Plugins say which value they saw, not where, and some give only its
prefix: every occurrence in the line is taken and widened to the whole token. Comments that ask scanners to look away
(`pragma: allowlist secret`) are data here and have no effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from anonym.errors import CallError
from anonym.text.recognisers import Column, RuleSet, column_trigger, load
from anonym.text.spans import Span
from anonym.text.validators import key_value, secret_value

ENTITY = "SECRET"
LINE_LIMIT = 2_000
"""Characters of the longest line a plugin sees; their patterns are not all linear."""

TRIGGER = (
    r"(?i)passw|passphrase|passcode|\bpwd|secret|token|api.?key|_key|key_|auth|credential|private|BEGIN "
    r"|://[^\s/]{0,128}:[^\s]{1,256}@|contrase|['\"][\w+/=\-]{16}"
    r"|\b(?:A3T|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA|AKC|AP[0-9A-F]|eyJ|gh[pousr]_|glpat|npm_|pypi-|xox|https://hooks)"
    r"|\b(?:sk|pk|rk|SG|AC|SK|sq0)[_.\-]?[\w]{8}|[0-9a-f]{32}|\d{8,10}:[\w\-]{35}|[\w\-]{23,28}\.[\w\-]{6}\.[\w\-]{27}"
)
"""What a line must hold for a plugin to be shown it: a word that names credentials, or the start of a known form."""

_ASKS = re.compile(TRIGGER)
_COLUMN_TRIGGER = column_trigger(TRIGGER)
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
    from importlib import import_module

    named = (entry.split(".") for entry in PLUGINS)
    try:
        return tuple(getattr(import_module(f"detect_secrets.plugins.{module}"), name)() for module, name in named)
    except (ImportError, AttributeError):
        raise CallError(
            "text.secrets: expected detect-secrets 1.5 with all its plugins, found none or another version; install it "
            "(pip install --upgrade detect-secrets) or declare `secrets: false`"
        ) from None


class Secrets:
    """Credentials over a column of texts."""

    def __init__(self, language: str) -> None:
        self._rules = RuleSet(load("secrets").rules, language)
        plugins()  # a missing one stops the run here, not at a text

    @property
    def triggers(self) -> tuple[str, ...]:
        """The triggers to evaluate over a column before `detect`."""
        return (*self._rules.triggers, _COLUMN_TRIGGER)

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row."""
        yield from self._rules.detect(column)
        for row in column.rows(_COLUMN_TRIGGER):
            for span in scan(column.texts[row]):
                yield row, span


def scan(text: str) -> Iterator[Span]:
    """What detect-secrets finds in one text."""
    start = 0
    for line in text.splitlines(keepends=True):
        for offset in range(0, len(line), LINE_LIMIT - 200):
            part = line[offset : offset + LINE_LIMIT]
            if _ASKS.search(part):
                yield from _scan_line(part, start + offset)
            if offset + LINE_LIMIT >= len(line):
                break
        start += len(line)


def _scan_line(line: str, base: int) -> Iterator[Span]:
    line = _PRAGMA.sub("", line)
    named = _NAMED.search(line) is not None
    for plugin in plugins():
        check = _CHECKS.get(type(plugin).__name__, bool)
        if check is key_value and not named:
            continue
        keyword = type(plugin).__name__ == "KeywordDetector"
        for found in plugin.analyze_line(filename="x.ini", line=line, line_number=1):
            value = (found.secret_value or "").strip()
            if value and check(value):
                rule = f"detect-secrets:{type(plugin).__name__}"
                for start, end in _occurrences(line, value, widen=not keyword):
                    yield Span(base + start, base + end, ENTITY, 0.8, rule)


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
