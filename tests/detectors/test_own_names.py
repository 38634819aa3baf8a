"""Names of people that a network takes for places, and places that it takes for people."""

from __future__ import annotations

import pytest

from sfumato.detectors.own_names import label_of
from sfumato.language.languages import LANGUAGES


@pytest.mark.parametrize(
    ("code", "text", "marked", "label", "right"),
    [
        ("pt", "aqui é a Fernanda Lima", "Fernanda Lima", "ORGANIZATION", "PERSON"),
        ("pt", "o meu marido, o Rui Tavares", "Rui Tavares", "LOCATION", "PERSON"),
        ("pt", "Falei com a Catarina", "Catarina", "ORGANIZATION", "PERSON"),
        ("pt", "mora em Vitória", "Vitória", "LOCATION", "LOCATION"),
        ("pt", "trabalha no Porto", "Porto", "ORGANIZATION", "LOCATION"),
        ("pt", "citado em Recife/PE", "Recife/PE", "ORGANIZATION", "LOCATION"),
        ("pt", "mora em Porto Alegre", "Porto Alegre", "LOCATION", "LOCATION"),
        ("pt", "a Catarina", "Catarina", "DATE", "DATE"),
        ("pt", "a Rita de", "Rita de", "LOCATION", "LOCATION"),
        ("it", "visto da Giovanna Rossi", "Giovanna Rossi", "LOCATION", "PERSON"),
        ("it", "vive a Milano", "Milano", "LOCATION", "LOCATION"),
        ("es", "vino Ignacio.", "Ignacio", "LOCATION", "PERSON"),
        ("nl", "Tineke", "Tineke", "LOCATION", "PERSON"),
        ("es", "Sevilla", "Sevilla", "LOCATION", "LOCATION"),
        ("es", "Santiago", "Santiago", "LOCATION", "LOCATION"),
        ("es", "Calle Ignacio", "Calle Ignacio", "LOCATION", "LOCATION"),
        ("", "Rui Tavares", "Rui Tavares", "LOCATION", "LOCATION"),
    ],
)
def test_a_listed_name_is_a_person_and_a_listed_place_is_none(
    code: str, text: str, marked: str, label: str, right: str
) -> None:
    start = text.index(marked)
    assert label_of(label, text, start, start + len(marked), LANGUAGES.get(code)) == right
