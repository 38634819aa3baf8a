"""Records that are odd and still hold together: three countries, a leap day, small children and a centenarian."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.kinds.places.place import Place
from sfumato.policy import Policy
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document

pytestmark = pytest.mark.usefixtures("short_lists")
PLACES = Place()


@dataclass(frozen=True)
class Made:
    """What sanitizes records whose marks are in brackets: "[Leeds|PLACE]"."""

    engine: Engine

    def __call__(self, marked: str, seed: int) -> str:
        text, spans, end = "", [], 0
        for match in re.finditer(r"\[([^|\]]*)\|(\w+)\]", marked):
            text += marked[end : match.start()]
            spans.append({"start": len(text), "end": len(text) + len(match[1]), "label": match[2]})
            text, end = text + match[1], match.end()
        text += marked[end:]
        [release] = self.engine.sanitize_batch([Document(text, "1", {"spans": spans})], SeededRandomness(seed))
        return release.text


@pytest.fixture(scope="module")
def made() -> Made:
    return Made(build_policy(Policy.load("clinical").with_changes({"find.detect": '["given"]'})))


def match(pattern: str, text: str) -> Sequence[str]:
    found = re.fullmatch(pattern, text)
    assert found is not None, text
    return found.groups()


@pytest.mark.parametrize("seed", range(8))
def test_three_countries_in_one_record(made: Made, seed: int) -> None:
    text = made(
        "From [14 Elm Road|PLACE], [Leeds|PLACE] [LS1 4AB|POSTCODE] to [Gartenweg 3|PLACE], [10969|ZIP] "
        "[Berlin|PLACE], [Germany|COUNTRY], and [1 Main St|PLACE], [Austin|PLACE], [TX|STATE] [78701|ZIP].",
        seed,
    )
    british, german = r"(.+?), ([^,]+?) ([\w-]+(?: \w+)?)", r"(.+?), [\w -]+? (\D+), (\D+)"
    american = r".+?, \D+, .+? [\w -]+"
    first, town, code, second, other, country = match(rf"From {british} to {german}, and {american}\.", text)
    assert len({first, second}) == 2
    assert PLACES.city_of(other).country == PLACES.city_of(PLACES.read(country).value).country  # type: ignore[union-attr]
    assert PLACES.postcode_of(town) == code
    assert "postcode" not in text


@pytest.mark.parametrize("seed", range(4))
def test_ages_at_both_ends_and_a_leap_day(made: Made, seed: int) -> None:
    text = made(
        "Born [29 February 2012|DATE]. A [1 year old|AGE] girl, a [101 year old|AGE] man, [30 months|AGE], "
        "[64M|AGE]; from [29 February to 2 March|DATE].",
        seed,
    )
    day = r"\d{1,2}(?: [A-Z][a-z]+)?"
    born, girl, man, months, sexed = match(
        rf"Born (\d{{1,2}} [A-Z][a-z]+ \d{{4}})\. An? (\d+)-year-old girl, an? (\d+)-year-old man, (\d+) months?, "
        rf"(\d+)M; from {day} to \d{{1,2}} [A-Z][a-z]+\.",
        text,
    )
    assert 1 <= int(girl) <= 20
    assert 90 <= int(man) <= 110
    assert 1 <= int(months) <= 60
    assert 50 <= int(sexed) <= 80
    assert born[-4:] in ("2011", "2012", "2013")


@pytest.mark.parametrize(
    "marked", ["[Leeds|PLACE]", "[Leeds|PLACE][York|PLACE]", "[LS1 4AB|POSTCODE] [Leeds|PLACE]", ""]
)
def test_a_record_that_is_only_values(made: Made, marked: str) -> None:
    text = made(marked, 1)
    assert (text == "") == (marked == "")
    assert "Leeds" not in text or "York" not in text


@pytest.mark.parametrize("seed", range(4))
def test_a_place_that_is_a_name_elsewhere(made: Made, seed: int) -> None:
    text = made("[Paris|PERSON] of [Paris|PLACE] lives in [Paris|PLACE]; the [Paris Hilton|PERSON].", seed)
    name, town, again, _ = match(r"([\w-]+) of (.+) lives in (.+); the (.+)\.", text)
    assert town == again
    assert name != town
