"""The way back: the original byte for byte from release and map, and nothing at all from anything else."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as package
from command_line import call, write_jsonl, write_key
from releasing import release_file
from sfumato.errors import ConfigurationError, InputError, OutputError, SfumatoError
from sfumato.files import FileOptions, open_source
from sfumato.release.job import RunOptions
from sfumato.release.map import write_map
from sfumato.release.pseudonym_mentions import Mentions
from sfumato.release.restore import NamesBack, format_of, restore_names
from sfumato.release.restore import restored_files as restore
from sfumato.storage.digests import digest_of
from sfumato.storage.keys import ENVIRONMENT, secret_of
from sfumato.storage.sealing import Sealer, opened

pytest.importorskip("cryptography")
KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
CANARY = "Zebrafinch"
RULES = ["Anna", "Bo Ray", CANARY, "Zoë", "שלום", "12345", "Weiß", "a@b.co", "李明"]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A detector of a few listed names."""
    path = tmp_path_factory.mktemp("names") / "names.txt"
    path.write_text("\n".join(f"PERSON\t{name}" for name in RULES), "utf-8")
    return f"list:{path}"


def sealed(source: Path, release: Path, names: str, options: FileOptions | None = None, **more: Any) -> Path:
    """Sanitize ``source`` and write the map; where it is."""
    editor = package.build("redaction", detect=names, **more)
    files = options or FileOptions()
    release_file(editor, source, release, RunOptions(files))
    path = release.parent / "map"
    write_map(editor, open_source(source, files), release, path, KEY)
    return path


TEXT = st.lists(
    st.sampled_from(
        [
            *RULES,
            "anna",
            " ",
            "\n",
            "\r\n",
            "\t",
            '"',
            "\\",
            ",",
            "PERSON_1",
            "\u0301",
            "\u200f",
            "𝒳",
            "x" * 50,
            "ZOE\u0308",
            "WEISS",
            "Bo\nRay",
            "An\u00adna",
            "\ufeff",
            "a@b.coa@b.co",
            "Anna's",
            "x" * 20_000,
        ]
    ),
    max_size=12,
).map("".join)


@settings(max_examples=25, deadline=None)
@given(st.lists(TEXT, max_size=4), st.sampled_from(["pseudonym", "label", "surrogate", "mask"]))
def test_restoring_what_was_sanitized_is_the_identity(
    names: str, tmp_path_factory: pytest.TempPathFactory, texts: list[str], operator: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    records = [{"text": text, "more": CANARY, "also": text[::-1]} for text in texts]
    source = write_jsonl(folder / "in.jsonl", records)
    path = sealed(source, folder / "out.jsonl", names, FileOptions(fields=("text", "also")), operator=operator)
    assert restore(folder / "out.jsonl", path, KEY, folder / "back.jsonl") == 1
    assert (folder / "back.jsonl").read_bytes() == source.read_bytes()


ODD = b'\xef\xbb\xbftext,id\r\n"Anna said ""hi""\r\nto Bo Ray",1\r\nAnna,"2"\n'


@pytest.mark.parametrize("kind", ["txt", "csv", "jsonl.gz", "parquet", "folder", "empty"])
def test_every_kind_of_file_comes_back(tmp_path: Path, names: str, kind: str) -> None:
    source, release, options = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}", FileOptions()
    if kind == "folder":
        (source / "sub").mkdir(parents=True)
        (source / "a.txt").write_bytes(b"Anna\r\n")
        (source / "sub" / "b.txt").write_text("Bo Ray and Anna", "utf-8")
    elif kind == "txt":
        source.write_bytes(("Anna met Bo Ray.\r\n" + "x" * 20_000 + " Anna " + "y" * 60_000).encode())
    elif kind == "csv":
        source.write_bytes(ODD)
    elif kind == "empty":
        source, release = tmp_path / "in.txt", tmp_path / "out.txt"
        source.write_bytes(b"")
    elif kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"text": ["Anna", "Bo Ray"], "n": [1, 2]}), source)
    else:
        source.write_bytes(gzip.compress(b'{"text": "Anna"}\n', 9))
    path = sealed(source, release, names, options)
    back = tmp_path / f"back.{kind}"
    restore(release, path, KEY, back)
    pairs = (
        [(source, back)]
        if source.is_file()
        else [(one, back / one.relative_to(source)) for one in source.rglob("*.txt")]
    )
    assert all(one.read_bytes() == other.read_bytes() for one, other in pairs)
    if source.is_file() and source.stat().st_size:
        assert release.read_bytes() != source.read_bytes()


