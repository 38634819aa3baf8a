"""What a policy says: what it decides, its file again, its fingerprint, and the shipped policies."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.building.policies import build_policy, treatment_of_kind
from sfumato.errors import ConfigurationError
from sfumato.heuristics.redaction import OPERATORS, Redaction
from sfumato.options.option import options_of
from sfumato.policy import Policy, Rule
from sfumato.policy.rule import OPTIONS_OF_METHODS
from sfumato.policy.sections import Fields, Find, Mending, Randomness
from sfumato.policy.suitability import KINDS, OF_VALUES, mechanisms, unsuitable
from sfumato.policy.tables import shipped_content, shipped_names, written
from sfumato.policy.wording import lines_of
from sfumato.registry import TOKENS, methods

FULL = """
name = "clinical"
about = "notes"
[find]
detect = ["identifiers", "list:names.txt"]
allow = ["allow.txt"]
[find.options]
strict = "high"
[[treat]]
kinds = ["PERSON"]
mechanism = "custext"
epsilon = 8.0
form = "keep"
consistency = "document"
options = { set_size = 20 }
[[treat]]
kinds = ["DATE"]
mechanism = "geometric"
epsilon = 1
within = "30 days"
[[treat]]
kinds = ["CODE", "PHONE"]
labels = ["DEM"]
method = "pseudonym"
[fields]
text = ["note"]
id = "id"
subject = "patient"
keep = ["ward"]
[randomness]
pin = "key.bin"
[release]
repair = false
"""


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(FULL, encoding="utf-8")
    policy = Policy.load(path)
    assert (policy.name, policy.about) == ("clinical", "notes")
    assert policy.find == Find(("identifiers", "list:names.txt"), ("allow.txt",), (), {"strict": "high"})
    assert policy.treat == (
        Rule(
            ("PERSON",), (), "custext", None, 8.0, None, "keep", "document", {"set_size": 20}
        ),
        Rule(("DATE",), mechanism="geometric", epsilon=1.0, within="30 days"),
        Rule(("CODE", "PHONE"), ("DEM",), method="pseudonym"),
    )  # fmt: skip
    assert policy.fields == Fields(("note",), "id", "patient", ("ward",))
    assert policy.pin == tmp_path / "key.bin"
    assert policy.release.repair is False
    assert policy.files == (tmp_path / "names.txt", tmp_path / "allow.txt")
    assert policy.find.arguments(tmp_path) == {
        "name": ("identifiers", f"list:{tmp_path / 'names.txt'}"), "options": {"strict": "high"},
        "allow": (tmp_path / "allow.txt",), "deny": (),
    }  # fmt: skip


def test_what_no_treatment_names_becomes_a_label_unless_it_is_said() -> None:
    policy = Policy.parse(FULL)
    assert policy.treatment_of("CODE").name == "pseudonym"
    assert policy.treatment_of("HEALTH") == Rule(method="label")
    kept = Policy.parse(FULL + '[treat_others]\nmethod = "keep"\n')
    assert kept.treatment_of("HEALTH").name == "keep"
    assert policy.treatment_of_label("DEM") is policy.treat[2]
    assert policy.treatment_of_label("PERSON") is None  # a kind is no label


@pytest.mark.parametrize(
    ("kinds", "within", "epsilon", "per_unit"),
    [
        (["DATE"], "30 days", 1.0, 1 / 30),
        (["DATE"], "2 weeks", 1.0, 1 / 14),
        (["AGE"], "2 years", 1.0, 0.5),
        (["MONEY", "DURATION"], "factor 2", 1.0, 1 / math.log(2)),
        (["NUMBER"], "0.5 e-folds", 2.0, 4.0),
        (["DATE"], None, 0.5, 0.5),
    ],
)
def test_an_epsilon_within_a_distance(kinds: list[str], within: str | None, epsilon: float, per_unit: float) -> None:
    made = Rule(tuple(kinds), mechanism="geometric", epsilon=epsilon, within=within)
    assert made.epsilon_per_unit == pytest.approx(per_unit, rel=1e-12)


def test_places_and_times_have_units_of_their_own() -> None:
    assert Rule(("PLACE",), mechanism="santext", epsilon=1, within="50 km").epsilon_per_unit == 0.02
    assert Rule(("TIME",), mechanism="santext", epsilon=1, within="2 hours").epsilon_per_unit == 1 / 120
    assert Rule(("CODE",), mechanism="independent").epsilon_per_unit is None


def test_what_is_drawn_once() -> None:
    assert Rule(("DATE",), mechanism="shift", epsilon=1).drawn_once == "subject"
    assert Rule(("DATE",), mechanism="geometric", epsilon=1).drawn_once == "mention"
    assert Rule(("PERSON",), mechanism="independent", consistency="subject").drawn_once == "subject"


def test_which_mechanism_a_kind_can_take() -> None:
    """The whole table, written a second time."""
    on_a_line = {"DATE", "DURATION", "AGE", "MONEY", "QUANTITY", "NUMBER"}
    codes = {"CODE", "PHONE", "EMAIL", "URL", "IP"}
    others = {"TIME", "PLACE", "PERSON", "ORGANIZATION", "OCCUPATION", "GROUP", "HEALTH", "WORD"}
    assert set(KINDS) == on_a_line | codes | others
    allowed = {(kind, name) for kind in KINDS for name in mechanisms() if not unsuitable(kind, name)}
    expected = {(kind, "independent") for kind in KINDS} | {("DATE", "shift")}
    expected |= {(kind, "geometric") for kind in on_a_line}
    of_words = [name for name in methods(TOKENS) if name not in OF_VALUES]
    expected |= {(kind, name) for kind in on_a_line | others for name in of_words if not name.endswith("+")}
    expected |= {("WORD", name) for name in of_words}
    assert allowed == expected


def test_methods_have_options_that_redaction_has() -> None:
    assert set(OPTIONS_OF_METHODS) == set(OPERATORS)
    given = {name for names in OPTIONS_OF_METHODS.values() for name in names}
    left = {"operator", "operators", "key", "shift", "subject"}
    assert given | left == {option.name for option in options_of(Redaction)}


@pytest.mark.parametrize("name", shipped_names())
def test_the_shipped_policies(name: str) -> None:
    policy = Policy.load(name)
    assert policy.name == name
    assert policy.about
    assert Policy.parse(policy.as_toml()) == policy
    lines = list(lines_of(policy))
    assert all(("no formal guarantee" in line) != ("epsilon" in line) for line in lines[2:] if ": " in line[:70]
               and not line.startswith("random"))  # fmt: skip
    for line in shipped_content(name).splitlines():
        assert not line.startswith("epsilon") or line in ("epsilon = 1.0",) or "#" in line, (
            "an epsilon needs a reason"
        )


def test_every_purpose_has_its_policy() -> None:
    assert set(shipped_names()) == {"clinical", "court", "support", "chat", "research-words", "internal", "synthetic"}
    assert {treatment.has_guarantee for treatment in Policy.load("internal").treat} <= {False}
    assert Policy.load("research-words").find.detect == ("words",)
    with pytest.raises(ConfigurationError, match="did you mean clinical"):
        Policy.load("clinicl")


def test_a_policy_is_loaded_by_its_name_or_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("clinical", "mine", "mine.toml"):
        Path(name).write_text('name = "of this folder"\n[treat_others]\nmethod = "label"\n', encoding="utf-8")
    assert Policy.load("clinical").name == "clinical"
    for file in (Path("clinical"), Path("mine"), "mine", "mine.toml", "./clinical"):
        assert Policy.load(file).name == "of this folder"


_NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)
_KINDS = sorted(KINDS)
_NUMBERS = st.floats(1e-6, 1e6)
_PLAIN = st.recursive(
    st.one_of(st.booleans(), st.integers(), _NUMBERS, st.text(st.characters(codec="utf-8"))),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(_NAMES, inside, max_size=3),
    max_leaves=6,
)


@st.composite
def _treatments(draw: Any, kinds: list[str], labels: list[str]) -> Rule:
    names: dict[str, Any] = {"kinds": tuple(kinds), "labels": tuple(labels)}
    if labels or draw(st.booleans()):
        method = draw(st.sampled_from(OPERATORS))
        options = {"mask": "█"} if method == "mask" else {}
        return Rule(**names, method=method, options=options)
    form, once = draw(st.sampled_from([None, "keep", "public"])), draw(st.sampled_from([None, "mention", "document"]))
    suitable = [name for name in mechanisms() if not any(unsuitable(kind, name) for kind in kinds)]
    mechanism = draw(st.sampled_from(suitable))
    epsilon = None if mechanism == "independent" else draw(_NUMBERS)
    within = "14 days" if kinds == ["DATE"] and mechanism in ("geometric", "shift", "santext") else None
    options = {"set_size": draw(st.integers(2, 99))} if mechanism == "custext" else {}
    once = None if mechanism == "shift" else once
    return Rule(**names, mechanism=mechanism, epsilon=epsilon, within=within, form=form, consistency=once,
                     options=options)  # fmt: skip


@st.composite
def _policies(draw: Any) -> Policy:
    kinds = draw(st.permutations(_KINDS))[: draw(st.integers(1, 8))]
    labels = draw(st.lists(_NAMES, max_size=4, unique=True))
    cuts = sorted(draw(st.sets(st.integers(1, len(kinds)), max_size=3)) | {len(kinds)})
    parts = [kinds[start:end] for start, end in zip([0, *cuts], cuts, strict=False)]
    treat = tuple(draw(_treatments(part, labels if index == 0 else [])) for index, part in enumerate(parts) if part)
    names = draw(st.lists(_NAMES, min_size=1, max_size=4, unique=True))
    return Policy(
        treat,
        name=draw(st.one_of(st.just(""), _NAMES)),
        find=Find(
            ("given", f"list:{draw(_NAMES)}"), tuple(draw(st.lists(_NAMES, max_size=2))), (), {"field": names[0]}
        ),
        fields=Fields((names[0],), draw(st.none() | _NAMES), draw(st.none() | _NAMES), tuple(names[1:])),
        randomness=Randomness(draw(st.none() | _NAMES)),
        release=Mending(draw(st.booleans())),
    )


@given(_policies())
def test_a_policy_is_read_from_its_own_file(policy: Policy) -> None:
    again = Policy.parse(policy.as_toml())
    assert again == policy
    assert again.as_toml() == policy.as_toml()


@given(st.dictionaries(_NAMES, _PLAIN, max_size=4))
def test_every_plain_value_is_written_as_it_is_read(options: dict[str, Any]) -> None:
    assert tomllib.loads(written({"top": 1, "find": {"options": options}})) == {
        "top": 1,
        "find": {"options": options},
    }


def test_the_fingerprint_holds_all_that_decides(tmp_path: Path) -> None:
    for name in ("names.txt", "allow.txt"):
        (tmp_path / name).write_text("Anna\n", encoding="utf-8")
    (tmp_path / "key.bin").write_bytes(bytes(32))
    base = Policy.parse(FULL, tmp_path)
    changes = [
        {"treat.DATE.epsilon": "2"}, {"treat.DATE.within": "31 days"}, {"treat.PERSON.options.set_size": "21"},
        {"treat.PERSON.form": "public"}, {"find.options.strict": "low"}, {"fields.subject": "ward2"},
        {"release.repair": "true"}, {"treat_others.method": "keep"}, {"treat.CODE.method": "mask"},
        {"find.deny": "allow.txt"},
    ]  # fmt: skip
    prints = [base.fingerprint, *(base.with_changes(change).fingerprint for change in changes)]
    assert len({*prints}) == len(changes) + 1
    (tmp_path / "allow.txt").write_text("Anne\n", encoding="utf-8")
    assert base.fingerprint == prints[0]  # a hash over a list would confirm a guess at who is on it
    same = Policy(base.treat[::-1], base.treat_others, "other", "", base.find, base.fields, base.randomness,
                  base.release, tmp_path)  # fmt: skip
    assert same.fingerprint == base.fingerprint
    (tmp_path / "names.txt").unlink()
    with pytest.raises(ConfigurationError, match=r"does not exist \(names.txt\)"):
        _ = base.fingerprint


def test_a_budget_is_read_shown_and_refused_where_it_cannot_be() -> None:
    text = FULL + '\n[budget]\nname = "notes"\n[budget.subject]\n"DATE per day" = 0.5\n[budget.dataset]\n"*" = 9\n'
    policy = Policy.parse(text)
    lines = "\n".join(lines_of(policy))
    assert "budget of a subject: DATE per day 0.5" in lines
    assert "budget of the data set: * 9" in lines
    assert Policy.parse(policy.as_toml()) == policy
    for part, other in (('name = "notes"', ""), ('"*" = 9', '"*" = -9'), ('"*" = 9', '"*" = "some"')):
        with pytest.raises(ConfigurationError):
            Policy.parse(text.replace(part, other))


@pytest.mark.parametrize(
    ("toml", "why"),
    [
        ("[synthesize]\nepsilon = 8.0", "Name the method"),
        ('[synthesize]\nmethod = "finetune"', "one epsilon"),
        ('[synthesize]\nmethod = "finetuen"\nepsilon = 8.0', "did you mean finetune"),
        ('[synthesize]\nmethod = "finetune"\nepsilon = 0.0', "epsilon"),
        ('[synthesize]\nmethod = "finetune"\nepsilon = 8.0\nheld_out = 0.9', "held_out is a share"),
        ('[synthesize]\nmethod = "finetune"\nepsilon = 8.0\ncodes = { topic = "move" }', "list of texts"),
        ('[synthesize]\nmethod = "finetune"\nepsilon = 8.0\n[treat_others]\nmethod = "mask"', "leave it out"),
        (
            '[synthesize]\nmethod = "finetune"\nepsilon = 8.0\n[[treat]]\nkinds = ["AGE"]\nmethod = "label"',
            r"leave out \[\[treat",
        ),
        ('[synthesize]\nmethod = "finetune"\nepsilon = 8.0\n[randomness]\npin = "key"', "leave it out"),
        (
            '[synthesize]\nmethod = "finetune"\nepsilon = 8.0\n[accept]\ntoken_guess_upper = 0.1',
            "values that are treated",
        ),
        ('[treat_others]\nmethod = "label"\n[accept]\nmembership_upper = 0.6', "limit of synthetic records"),
    ],
)
def test_a_synthesis_that_cannot_be_is_refused(toml: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        Policy.parse(toml)


def test_a_policy_that_synthesizes_is_changed_by_path_and_written_as_it_reads() -> None:
    policy = Policy.load("synthetic").with_changes(
        {"synthesize.units": "500", "synthesize.codes.topic": "move, call", "synthesize.codes.urgent": ""}
    )
    assert policy.synthesize.codes == {"topic": ("move", "call"), "urgent": ()}
    assert Policy.parse(policy.as_toml()).as_tables() == policy.as_tables()
    assert policy.fingerprint != Policy.load("synthetic").fingerprint
    other = policy.with_changes({"synthesize.options.epochs": "3"}).with_changes({"synthesize.method": "predict"})
    assert (other.synthesize.method, dict(other.synthesize.options)) == ("predict", {})


def test_a_policy_that_synthesizes_treats_nothing() -> None:
    with pytest.raises(ConfigurationError, match="sfumato protect"):
        build_policy("synthetic")
    with pytest.raises(ConfigurationError, match="sfumato protect"):
        treatment_of_kind(Policy.load("synthetic"), "AGE")
    Policy.load("clinical").check_treats()


@pytest.mark.parametrize("language", ["de", "auto", "en fr"])
def test_no_other_language_is_read_by_a_pipeline_for_english_alone(language: str) -> None:
    for detect in (("entities",), ("noun-phrases", "list:names.txt"), ("entities", "presidio")):
        with pytest.raises(ConfigurationError, match=f"{detect[0]} reads English"):
            Find(detect, language=language)
        Find(detect)
    for other in (("identifiers", "entities"), ("list:names.txt",), ("given",), ("words",)):
        assert Find(other, language=language).detect == other
    Find(("entities",), options={"pipeline": "de_core_news_sm"}, language=language)
