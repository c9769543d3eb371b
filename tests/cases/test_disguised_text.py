"""What hides an address, a number or a credential from a pattern, and what only looks like one.

`«…»` marks what must go. All before the first mark and behind the last stays byte for byte.
"""

from __future__ import annotations

import re

import polars as pl
import pytest

import anonym

POLICY = {"anonym": 1, "columns": {"t": {"role": "text"}}, "text": {"ner": "none"}}
SHORTEST = 4
"""Characters of what must go that may not be left in a row."""

ADDRESSES = [
    "mail «jane.doe+news@example.co.uk».",
    "a\r\n«jane@corp.example»\r\nb",
    "«a1bcd@corp.example»,«c2def@corp.example»;«e3fgh@corp.example»",
    "see «https://shop.example/u?email=jane%40corp.example&x=1» ok",
    "to «jane%2540corp.example»&v=2",  # encoded twice
    '<a href="mailto:«jane@corp.example»?subject=hi">write</a>',
    "[x](mailto:«jane@corp.example»)",
    "«jane&#64;corp.example» wrote",
    "«jane&#x40;corp.example» wrote",
    "«jane&commat;corp.example» wrote",
    r'{"m": "«jane\u0040corp.example»"}',
    r'{"m": "{\"to\": \"«jane\\u0040corp.example»\"}"}',  # escaped twice
    r'{"m": "hello\n«jane@corp.example»\nbye"}',
    'to «"jane doe"@corp.example» today',
    "an «jane@bücher.example» heute",
    "«JANE.DOE@CORP.EXAMPLE»",
    "«jane@mail.dept.uni-x.ac.uk»!",
    "reach me: «jane [at] corp [dot] example»",
    "write «j\u0430ne@corp.example»",  # the a is Cyrillic
    "write «ｊａｎｅ＠ｃｏｒｐ．ｅｘａｍｐｌｅ» now",
    "\u200f«jane@corp.example»\u200f שלום",
    "«jane@cor\u00adp.example» x",
]
NUMBERS = [
    "call «+44 (0)20 7946 0958» now",
    "call «202.555.0143 ext. 12» now",
    "call «00 49 30 901820» now",
    "call «＋１－２０２－５５５－０１４３» now",
    "call «+١٢٠٢٥٥٥٠١٤٣» now",
    "call «+1\u00a0202\u00a0555\u00a00143» now",
    "call «202‒555‒0143» now",
    "call «202–555–0143» now",
    "call «(202)&nbsp;555&#8209;0143» now",
    "«tel:+1-202-555-0143»",
    "pay «GB82 WEST 1234 5698 7654 32» please",
    "pay «GB82\u202fWEST\u202f1234\u202f5698\u202f7654\u202f32» please",
    "pay «gb82west12345698765432» please",
    "pay «DE89-3704-0044-0532-0130-00» please",
    "card «4111-1111-1111-1111» exp",
    "card «4111\u00a01111\u00a01111\u00a01111» x",
    "card «3782 822463 10005» x",
    "ssn «078-05-1120» x",
    "ssn «078‑05‑1120» x",  # hyphens that do not break
    "from «2001:0db8:85a3:0000:0000:8a2e:0370:7334» x",
    "from «10.1.2.3»:8080 x",
    "dev «00:1B:44:11:3A:B7» x",
    "at «52.520008, 13.404954» x",
    "NHS «943 476 5919» x",
    "acct «000123456789» x",
    "手机：«13812345678» 谢谢",
    "身份证 «11010519491231002X» ok",
    "CPF «123.456.789-09» ok",
    "TFN «123 456 782» ok",
    "CURP «BOXW310820HNERXN09» ok",
    "my social is «123456789» ok",
    "born «3\u00a0Feb.\u00a01980» x",
    "pay «1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa» x",
]
NAMES = [
    r'{"first_name": "«Odalys»", "last_name": "«Brenthwick»", "n": 1}',
    "<name>«Odalys Brenthwick»</name><n>1</n>",
    "BEGIN:VCARD\nFN:«Odalys Brenthwick»\nTEL;TYPE=cell:«+1 202 555 0143»\nEMAIL:«odalys@x.example»\nEND:VCARD",
    "Patient: «BRENTHWICK, ODALYS» seen",
    "cc: «Odalys Brenthwick» <«odalys@x.example»>",
    "signed by «Odalys M. Brenthwick», ok",
    "my name is «Odalys Brenthwick» and",
    "ERROR user=«odalysb» logged in",
    "/home/«odalys»/projects/x.py",
    "ssh «odalys@203.0.113.9» -p 22",
    "git config user.email «odalys@x.example»",
]
BODY = "MIIEpAIBAAKCAQEA7d8Zq3xk2mVb9YtLr5PfWc1sHn4uGj6TeXo0aQiRvKyBzDlM"
CREDENTIALS = [
    rf'{{"k": "«-----BEGIN PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END PRIVATE KEY-----»\n", "n": 1}}',
    f"x\r\n«-----BEGIN RSA PRIVATE KEY-----\r\n{BODY}\r\n-----END RSA PRIVATE KEY-----»\r\ny",
    f"key: |\n    «-----BEGIN EC PRIVATE KEY-----\n    {BODY}\n    -----END EC PRIVATE KEY-----»\nz: 1",
    f"«-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}\n{BODY}»",
    "key «LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUVwQUlCQUFLQ0FRRUE3ZDhacTN4azJtVmI5WXRMcjU=» z",
    "a «ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8», b «AKIAQJZ7W5TN2X4M6R3P».",
    "aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ81kLmNoP»",
    "postgres://app:«Kestrel91Harbour@db.example»:5432/x",
    "Authorization: Basic «amFuZTpzM2NyM3RQdzEyMw==»",
    r'{"password": "«ab\"cd!9Kestrel»", "n": 1}',
    r'{"body": "{\"password\": \"«Kestrel91»\", \"n\": 1}"}',
    "mysql --password=«Kestrel91» -u root",
    "PGPASSWORD=«Kestrel91» psql -h db",
    'export API_KEY="«k9Jd82hfKs01mzQx7T»" && run',
    "Passwort: «Kestrel91!» bitte ändern",
    "db:\n  password: «Kestrel91»\n  host: db1",
    "<password>«Kestrel91Harbour»</password><n>1</n>",
    "curl -u jane:«Kestrel91» -X POST",
    "docker login -u bob -p «Kestrel91!» reg",
    "sshpass -p '«Kestrel91!»' ssh x",
    "TWILIO_AUTH=«f7a3b1c9d2e4f5a6b7c8d9e0f1a2b3c4» ok",
    "Server=db;User Id=app;Password=«Kestrel91»;Timeout=5",
    "jdbc:mysql://db:3306/x?user=app&password=«Kestrel91Harbour»&n=1",
    "密码：«Kestrel91!» ok",
    "пароль: «Kestrel91!» ok",
    "mot de passe : «Kestrel91!» ok",
    "seed phrase: «witch collapse practice feed shame open despair creek road again ice least» end",
]
PLAIN = [
    "the password is required and your token has expired",
    "upgrade to version 1.2.3 of it",
    "May will rose the bill; Mark my words, art is long.",
    "see <EMAIL> and <PERSON> here",
    "  \n\t ",
    "",
    "it costs 1,299.00 EUR for 12 months, 50% off",
    "it costs 1\u00a0299,00\u00a0€, on pages 12–45",
    "for (int i = 0; i < 10; i++) { sum += a[i]; } // ok",
    r'print("a\tb\n", 10 % 3)',
    "OLDPWD=/srv/data BYPASS=1 make",
    r"C:\temp\new\file.txt and \\server\share",
    "100%25 sure & done &amp; dusted",
    "SELECT * FROM users WHERE age > 30 LIMIT 10",
    "the Washington Monument and the Paris agreement",
    "He said “it’s fine” — and left…",
    "mon–fri 9–17, sat 10–14",
    "<name>maven-clean-plugin</name>",
    "user=None, login=true",
]


def _left(must_go: str, text: str) -> list[str]:
    """Pieces of what must go, `SHORTEST` characters long, that are left."""
    return [piece for i in range(len(must_go) - SHORTEST + 1) if (piece := must_go[i : i + SHORTEST]) in text]


@pytest.mark.parametrize("marked", [*ADDRESSES, *NUMBERS, *NAMES, *CREDENTIALS])
def test_what_is_marked_goes_and_what_is_around_it_stays(marked: str) -> None:
    before, *_, after = re.split("«.*?»", marked, flags=re.DOTALL)
    released = anonym.scrub(POLICY, pl.Series([re.sub("[«»]", "", marked)])).text[0]
    assert released.startswith(before)
    assert released.endswith(after)
    inside = released[len(before) : len(released) - len(after)]
    assert [left for must_go in re.findall("«(.*?)»", marked, re.DOTALL) for left in _left(must_go, inside)] == []


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_looks_alike_stays(text: str) -> None:
    assert anonym.scrub(POLICY, pl.Series([text])).text[0] == text
