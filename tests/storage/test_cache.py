"""What is read from the cache is what this user wrote, and a certificate in it is believed only where it holds."""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brute_force import pairwise_loss
from sfumato.building import methods
from sfumato.errors import GuaranteeError
from sfumato.mechanisms._clusant_scales import Scaling
from sfumato.mechanisms.clusant import CluSanT
from sfumato.mechanisms.santext import SanText
from sfumato.privacy import certificates
from sfumato.privacy.guarantee import Certificate
from sfumato.storage import cache, cache_key

KEY = cache.content_key("an entry")
POSIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX file modes")


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("SFUMATO_CACHE_KEY", raising=False)


def entries(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").iterdir())


def forged(value: Any) -> bytes:
    """An entry as somebody without the key would write it, with the older checksum mended."""
    return json.dumps({"checksum": zlib.crc32(json.dumps(value).encode()), "value": value}).encode()


def test_an_entry_comes_back_and_a_forged_one_counts_as_absent(tmp_path: Path) -> None:
    cache.save_json(KEY, {"scale": 1.0})
    cache.save_array(KEY, np.arange(6.0).reshape(2, 3))
    assert cache.load_json(KEY) == {"scale": 1.0}
    assert np.array_equal(cache.load_array(KEY), np.arange(6.0).reshape(2, 3))  # type: ignore[arg-type]
    text, numbers = entries(tmp_path)
    honest = text.read_bytes()
    unsealed = b'{"scale": 6.0}' + bytes(32)
    for changed in (forged({"scale": 60.0}), honest.replace(b"1.0", b"6.0"), unsealed, b"", b"{}", b"x" * 100):
        assert changed != honest
        text.write_bytes(changed)
        assert cache.load_json(KEY) is None
    whole = numbers.read_bytes()
    for changed in (whole[:-1], whole[:-40], b"", whole.replace(whole[128:136], b"\1" * 8, 1)):
        numbers.write_bytes(changed)
        assert cache.load_array(KEY) is None


def test_an_entry_under_the_name_of_another_is_not_believed(tmp_path: Path) -> None:
    other = cache.content_key("another entry")
    cache.save_json(KEY, [1])
    cache.save_array(KEY, np.ones(3))
    for path in entries(tmp_path):
        path.rename(path.with_name(other + path.suffix))
    assert cache.load_json(other) is None
    assert cache.load_array(other) is None


def test_another_users_entry_in_a_shared_folder_counts_as_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.save_json(KEY, [1])
    cache.save_array(KEY, np.ones(3))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "somebody else"))
    assert cache.load_json(KEY) is None
    assert cache.load_array(KEY) is None
    monkeypatch.setenv("SFUMATO_CACHE_KEY", "")  # names nothing
    assert cache.load_json(KEY) is None


@POSIX
def test_a_group_that_shares_a_key_shares_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "group.key"
    monkeypatch.setenv("SFUMATO_CACHE_KEY", str(shared))
    cache.save_json(KEY, [0])
    assert not shared.exists(), "a shared key is somebody's to make"
    shared.write_bytes(os.urandom(32))
    shared.chmod(0o640)
    cache.save_json(KEY, [2])
    cache.save_array(KEY, np.ones(3))
    assert {stat.S_IMODE(path.stat().st_mode) for path in entries(tmp_path)} == {0o644}
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)  # as another member reads them
    assert cache.load_json(KEY) == [2]
    assert np.array_equal(cache.load_array(KEY), np.ones(3))  # type: ignore[arg-type]
    for mode in (0o644, 0o660):  # strangers could read it, or a member exchange it
        shared.chmod(mode)
        assert cache.load_json(KEY) is None
    shared.chmod(0o640)
    shared.write_bytes(b"short")
    assert cache.load_json(KEY) is None


@POSIX
def test_what_is_no_file_of_the_users_is_neither_waited_for_nor_read(tmp_path: Path) -> None:
    cache.save_json(KEY, [1])
    cache.save_array(KEY, np.ones(3))
    whole = {path: path.rename(tmp_path / path.name) for path in entries(tmp_path)}
    made: list[Callable[[Path], object]] = [
        os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to(whole[path]), Path.mkdir,
    ]  # fmt: skip
    for make in made:
        for path in whole:
            make(path)
        assert (cache.load_json(KEY), cache.load_array(KEY)) == (None, None)
        for path in whole:
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


