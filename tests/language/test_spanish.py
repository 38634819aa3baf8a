"""Sentences of hospitals, courts, forms and chats in Spanish: what they hold is marked, with its kind."""

from __future__ import annotations

import pytest

from sfumato.detectors.identifiers import Identifiers
from sfumato.text.document import Document

SENTENCES = [
    (
        "Paciente: García López, María Dolores, nacida el 11/01/1954, c/ Alcalá 123, 4º B, 28009 Madrid, NHC 458823.",
        {"García López, María Dolores": "PERSON", "11/01/1954": "DATE", "28009 Madrid": "LOCATION", "458823": "CODE"},
    ),
    (
        "La Dra. Inmaculada de la Fuente y Ortiz atiende el 3 de marzo de 2021 en el Hospital Clínico San Carlos.",
        {
            "Inmaculada de la Fuente y Ortiz": "PERSON",
            "3 de marzo de 2021": "DATE",
            "Hospital Clínico San Carlos": "ORGANIZATION",
        },
    ),
    (
        "D. José Mª Ruiz-Gallardón Fernández, con DNI 12345678Z, vecino de San Sebastián de los Reyes, fontanero.",
        {
            "José Mª Ruiz-Gallardón Fernández": "PERSON",
            "12345678Z": "CODE",
            "San Sebastián de los Reyes": "LOCATION",
            "fontanero": "OCCUPATION",
        },
    ),
    (
        "El acusado Óscar Núñez Ibáñez, nacido en Quito, con NIE X1234567L, ante la Audiencia Provincial de Murcia.",
        {
            "Óscar Núñez Ibáñez": "PERSON",
            "Quito": "LOCATION",
            "X1234567L": "CODE",
            "Audiencia Provincial de Murcia": "ORGANIZATION",
        },
    ),
    (
        "NOMBRE Y APELLIDOS: JOSE MARIA GARCIA NUÑEZ\nFECHA DE NACIMIENTO: 01/02/1970\nMEDICO: DRA. LOPEZ IBAÑEZ",
        {"JOSE MARIA GARCIA NUÑEZ": "PERSON", "01/02/1970": "DATE", "LOPEZ IBAÑEZ": "PERSON"},
    ),
    (
        "CUIT 20-12345678-6, domiciliado en Av. Corrientes 1234, piso 5, Buenos Aires; móvil 612 345 678",
        {
            "20-12345678-6": "CODE",
            "Av. Corrientes 1234": "LOCATION",
            "Buenos Aires": "LOCATION",
            "612 345 678": "PHONE_NUMBER",
        },
    ),
    (
        "El paciente Jose\u0301 Mari\u0301a Pe\u0301rez vive en Ma\u0301laga desde 2010.",
        {"Jose\u0301 Mari\u0301a Pe\u0301rez": "PERSON", "Ma\u0301laga": "LOCATION", "2010": "DATE"},
    ),
    (
        'Tuve un meeting con John Whitaker, de Globex Corp, en London, y me dijo: "see you".',
        {"John Whitaker": "PERSON", "Globex Corp": "ORGANIZATION", "London": "LOCATION"},
    ),
    (
        "La pacient, Montserrat Puig i Ferrer, resident a Girona, va néixer el 12/03/1949.",
        {"Montserrat Puig i Ferrer": "PERSON", "Girona": "LOCATION", "12/03/1949": "DATE"},
    ),
]
PLAIN = [
    "El ibuprofeno se toma con la comida, y el efecto de la radiación sobre los tejidos es conocido.",
    "Buenos días, gracias por su mensaje; le responderemos lo antes posible. Un saludo.",
    "Informe del paciente: Paciente estable. Auscultación rítmica sin soplos.",
]


@pytest.mark.parametrize(("text", "private"), SENTENCES)
def test_what_a_sentence_holds_is_marked_with_its_kind(text: str, private: dict[str, str]) -> None:
    [spans] = Identifiers(language="es").detect([Document(text)])
    for value, label in private.items():
        start = text.index(value)
        labels = {span.label for span in spans if span.start <= start and start + len(value) <= span.end}
        assert labels == {label}, value


@pytest.mark.parametrize("text", PLAIN)
def test_everyday_sentences_name_nobody(text: str) -> None:
    [spans] = Identifiers(language="es").detect([Document(text)])
    assert not {span.label for span in spans} & {"PERSON", "ORGANIZATION", "LOCATION", "CODE", "GROUP"}