@pytest.fixture
def released(tmp_path: Path, names: str) -> Path:
    """A folder with in.jsonl, out.jsonl and its map."""
    records = [{"id": "a", "text": f"{CANARY} met Anna."}, {"id": "b", "text": "Bo Ray met Anna, not ANNA."}]
    sealed(write_jsonl(tmp_path / "in.jsonl", records), tmp_path / "out.jsonl", names, FileOptions(id_field="id"))
    return tmp_path


def refused(folder: Path, key: bytes = KEY) -> str:
    """What is said by a restoring that must fail and write nothing."""
    before = sorted(folder.rglob("*"))
    with pytest.raises(SfumatoError) as raised:
        restore(folder / "out.jsonl", folder / "map", key, folder / "back.jsonl")
    assert sorted(folder.rglob("*")) == before
    assert CANARY not in str(raised.value)
    return str(raised.value)


def test_the_map_holds_nothing_readable(released: Path) -> None:
    content = (released / "map").read_bytes()
    assert CANARY.encode() not in content
    assert b"PERSON" not in content


def test_only_the_owner_reads_the_map_and_the_original(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (released / "map").stat().st_mode & 0o077 == 0
    restore(released / "out.jsonl", released / "map", KEY, released / "back.jsonl")
    assert (released / "back.jsonl").stat().st_mode & 0o077 == 0
    (released / "answer.txt").write_text("PERSON_1", "utf-8")
    left = released / ".named.txt.tmp"  # by an earlier run, open to all
    left.write_text("", "utf-8")
    left.chmod(0o666)
    restore_names(released / "answer.txt", released / "map", KEY, released / "named.txt", "a")
    assert (released / "named.txt").stat().st_mode & 0o077 == 0


def test_a_restored_folder_is_its_owners(tmp_path: Path, names: str) -> None:
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "a.txt").write_text("Anna", "utf-8")
    path = sealed(source, tmp_path / "out", names)
    restore(tmp_path / "out", path, KEY, tmp_path / "back")
    assert (tmp_path / "back").stat().st_mode & 0o077 == 0
    assert (tmp_path / "back" / "sub" / "a.txt").stat().st_mode & 0o077 == 0


def test_the_map_of_another_release_restores_nothing(released: Path, names: str) -> None:
    other = write_jsonl(released / "other.jsonl", [{"id": "a", "text": f"Anna met {CANARY}."}])
    mine = (released / "map").read_bytes()
    (released / "map").unlink()
    sealed(other, released / "other-out.jsonl", names, FileOptions(id_field="id"))
    assert "not the release" in refused(released)
    (released / "map").write_bytes(mine)
    assert restore(released / "out.jsonl", released / "map", KEY, released / "back.jsonl") == 1


def test_a_pseudonym_means_the_same_in_all_fields_of_a_record(tmp_path: Path, names: str) -> None:
    records = [{"id": "a", "q": "Anna met Bo Ray.", "r": f"Bo Ray and {CANARY} met ANNA."}]
    options = FileOptions(fields=("q", "r"), id_field="id")
    path = sealed(write_jsonl(tmp_path / "in.jsonl", records), tmp_path / "out.jsonl", names, options)
    made = json.loads((tmp_path / "out.jsonl").read_text("utf-8"))
    assert made == {"id": "a", "q": "PERSON_1 met PERSON_2.", "r": "PERSON_2 and PERSON_3 met PERSON_1."}
    restore_names(tmp_path / "out.jsonl", path, KEY, tmp_path / "named.jsonl", "a")
    named = json.loads((tmp_path / "named.jsonl").read_text("utf-8"))
    assert named == {"id": "a", "q": "Anna met Bo Ray.", "r": f"Bo Ray and {CANARY} met Anna."}


