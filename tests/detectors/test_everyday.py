"""Everyday words of other languages that the network takes for names are let go, and names are not."""

from __future__ import annotations

import pytest

from sfumato.detectors.everyday import DOUBTFUL, is_everyday


@pytest.mark.parametrize(
    ("kind", "likely", "words", "code"),
    [
        ("PERSON", DOUBTFUL["PERSON"].often - 0.1, "Fieber", "de"),
        ("PERSON", DOUBTFUL["PERSON"].often, "Abend", "de"),  # very frequent
        ("LOCATION", 0.2, "Luftverschmutzung", "de"),
        ("LOCATION", 0.2, "Grüße", "de"),
        ("ORGANIZATION", 0.2, "Städte", "de"),
        ("LOCATION", 0.99, "bar", "es"),
        ("LOCATION", 0.99, "de zaak", "nl"),
        ("EMAIL", 0.99, "correo", "es"),
        ("GROUP", 0.6, "mündliche", "de"),
        ("GROUP", 0.6, "Diebstahls", "de"),
        ("GROUP", 0.99, "Klinik", "de"),
        ("OCCUPATION", 0.5, "Amtsgericht", "de"),
        ("PERSON", 0.99, "febbre", "it"),
        ("ORGANIZATION", 0.9, "kabel", "nl"),
        ("LOCATION", 0.9, "routeur", "fr"),
    ],
)
def test_everyday_words_say_nothing(kind: str, likely: float, words: str, code: str) -> None:
    assert is_everyday(kind, likely, words, code)


@pytest.mark.parametrize(
    ("kind", "likely", "words", "code"),
    [
        ("PERSON", DOUBTFUL["PERSON"].often, "Fieber", "de"),  # the network is sure
        ("PERSON", 0.1, "Quermann", "de"),  # seldom
        ("PERSON", 0.1, "Schneider", "de"),  # a name too
        ("PERSON", 0.1, "Frau Fieber", "de"),  # two words with capitals
        ("ORGANIZATION", 0.9, "Klinik", "de"),
        ("PERSON", 0.1, "Kopp", "de"),
        ("PERSON", 0.1, "Kees", "nl"),
        ("GROUP", 0.1, "Merkel", "de"),  # no list has the name
        ("LOCATION", 0.99, "madrid", "es"),
        ("LOCATION", 0.1, "Essen", "de"),  # a town too
        ("LOCATION", 0.1, "Bayerns", "de"),
        ("LOCATION", 0.1, "Hawái", "es"),
        ("LOCATION", 0.1, "Bad Soden", "de"),
        ("LOCATION", 0.1, "USA", "de"),
        ("GROUP", 0.1, "syrischer", "de"),
        ("GROUP", 0.1, "ecuatoriana", "es"),
        ("GROUP", 0.1, "Essener", "de"),
        ("GROUP", 0.1, "judar", "sv"),  # no list of peoples
        ("OCCUPATION", 0.1, "Lehrer", "de"),
        ("DATE", 0.1, "morgen", "de"),
        ("CODE", 0.1, "kabel", "nl"),
        ("PERSON", 0.1, "kabel 7", "nl"),
        ("PERSON", 0.1, "...", "nl"),
        ("PERSON", 0.1, "anna", "nl"),
    ],
)
def test_what_may_be_a_name_stays(kind: str, likely: float, words: str, code: str) -> None:
    assert not is_everyday(kind, likely, words, code)