@POSIX
def test_another_users_entry_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.save_json(KEY, [1])
    cache.save_array(KEY, np.ones(3))
    user = os.geteuid()
    secret = cache.secret_of_user()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert cache.load_json(KEY) is None
    monkeypatch.setattr(cache, "secret_of_user", lambda: secret)  # not even where the key is known
    assert (cache.load_json(KEY), cache.load_array(KEY)) == (None, None)


@POSIX
def test_the_key_is_for_its_owner_only(tmp_path: Path) -> None:
    cache.save_json(KEY, [1])
    path = cache_key.key_file()
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_bytes()) == 32
    path.chmod(0o644)  # whoever can read it can write entries
    assert cache.load_json(KEY) is None
    path.chmod(0o600)
    assert cache.load_json(KEY) == [1]
    cache.save_array(KEY, np.ones(3))
    entry = next(path for path in entries(tmp_path) if path.suffix == ".npy")
    entry.chmod(0o666)  # mapped, it could be changed after it was checked
    assert cache.load_array(KEY) is None


def test_without_a_config_folder_the_key_is_kept_in_a_cache_that_is_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in the way").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "in the way"))
    cache.save_json(KEY, [1])
    assert cache.load_json(KEY) == [1]
    assert (tmp_path / "cache" / "cache.key").exists()
    (tmp_path / "cache").chmod(0o777)  # others could exchange the key
    assert cache.load_json(KEY) is None
    cache.save_json(KEY, [2])  # costs time, not the run


def test_a_file_system_without_links_has_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(PermissionError("no links here")))
    cache.save_json(KEY, [1])
    assert cache.load_json(KEY) == [1]


def test_many_at_once_make_one_key() -> None:
    def save_and_load(number: int) -> Any:
        name = cache.content_key("at once", str(number))
        cache.save_json(name, [number])
        return cache.load_json(name)

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(save_and_load, range(64))) == [[number] for number in range(64)]


def changed_by(certificate: Certificate, **changes: Any) -> Certificate:
    conditions = {**certificate.conditions, **changes.pop("conditions", {})}
    return replace(certificate, conditions=conditions, **changes)


def entry(certificate: Certificate, mechanism: Any) -> dict[str, Any]:
    """The entry that is kept of a certificate."""
    return {**certificate.as_dict(), "vocabulary": mechanism.vocabulary.hash}