def test_a_wrong_key_opens_nothing(released: Path) -> None:
    assert "key does not fit" in refused(released, OTHER)


def test_a_map_that_was_changed_anywhere_opens_nothing(released: Path) -> None:
    content = (released / "map").read_bytes()
    for place in range(0, len(content), 7):
        changed = bytearray(content)
        changed[place] ^= 1
        (released / "map").write_bytes(changed)
        refused(released)
    for cut in (0, 10, 30, len(content) // 2, len(content) - 1):
        (released / "map").write_bytes(content[:cut])
        refused(released)
    (released / "map").write_bytes(content + b"x")
    refused(released)
    (released / "map").write_bytes(content)
    assert restore(released / "out.jsonl", released / "map", KEY, released / "back.jsonl") == 1


def test_frames_cannot_be_left_out_or_change_places(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    with path.open("wb") as file:
        sealer = Sealer(file, KEY)
        for one in (b"aaaa", b"bbbb", b"cccc"):
            sealer.write(one)
        sealer.close()
    content, size = path.read_bytes(), 5 + 4 + 16
    head = content[: len(content) - 3 * size - 21]
    frames = [content[len(head) + at * size :][:size] for at in range(3)]
    last = content[-21:]
    for order in ([1, 0, 2], [0, 2], [0, 0, 1, 2], []):
        path.write_bytes(head + b"".join(frames[at] for at in order) + last)
        with path.open("rb") as file, pytest.raises(InputError, match="changed"):
            list(opened(file, KEY, "map"))


def test_two_maps_under_one_secret_have_keys_of_their_own(tmp_path: Path) -> None:
    """With one key and the same numbers of frames, what two maps differ in would show without the secret."""
    sealed = []
    for name in ("one", "other"):
        with (tmp_path / name).open("wb") as file:
            Sealer(file, KEY).write(bytes(64))
        sealed.append((tmp_path / name).read_bytes()[-80:-16])
    assert sum(one == other for one, other in zip(*sealed, strict=True)) < 8


def test_a_release_that_was_changed_is_not_restored(released: Path) -> None:
    with (released / "out.jsonl").open("a") as file:
        file.write("\n")
    assert "not the release" in refused(released)


def test_nothing_that_is_there_is_replaced(released: Path) -> None:
    (released / "back.jsonl").write_text("mine")
    with pytest.raises(OutputError, match="--force"):
        restore(released / "out.jsonl", released / "map", KEY, released / "back.jsonl")
    for taken in ("out.jsonl", "map"):
        with pytest.raises(OutputError, match="itself"):
            restore(released / "out.jsonl", released / "map", KEY, released / taken, replace=True)
    restore(released / "out.jsonl", released / "map", KEY, released / "back.jsonl", replace=True)
    assert (released / "back.jsonl").read_bytes() == (released / "in.jsonl").read_bytes()


def test_names_come_back_in_an_edited_text(released: Path) -> None:
    answer = released / "answer.txt"
    answer.write_bytes(b"In short: PERSON_2 saw PERSON_1's dog.\r\nPERSON_10 did not. COVID_19")
    with pytest.raises(InputError, match="--record"):
        restore_names(answer, released / "map", KEY, released / "named.txt", None)
    # PERSON_10 is nobody's; the other words with a line and a number are no pseudonyms of this map
    assert restore_names(answer, released / "map", KEY, released / "named.txt", "b") == (2, 1, 0)
    named = (released / "named.txt").read_bytes().decode()
    assert named == "In short: Anna saw Bo Ray's dog.\r\nPERSON_10 did not. COVID_19"
    answer.write_text("PERSON_1은 PERSON_1s PERSON_1", "utf-8")  # a plural may be meant, or another word
    assert restore_names(answer, released / "map", KEY, released / "grown.txt", "b") == (2, 0, 1)
    assert (released / "grown.txt").read_text("utf-8") == "Bo Ray은 PERSON_1s Bo Ray"
    with pytest.raises(InputError, match="knows no pseudonym"):
        restore_names(answer, released / "map", KEY, released / "other.txt", "nobody")


def test_pseudonyms_of_a_run_need_no_record_and_json_stays_json(tmp_path: Path) -> None:
    listed = tmp_path / "names.txt"
    listed.write_text('PERSON\tAnna "Annie" Lee\nPERSON\tBo', "utf-8")
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": 'Anna "Annie" Lee.'}, {"text": "Bo"}, {"text": "Bo."}])
    path = sealed(source, tmp_path / "out.jsonl", f"list:{listed}", scope="run", key=OTHER)
    restore_names(tmp_path / "out.jsonl", path, KEY, tmp_path / "named.jsonl", None)
    assert (tmp_path / "named.jsonl").read_bytes() == source.read_bytes()


def test_keys_come_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key"
    assert call("key", str(path), "--quiet").code == 0
    assert len(secret_of(path)) == 32
    assert path.stat().st_mode & 0o077 == 0
    assert "lost" in call("key", str(path)).err
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    with pytest.raises(ConfigurationError, match="A key is needed"):
        secret_of(None)
    monkeypatch.setenv(ENVIRONMENT, KEY.hex())
    assert secret_of(None) == KEY
    for odd in ("zz", KEY.hex()[:-2]):
        monkeypatch.setenv(ENVIRONMENT, odd)
        with pytest.raises(ConfigurationError) as raised:
            secret_of(None)
        assert odd not in str(raised.value).split()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_commands_go_there_and_back(tmp_path: Path, names: str, workers: str) -> None:
    key, source = tmp_path / "key", tmp_path / "in.jsonl"
    write_key(key, KEY)
    write_jsonl(source, [{"text": f"{CANARY} met Anna {n}."} for n in range(2100)])
    places = ["--map", str(tmp_path / "map"), "--map-key", str(key)]
    ran = call(
        "sanitize", str(source), "-o", str(tmp_path / "out.jsonl"), "-m", "redaction", "--detect", names,
        "--workers", workers, *places,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert CANARY not in (tmp_path / "out.jsonl").read_text("utf-8")
    back = tmp_path / "back.jsonl"
    ran = call("restore", str(tmp_path / "out.jsonl"), "-o", str(back), *places, "--json")
    assert ran.json == {"output": str(back), "files": 1}
    assert back.read_bytes() == source.read_bytes()
    assert (tmp_path / "map").stat().st_size < source.stat().st_size


def test_fields_that_were_left_out_come_back(tmp_path: Path, names: str) -> None:
    source, release = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(f'{{"id": 7, "note": "{CANARY}", "text":"Anna left", "kind": 1}}\n', "utf-8")
    path = sealed(source, release, names, FileOptions(id_field="id", keep=("kind",)))
    assert release.read_text("utf-8") == '{"id": 7, "text":"PERSON_1 left", "kind": 1}\n'
    assert "that are named (kind)" in (tmp_path / "out.jsonl.privacy.json").read_text("utf-8")
    restore(release, path, KEY, tmp_path / "back.jsonl")
    assert (tmp_path / "back.jsonl").read_bytes() == source.read_bytes()


def test_the_subject_is_read_from_every_kind_of_file(tmp_path: Path) -> None:
    dates = tmp_path / "dates.txt"
    dates.write_text("DATE\t3 May 2020")
    texts = ["On 3 May 2020."] * 40
    pq.write_table(pa.table({"text": texts, "who": [f"p{n}" for n in range(40)]}), tmp_path / "a.parquet")
    shifted = {"operator": "pseudonym", "operators": {"DATE": "generalise"}, "shift": 900, "subject": "who"}
    editor = package.build("redaction", detect=f"list:{dates}", key=KEY, **shifted)
    source, release, files = tmp_path / "a.parquet", tmp_path / "b.parquet", FileOptions(keep=())
    release_file(editor, source, release, RunOptions(files))
    there = pq.read_table(release)
    assert there.column_names == ["text"]
    assert len(set(there["text"].to_pylist())) > 2
    write_map(editor, open_source(source, files), release, tmp_path / "map", KEY)
    restore(release, tmp_path / "map", KEY, tmp_path / "c.parquet")
    assert (tmp_path / "c.parquet").read_bytes() == source.read_bytes()


def test_a_map_that_cannot_be_written_stops_the_run_before_it_begins(tmp_path: Path, names: str) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": "Anna"}])
    key = tmp_path / "key"
    key.write_bytes(b"short")
    for place, told in (
        (source, "apart"),
        (tmp_path / "no" / "map", "a folder that exists"),
        (tmp_path / "map", "32"),
    ):
        if told != "32":
            write_key(key, KEY)
        else:
            key.write_bytes(b"short")
        ran = call(
            "sanitize", str(source), "-o", str(tmp_path / "out.jsonl"), "-m", "redaction", "--detect", names,
            "--map", str(place), "--map-key", str(key),
        )  # fmt: skip
        assert ran.code == 2
        assert told in ran.err
        assert not (tmp_path / "out.jsonl").exists()
    assert json.loads(source.read_text("utf-8")) == {"text": "Anna"}


def test_a_map_without_pseudonyms_needs_no_second_look(tmp_path: Path, names: str, monkeypatch: Any) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": "Anna met Bo Ray."}])
    editor = package.build("redaction", detect=names, operator="label")
    release_file(editor, source, tmp_path / "out.jsonl")

    def look(*_: Any) -> Any:
        raise AssertionError("looked again")

    monkeypatch.setattr(type(editor.detector), "detect", look)
    write_map(editor, open_source(source, FileOptions()), tmp_path / "out.jsonl", tmp_path / "map", KEY)
    restore(tmp_path / "out.jsonl", tmp_path / "map", KEY, tmp_path / "back.jsonl")
    assert (tmp_path / "back.jsonl").read_bytes() == source.read_bytes()
    with pytest.raises(InputError, match="knows no pseudonym"):
        restore_names(tmp_path / "out.jsonl", tmp_path / "map", KEY, tmp_path / "named.jsonl", None)


def test_an_output_destroys_nothing(released: Path) -> None:
    """Neither a folder with other files, nor the key, nor the folder that is to be shared."""
    (released / "Documents" / "sub").mkdir(parents=True)
    (released / "Documents" / "sub" / "thesis.odt").write_text("work of years", "utf-8")
    with pytest.raises(OutputError, match="holds other files"):
        restore(released / "out.jsonl", released / "map", KEY, released / "Documents", replace=True)
    (released / "texts").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        restore(released / "out.jsonl", released / "map", KEY, released / "texts", replace=True)
    assert (released / "texts").is_dir()
    write_key(released / "key", KEY)
    given = ("restore", released / "out.jsonl", "--map", released / "map", "--map-key", released / "key", "--force")
    assert call(*given, "-o", released / "key").code == 2
    assert (released / "key").read_bytes() == KEY
    assert not list(released.glob(".*"))
    sealing = ("sanitize", released / "in.jsonl", "-o", released / "new.jsonl", "-m", "redaction", "--force")
    ran = call(*sealing, "--map", released / "key", "--map-key", released / "key")
    assert "would replace the key" in ran.err
    assert (released / "key").read_bytes() == KEY


def test_a_folder_is_restored_beside_the_release_and_over_an_earlier_one(tmp_path: Path, names: str) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.txt").write_text("Anna", "utf-8")
    path = sealed(source, tmp_path / "out", names)
    with pytest.raises(OutputError, match="must not lie in the release"):
        restore(tmp_path / "out", path, KEY, tmp_path / "out" / "again")
    for replace in (False, True):
        assert restore(tmp_path / "out", path, KEY, tmp_path / "back", replace) == 1
    assert [one.name for one in (tmp_path / "back").iterdir()] == ["a.txt"]
    assert not list(tmp_path.glob(".*"))


def test_a_map_names_no_file_outside_the_output(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "evil.txt").write_text("x", "utf-8")
    facts = {"name": "../evil.txt", "sha256": digest_of(tmp_path / "evil.txt"), "size": 1, "released": 1}
    with (tmp_path / "map").open("wb") as file:
        sealer = Sealer(file, KEY)
        whole = {**facts, "release_sha256": facts["sha256"]}
        sealer.write(b"F" + zlib.compress(json.dumps(whole).encode()))
        sealer.close()
    with pytest.raises(InputError, match="outside the output"):
        restore(tmp_path / "out", tmp_path / "map", KEY, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_text_that_was_set_aside_is_not_in_the_map(tmp_path: Path, names: str) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.txt").write_text("Anna", "utf-8")
    (source / "b.txt").write_bytes(b"Anna \xff")
    sealed(source, tmp_path / "out", names, FileOptions(on_error="quarantine"))
    assert restore(tmp_path / "out", tmp_path / "map", KEY, tmp_path / "back") == 1
    assert [one.name for one in (tmp_path / "back").iterdir()] == ["a.txt"]


def test_a_record_is_named_by_its_whole_id(tmp_path: Path, names: str) -> None:
    rows = [{"id": "ward", "text": "Anna"}, {"id": "ward/1", "text": "Bo Ray"}, {"id": "hall/1", "text": CANARY}]
    path = sealed(write_jsonl(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl", names, FileOptions(id_field="id"))
    answer = tmp_path / "answer.txt"
    answer.write_text("PERSON_1", "utf-8")
    for record, name in (("ward", "Anna"), ("ward/1", "Bo Ray")):
        restore_names(answer, path, KEY, tmp_path / "named.txt", record, replace=True)
        assert (tmp_path / "named.txt").read_text("utf-8") == name
    with pytest.raises(InputError, match="no pseudonym of that record"):  # another record's id begins like it
        restore_names(answer, path, KEY, tmp_path / "named.txt", "hall", replace=True)


@pytest.fixture(scope="module")
def odd_map(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map that knows names which mean something to a file: PERSON_1 to _3, and EMAIL_ADDRESS_1."""
    folder = tmp_path_factory.mktemp("odd")
    listed = folder / "names.txt"
    rows = ['PERSON\tO\'Neil <b>&"Lee", Anna', "PERSON\tBo", "PERSON\t*Zoë*", "EMAIL_ADDRESS\ta_b@c.org"]
    listed.write_text("\n".join(rows), "utf-8")
    text = 'O\'Neil <b>&"Lee", Anna met Bo and *Zoë* at a_b@c.org.'
    source = write_jsonl(folder / "in.jsonl", [{"text": text}])
    return sealed(source, folder / "out.jsonl", f"list:{listed}")


def put_back(odd_map: Path, name: str, content: str) -> tuple[NamesBack, str]:
    """What the answer ``content``, in a file ``name``, becomes."""
    folder = odd_map.parent
    answer, output = folder / name, folder / f"named-{name}"
    answer.write_bytes(content.encode())
    return restore_names(answer, odd_map, KEY, output, None, replace=True), output.read_bytes().decode()


@pytest.mark.parametrize(
    ("written", "restored"),
    [
        (r"PERSON\_2", "Bo"), ("_PERSON_2_", "_Bo_"), ("**PERSON_2**", "**Bo**"), (r"\_PERSON\_2\_", r"\_Bo\_"),
        ("Person_2", "Bo"), ("person_2's", "Bo's"), ("PERSON&#95;2", "Bo"), ("PERSON&#x5F;2;", "Bo;"),
        ("PERSON&lowbar;2", "Bo"), ("&quot;PERSON_2&quot;", "&quot;Bo&quot;"), ("ＰＥＲＳＯＮ＿２", "Bo"),
        ("PERSON\u2060_2", "Bo"), ("PERS\u00adON_2", "Bo"), ("PERSON_2说", "Bo说"), ("PERSON_2²", "Bo²"),
        (r"EMAIL\_Address\_1", "a_b@c.org"), ("<b>PERSON_2</b>", "<b>Bo</b>"), ("PERSON_2.PERSON_2", "Bo.Bo"),
    ],
)  # fmt: skip
def test_a_pseudonym_is_known_however_it_is_written(odd_map: Path, written: str, restored: str) -> None:
    counts, made = put_back(odd_map, "answer.txt", f"So {written} slept.")
    assert made == f"So {restored} slept."
    assert counts == (made.count("Bo") + made.count("a_b@c.org"), 0, 0)


@pytest.mark.parametrize(
    ("written", "unknown", "doubtful"),
    [
        ("PERSON_12", 1, 0), ("PERSON_12 and PERSON_21", 2, 0), ("PERSON\\_9", 1, 0), ("_PERSON_9_", 1, 0),
        ("PERSON 2", 0, 1), ("Person\u00a02", 0, 1), ("PERSON-2", 0, 1), ("PERSON\u20112", 0, 1), ("Person #2", 0, 1),
        ("PERSON2", 0, 1), ("PERSON%5F2", 0, 1), ("PERSON_2s", 0, 1), ("PERSON_2_3", 0, 1), ("MY_PERSON_2", 0, 1),
        ("email address 1", 0, 1), ("PERSON__2", 0, 1), ("PERSON 77", 0, 0), ("a person, 2 dogs", 0, 0),
        ("impersonator_2", 0, 0), ("COVID_19", 0, 0), ("persons 2", 0, 0), ("person\n2", 0, 0),
    ],
)  # fmt: skip
def test_what_is_not_certain_stays_and_is_counted(odd_map: Path, written: str, unknown: int, doubtful: int) -> None:
    counts, made = put_back(odd_map, "answer.txt", f"So {written} slept.")
    assert made == f"So {written} slept."
    assert counts == (0, unknown, doubtful)


def test_pseudonyms_that_differ_in_case_alone_are_put_back_as_they_are_spelled() -> None:
    mentions = Mentions({"Person_1": "Anna", "PERSON_1": "Bo"})
    found = [(one.original, one.certain) for one in mentions.find("Person_1 PERSON_1 person_1")]
    assert found == [("Anna", True), ("Bo", True), (None, False)]


def test_markup_reads_what_was_put_into_it_as_text(odd_map: Path) -> None:
    from html.parser import HTMLParser
    from xml.etree import ElementTree

    content = '<p title="PERSON_1">PERSON_1, PERSON&#95;1 and <i>PERSON_3</i></p>'
    whole = 'O\'Neil <b>&"Lee", Anna'
    for name in ("answer.html", "answer.htm", "answer.xml", "answer.svg"):
        counts, made = put_back(odd_map, name, content)
        assert counts == (4, 0, 0)
        tree = ElementTree.fromstring(made)
        assert tree.get("title") == whole
        assert "".join(tree.itertext()) == f"{whole}, {whole} and *Zoë*"
        seen: list[str] = []
        parser = HTMLParser()
        parser.handle_starttag = lambda tag, attributes, seen=seen: seen.append(tag)  # type: ignore[method-assign]
        parser.feed(made)
        assert seen == ["p", "i"]


@pytest.mark.parametrize("name", ["answer.json", "answer.jsonl"])
def test_strings_of_json_are_read_and_written_as_such(odd_map: Path, name: str) -> None:
    content = {"a": "Line\nPERSON_1\tPERSON\\_2", "PERSON_2": ["PERSON_3", "\u2028PERSON_2"]}
    for escaped in (True, False):
        counts, made = put_back(odd_map, name, json.dumps(content, ensure_ascii=escaped))
        assert counts == (5, 0, 0)
        whole = 'O\'Neil <b>&"Lee", Anna'
        assert json.loads(made) == {"a": f"Line\n{whole}\tBo", "Bo": ["*Zoë*", "\u2028Bo"]}
    assert put_back(odd_map, name, r'{"a": "PERSON\u005f2"}')[1] == '{"a": "Bo"}'


def test_markdown_shows_a_name_as_it_is(odd_map: Path) -> None:
    markdown = pytest.importorskip("markdown_it").MarkdownIt("js-default", {"html": True})
    _, made = put_back(odd_map, "answer.md", "- **PERSON_1** met PERSON\\_3 at EMAIL_ADDRESS_1\n")
    shown = markdown.render(made)
    assert "<strong>O'Neil &lt;b&gt;&amp;&quot;Lee&quot;, Anna</strong> met *Zoë*" in shown
    assert "<em>" not in shown


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_name_stays_in_its_cell(odd_map: Path, delimiter: str, end: str) -> None:
    import csv

    rows = [["who", "what"], ["PERSON_1", 'slept; "well", \n yes'], ["PERSON_2 and PERSON_1", ""]]
    table = odd_map.parent / "answer.csv"
    with table.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator=end).writerows(rows)
    counts = restore_names(table, odd_map, KEY, odd_map.parent / "named.csv", None, replace=True)
    assert counts == (3, 0, 0)
    with (odd_map.parent / "named.csv").open(encoding="utf-8-sig", newline="") as file:
        made = list(csv.reader(file, delimiter=delimiter))
    whole = 'O\'Neil <b>&"Lee", Anna'
    assert made == [["who", "what"], [whole, rows[1][1]], [f"Bo and {whole}", ""]]


def test_a_table_that_is_none_is_refused(odd_map: Path) -> None:
    for content in ("a,b\nPERSON_2\n", 'a,b\n"PERSON_2,c\n', 'a,b\n"PERSON_2"x,c\n'):
        with pytest.raises(InputError, match="no table"):
            put_back(odd_map, "answer.csv", content)
    assert put_back(odd_map, "answer.tsv", "who\twhat\nPERSON_2\tslept\n")[1] == "who\twhat\nBo\tslept\n"
    with pytest.raises(InputError, match="would break a row") as raised:
        put_back(odd_map, "answer.tsv", "who\twhat\nPERSON_1\tslept\n")
    assert "Anna" not in str(raised.value)


def test_a_control_character_is_not_put_into_markup() -> None:
    with pytest.raises(InputError, match="control character"):
        format_of(Path("a.xml")).escaped("An\x00na")
    escaped = format_of(Path("a.json")).escaped('x\ud800"')
    assert escaped.isascii()
    assert json.loads(f'"{escaped}"') == 'x\ud800"'


def test_the_command_tells_what_it_left(odd_map: Path) -> None:
    folder = odd_map.parent
    write_key(folder / "map.key", KEY)
    (folder / "answer.txt").write_text("PERSON_2 PERSON_9 PERSON 2", "utf-8")
    given = ("restore", folder / "answer.txt", "--map", odd_map, "--map-key", folder / "map.key", "--pseudonyms")
    told = call(*given, "-o", folder / "told.txt").out
    assert "1 pseudonym put back, 1 left that the map does not know, 1 left that may be one" in told
    facts = call(*given, "-o", folder / "told.txt", "--force", "--json").json
    assert (facts["pseudonyms"], facts["unknown"], facts["doubtful"]) == (1, 1, 1)
