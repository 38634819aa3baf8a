"""A folder or a ZIP file of documents, sanitized as every other input is."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.attacks.canary_planting import new_key, planted
from sfumato.documents import formats, plain
from sfumato.documents.formats import Seen
from sfumato.documents.slot import Slot
from sfumato.errors import InputError, OutputError
from sfumato.evaluation.pairs import read_pairs
from sfumato.files import FileOptions, open_source
from sfumato.policy import Policy

NAME, OTHER = "Zwiebelina Fischhaber", "Bartolomej Quux"
FILES = {
    "a.md": f"{NAME} came. Zwiebelina left.",
    f"ward/{OTHER}.md": f"Nothing of {OTHER}, and {NAME} too.",
    "ward/b.txt": "Nobody.",
}


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    """A policy that marks two people of a list."""
    listed = tmp_path / "names.txt"
    listed.write_text("".join(f"PERSON\t{name}\n" for name in (NAME, NAME.split()[0], OTHER)))
    return Policy.of({
        "find": {"detect": [f"list:{listed}"]}, "treat": [{"kinds": ["PERSON"], "method": "label"}],
    })  # fmt: skip


def folder(path: Path, files: dict[str, str] = FILES) -> Path:
    """Make a folder of files."""
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def held(path: Path) -> dict[str, str]:
    """Return the files of a folder, or of a ZIP file."""
    if path.is_file():
        with zipfile.ZipFile(path) as package:
            return {name: package.read(name).decode() for name in package.namelist()}
    files = sorted(each for each in path.rglob("*") if each.is_file())
    return {each.relative_to(path).as_posix(): each.read_text() for each in files}


def zipped(path: Path, files: dict[str, str] = FILES) -> Path:
    """Make a ZIP file."""
    with zipfile.ZipFile(path, "w") as package:
        for name, text in files.items():
            package.writestr(name, text)
    return path


RELEASED = {
    "document 002.md": "[PERSON] came. [PERSON] left.",
    "folder 1/document 001.md": "Nothing of [PERSON], and [PERSON] too.",
    "folder 1/document 003.txt": "Nobody.",
}


@pytest.mark.parametrize("make", [folder, zipped])
def test_files_are_released_under_numbers_where_a_name_would_change(
    tmp_path: Path, policy: Policy, make: Callable[[Path], Path]
) -> None:
    output = tmp_path / ("out.zip" if make is zipped else "out")
    done = sfumato.sanitize_file(policy, make(tmp_path / ("in.zip" if make is zipped else "in")), output)
    assert held(output) == RELEASED
    assert done.statement["documents"] == {
        "names": {"numbered": 3},
        "files": {"written": 3},
        "values": {"searched for": 4, "still in a text": 0},
    }
    assert not any(part in json.dumps(done.statement) for part in (*NAME.split(), *OTHER.split()))
    assert "file names" not in done.statement["visible"]


def test_numbers_tell_nothing_of_the_names_and_the_owner_has_a_list(tmp_path: Path, policy: Policy) -> None:
    """In the order of their names, the numbers would tell them to whoever has a list of people."""
    sfumato.sanitize_file(policy, folder(tmp_path / "in"), tmp_path / "out")
    other = {name.replace(OTHER, f"A {OTHER}").replace("a.md", f"z {NAME}.md"): text for name, text in FILES.items()}
    sfumato.sanitize_file(policy, folder(tmp_path / "other", other), tmp_path / "out2")
    assert held(tmp_path / "out") == held(tmp_path / "out2") == RELEASED
    assert len({path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.*")}) == 1
    beside = tmp_path / "out.names.jsonl"
    assert beside.stat().st_mode & 0o077 == 0
    rows = {row["released"]: row["name"] for row in map(json.loads, beside.read_text().splitlines())}
    assert rows == {
        "document 002.md": "a.md", "folder 1/document 001.md": f"ward/{OTHER}.md",
        "folder 1/document 003.txt": "ward/b.txt",
    }  # fmt: skip


def test_names_stay_where_none_would_change_or_the_policy_keeps_them(tmp_path: Path, policy: Policy) -> None:
    source = folder(tmp_path / "in", {"ward 1/a.md": f"{NAME}.", "b.md": "Nobody."})
    sfumato.sanitize_file(policy, source, tmp_path / "out")
    assert held(tmp_path / "out") == {"b.md": "Nobody.", "ward 1/a.md": "[PERSON]."}
    for names, expected in (("keep", f"{OTHER}.md"), ("drop", "document 001.md")):
        changed = policy.with_changes({"documents.names": names})
        sfumato.sanitize_file(changed, folder(tmp_path / f"of {names}", {f"{OTHER}.md": "x"}), tmp_path / names)
        assert [*held(tmp_path / names)] == [expected]


def test_the_texts_of_a_file_and_its_name_are_one_record(tmp_path: Path) -> None:
    [chunk] = open_source(folder(tmp_path / "in"), FileOptions()).chunks()
    assert len(chunk.places) == 3
    assert [document.text for document in chunk.documents[2:5]] == ["ward", OTHER, FILES[f"ward/{OTHER}.md"]]
    contents = [document for document in chunk.documents if document.names[0] == "text"]
    assert len({id(document.metadata) for document in contents}) == 3
    names = [document for document in chunk.documents if document.names[0] != "text"]
    assert not {id(document.metadata) for document in names} & {id(document.metadata) for document in contents}
    assert OTHER in chunk.shown[4]


def test_an_evaluation_joins_a_release_with_what_it_was(tmp_path: Path, policy: Policy) -> None:
    source, output = folder(tmp_path / "in"), tmp_path / "out"
    sfumato.sanitize_file(policy, source, output)
    pairs = read_pairs(source, output, FileOptions())
    texts = dict(zip(pairs.originals, pairs.released, strict=True))
    assert texts[f"ward\n{OTHER}\n{FILES[f'ward/{OTHER}.md']}"].endswith("Nothing of [PERSON], and [PERSON] too.")
    assert texts["ward\nb\nNobody."].endswith("Nobody.")
    assert pairs.missing == 0


def test_what_is_unknown_is_dropped_kept_or_refused_and_never_passes_in_silence(
    tmp_path: Path, policy: Policy
) -> None:
    source = folder(tmp_path / "in", {"a.md": "x", f"{OTHER}.bin": NAME})
    done = sfumato.sanitize_file(policy, source, tmp_path / "out")
    assert held(tmp_path / "out") == {"a.md": "x"}
    assert done.statement["documents"]["left out"] == {".bin": 1}
    kept = sfumato.sanitize_file(policy.with_changes({"documents.unknown": "keep"}), source, tmp_path / "kept")
    assert held(tmp_path / "kept") == {"document 001.md": "x", "document 002.bin": NAME}
    assert kept.statement["documents"]["unknown"] == {"keep": 1}
    with pytest.raises(InputError, match="no known format"):
        sfumato.sanitize_file(policy.with_changes({"documents.unknown": "refuse"}), source, tmp_path / "refused")
    assert not (tmp_path / "refused").exists()


def test_a_bad_file_is_set_aside_and_the_others_are_done(tmp_path: Path, policy: Policy) -> None:
    source = folder(tmp_path / "in", {"a.md": "x", "c.md": f"{NAME}."})
    (source / "b.md").write_bytes(b"\xff" + NAME.encode())
    (tmp_path / "other").write_text("x")
    (source / "d.md").symlink_to(tmp_path / "other")
    with pytest.raises(InputError, match=r"b\.md.*not valid UTF-8") as error:
        sfumato.sanitize_file(policy, source, tmp_path / "out")
    assert "Zwiebelina" not in str(error.value)
    done = sfumato.sanitize_file(policy, source, tmp_path / "out", on_error="quarantine")
    assert held(tmp_path / "out") == {"document 001.md": "x", "document 002.md": "[PERSON]."}
    assert done.statement["records"]["quarantined"] == 2
    lines = (tmp_path / "out.quarantine.jsonl").read_text().splitlines()
    assert {json.loads(line)["file"] for line in lines} == {"b.md", "d.md"}


@pytest.mark.parametrize(
    "wrong",
    [{"lines": True}, {"fields": ("note",)}, {"id_field": "id"}, {"keep": ("ward",)}],
)
def test_what_is_about_fields_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(sfumato.SfumatoError):
        open_source(folder(tmp_path / "in"), FileOptions(**wrong))


def test_a_file_that_still_holds_a_value_is_not_released(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof is what refuses it: a format that forgets a part is played, and without the proof it would pass."""

    def walk(file: Any, visit: Any, target: Any) -> Iterator[Slot]:
        content = file.read().decode()
        slot = Slot(content, "text")
        yield slot
        if target is not None:
            target.write(f"{slot.new}\nauthor: {NAME}".encode())

    monkeypatch.setattr(plain, "walk", walk)
    source = folder(tmp_path / "in", {"a.md": f"{NAME} came."})
    with pytest.raises(OutputError, match=r"a\.md: a marked value would still be at text") as error:
        sfumato.sanitize_file(policy, source, tmp_path / "out")
    assert "Zwiebelina" not in str(error.value)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(("out", ".out"))] == []
    monkeypatch.setattr(plain, "strings", lambda _file: iter([Seen("text", "nothing")]))
    sfumato.sanitize_file(policy, source, tmp_path / "out", overwrite=True)
    assert NAME in held(tmp_path / "out")["a.md"]


