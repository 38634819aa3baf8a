"""Where could a private word go? Canaries are followed through whole runs: they may stand in the input only."""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from pathlib import Path

import pytest

from command_line import CANARY, WORDS, Ran, call, everything_below, write_jsonl, write_vectors
from warm_command import run

CANARIES = {
    "unknown": "zebrafinch",
    "capitals": "ZEBRAFINCH",
    "mixed": "ZebraFinch",
    "possessive": "Zebrafinch's",
    "typographic": "Zebrafinch’s",
    "apostrophe": "O'Zebrafinch",
    "hyphen": "Zebra-Finch",
    "dashes": "zebra–finch—zebra‑finch",
    "underscore": "zebra_finch_1987",
    "digits": "zebra1987finch",
    "mail": "zebra.finch+zf@zebrafinch.example",
    "address": "https://zebrafinch.example/zebra?finch=zebra#finch",
    "zero-width-joiner": "zebra\u200dfinch",
    "zero-width-space": "zebra\u200bfinch",
    "soft-hyphen": "zebra\u00adfinch",
    "word-joiner": "zebra\u2060finch",
    "combining": "ze\u0301brafi\u0308nch",
    "composed": "zébrafïnch",
    "stacked": "z\u0336e\u0336b\u0336r\u0336a\u0336f\u0336i\u0336n\u0336c\u0336h\u0336",
    "full-width": "ｚｅｂｒａｆｉｎｃｈ",
    "mathematical": "𝐳𝐞𝐛𝐫𝐚𝐟𝐢𝐧𝐜𝐡",
    "circled": "ⓩⓔⓑⓡⓐⓕⓘⓝⓒⓗ",
    "small-capitals": "ᴢᴇʙʀᴀғɪɴᴄʜ",
    "bracketed": "[zebrafinch](zebrafinch)",
    "markup": "<b>zebrafinch</b>&zebrafinch;",
    "escaped": 'zebra\\finch "zebra"finch',
    "line-ends": "zebra\r\nfinch\u2028zebra\u0085finch",
    "template": "{zebrafinch} %(zebrafinch)s $zebrafinch [bold]zebrafinch[/bold]",
    "after-emoji": "😀zebrafinch🏳️\u200d🌈finch",
}
NUMBERS = {
    "phone": "+44 20 7946 0958",
    "phone-dots": "020.7946.0958",
    "arabic-indic": "٠٢٠٧٩٤٦٠٩٥٨",
    "full-width": "０２０７９４６",
    "superscript": "⁰²⁰⁷⁹⁴⁶",
    "keycaps": "0\ufe0f\u20e32\ufe0f\u20e30\ufe0f\u20e37",
    "roman": "ⅯⅭⅯⅬⅩ",
    "fraction": "½⅞",
}
SCRIPTS = {
    "chinese": "张伟住在北京",
    "arabic": "محمد عبد الله",
    "devanagari": "राजेश कुमार",
    "thai": "สมชาย ใจดี",
    "greek": "Γιώργος",
    "cyrillic": "Наталья",
    "hangul": "김철수",
    "decomposed-hangul": unicodedata.normalize("NFD", "김철수"),
    "braille": "⠵⠑⠃⠗⠁",
    "parenthesised": "⒵⒠⒝⒭⒜🄐",
    "squared": "㏒㎏™🅪🈁",
    "ideographs-in-brackets": "㈱㊙㆙⼀",
    "sign-writing": "\U0001d800\U0001d801",
    "flags": "🇿🇪",
    "tags": "".join(chr(0xE0000 + ord(letter)) for letter in "zebra"),
    "private-use": "\ue000\ue001\ue002",
}
ALLOWED = set("".join(WORDS)) | {letter.upper() for letter in "".join(WORDS)}


def folded(content: str | bytes) -> str:
    """Without case, accents, invisible characters and styles: how a reader would see it."""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    kept = [one for one in unicodedata.normalize("NFKD", text) if unicodedata.category(one) not in ("Mn", "Me", "Cf")]
    return "".join(kept).casefold()


def leaks(content: str | bytes) -> bool:
    text = folded(content)
    return "zebra" in text or "finch" in text or "ᴢᴇʙʀᴀ" in text


def sanitized(tmp_path: Path, source: Path, *more: object, how: object = call) -> tuple[Ran, Path]:
    vectors = write_vectors(tmp_path / "public")
    output = tmp_path / "out" / f"{source.name.replace('in', 'out', 1)}"
    asked = ("sanitize", source, "-o", output, "-m", "santext", "-e", 60, "--set", f"vocabulary={vectors}", *more)
    return how(*asked), output  # type: ignore[operator]


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("public", "out", "private", "cache"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "cache"))


# --- words of every shape ---


@pytest.mark.parametrize("name", CANARIES)
def test_a_canary_is_nowhere(tmp_path: Path, name: str) -> None:
    """At an epsilon so large that known words mostly stay: what is unknown must still be gone."""
    assert leaks(CANARIES[name])
    texts = [f"The cat saw {CANARIES[name]}.", CANARIES[name], f"({CANARIES[name]}) cat{CANARIES[name]}"]
    source = write_jsonl(tmp_path / "private" / "in.jsonl", [{"text": text} for text in texts])
    told, output = sanitized(tmp_path, source, "--json")
    assert told.code == 0
    assert "cat" in output.read_text().lower()
    assert not leaks(told.out + told.err)
    assert not leaks(everything_below(tmp_path / "out", tmp_path / "cache", tmp_path / "public"))


