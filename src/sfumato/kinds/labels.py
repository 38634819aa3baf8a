"""From the labels of detectors and corpora to kinds of value: spaCy, Presidio, TAB, i2b2, presidio-synth and ours.

Many labels mix kinds. TAB's DEM holds ages, peoples and jobs, and spaCy's DATE holds durations. Such a label has
candidates in order, and the readers of the kinds decide: :func:`resolve`. The kind that a text gets is visible in a
release, so it is a part of the adjacency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from sfumato.abstract.kind import Kind

_ADDRESSES = "EMAIL URL IP PHONE"
_AMOUNTS = "MONEY DURATION QUANTITY NUMBER"
_ANYTHING = f"{_ADDRESSES} DATE TIME {_AMOUNTS} AGE GROUP OCCUPATION HEALTH ORGANIZATION PLACE PERSON CODE WORD"

_ROWS = {
    "PERSON": (
        "PERSON PER PERSON_NAME FIRST_NAME LAST_NAME MIDDLE_NAME GIVENNAME GIVEN_NAME SURNAME FAMILY_NAME FULL_NAME "
        "PATIENT DOCTOR STAFF HCW USER"
    ),
    "ORGANIZATION PLACE PERSON GROUP DATE WORD": "NAME EVENT PRODUCT WORK_OF_ART LAW",
    "PLACE ORGANIZATION GROUP PLACE": "PLACE GPE LOC LOCATION ORIGIN",
    "ORGANIZATION PLACE": "FAC FACILITY",
    "PLACE": (
        "ADDRESS STREET STREET_ADDRESS LOCATION_OTHER CITY TOWN VILLAGE STATE PROVINCE COUNTRY COUNTY REGION "
        "DISTRICT ZIP ZIP_CODE ZIPCODE POSTAL_CODE POSTCODE"
    ),
    "ORGANIZATION PLACE ORGANIZATION": (
        "ORG ORGANIZATION ORGANISATION COMPANY COMPANY_NAME INSTITUTION HOSPITAL EMPLOYER VENDOR SCHOOL"
    ),
    "DATE TIME DURATION AGE DATE": "DATE DATETIME DATE_TIME",
    "DATE": "DOB DATE_OF_BIRTH BIRTHDATE BIRTHDAY YEAR MONTH DAY",
    "TIME DURATION DATE TIME": "TIME",
    "DURATION AGE DURATION": "DURATION",
    "AGE DURATION AGE": "AGE",
    "AGE GROUP OCCUPATION HEALTH PLACE DURATION QUANTITY WORD": "DEM",
    "GROUP PLACE OCCUPATION GROUP": "GROUP NORP NRP NATIONALITY RELIGION BELIEF ETHNICITY RACE",
    "GROUP": "LANGUAGE",
    "OCCUPATION": "OCCUPATION PROFESSION JOB JOB_TITLE JOBTITLE JOBAREA",
    "OCCUPATION WORD": "TITLE PREFIX EDUCATION",
    "HEALTH": "HEALTH CONDITION DISEASE DIAGNOSIS DISORDER INJURY SYMPTOM DRUG MEDICATION MEDICINE CHEMICAL",
    "MONEY QUANTITY NUMBER MONEY": "MONEY PRICE SALARY INCOME AMOUNT",
    "QUANTITY NUMBER": "PERCENT PERCENTAGE",
    f"{_AMOUNTS} AGE NUMBER": "QUANTITY",
    f"{_AMOUNTS} PHONE CODE NUMBER": "CARDINAL NUMBER COUNT",
    "NUMBER DATE NUMBER": "ORDINAL",
    f"{_ADDRESSES} TIME CODE": (
        "CODE ID IDNUM ID_NUMBER IDENTIFIER ACCOUNT ACCOUNT_NUMBER ACCOUNTNUMBER USERNAME USER_NAME CONTACT"
    ),
    "CODE": (
        "SECRET PASSWORD PIN CASE_NUMBER MEDICALRECORD MEDICAL_RECORD MEDICAL_RECORD_NUMBER MRN HEALTHPLAN BIOID "
        "DEVICE CREDIT_CARD CREDIT_CARD_NUMBER CREDITCARDNUMBER CVV IBAN IBAN_CODE SWIFT_CODE BIC CRYPTO "
        "BANK_ACCOUNT SSN US_SSN US_PASSPORT US_DRIVER_LICENSE US_BANK_NUMBER US_ITIN US_MBI US_NPI UK_NHS "
        "UK_NINO PASSPORT PASSPORT_NUMBER DRIVER_LICENSE DRIVERS_LICENSE LICENSE MEDICAL_LICENSE LICENSE_PLATE "
        "PLATE VEHICLE VEHICLE_ID VIN SERIAL_NUMBER MAC_ADDRESS IMEI "
        "TAX_ID VAT_NUMBER"
    ),
    "PHONE": "PHONE PHONE_NUMBER PHONENUMBER TELEPHONE TELEPHONE_NUMBER MOBILE FAX FAX_NUMBER",
    "EMAIL": "EMAIL EMAIL_ADDRESS",
    "URL": "URL URI WEBSITE DOMAIN DOMAIN_NAME",
    "IP": "IP IP_ADDRESS IPADDRESS IPV4 IPV6",
    _ANYTHING: "MISC OTHER GIVEN LISTED NP POSSESSION",
    "WORD": "WORD WORDS FAMILY RELATIONSHIP SEX GENDER APPEARANCE OTHER_SCRIPT",
}
"""Labels by their candidates, in order. The last candidate is also what a text becomes that no candidate reads."""

_CANDIDATES = MappingProxyType(
    {label: tuple(kinds.split()) for kinds, labels in _ROWS.items() for label in labels.split()}
)
DIRECT = ("PERSON", "CODE", "PHONE", "EMAIL", "URL", "IP")
"""The kinds that identify a person by themselves."""
UNKNOWN = ("WORD",)
"""The candidates of a label that is not listed."""


@runtime_checkable
class Recognising(Protocol):
    """A kind that tells its texts from others without a label: an open kind reads almost any text."""

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is of this kind, even if no label says so."""


