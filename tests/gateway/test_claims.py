"""No two people of a session have one realistic name, however short the lists of names are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from faker.providers.person.en_US import Provider

from sfumato.errors import InputError
from sfumato.gateway import sessions as sessions_module
from sfumato.gateway.claims import Claims
from sfumato.gateway.keeping import load, save
from sfumato.gateway.restoring import Names
from sfumato.gateway.sessions import Session, Sessions
from sfumato.gateway.shield import Shield
from sfumato.heuristics import _surrogate
from sfumato.policy import Policy

POLICY = '[find]\ndetect = ["list:names.txt"]\n[treat_others]\nmethod = "label"\n'
PEOPLE = [
    "Zwiebelina Fischhaber", "Xaverl Obermoser", "Ottilie Unterhuber", "Korbinian Hintermeier", "Walburga Vordermayr",
    "Alois Seitenstetter",
]  # fmt: skip
FIRST, LAST = ("Maria", "Hans", "Ella"), ("Keller", "Vogel", "Brandt")


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Faker knows three first and three last names."""
    for kind in ("first_names", "first_names_female", "first_names_male", "first_names_nonbinary"):
        monkeypatch.setattr(Provider, kind, FIRST)
    monkeypatch.setattr(Provider, "last_names", LAST)
    _surrogate._faker.cache_clear()
    _surrogate._first_names.cache_clear()
    yield
    _surrogate._faker.cache_clear()
    _surrogate._first_names.cache_clear()


@pytest.fixture
def shield(tmp_path: Path) -> Shield:
    numbers = "".join(f"PHONE\t070 555 {number:04}\n" for number in range(60))
    names = "".join(f"PERSON\t{name}\nPERSON\t{name.split()[1]}\n" for name in PEOPLE)
    (tmp_path / "names.txt").write_text(names + numbers)
    return Shield.of(Policy.parse(POLICY, tmp_path), "realistic")


def check_restored(shield: Shield, session: Session, texts: list[str]) -> list[str]:
    """Look at each text in a request of its own, and return what goes out."""
    made, names = list[str](), dict[str, str]()
    for text in texts:
        looked = shield.look(session, [text])
        for pseudonym, original in looked.names.items():
            assert names.setdefault(pseudonym, original) == original
        assert not any(person in looked.texts[text] for person in PEOPLE)
        made.append(looked.texts[text])
    assert [Names(names).restored(each) for each in made] == texts
    return made


@pytest.mark.parametrize("name", ["", "talk"])
def test_people_of_several_requests_have_names_of_their_own(tiny: None, shield: Shield, name: str) -> None:
    session = Sessions().of("client", name)
    texts = [f"I met {person}." for person in PEOPLE]
    made = check_restored(shield, session, texts)
    words = [word for each in made for word in each.removeprefix("I met ").rstrip(".").split()]
    assert len(set(words)) == len(words)
    assert {word for word in words if not word.startswith("PERSON_")} <= {*FIRST, *LAST}
    assert 4 <= len([word for word in words if not word.startswith("PERSON_")]) <= 6
    assert sum(word.startswith("PERSON_") for word in words) >= 3  # the lists are used up
    again = [shield.look(session, [f"{text} Again."]).texts[f"{text} Again."] for text in texts]
    assert again == [f"{each} Again." for each in made]


def test_people_of_one_request_have_names_of_their_own(tiny: None, shield: Shield) -> None:
    texts = [f"{person} is here, and so is {PEOPLE[0]}." for person in PEOPLE]
    looked = shield.look(Sessions().of("client", ""), texts)
    assert len({*looked.names.values()}) == len(looked.names) == len(PEOPLE)
    restored = [Names(looked.names).restored(looked.texts[text]) for text in texts]
    assert restored == texts


def test_a_lone_last_name_leads_to_its_own_person(tiny: None, shield: Shield) -> None:
    session = Sessions().of("client", "talk")
    check_restored(shield, session, [*(f"{person.split()[1]} came." for person in PEOPLE[:3]), f"{PEOPLE[3]} left."])


def test_a_name_that_the_request_holds_is_given_to_nobody(tiny: None, shield: Shield) -> None:
    """The model may speak of the other Maria: she has to remain herself."""
    for number in range(20):
        text = f"Maria and Hans Keller-Vogel know {PEOPLE[0]}."
        looked = shield.look(Sessions().of("client", str(number)), [text])
        (pseudonym,) = looked.names
        assert not {"Maria", "Hans", "Keller", "Vogel"} & {*pseudonym.split()}


def test_sixty_numbers_are_sixty_numbers(shield: Shield) -> None:
    session = Sessions().of("client", "talk")
    texts = [f"Call 070 555 {number:04} now." for number in range(60)]
    made = check_restored(shield, session, texts)
    assert len({*made}) == 60
    assert sum("PHONE_" in each for each in made) < 10


def test_claims_continue_over_a_restart(tiny: None, shield: Shield, tmp_path: Path) -> None:
    before, after, key = Sessions(), Sessions(), b"k" * 32
    own = before.of("client", "talk")
    made = check_restored(shield, own, [f"I met {PEOPLE[0]}."])
    save(before, tmp_path / "sealed", key)
    load(after, tmp_path / "sealed", key)
    assert after.of("client", "talk").claims == own.claims != Claims()
    later = check_restored(shield, after.of("client", "talk"), [f"I met {person}." for person in PEOPLE])
    assert later[0] == made[0]


def test_a_session_without_a_name_forgets_texts_and_claims_together(
    shield: Shield, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions_module, "_CLAIMS", 3)
    session = Sessions().of("client", "")
    for person in PEOPLE:
        shield.look(session, [f"I met {person}."])
        assert len(session.claims.owners) <= 4 + 2
    assert len(session.memo) < len(PEOPLE)
    monkeypatch.setattr(sessions_module, "_VALUES", 3)
    named = Sessions().of("client", "talk")
    for person in PEOPLE[:3]:
        shield.look(named, [f"I met {person}."])
    with pytest.raises(InputError):
        shield.look(named, [f"I met {PEOPLE[3]}."])
