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
from anonym.text.recognisers import RuleSet, load
from anonym.text.spans import Span
from anonym.text.triggers import Column, column_trigger
from anonym.text.validators import key_value, secret_value

ENTITY = "SECRET"
LINE_LIMIT = 2_000
"""Characters of the longest line a plugin sees; their patterns are not all linear."""

TRIGGERS = (
    r"(?i)passw|passphrase|passcode|pwd|secret|token|credential|contrase|_key|key_|(?:db|database|key).?pass"
    r"|(?:api|auth|service|account|db|database|private|priv|client|access).?key|hooks\.slack|xox[abposr]-"
    r"|cloudant|softlayer|ibm|(?:iam|cloud?|\b[cs]l)[_\-]{0,2}(?:api)?[_\-]{0,2}(?:pass|key|pw)",
    r"://[^\s]*:[^\s]*@",
    r"['\"][0-9A-Za-z_+/=\-]{16}",
    r"A3T|ABIA|ACCA|AKIA|ASIA|AKC[0-9A-Za-z]{9}|eyJ[0-9A-Za-z]{9}|GR1348941|gh[pousr]_|npm_|pypi-Ag|sk-[\w\-]{20}"
    r"|[rs]k_live_|sq0csp-|gl(?:agent|cbt|dt|ft|imt|oas|pat|ptt|rt|soat)-",
    r"\bAP[0-9A-F][0-9A-Za-z]{8}|(?:AC|SK)[0-9a-z]{32}|[0-9a-z]{32}-us\d",
    r"\d{8}:[0-9A-Za-z_\-]{35}",
    r"\.[0-9A-Za-z_\-]{6}\.[0-9A-Za-z_\-]{27}|SG\.[0-9A-Za-z_\-]{22}",
)
"""What a line must hold for a plugin to be shown it: a word that names credentials, or the start of a known form. Each
is a trigger of its own: as one, half a second a megabyte."""

_ASKS = re.compile("|".join(f"(?i:{part[4:]})" if part.startswith("(?i)") else part for part in TRIGGERS))
_COLUMN_TRIGGERS = tuple(column_trigger(part) for part in TRIGGERS)
_WORD = r"[\w\-+/=.~]"
_NAMED = re.compile(r"(?i)passw|secret|token|key|credential|bearer")  # a random string alone is an identifier
_ASSIGNS = re.compile("[:=;]")  # in every pattern of the keyword plugin for `.ini` files, as a keyword is
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
        return (*self._rules.triggers, *_COLUMN_TRIGGERS)

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row."""
        yield from self._rules.detect(column)
        for row in sorted({row for trigger in _COLUMN_TRIGGERS for row in column.rows(trigger)}):
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


@cache
def _keywords() -> re.Pattern[str]:
    """The words that every pattern of the keyword plugin holds: its patterns are the slowest of all."""
    from detect_secrets.plugins.keyword import DENYLIST

    return re.compile("|".join(DENYLIST), re.IGNORECASE)


def _scan_line(line: str, base: int) -> Iterator[Span]:
    line = _PRAGMA.sub("", line)
    named = _NAMED.search(line) is not None
    assigned = _ASSIGNS.search(line) is not None and _keywords().search(line) is not None
    for plugin in plugins():
        check = _CHECKS.get(type(plugin).__name__, bool)
        keyword = type(plugin).__name__ == "KeywordDetector"
        if (check is key_value and not named) or (keyword and not assigned):
            continue
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
