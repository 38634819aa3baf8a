"""Single changes by path, as ``--set`` gives them."""

from __future__ import annotations

import pytest

from sfumato.errors import ConfigurationError
from sfumato.policy import Policy, Rule

POLICY = Policy.parse(
    """
[find]
detect = ["identifiers", "presidio"]
options = { strict = "high", threshold = 0.5 }
[[treat]]
kinds = ["DATE", "AGE"]
mechanism = "santext"
epsilon = 1
[[treat]]
kinds = ["IP"]
labels = ["DEM"]
method = "mask"
[[treat]]
kinds = ["MONEY"]
mechanism = "geometric"
epsilon = 1
within = "factor 2"
options = {}
"""
)


def test_a_change_is_for_the_kind_alone() -> None:
    new = POLICY.with_changes({"treat.DATE.epsilon": "0.5"})
    assert new.treatment_of("DATE") == Rule(("DATE",), mechanism="santext", epsilon=0.5)
    assert new.treatment_of("AGE") == Rule(("AGE",), mechanism="santext", epsilon=1.0)
    assert new.treatment_of("MONEY") == POLICY.treatment_of("MONEY")
    assert POLICY.treatment_of("DATE").epsilon == 1.0
    by_label = POLICY.with_changes({"treat.DEM.method": "keep"})
    assert by_label.treatment_of_label("DEM") == Rule(labels=("DEM",), method="keep")
    assert by_label.treatment_of("IP") == Rule(("IP",), method="mask")


def test_every_value_has_the_type_of_its_field() -> None:
    new = POLICY.with_changes(
        {"release.repair": "false", "fields.keep": "ward,age", "fields.id": "3", "name": "x", "randomness.pin": "k",
         "find.options.window": "20", "find.language": "en", "find.allow": "a.txt"}
    )  # fmt: skip
    assert (new.release.repair, new.fields.keep, new.fields.id, new.name) == (False, ("ward", "age"), "3", "x")
    assert new.randomness.pin == "k"
    assert new.find.options == {"strict": "high", "threshold": 0.5, "window": 20}
    assert new.find.languages == ("en",)
    assert new.find.allow == ("a.txt",)


def test_another_mechanism_does_not_inherit_what_was_not_its_own() -> None:
    new = POLICY.with_changes({"treat.MONEY.epsilon": "2", "treat.MONEY.mechanism": "santext"})
    assert new.treatment_of("MONEY") == Rule(("MONEY",), mechanism="santext", epsilon=2.0, within="factor 2")
    assert POLICY.with_changes({"treat.MONEY.method": "label"}).treatment_of("MONEY").epsilon is None
    assert POLICY.with_changes({"treat.MONEY.mechanism": "independent"}).treatment_of("MONEY").epsilon is None
    other = POLICY.with_changes({"find.detect": "entities"})
    assert (other.find.detect, dict(other.find.options)) == (("entities",), {})


def test_a_kind_without_a_treatment_begins_as_the_others() -> None:
    assert POLICY.with_changes({"treat.PHONE.method": "keep"}).treatment_of("PHONE").name == "keep"
    new = POLICY.with_changes({"treat.PHONE.mechanism": "independent"})
    assert new.treatment_of("PHONE") == Rule(("PHONE",), mechanism="independent")
    assert new.treatment_of("URL").name == "label"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("treet.DATE.epsilon", "1", "did you mean treat?"),
        ("treat.DATE.epsilom", "1", "did you mean epsilon?"),
        ("treat.DTE.epsilon", "1", "did you mean DATE?"),
        ("treat.DATE", "1", "as in treat.DATE.epsilon"),
        ("treat.DATE.kinds", "AGE", "Known: consistency"),
        ("treat.DATE.epsilon.x", "1", "has no parts"),
        ("treat.DATE.epsilon", "much", "epsilon is a number"),
        ("treat.DATE.epsilon", "nan", "epsilon is a number"),
        ("treat.DATE.epsilon", "-1", "greater than 0"),
        ("treat.DATE.within", "2 km", "another unit"),
        ("treat.DATE.mechanism", "shft", "did you mean shift?"),
        ("treat.DEM.mechanism", "independent", "A label has no values"),
        ("treat.PHONE.epsilon", "1", "without a guarantee"),
        ("treat.PHONE.mechanism", "santext", "needs an epsilon"),
        ("find", "words", "Name what to set of find"),
        ("find.detct", "words", "did you mean detect?"),
        ("find.detect", "wrods", "did you mean words?"),
        ("find.options", "1", "as in find.options.strict"),
        ("find.options.strct", "low", "did you mean strict?"),
        ("find.options.threshold", "x", "is a number"),
        ("release.repair", "maybe", "true or false"),
        ("name.x", "1", "has no parts"),
        ("", "1", "nothing of this name"),
        ("a b", "1", "nothing of this name"),
    ],
)
def test_what_cannot_be_set(path: str, value: str, reason: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        POLICY.with_changes({path: value})
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


WRONG_TOGETHER = [
    ({"treat.DATE.epsilon": "-1"}, "--set treat.DATE.epsilon: "),
    (
        {"treat.DATE.mechanism": "geometric", "treat.DATE.within": "2 km"},
        "--set treat.DATE.mechanism and treat.DATE.w",
    ),
    ({"treat.PHONE.mechanism": "santext"}, "--set treat.PHONE.mechanism: "),
    ({"treat.DEM.mechanism": "independent", "treat.AGE.epsilon": "2"}, "--set treat.DEM.mechanism: "),
    ({"treat_others.mechanism": "santext"}, "--set treat_others.mechanism: santext needs an epsilon"),
    ({"treat_others.mechanism": "shift", "treat_others.epsilon": "1"}, "--set: [treat_others]: "),
    ({"fields.keep": "text"}, "--set fields.keep: A field is named twice"),
    ({"randomness.scope": "subject"}, "--set: [randomness]: Draws for a subject need its field"),
    ({"kinds.DATE.day_frst": "true"}, "--set: "),
    ({"treat.DATE.epsilon": "1e308"}, "--set treat.DATE.epsilon: epsilon must be at most"),
]


@pytest.mark.parametrize(("changes", "place"), WRONG_TOGETHER)
def test_an_error_names_what_was_set_and_never_a_treatment_that_no_file_has(
    changes: dict[str, str], place: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        POLICY.with_changes(changes)
    assert str(caught.value).startswith(place)
    assert "number" not in str(caught.value)