def test_a_killed_run_is_resumed_and_writes_the_same(tmp_path: Path, policy: Policy) -> None:
    source = folder(tmp_path / "in")
    options = {"chunk_records": 1, "resume": True}
    from sfumato.documents import writing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "numbers", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sfumato.sanitize_file(policy, source, tmp_path / "out", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob("*.files"))
    sfumato.sanitize_file(policy, source, tmp_path / "out", **options)  # type: ignore[arg-type]
    assert held(tmp_path / "out") == RELEASED


def test_a_zip_file_that_is_none_is_refused(tmp_path: Path, policy: Policy) -> None:
    (tmp_path / "in.zip").write_bytes(b"PK" + bytes(100))
    with pytest.raises(InputError, match="not a complete ZIP file"):
        sfumato.sanitize_file(policy, tmp_path / "in.zip", tmp_path / "out.zip")
    locked = io.BytesIO()
    with zipfile.ZipFile(locked, "w") as package:
        package.writestr("../a.md", "x")
    (tmp_path / "in.zip").write_bytes(locked.getvalue())
    with pytest.raises(InputError, match="leads out of it"):
        sfumato.sanitize_file(policy, tmp_path / "in.zip", tmp_path / "out.zip")


def test_each_format_has_a_walk_and_says_its_strings() -> None:
    for form in {id(form): form for form in formats.FORMATS.values()}.values():
        assert callable(form.walk)
        assert callable(form.strings)


