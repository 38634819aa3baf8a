"""Signatures and bundles: what was signed is accepted, and every change of it is noticed and named."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import write_key
from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.protection.bundle import ENVELOPE, PUBLIC_KEY, SUMS, opened, publish, seal, sealed
from sfumato.protection.signing import Signer, Verifier
from sfumato.protection.verifying import verify


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    return Signer.of_file(tmp_path / "keys" / "signing.key")


@pytest.fixture
def bundle(tmp_path: Path, signer: Signer) -> Path:
    folder = tmp_path / "notes.release"
    (folder / "more").mkdir(parents=True)
    (folder / "data.jsonl").write_bytes(b'{"id": 1, "text": "Anna"}\n{"id": 2, "text": "Bo"}\n')
    (folder / "more" / "policy.toml").write_bytes(b'name = "clinical"\n')
    seal(folder, {"accepted": True}, signer)
    return folder


def signer_id(folder: Path) -> str:
    return Signer.of_file(folder / "keys" / "signing.key").public.id


def test_a_sealed_folder_holds(bundle: Path, tmp_path: Path) -> None:
    found = verify(bundle)
    assert found.holds
    assert not found.compared
    assert found.envelope is not None
    assert dict(found.envelope.predicate) == {"accepted": True}
    compared = verify(bundle, tmp_path / "keys" / "signing.key.pub")
    assert compared.holds
    assert compared.signed_by == signer_id(tmp_path)
    assert found.signed_by is None


LIMIT = {"limit": "utility_lower", "asked": 0.3, "holds": True}


@pytest.mark.parametrize(
    ("predicate", "verdict", "loosened"),
    [
        ({"accepted": True, "limits": [LIMIT], "loosened": []}, "Accepted: the limit holds", ()),
        (
            {"accepted": True, "limits": [LIMIT, LIMIT], "loosened": [{"sentence": "It was 0.6.\x1b[2J"}]},
            "Accepted: all 2 limits hold",
            ('"It was 0.6.\\u001b[2J"',),
        ),
        (
            {"accepted": False, "limits": [LIMIT, {**LIMIT, "holds": False}], "loosened": []},
            "Not accepted: 1 of 2 limits do not hold",
            (),
        ),
        ({"accepted": True, "limits": [LIMIT, {**LIMIT, "holds": "yes"}]}, None, None),
        ({"accepted": True, "limits": []}, None, None),
        ({"accepted": True, "limits": [{**LIMIT, "asked": None}]}, None, None),
        ({"accepted": True, "limits": [{**LIMIT, "limit": []}], "loosened": []}, "Accepted: the limit holds", ()),
        ({"accepted": True, "limits": ["all"], "loosened": "none"}, None, None),
        ({"accepted": True, "loosened": [None]}, None, None),
    ],
)
def test_the_verdict_and_loosened_limits_that_were_signed_are_told(
    bundle: Path, signer: Signer, predicate: dict[str, object], verdict: str | None, loosened: tuple[str, ...] | None
) -> None:
    for name in (PUBLIC_KEY, SUMS, ENVELOPE):
        (bundle / name).unlink()
    seal(bundle, predicate, signer)
    found = verify(bundle)
    assert found.holds
    assert (found.verdict, found.loosened) == (verdict, loosened)
    (bundle / "data.jsonl").write_text("other")
    assert (verify(bundle).verdict, verify(bundle).loosened) == (None, None)


def test_another_key_is_noticed(bundle: Path, tmp_path: Path) -> None:
    Signer.of_file(tmp_path / "other.key")
    found = verify(bundle, tmp_path / "other.key.pub")
    assert found.differences == ("the signature is not that of the key that was given",)
    assert found.signed_by is None


def test_every_flipped_bit_of_every_file_is_noticed(bundle: Path) -> None:
    for path in sorted(path for path in bundle.rglob("*") if path.is_file()):
        content = path.read_bytes()
        for place in range(len(content)):
            changed = bytearray(content)
            changed[place] ^= 1 << (place % 8)
            path.write_bytes(changed)
            found = verify(bundle)
            assert not found.holds, (path.name, place)
            assert any(path.name in line or "signature" in line for line in found.differences)
        path.write_bytes(content)
    assert verify(bundle).holds


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "data.jsonl").unlink(), "data.jsonl is missing"),
        (lambda folder: (folder / "extra.txt").write_text("x"), "extra.txt was added"),
        (lambda folder: (folder / "more" / "extra.txt").write_text("x"), "more/extra.txt was added"),
        (lambda folder: (folder / PUBLIC_KEY).unlink(), f"{PUBLIC_KEY} is missing"),
        (lambda folder: (folder / SUMS).unlink(), f"{SUMS} is missing"),
        (lambda folder: (folder / "link").symlink_to(folder / "data.jsonl"), "link was added"),
    ],
)
def test_a_file_that_is_added_or_gone_is_named(bundle: Path, change: Callable[[Path], None], said: str) -> None:
    change(bundle)
    assert any(line.startswith(said) for line in verify(bundle).differences)


def test_a_record_that_is_deleted_swapped_or_added_is_noticed(bundle: Path) -> None:
    path = bundle / "data.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    for content in (first, second + first, first + second + first):
        path.write_bytes(content)
        assert verify(bundle).differences == ("data.jsonl was changed",)


def test_a_link_in_place_of_a_file_is_noticed(bundle: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (bundle / "data.jsonl").rename(elsewhere)
    (bundle / "data.jsonl").symlink_to(elsewhere)
    assert verify(bundle).differences == ("data.jsonl is a link or no file",)


def test_an_envelope_of_other_files_is_noticed(bundle: Path, signer: Signer) -> None:
    """The key's owner signed something else; SHA256SUMS shows that these files were not meant."""
    envelope = opened((bundle / ENVELOPE).read_bytes())
    digests = {name: digest for name, digest in envelope.digests.items() if name != SUMS}
    (bundle / ENVELOPE).write_bytes(sealed(digests, {"accepted": True}, signer))
    assert any(SUMS in line for line in verify(bundle).differences)


