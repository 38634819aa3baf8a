"""Addresses that are names of standards: code systems, profiles and extensions that anyone may read about."""

from __future__ import annotations

import re
from itertools import pairwise

from sfumato.documents.health.fhir_names import names
from sfumato.language.lists import words_of

_PUBLIC = words_of("""
http://hl7.org/fhir http://hl7.org/fhirpath http://terminology.hl7.org http://hl7.org/cda http://www.hl7.org
http://loinc.org https://loinc.org http://snomed.info http://unitsofmeasure.org http://www.nlm.nih.gov
http://www.ama-assn.org/go/cpt http://www.whocc.no/atc http://id.who.int/icd
http://dicom.nema.org http://varnomen.hgvs.org http://www.genenames.org http://fdasis.nlm.nih.gov
http://www.cms.gov https://www.cms.gov https://bluebutton.cms.gov http://nucc.org/provider-taxonomy https://www.nubc.org
https://codesystem.x12.org http://www.ada.org/cdt http://www.rcsb.org http://human-phenotype-ontology.org
http://synthetichealth.github.io/synthea http://standardhealthrecord.org http://hl7.org.au/fhir http://hl7.eu/fhir
https://hl7.fr/ig/fhir http://interopsante.org/fhir http://nictiz.nl/fhir http://fhir.de https://fhir.kbv.de
https://www.medizininformatik-initiative.de/fhir http://fhir.ch/ig http://hl7.at/fhir https://www.hl7belgium.org
https://fhir.hl7.org.uk https://fhir.nhs.uk https://fhir.nhs.wales https://standards.digital.health.nz
https://nrces.in/ndhm/fhir http://jpfhir.jp/fhir http://hl7.it/fhir http://hl7.no/fhir http://hl7.se/fhir
http://hl7.fi/fhir http://hl7.dk/fhir http://hl7.cl/fhir http://ihe.net https://profiles.ihe.net urn:ihe
urn:ietf:bcp urn:ietf:rfc urn:oid:2.16.840.1.113883.5 urn:oid:2.16.840.1.113883.6
urn:oid:2.16.840.1.113883.12 urn:oid:2.16.840.1.113883.18 urn:oid:2.16.840.1.113883.4.642 http://www.w3.org
""")
_WHOLE = re.compile(
    r"urn:oid:2\.16\.840\.1\.113883\.4\.[16]"  # what lies below these two is somebody's number
    r"|urn:iso:std:iso:(?:639|3166|4217|5218|8601|11073(?::10101)?)(?::?-\d)?(?::[a-z]{2})?"
    r"|http://snomed\.info/sct/\d{3,15}[01]0\d(?:/version/20\d{6})?"
)
_REST = re.compile(
    r"(?:[/#][A-Za-z0-9_\-.:/#]{0,160})?(?P<version>\|v?\d{1,2}(?:\.\d{1,3}){0,2}(?:-[a-z]{2,10}\d?)?)?"
)
_ARCS = re.compile(r"(?:[.:][A-Za-z0-9\-]{1,40}){0,6}")
_MOST_DIGITS = 5
_NUMBERS = re.compile(r"/(?:sid|Id)/", re.IGNORECASE)
"""Below it are the systems of people's numbers, and then, in some files, the numbers."""
_NAMED = frozenset({"ValueSet", "CodeSystem", "NamingSystem", "SearchParameter", "ImplementationGuide", "ConceptMap",
                    "Questionnaire", "CapabilityStatement", "Library", "Measure", "StructureMap"})  # fmt: skip
"""With those that end in "Definition", the types of resources that standards publish; others are about people."""


def is_public(uri: str) -> bool:
    """Return whether ``uri`` is in the space of a standard, and asks nothing.

    One that could hold a person's number is not: more digits than a standard's own names have, or a value after "|".
    """
    return rest_of(uri) is not None


def rest_of(uri: str) -> str | None:
    """Return what ``uri`` says below the space of a standard, where anything may be written; None if in no space."""
    if _WHOLE.fullmatch(uri):
        return "" if uri.startswith("urn:") else uri
    for space in _PUBLIC:
        if uri.startswith(space) and _is_plain(uri, len(space)):
            return uri[len(space) :]
    return None


def _is_plain(uri: str, start: int) -> bool:
    found = (_ARCS if uri.startswith("urn:") else _REST).fullmatch(uri, start)
    if found is None:
        return False
    version = found.groupdict().get("version") or ""
    path = uri[: len(uri) - len(version)]
    if sum(map(str.isdigit, path[start:])) > _MOST_DIGITS:
        return False
    if numbers := _NUMBERS.search(path):
        return not version and path.count("/", numbers.end()) < 2
    steps = path.split("/")
    return not any(step in names().types and not _is_published(step) and after for step, after in pairwise(steps))


def _is_published(kind: str) -> bool:
    return kind in _NAMED or kind.endswith("Definition")