def test_what_was_read_and_cannot_be_written_stops_the_run(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is left out in silence would be missed by nobody."""

    def walk(file: Any, _visit: Any, target: Any) -> Iterator[Slot]:
        yield Slot(file.read().decode(), "text")
        if target is not None:
            raise ValueError(f"{NAME} is a secret")

    monkeypatch.setattr(plain, "walk", walk)
    with pytest.raises(OutputError, match=r"a\.md: it cannot be read as markdown \(ValueError\)") as error:
        sfumato.sanitize_file(policy, folder(tmp_path / "in"), tmp_path / "out")
    assert "secret" not in str(error.value) + repr(error.value.__cause__) + repr(error.value.__context__)
    assert not (tmp_path / "out").exists()


def test_documents_are_no_shards_and_their_parts_no_files(tmp_path: Path, policy: Policy) -> None:
    """A chunk keeps private texts in its part: it must never be taken for a piece of the output."""
    source = folder(tmp_path / "in", {"a.md": NAME, "b.md": "x"})
    with pytest.raises(InputError, match="one format with records"):
        sfumato.sanitize_file(policy, source / "*.md", tmp_path / "out")
    with pytest.raises(OutputError, match="cannot be joined"):
        planted(source / "a.md", tmp_path / "p.md", new_key("phone", 1).canaries)


def test_a_budget_for_a_text_is_refused_for_documents_of_many(tmp_path: Path) -> None:
    """Each text would spend it again."""
    source = open_source(folder(tmp_path / "in"), FileOptions())
    assert not source.options.one_text
    assert not source.with_options(source.options.reading(["ward"])).options.one_text


def test_ids_that_are_numbered_tell_nothing_of_the_order_of_names(tmp_path: Path, policy: Policy) -> None:
    """Files are walked over in the order of their names: the first number would be that of the first name."""
    folder_in = tmp_path / "in"
    folder_in.mkdir()
    for number, name in enumerate(("Adler", NAME, OTHER, "Zorn")):
        message = f"MSH|^~\\&|||||||ADT^A01|X{number}|P|2.5.1\rPID|||||{NAME}\rMSA|AA|shared\r"
        (folder_in / f"{name}.hl7").write_text(message)
    ranks, links = set[tuple[int, ...]](), set[str]()
    for run in range(9):
        sfumato.sanitize_file(policy, folder_in, tmp_path / f"out{run}")
        named = map(json.loads, (tmp_path / f"out{run}.names.jsonl").read_text().splitlines())
        texts = {row["name"]: (tmp_path / f"out{run}" / row["released"]).read_text() for row in named}
        ids = [int(text.split("|")[9][1:]) for _, text in sorted(texts.items())]
        ranks.add(tuple(sorted(ids).index(each) for each in ids))
        links |= {str(len({text.split("MSA|AA|")[1] for text in texts.values()}))}
    assert len(ranks) > 1
    assert links == {"1"}


TEXTS = {"a.txt": f"{NAME} came.", f"ward/{OTHER}.txt": "Nobody.", "ward/b.TXT": f"Zwiebelina and {OTHER}."}


def test_the_names_of_a_folder_of_texts_are_treated_as_those_of_other_documents(
    tmp_path: Path, policy: Policy
) -> None:
    source = folder(tmp_path / "in", TEXTS)
    done = sfumato.sanitize_file(policy, source, tmp_path / "out")
    mixed = folder(tmp_path / "mixed", {**TEXTS, "z.md": "x"})
    sfumato.sanitize_file(policy, mixed, tmp_path / "mixed out")
    for output in (tmp_path / "out", tmp_path / "mixed out"):
        assert not any(word in name for name in held(output) for word in (*NAME.split(), *OTHER.split(), "ward"))
    texts = sorted(text for name, text in held(tmp_path / "mixed out").items() if name.lower().endswith(".txt"))
    assert sorted(held(tmp_path / "out").values()) == texts == ["Nobody.", "[PERSON] and [PERSON].", "[PERSON] came."]
    assert done.statement["documents"]["names"] == {"numbered": 3}
    pairs = read_pairs(source, tmp_path / "out", FileOptions())
    assert pairs.missing == 0
    assert [text.rpartition("\n")[2] for text in pairs.texts] == [
        "[PERSON] came.",
        "Nobody.",
        "[PERSON] and [PERSON].",
    ]
    kept = sfumato.sanitize_file(policy.with_changes({"documents.names": "keep"}), source, tmp_path / "kept")
    assert set(held(tmp_path / "kept")) == set(TEXTS)
    assert kept.statement["documents"]["names"] == {"kept": 3}


def test_without_a_policy_texts_keep_their_names_and_the_statement_says_so(tmp_path: Path) -> None:
    done = sfumato.sanitize_file("redaction", folder(tmp_path / "in", TEXTS), tmp_path / "out", detect="words")
    assert set(held(tmp_path / "out")) == set(TEXTS)
    assert "file names" in done.statement["visible"]
