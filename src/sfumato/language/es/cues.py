"""Spanish words beside a value that say what it is about: a date of birth, a relative's age, a woman or a man."""

from __future__ import annotations

from sfumato.language.cue_words import cues_of

_DONE = """
nacid ingresad fallecid atendid casad divorciad separad solter viud domiciliad empadronad vecin afectad diagnosticad
remitid derivad operad intervenid trasladad citad acompañad representad asistid defendid jubilad detenid condenad
acusad denunciad
"""
_IS = ("", "es ", "fue ", "ha sido ", "está ", "estaba ")


def _done(ending: str) -> str:
    """Return what is done to a woman or a man, behind the name: "ingresada", "fue ingresada"."""
    return "|".join(f"{verb}{stem}{ending}" for verb in _IS for stem in _DONE.split())


CUES = cues_of(
    births="nacid[oa] el|nacid[oa] el día|nacido/a el|nacid[oa] en|nacid[oa]|fecha de nacimiento|fecha nacimiento"
    r"|fecha de nac\.?|f\. ?nac\.|f\. ?nac|f\. de nacimiento|f\. nacimiento|fec\. ?nac\.|fdn|nacimiento|nac\.",
    women="la|esposa|mujer|hija|madre|mamá|hermana|tía|abuela|nieta|sobrina|prima|cuñada|suegra|nuera|novia|compañera"
    "|madrina|viuda|vecina|acusada|demandada|actora|la demandante|la paciente|la testigo|la menor|la joven|señora"
    "|niña|chica|llamada|conocida como|médica|enfermera|jueza"
    r"|dra\.?|sra\.?|srta\.?|doña|dña\.?|doctora|profesora",
    men="el|al|del|esposo|marido|hijo|padre|papá|hermano|tío|abuelo|nieto|sobrino|primo|cuñado|suegro|yerno|novio"
    "|compañero|padrino|viudo|vecino|acusado|demandado|actor|el demandante|el paciente|el testigo|el menor|el joven"
    "|señor|niño|chico|llamado|conocido como|médico|enfermero|juez"
    r"|dr\.?|sr\.?|don|doctor|profesor",
    others="hijos|padres|cónyuge|pareja|gemelo|gemela|mellizo|familiar|bebé|cuidador|cuidadora",
    born_woman=_done("a"),
    born_man=_done("o"),
    maiden="apellido de soltera|apellidos de soltera|de soltera|apellido|apellidos|primer apellido|segundo apellido",
    families="familia|hermanos|hermanas|señores de|señores|herederos de|los|las",
)