def test_a_missing_or_foreign_envelope_is_noticed(bundle: Path) -> None:
    (bundle / ENVELOPE).write_text("{}")
    assert "was changed, or made by something else" in verify(bundle).differences[0]
    (bundle / ENVELOPE).unlink()
    assert verify(bundle).differences == (f"{ENVELOPE}: it is missing",)
    with pytest.raises(InputError, match="is no folder"):
        verify(bundle / "data.jsonl")


def test_the_sums_are_those_of_sha256sum(bundle: Path) -> None:
    done = subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=bundle, check=False)
    assert done.returncode == 0


def test_the_envelope_is_dsse_over_an_in_toto_statement(bundle: Path, signer: Signer) -> None:
    """Read by the two specifications alone, with none of the project's code."""
    outer = json.loads((bundle / ENVELOPE).read_bytes())
    payload = base64.b64decode(outer["payload"])
    inner = json.loads(payload)
    assert outer["payloadType"] == "application/vnd.in-toto+json"
    assert inner["_type"] == "https://in-toto.io/Statement/v1"
    kind = outer["payloadType"].encode()
    message = b" ".join([b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload])
    assert signer.public.has_signed(message, base64.b64decode(outer["signatures"][0]["sig"]))
    for subject in inner["subject"]:
        assert hashlib.sha256((bundle / subject["name"]).read_bytes()).hexdigest() == subject["digest"]["sha256"]


def test_a_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    first = Signer.of_file(path).public
    assert Signer.of_file(path).public.id == first.id == Verifier.of_file(tmp_path / "signing.key.pub").id
    assert path.stat().st_mode & 0o777 == 0o600
    assert "PRIVATE" not in repr(Signer.of_file(path))


