"""What a run will do is fixed from public numbers, and fits its budget or is refused."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from scripted_models import ScriptedCausal
from sfumato.abstract.synthesizer import Order
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.accounting import Allocated, Concentrated, GaussianNoise, epsilon_of
from sfumato.synthesis.predict.predict import Predict

ORDER = Order(("",), 5000, 1, 1000, 8.0, 1e-6)
METHOD = Predict(ScriptedCausal())


@pytest.mark.parametrize("wanted", [1, 300, 1000, 5000, 9000])
@pytest.mark.parametrize("spent", [(), (GaussianNoise(20.0, 2),)])
def test_the_budget_holds_and_groups_are_as_small_as_it_allows(wanted: int, spent: tuple[GaussianNoise, ...]) -> None:
    order = replace(ORDER, wanted=wanted, spent=spent)
    schedule = METHOD.schedule(order)
    (event,) = schedule.events
    assert event == Allocated(schedule.law.rho, schedule.texts_per_group * METHOD.length, schedule.groups)
    assert schedule.texts_per_group * schedule.groups >= wanted
    assert epsilon_of((*spent, event), order.delta) <= order.epsilon
    size = schedule.law.group_size
    if size > 8:
        with pytest.raises(ConfigurationError, match="do not fit"):
            replace(METHOD, group_size=size - 1).schedule(order)


@pytest.mark.parametrize("wanted", [10, 300, 900, 5000])
def test_what_is_left_of_the_budget_raises_the_clip(wanted: int) -> None:
    order = replace(ORDER, wanted=wanted)
    schedule = METHOD.schedule(order)
    clip = schedule.law.clip
    assert clip is not None
    assert 1.0 <= clip <= 4.0
    spent = epsilon_of(schedule.events, order.delta)
    assert spent <= order.epsilon
    assert clip == 4.0 or spent > 0.99 * order.epsilon
    fixed = replace(METHOD, clip=1.0).schedule(order)
    assert (fixed.law.clip, fixed.law.group_size) == (1.0, schedule.law.group_size)


def test_codes_leave_a_unit_fewer_groups_to_draw_among() -> None:
    """The groups of one code may be few, so less is hidden and more is paid."""
    alone, coded = (METHOD.schedule(replace(ORDER, codes=codes)) for codes in (("",), ("a", "b", "c")))
    assert (alone.choices, coded.choices) == (alone.groups, coded.groups // 6)
    assert coded.events[0] == Allocated(coded.law.rho, coded.texts_per_group * METHOD.length, coded.choices)
    assert alone.as_dict()["a_unit_draws_among"] == alone.groups
    assert (coded.law.clip or 0.0) < (alone.law.clip or 0.0)
    assert METHOD.schedule(replace(ORDER, codes=("a", "b"), found=9)).choices == 1


def test_what_does_not_fit_says_how_many_would() -> None:
    with pytest.raises(ConfigurationError, match="50,000 texts of up to 64 tokens do not fit") as refused:
        METHOD.schedule(replace(ORDER, wanted=50_000))
    fit, larger = (int(re.search(pattern, str(refused.value))[1].replace(",", "")) for pattern in (  # type: ignore[index]
        r"([\d,]+) do\.", r"groups of ([\d,]+) \(group-size\)",
    ))  # fmt: skip
    assert METHOD.schedule(replace(ORDER, wanted=fit)).law.group_size <= 64
    with pytest.raises(ConfigurationError):
        METHOD.schedule(replace(ORDER, wanted=fit + 78))  # one more for each of the 78 groups of 64
    replace(METHOD, group_size=larger).schedule(replace(ORDER, wanted=50_000))
    with pytest.raises(ConfigurationError):
        replace(METHOD, group_size=larger - 1).schedule(replace(ORDER, wanted=50_000))


def test_fewer_units_than_a_group_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="7 people or records are too few for a group of 8"):
        METHOD.schedule(replace(ORDER, units=7, wanted=1))
    with pytest.raises(ConfigurationError, match="too few for a group of 30"):
        replace(METHOD, group_size=30).schedule(replace(ORDER, units=20, wanted=1))


def test_a_budget_that_is_gone_is_refused() -> None:
    with pytest.raises(GuaranteeError, match=r"costs more than epsilon 0\.5"):
        METHOD.schedule(replace(ORDER, epsilon=0.5, spent=(Concentrated(1.0),)))


def test_without_a_guarantee_nothing_is_clipped_or_spent() -> None:
    schedule = METHOD.schedule(replace(ORDER, epsilon=None, wanted=10**6))
    assert schedule.events == ()
    assert schedule.law.clip is None
    assert schedule.as_dict()["clip"] is None
    assert replace(METHOD, clip=0.5).schedule(ORDER).law.clip == 0.5


def test_few_groups_are_warned_of() -> None:
    assert METHOD.schedule(ORDER).warnings == ()
    assert "by 2 groups" in METHOD.schedule(replace(ORDER, units=16, wanted=2, epsilon=90.0, delta=1e-3)).warnings[0]


@pytest.mark.parametrize(
    "wrong",
    [{"clip": 0.0}, {"clip": float("nan")}, {"temperature": 0.01}, {"top_k": 1}, {"length": 0}, {"length": 2.5},
     {"group_size": 0}, {"record_length": -1}, {"instruction": " "}, {"without": ""}, {"clip": True}],
)  # fmt: skip
def test_odd_options_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(
        ConfigurationError,
        match=next(iter(wrong)) if "instr" not in str(wrong) and "out" not in str(wrong) else "empty",
    ):
        replace(METHOD, **wrong)  # type: ignore[arg-type]