LIES = {
    "a scale of 60": {"scale": 60.0, "conditions": {"cluster_scale": 60.0, "token_scale": 60.0}},
    "another claim": {"claimed": 60.0, "certified": 59.0},
    "a larger claim alone": {"claimed": 60.0},
    "a smaller loss": {"certified": 0.5},
    "a larger scale": {"scale": 1.9, "conditions": {"cluster_scale": 1.9, "token_scale": 1.9}},
    "no scale": {"scale": 0.0},
    "another pair": {"pair": (0, 1)},
    "a pair of one": {"pair": (0, 0)},
    "a pair of no tokens": {"pair": (0, 10**6)},
    "no pair": {"pair": None},
    "no pair and no loss": {
        "pair": None,
        "certified": 0.0,
        "scale": 2.0,
        "conditions": {"cluster_scale": 2.0, "token_scale": 2.0},
    },
    "a pair of one and no loss": {"pair": (0, 0), "certified": 0.0},
    "another definition": {"definition": "none"},
    "another kind": {"kind": "analytic"},
    "a bound without its pair": {"kind": "upper-bound", "pair": (0, 1)},
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("name", ["santext", "tem", "clusant-k4", "clusant-inf"])
def test_a_kept_certificate_is_not_believed_where_it_does_not_hold(
    name: str, lie: str, toys: Any, case_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry has a good seal: these are the checks behind it."""
    made = case_of(name).on(toys["unit"], 2.0)
    honest = made.certify()
    kept = entry(changed_by(honest, **LIES[lie]), made)
    assert kept != entry(honest, made)
    monkeypatch.setattr(cache, "load_json", lambda _: kept)
    again = case_of(name).on(toys["unit"], 2.0).certify()
    assert again == honest


def forbid_computing(patch: pytest.MonkeyPatch, mechanism: Any) -> None:
    """Let a certificate of a mechanism of this kind be read, and never be computed."""
    clusant = isinstance(mechanism, CluSanT)
    owner, name = (Scaling, "certificate") if clusant else (type(mechanism), "_certificate")
    patch.setattr(owner, name, lambda *_: pytest.fail("computed again"))


@pytest.mark.parametrize(
    "name", ["santext", "tem", "clusant-k1", "clusant-k4", "clusant-k16", "clusant-stretched", "clusant-inf"]
)
def test_an_honest_certificate_is_believed(name: str, toys: Any, case_of: Any, monkeypatch: Any) -> None:
    believed = 0
    for vocabulary in toys.values():
        try:
            honest = case_of(name).on(vocabulary, 2.0).certify()
        except GuaranteeError:
            continue
        made = case_of(name).on(vocabulary, 2.0)
        with monkeypatch.context() as patch:
            forbid_computing(patch, made)
            assert made.certify().as_dict() == honest.as_dict()
        believed += 1
    assert believed >= 5


def test_a_kept_certificate_of_another_vocabulary_is_not_believed(make_vocabulary: Any, monkeypatch: Any) -> None:
    """Its worst pair loses the same, because the other tokens are far: only its vocabulary's hash tells."""
    near = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.1, 1.0]])
    crowd = 1e-3 * np.random.default_rng(0).normal(size=(9, 2))
    far = 1e4 + np.concatenate([crowd, [[1.0, 0.0]]])
    small, large = make_vocabulary(near), make_vocabulary(np.concatenate([near, far]))
    kept, honest = SanText(small, 2.0).certify(), SanText(large, 2.0).certify()
    assert kept.scale > 1.2 * honest.scale
    assert SanText(large, 2.0)._holds(kept)  # power: these checks alone believe it
    forged_entry = entry(kept, SanText(small, 2.0))
    monkeypatch.setattr(cache, "load_json", lambda _: forged_entry)
    assert SanText(small, 2.0).certify() == kept
    assert SanText(large, 2.0).certify() == honest


def test_the_checks_behind_the_seal_are_needed(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Power: believed as it stands, the entry of the audit's report releases every word under its own name."""
    honest = SanText(toys["unit"], 1.0).certify()
    kept = entry(replace(honest, scale=60.0), SanText(toys["unit"], 1.0))
    monkeypatch.setattr(cache, "load_json", lambda _: kept)
    assert SanText(toys["unit"], 1.0).scale == honest.scale
    monkeypatch.setattr(certificates, "_safely", lambda *_: True)
    fooled = SanText(toys["unit"], 1.0)
    assert fooled.certify().certified <= 1.0
    laws = np.log([fooled.law(token) for token in range(len(fooled.vocabulary))])
    assert pairwise_loss(laws) > 30.0


def test_every_mechanism_shows_the_scales_that_it_runs_at(finite: Any, toys: Any) -> None:
    one, other = (finite.on(toys["unit"], epsilon) for epsilon in (2.0, 2.5))
    assert len(one.law_scales) == len(other.law_scales) > 0
    assert all(small < large for small, large in zip(one.law_scales, other.law_scales, strict=True))


def test_a_bound_is_checked_as_a_bound(make_vocabulary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.privacy.cluster_loss._MOST_EXACT", -1)
    vocabulary = make_vocabulary(np.random.default_rng(12).normal(size=(12, 3)))

    def fresh() -> Any:
        return methods.mechanism("clusant", vocabulary, 2.0, k=4.0, set_size=5)

    honest = fresh().certify()
    assert honest.kind == "upper-bound"
    with monkeypatch.context() as patch:
        forbid_computing(patch, fresh())
        assert fresh().certify().as_dict() == honest.as_dict()
    lie = entry(replace(honest, pair=(0, 1)), fresh())
    monkeypatch.setattr(cache, "load_json", lambda _: lie)
    assert fresh().certify().as_dict() == honest.as_dict()