@pytest.mark.parametrize("text", [*NUMBERS.values(), *SCRIPTS.values()], ids=[*NUMBERS, *SCRIPTS])
def test_no_letter_or_number_of_any_script_stays(tmp_path: Path, text: str) -> None:
    source = write_jsonl(tmp_path / "private" / "in.jsonl", [{"text": text}])
    told, output = sanitized(tmp_path, source)
    assert told.code == 0
    released = json.loads(output.read_text())["text"]
    stayed = {one for one in released if one in text and not re.match(r"[\s+.]", one)} - ALLOWED
    assert not stayed, [f"U+{ord(one):04X}" for one in stayed]


# --- every place that a run writes to ---


@pytest.mark.parametrize("name", ["in.jsonl", "in.jsonl.gz", "in.csv", "in.txt", "folder"])
def test_a_canary_is_nowhere_in_any_format(tmp_path: Path, name: str) -> None:
    text = f"{CANARY} cat zebrafinch, Zebra-finch"
    source = tmp_path / "private" / name
    if name == "folder":
        source.mkdir()
        (source / "a.txt").write_text(text)
    else:
        content = {"in.csv": f'text\n"{text}"\n', "in.txt": text}.get(name, json.dumps({"text": text}))
        source.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    told, output = sanitized(tmp_path, source)
    assert told.code == 0
    assert not leaks(told.out + told.err)
    released = gzip.decompress(output.read_bytes()) if name.endswith(".gz") else b""
    assert not leaks(released + everything_below(tmp_path / "out", tmp_path / "cache"))


def test_the_installed_command_tells_nothing(tmp_path: Path) -> None:
    """As a process: with workers, a temporary folder that is watched, and all that it prints."""
    words = " ".join([CANARY, *WORDS]) + " "
    source = write_jsonl(tmp_path / "private" / "in.jsonl", ({"text": words * 300} for _ in range(30)))
    (tmp_path / "tmp").mkdir()

    def watched(*arguments: object) -> Ran:
        return run(*arguments, env={"TMPDIR": str(tmp_path / "tmp"), "PYTHONDEVMODE": "0"})

    told, _ = sanitized(tmp_path, source, "--workers", 2, how=watched)
    assert told.code == 0
    assert not leaks(told.out + told.err)
    assert not leaks(everything_below(tmp_path / "out", tmp_path / "cache", tmp_path / "tmp"))


def test_a_run_that_stops_leaves_no_private_text(tmp_path: Path) -> None:
    """The parts that are kept for --resume hold released text only."""
    source = tmp_path / "private" / "in.jsonl"
    source.write_text(json.dumps({"text": f"cat {CANARY}"}) + "\n")
    with source.open("a") as file:
        file.write((json.dumps({"text": f"{CANARY} dog"}) + "\n") * 20_000 + f'{{"text": "{CANARY}')
    told, output = sanitized(tmp_path, source)
    assert told.code == 2
    assert not output.exists()
    assert list((tmp_path / "out").rglob("*.part"))
    assert not leaks(told.out + told.err)
    assert not leaks(everything_below(tmp_path / "out", tmp_path / "cache"))


def test_a_private_list_of_words_is_not_quoted(tmp_path: Path) -> None:
    names = tmp_path / "private" / "names"
    names.write_text(f"{CANARY}\n/{CANARY.lower()}[0-9]/\n")
    source = write_jsonl(tmp_path / "private" / "in.jsonl", [{"text": f"cat {CANARY} zebrafinch7"}])
    told, _ = sanitized(tmp_path, source, "--detect", f"list:{names}", "--json")
    assert told.code == 0
    assert not leaks(told.out + told.err)
    assert not leaks(everything_below(tmp_path / "out", tmp_path / "cache"))


# --- the case of what is put in ---


@pytest.mark.parametrize("consistency", ["mention", "document"])
def test_case_is_never_copied(tmp_path: Path, consistency: str) -> None:
    """Twin runs with one seed: the same tokens, known and unknown, in four spellings give the same text."""
    text = "the cat saw a dog. zebrafinch met its friend: river, winter! and garden night"
    released = []
    for number, spelled in enumerate((text, text.upper(), text.title(), text.swapcase().capitalize())):
        source = write_jsonl(tmp_path / "private" / f"in{number}.jsonl", [{"text": spelled}])
        told, output = sanitized(tmp_path, source, "--seed", 3, "--set", f"consistency={consistency}")
        assert told.code == 0
        released.append(json.loads(output.read_text())["text"])
    assert len(set(released)) == 1
    opening = re.findall(r"(?:^|[.!?]\s+)(\w)", released[0])
    assert all(letter.isupper() for letter in opening)
    others = re.sub(r"(?:^|[.!?]\s+)\w", "", released[0])
    assert others == others.lower()


def test_length_and_spelling_of_an_unknown_word_do_not_matter(tmp_path: Path) -> None:
    released = set()
    for number, word in enumerate(("x", "zebrafinch" * 50, "é", "12345", "ZeBrA")):
        source = write_jsonl(tmp_path / "private" / f"in{number}.jsonl", [{"text": f"a cat, {word}; dog"}])
        told, output = sanitized(tmp_path, source, "--seed", 5)
        assert told.code == 0
        released.add(json.loads(output.read_text())["text"])
    assert len(released) == 1
