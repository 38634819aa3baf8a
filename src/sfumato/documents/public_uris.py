"""Addresses that are names of standards: code systems, profiles and extensions that anyone may read about."""

from __future__ import annotations

import re

from sfumato.language.lists import words_of

_PUBLIC = words_of("""
http://hl7.org/fhir http://hl7.org/fhirpath http://terminology.hl7.org http://hl7.org/cda http://www.hl7.org
http://loinc.org https://loinc.org http://snomed.info http://unitsofmeasure.org http://www.nlm.nih.gov
http://www.ama-assn.org/go/cpt http://www.whocc.no/atc http://id.who.int/icd http://hl7.org/fhir/sid
http://dicom.nema.org http://varnomen.hgvs.org http://www.genenames.org http://fdasis.nlm.nih.gov
http://www.cms.gov https://www.cms.gov https://bluebutton.cms.gov http://nucc.org/provider-taxonomy https://www.nubc.org
https://codesystem.x12.org http://www.ada.org/cdt http://www.rcsb.org http://human-phenotype-ontology.org
http://synthetichealth.github.io/synthea http://standardhealthrecord.org http://hl7.org.au/fhir http://hl7.eu/fhir
https://hl7.fr/ig/fhir http://interopsante.org/fhir http://nictiz.nl/fhir http://fhir.de https://fhir.kbv.de
https://www.medizininformatik-initiative.de/fhir http://fhir.ch/ig http://hl7.at/fhir https://www.hl7belgium.org
https://fhir.hl7.org.uk https://fhir.nhs.uk https://fhir.nhs.wales https://standards.digital.health.nz
https://nrces.in/ndhm/fhir http://jpfhir.jp/fhir http://hl7.it/fhir http://hl7.no/fhir http://hl7.se/fhir
http://hl7.fi/fhir http://hl7.dk/fhir http://hl7.cl/fhir http://ihe.net https://profiles.ihe.net urn:ihe
urn:iso:std:iso urn:ietf:bcp urn:ietf:rfc urn:oid:2.16.840.1.113883.5 urn:oid:2.16.840.1.113883.6
urn:oid:2.16.840.1.113883.12 urn:oid:2.16.840.1.113883.18 urn:oid:2.16.840.1.113883.4.1 urn:oid:2.16.840.1.113883.4.6
urn:oid:2.16.840.1.113883.4.642 http://www.w3.org
""")
_REST = re.compile(r"([/.:#][A-Za-z0-9_\-.:/#]{0,160})?(\|[A-Za-z0-9.\-]{1,20})?")


def is_public(uri: str) -> bool:
    """Return whether ``uri`` is in the space of a standard, and asks nothing."""
    return any(uri.startswith(space) and _REST.fullmatch(uri, len(space)) is not None for space in _PUBLIC)
