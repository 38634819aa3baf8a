"""What a policy cannot say is refused in one sentence with its place, which repeats nothing but keys."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ConfigurationError
from sfumato.policy import Policy
from sfumato.policy.rule import Rule
from sfumato.policy.tables import MOST_BYTES

DATE = '[[treat]]\nkinds = ["DATE"]\n'
LABELLED = '[treat_others]\nmethod = "label"\n'
CANARY = "ZEBRAFINCH"


def refusal(toml: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Policy.parse(toml)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("toml", "place", "reason"),
    [
        # keys
        ('nam = "x"\n' + LABELLED, "A policy", "(the key nam); did you mean name?"),
        ("[fnd]\n" + LABELLED, "A policy", "(the key fnd); did you mean find?"),
        ('[find]\ndetct = ["words"]\n' + LABELLED, "[find]", "(the key detct); did you mean detect?"),
        (DATE + 'method = "label"\nepsilom = 1\n', "[[treat]] number 1", "(the key epsilom); did you mean epsilon?"),
        ('[fields]\ntexts = ["a"]\n' + LABELLED, "[fields]", "did you mean text?"),
        ('[randomness]\npinn = "k"\n' + LABELLED, "[randomness]", "did you mean pin?"),
        ("[release]\nrepairs = true\n" + LABELLED, "[release]", "did you mean repair?"),
        # values and types
        ('[find]\ndetect = ["identifers"]\n' + LABELLED, "[find]", "did you mean identifiers?"),
        ('[find]\ndetect = "words"\n' + LABELLED, "[find]", "detect is a list of texts"),
        ("[find]\ndetect = []\n" + LABELLED, "[find]", "at least one detector"),
        ('[find.options]\nstrct = "high"\n' + LABELLED, "[find]", "did you mean strict?"),
        (
            '[find]\ndetect = ["presidio"]\noptions = { threshold = true }\n' + LABELLED,
            "[find]",
            "threshold of presidio is a number",
        ),
        ("find = 3\n" + LABELLED, "[find]", "a section"),
        ("treat = 3\n", "[[treat]]", "a list of tables"),
        ('treat = ["x"]\n', "[[treat]] number 1", "a section"),
        ('[treat]\nkinds = ["DATE"]\n', "[[treat]]", "double brackets"),
        ('[[treat]]\nkinds = ["DTE"]\nmethod = "label"\n', "[[treat]] number 1", "did you mean DATE?"),
        (DATE + 'mechanism = "geometrc"\nepsilon = 1\n', "[[treat]] number 1", "did you mean geometric?"),
        (DATE + 'mechanism = "dp-mlm"\nepsilon = 1\n', "[[treat]] number 1", "no such mechanism over values"),
        (DATE + 'method = "lable"\n', "[[treat]] number 1", "did you mean label?"),
        (DATE + 'mechanism = "label"\n', "[[treat]] number 1", 'write method = "label"'),
        (DATE + 'method = "santext"\n', "[[treat]] number 1", 'write mechanism = "santext"'),
        (DATE + 'mechanism = "shift"\nepsilon = "1"\n', "[[treat]] number 1", "epsilon is a number"),
        (DATE + 'mechanism = "shift"\nepsilon = true\n', "[[treat]] number 1", "epsilon is a number"),
        (DATE + 'mechanism = "shift"\nepsilon = 0\n', "[[treat]] number 1", "greater than 0"),
        (DATE + 'mechanism = "shift"\nepsilon = 0\nwithin = "2 days"\n', "1", "try 1, or write mechanism"),
        (DATE + 'mechanism = "santext"\nepsilon = 0\n', "1", "try 8, or write mechanism"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nwithin = "3 km"\n', "1", "so within cannot be in km."),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nwithin = "3 years"\n', "1", "so within cannot be in years."),
        ('[kinds.DATE]\nfrist = 2000\n' + DATE + 'method = "label"\n', "The kind DATE has no", "did you mean first?"),
        ('[kinds.DATE]\nfirst = "x"\n' + DATE + 'method = "label"\n', "The option first of the kind", "is a whole"),
        (DATE + 'mechanism = "shift"\nepsilon = nan\n', "[[treat]] number 1", "finite"),
        (DATE + f'mechanism = "shift"\nepsilon = 1{"0" * 400}\n', "[[treat]] number 1", "epsilon is a number"),
        (DATE + 'mechanism = "geometric"\nepsilon = 1\nform = "kept"\n', "[[treat]] number 1", "did you mean keep?"),
        (DATE + 'mechanism = "geometric"\nepsilon = 1\nconsistency = "documents"\n', "1", "did you mean document?"),
        (DATE + 'mechanism = "custext"\nepsilon = 1\noptions = {set_sise = 2}\n', "1", "did you mean set_size?"),
        (DATE + 'mechanism = "custext"\nepsilon = 1\noptions = {set_size = "x"}\n', "1", "is a whole number"),
        (
            DATE + 'mechanism = "clusant"\nepsilon = 1\noptions = {clusters = "ZEBRAFINCH.json"}\n',
            "[[treat]] number 1",
            "no file is for; give clusters of clusant another value",
        ),
        (DATE + 'mechanism = "geometric"\nepsilon = 1\noptions = {set_size = 2}\n', "1", "Known: none"),
        (DATE + 'method = "label"\noptions = {mask = "#"}\n', "[[treat]] number 1", "label has no such option"),
        ("[release]\nrepair = 1\n" + LABELLED, "[release]", "true or false"),
        ('name = ""\n' + LABELLED, "At the top", "a line of text"),
        ("[fields]\ntext = []\n" + LABELLED, "[fields]", "at least one field"),
        ('[fields]\nkeep = ["text"]\n' + LABELLED, "[fields]", "named twice"),
        # one treatment for each, and one law for each treatment
        ("", "The policy treats nothing", "[[treat]]"),
        ('[[treat]]\nmethod = "label"\n', "[[treat]] number 1", "Name the kinds or labels"),
        (DATE + 'method = "label"\n' + DATE + 'method = "mask"\n', "[[treat]] number 2", "in number 1"),
        ('[[treat]]\nlabels = ["A"]\nmethod = "mask"\n' * 2, "[[treat]] number 2", "in number 1"),
        ('[[treat]]\nkinds = ["AGE", "AGE"]\nmethod = "mask"\n', "[[treat]] number 1", "named twice"),
        (DATE, "[[treat]] number 1", "Name a mechanism or a method"),
        (DATE + 'method = "label"\nmechanism = "shift"\nepsilon = 1\n', "1", "and not both"),
        (LABELLED + 'kinds = ["DATE"]\n', "[treat_others]", "leave out kinds"),
        # mechanisms that a kind cannot take
        ('[[treat]]\nkinds = ["CODE"]\nmechanism = "santext"\nepsilon = 1\n', "1", "CODE cannot take santext"),
        ('[[treat]]\nkinds = ["PLACE"]\nmechanism = "geometric"\nepsilon = 1\n', "1", "PLACE cannot take geometric"),
        ('[[treat]]\nkinds = ["AGE"]\nmechanism = "shift"\nepsilon = 1\n', "1", "AGE cannot take shift"),
        ('[[treat]]\nlabels = ["DEM"]\nmechanism = "shift"\nepsilon = 1\n', "1", "name the kind"),
        ('[[treat]]\nlabels = ["DATE"]\nmethod = "keep"\n', "1", "DATE is a kind"),
        ('[[treat]]\nlabels = ["DEM"]\nmechanism = "independent"\n', "1", "A label has no values to draw from"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nform = "public"\n', "1", "leave out form"),
        (DATE + 'mechanism = "santext+"\nepsilon = 1\n', "1", "only words are frequent"),
        (DATE + 'method = "label"\n[treat_others]\nmechanism = "santext"\nepsilon = 1\n', "[treat_others]", "CODE"),
        # epsilon
        (DATE + 'mechanism = "geometric"\n', "[[treat]] number 1", "needs an epsilon"),
        (DATE + 'mechanism = "geometric"\nwithin = "3 days"\n', "[[treat]] number 1", "needs an epsilon"),
        (DATE + 'mechanism = "independent"\nepsilon = 1\n', "[[treat]] number 1", "leave out epsilon"),
        (DATE + 'mechanism = "independent"\nwithin = "3 days"\n', "[[treat]] number 1", "leave out epsilon"),
        (DATE + 'method = "label"\nepsilon = 1\n', "[[treat]] number 1", "leave out epsilon"),
        (DATE + 'method = "label"\nwithin = "3 days"\n', "[[treat]] number 1", "leave out within"),
        (DATE + 'method = "label"\nform = "keep"\n', "[[treat]] number 1", "leave out form"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\noptions = {epsilon = 2}\n', "1", "one epsilon"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nepsilon = 2\n', "This is no policy", "line 5"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nconsistency = "mention"\n', "1", "leave out consistency"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nwithin = "3 dayz"\n', "1", "did you mean day?"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nwithin = "3 years"\n', "1", "another unit (day)"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nwithin = "factor 2"\n', "1", "another unit (day)"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nwithin = "0 days"\n', "1", "greater than 0"),
        (DATE + 'mechanism = "shift"\nepsilon = 1\nwithin = "soon"\n', "1", "such as 30 days"),
        (DATE + 'mechanism = "custext"\nepsilon = 1\nwithin = "3 days"\n', "1", "leave out within"),
        (DATE + 'mechanism = "geometric"\nepsilon = 1\nwithin = "factor 1"\n', "1", "greater than 1"),
        ('[[treat]]\nkinds = ["PERSON"]\nmechanism = "santext"\nepsilon = 1\nwithin = "3 km"\n', "1", "has no unit"),
        ('[[treat]]\nlabels = ["X"]\nmechanism = "santext"\nepsilon = 1\nwithin = "3 km"\n', "1", "name the kind"),
    ],
)  # fmt: skip
def test_what_is_refused(toml: str, place: str, reason: str) -> None:
    message = refusal(toml)
    assert place in message.split(": ")[0] or message.startswith(place)
    assert reason in message


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ward.toml"
    path.write_text(DATE + 'mechanism = "geometrc"\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"^ward\.toml: \[\[treat\]\] number 1: There is no such mechanism"):
        Policy.load(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"name = ", "not TOML"),
        (b"a = 1" + b"0" * 1000 + b"\n" + b"b = [" * 30, "not TOML"),
        (("a = " + "[" * 1990).encode(), "not TOML"),
        (("a = " + "1" * 1990 + "\n" + "b = 0x" + "f" * 1900).encode(), "no such key"),
        (b"#" * 3000, "a line has more than 2,000"),
        (b"# \n" * (MOST_BYTES // 3 + 1), "more than 1 MB"),
    ],
)
def test_files_that_are_no_policy(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=reason) as caught:
        Policy.load(path)
    assert str(caught.value).startswith("p.toml: ")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.toml: The policy does not exist"):
        Policy.load(tmp_path / "none.toml")
    with pytest.raises(ConfigurationError, match="not a regular file"):
        Policy.load(tmp_path)
    missing = Policy.parse('[find]\nallow = ["a.txt"]\n' + LABELLED, tmp_path)
    with pytest.raises(ConfigurationError, match=r"^\[find\] allow names a file that does not exist \(a\.txt\)"):
        missing.check_files()
    named = {"[find] deny": '[find]\ndeny = ["a.txt"]\n', "[randomness] pin": '[randomness]\npin = "a.txt"\n'}
    for place, toml in named.items():
        with pytest.raises(ConfigurationError, match=rf"^{re.escape(place)} names a file"):
            Policy.parse(toml + LABELLED, tmp_path).check_files()


def test_a_file_with_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(b"\xef\xbb\xbf" + LABELLED.encode())
    assert Policy.load(path) == Policy.parse(LABELLED)


def test_long_keys_take_no_time() -> None:
    line = ".".join(["a"] * 990)
    before = time.process_time()
    with pytest.raises(ConfigurationError):
        Policy.parse("".join(f"{line}.b{number} = 1\n" for number in range(400)))
    assert time.process_time() - before < 20


_PRIVATE = st.text(st.characters(codec="utf-8", exclude_characters='"\\\r\n\x00'), max_size=20).map(
    lambda text: f"{CANARY} {text}{CANARY}"
)
_TEMPLATES = [
    'name = "{}"\npatient = 3', "{} = 1",
    '"{}" = 1', "{}", '["{}"]\na = 1', '[find]\n"{}" = 1', '[find]\ndetect = "{}"',
    '[find]\ndetect = ["{}"]', '[find]\ndetect = ["list:{}", "x"]', '[find.options]\nstrict = ["{}"]',
    '[find.options]\n"{}" = 1', '[[treat]]\nkinds = ["{}"]\nmethod = "label"', 'treat = "{}"', 'treat = ["{}"]',
    '[[treat]]\nlabels = ["{}", "{}"]\nmethod = "label"', '[[treat]]\nkinds = ["DATE"]\nmethod = "{}"',
    '[[treat]]\nlabels = ["{}"]\nmethod = "mask"\n[[treat]]\nlabels = ["{}"]\nmethod = "mask"',
    '[[treat]]\nkinds = ["DATE"]\nmechanism = "{}"',
    '[[treat]]\nkinds = ["DATE"]\nmechanism = "shift"\nepsilon = "{}"',
    '[[treat]]\nkinds = ["DATE"]\nmechanism = "shift"\nepsilon = 1\nwithin = "{}"',
    '[[treat]]\nkinds = ["DATE"]\nmechanism = "shift"\nepsilon = 1\nwithin = "3 {}"',
    '[[treat]]\nkinds = ["DATE"]\nmechanism = "geometric"\nepsilon = 1\nform = "{}"',
    '[[treat]]\nkinds = ["DATE"]\nmechanism = "geometric"\nepsilon = 1\nconsistency = "{}"',
    '[[treat]]\nkinds = ["DATE"]\nmechanism = "custext"\nepsilon = 1\noptions = {{set_size = "{}"}}',
    '[[treat]]\nkinds = ["DATE"]\nmechanism = "custext"\nepsilon = 1\noptions = {{"{}" = 1}}',
    '[[treat]]\nkinds = ["DATE"]\nmethod = "mask"\noptions = {{length = "{}"}}', '[fields]\ntext = "{}"',
    '[fields]\ntext = ["{}", "{}"]', '[release]\nrepair = "{}"', '[randomness]\npin = ["{}"]', 'about = "{}"',
]  # fmt: skip


@pytest.mark.parametrize("template", _TEMPLATES)
@given(private=_PRIVATE)
def test_no_private_text_is_repeated(template: str, private: str) -> None:
    """A file of records, taken for a policy by mistake, is refused without a word of its values."""
    with pytest.raises(ConfigurationError) as caught:
        Policy.parse(template.replace("{{", "{").replace("}}", "}").replace("{}", private))
    assert CANARY not in str(caught.value)
    assert str(caught.value).isascii()


def test_only_plain_keys_are_quoted() -> None:
    assert "the key patient" in refusal('patient = "Anna"\n')
    for key in ("Anna Larsen", "Ånna", "a" * 41, "a,b", "\\u202e"):
        assert "no plain name" in refusal(f'"{key}" = 1\n')


@pytest.mark.parametrize(
    "content",
    [
        '{"id": "1", "text": "ZEBRAFINCH lives in Oslo"}\n' * 3,
        "id,text\n1,ZEBRAFINCH lives in Oslo\n",
        "ZEBRAFINCH was seen by Dr Larsen on 3 May.\n",
        "[note]\ntext = 'ZEBRAFINCH'\n",
    ],
)
def test_a_data_file_is_no_policy(tmp_path: Path, content: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        Policy.load(path)
    assert CANARY not in str(caught.value)
    assert "Oslo" not in str(caught.value)


def test_a_likeness_that_is_no_file_is_an_option_of_a_policy() -> None:
    for name in ("euclidean", "cosine"):
        rule = Rule(kinds=("WORD",), mechanism="custext", epsilon=3, options={"similarity": name})
        assert rule.options["similarity"] == name
    with pytest.raises(ConfigurationError, match=r"no file is for; give similarity of custext another value"):
        Rule(kinds=("WORD",), mechanism="custext", epsilon=3, options={"similarity": "scores.npy"})