def candidates(label: str) -> tuple[str, ...]:
    """Return the names of the kinds that a span with ``label`` may have, in order.

    Case, hyphens, slashes and blanks make no difference. An unknown label gives WORD.
    """
    return _CANDIDATES.get(_plain(label), UNKNOWN)


def listed() -> tuple[str, ...]:
    """Return every label of the table."""
    return tuple(_CANDIDATES)


def is_listed(label: str) -> bool:
    """Return whether ``label`` is on the table."""
    return _plain(label) in _CANDIDATES


def _plain(label: str) -> str:
    return label.strip().upper().replace("-", "_").replace(" ", "_").replace("/", "_")


def resolve(label: str, text: str, kinds: Mapping[str, Kind]) -> str:
    """Return the name of the kind of ``text`` that ``label`` marks: the first candidate that recognises it.

    A label with one kind decides alone. Otherwise a candidate that is not in ``kinds`` is passed over. If none
    recognises the text, the last candidate is its kind: its reader takes the text, or the text becomes its public
    surrogate. The last is the kind of most texts with this label, or WORD, which can replace anything.
    """
    names = candidates(label)
    for name in dict.fromkeys(names) if len(set(names)) > 1 else ():
        if name in kinds and _recognises(kinds[name], text):
            return name
    return names[-1]


def _recognises(kind: Kind, text: str) -> bool:
    return kind.recognises(text) if isinstance(kind, Recognising) else kind.read(text) is not None


@dataclass(frozen=True)
class KindOf:
    """Says which kind a span is: by its label and its text, with the labels that the policy treats by themselves.

    A kind that the policy keeps is one only if the label says so, because what the text alone says would release it:
    under a label for anything, "Mr Cancer" reads as a disease. A duration of less than a year may follow from a label
    for dates.
    """

    kinds: Mapping[str, Kind]
    labels: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()

    def __call__(self, label: str, text: str) -> str:
        """Return the kind, or the label if the policy names it."""
        if label in self.labels:
            return label
        kind = resolve(label, text, self.kinds)
        if kind not in self.kept or self._says(label, kind, text):
            return kind
        return resolve(label, text, {name: other for name, other in self.kinds.items() if name not in self.kept})

    def _says(self, label: str, kind: str, text: str) -> bool:
        """Return whether ``label`` is a label of ``kind``."""
        of_label = candidates(label)
        if kind == of_label[-1] or kind == label.upper():
            return True
        reading = self.kinds[kind].read(text) if kind == "DURATION" and of_label[-1] in ("DATE", "TIME") else None
        return reading is not None and not reading.form.grain.startswith(("year", "decade"))