@pytest.mark.parametrize(
    "content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_what_is_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = write_key(tmp_path / "wrong.key", content)
    with pytest.raises(ConfigurationError, match="no Ed25519 key"):
        Signer.of_file(path)
    with pytest.raises(ConfigurationError, match="no public Ed25519 key"):
        Verifier.of_file(path)


def test_a_folder_gets_its_name_whole_and_replaces_another_only_if_asked(tmp_path: Path) -> None:
    hidden, folder = tmp_path / "hidden", tmp_path / "notes.release"
    for text in ("first", "second"):
        hidden.mkdir()
        (hidden / "data.txt").write_text(text)
        if text == "second":
            with pytest.raises(OutputError, match="exists"):
                publish(hidden, folder, overwrite=False)
            assert (folder / "data.txt").read_text() == "first"
        publish(hidden, folder, overwrite=True)
    assert (folder / "data.txt").read_text() == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["notes.release"]


def seal_again(folder: Path, signer: Signer) -> None:
    for name in (ENVELOPE, SUMS):
        (folder / name).unlink()
    seal(folder, {"accepted": True}, signer)


_AS_SOMEONE_ELSE = """
import json, os, sys
from pathlib import Path
from sfumato.protection.verifying import verify

folder, closed = Path("notes.release"), Path(sys.argv[1])
assert verify(folder).holds  # and everything is imported, which another user might not be able to do
if len(sys.argv) > 2:
    (closed / sys.argv[2]).write_text("never signed")
closed.chmod(0)
if os.access(closed, os.R_OK):  # nothing is closed to root
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
assert not os.access(closed, os.R_OK)
print(json.dumps(verify(folder).differences))
"""


def differences_for_another_user(bundle: Path, closed: str, *added: str) -> list[str]:
    """Return what differs for a user to whom ``closed`` is closed, with a file ``added`` to it."""
    for path in (bundle.parent, bundle, *bundle.rglob("*")):
        path.chmod(path.stat().st_mode | 0o055)
    done = subprocess.run(
        [sys.executable, "-c", _AS_SOMEONE_ELSE, f"notes.release/{closed}", *added],
        cwd=bundle.parent, capture_output=True, check=False,
    )  # fmt: skip
    (bundle / closed).chmod(0o755)
    assert not done.returncode, done.stderr.decode()
    return list(json.loads(done.stdout))


def test_what_is_in_a_folder_that_cannot_be_read_is_not_overlooked(bundle: Path, signer: Signer) -> None:
    (bundle / "closed").mkdir()
    (bundle / "closed" / "note.txt").write_text("signed")
    seal_again(bundle, signer)
    said = "closed cannot be read, so that what is in it was not checked"
    assert differences_for_another_user(bundle, "closed", "added.txt") == [said]
    (bundle / "closed" / "added.txt").unlink()
    assert differences_for_another_user(bundle, "closed") == [said]
    assert differences_for_another_user(bundle, "") == [f"{ENVELOPE}: it cannot be read (Permission denied)"]
    assert verify(bundle).holds


def test_a_file_that_cannot_be_read_is_named(bundle: Path) -> None:
    for name in ("data.jsonl", SUMS, PUBLIC_KEY, ENVELOPE):
        assert any(line.startswith(name) for line in differences_for_another_user(bundle, name))


@pytest.mark.parametrize("name", ["empty", "more/empty", "empty/deeper", ".hidden"])
def test_an_empty_folder_is_noticed(bundle: Path, name: str) -> None:
    (bundle / name).mkdir(parents=True)
    assert verify(bundle).differences == (f"{name}/ was added",)


def test_a_folder_is_not_sealed_with_what_no_sum_describes(bundle: Path, signer: Signer) -> None:
    (bundle / "empty").mkdir()
    with pytest.raises(OutputError, match="empty/ is no file"):
        seal(bundle, {}, signer)


@pytest.mark.parametrize("name", ["data.jsonl", SUMS, PUBLIC_KEY, ENVELOPE])
def test_what_is_no_file_is_not_waited_for(bundle: Path, name: str) -> None:
    (bundle / name).unlink()
    os.mkfifo(bundle / name)
    assert any(line.startswith(name) for line in verify(bundle).differences)
    (bundle / name).unlink()
    (bundle / name).symlink_to("/dev/zero")
    assert any(line.startswith(name) for line in verify(bundle).differences)


@pytest.mark.parametrize("what", ["pipe", "link to a folder", "link to nothing"])
def test_what_is_added_is_named_whatever_it_is(bundle: Path, what: str) -> None:
    path = bundle / "more" / "added"
    if what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(bundle.parent if what == "link to a folder" else "nothing")
    assert verify(bundle).differences == ("more/added was added",)


def test_a_name_cannot_write_lines_of_its_own(bundle: Path) -> None:
    (bundle / "\x1b[2Knotes.release: nothing differs\n").write_text("x")
    assert verify(bundle).differences == (r'"\u001b[2Knotes.release: nothing differs\n" was added',)


@pytest.mark.parametrize("name", [b"two\nlines.txt", b"back\\slash.txt", b"no \xff text.txt", b"  .txt"])
def test_odd_names_are_sealed_and_checked(bundle: Path, signer: Signer, name: bytes) -> None:
    path = bundle / os.fsdecode(name)
    path.write_text("x")
    seal_again(bundle, signer)
    assert verify(bundle).holds
    assert not subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=bundle, check=False).returncode
    path.write_text("y")
    assert len(verify(bundle).differences) == 1
