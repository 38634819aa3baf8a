"""The units beside a quantity: symbols, names with their plurals, and things that are counted."""

from __future__ import annotations

import re

from sfumato.kinds.letter_case import in_case_of
from sfumato.kinds.patterns import listed

_NAMES = listed(
    """
    metre meter centimetre centimeter millimetre millimeter kilometre kilometer mile yard inch:inches foot:feet acre
    hectare gram gramme kilogram kilogramme kilo milligram milligramme microgram tonne ton pound ounce lb oz:oz
    stone:stone litre liter millilitre milliliter centilitre gallon pint drop tablet capsule pill unit dose puff cup
    glass:glasses bottle cigarette pack degree volt watt kilowatt megawatt calorie kilocalorie byte kilobyte megabyte
    gigabyte terabyte time occasion person:people child:children son daughter brother sister sibling cousin employee
    worker member man:men woman:women boy girl victim witness:witnesses applicant patient student room house apartment
    flat car vehicle share plot page beat breath point session visit
    """
)
_SQUARE = ("square", "cubic")
_SYMBOLS = listed(
    """
    % ‰ kg g mg µg μg mcg ng t km m cm mm µm nm km² m² cm² mm² m³ cm³ m2 m3 km2 ha l L dl dL cl ml mL µl µL mol mmol
    µmol nmol mEq IU mIU U kcal cal kJ J Pa kPa hPa mmHg bar Hz kHz MHz GHz rpm bpm V kV mV W kW MW kWh MWh A mA °C °F
    K km/h mph m/s kph B KB kB MB GB TB bit kbps Mbps GBq MBq Gy mGy mSv Kg KG ML dB g/dL g/L g/l mg/dL mg/dl mg/L
    mg/l mmol/L mmol/l µmol/L nmol/L ng/mL ng/ml pg/mL µg/L IU/L U/L mg/kg mg/day ml/min mL/min ml/h kg/m² kg/m2
    """
)
_PLURALS = {singular: plural or f"{singular}s" for singular, _, plural in (name.partition(":") for name in _NAMES)}
_SINGULARS = {word: singular for singular, plural in _PLURALS.items() for word in (singular, plural)}

SYMBOL = rf"(?-i:{'|'.join(map(re.escape, sorted(_SYMBOLS, key=len, reverse=True)))})(?![A-Za-z0-9/])"
"""A pattern for the symbol of a unit; capitals matter."""

UNIT = rf"(?:{'|'.join(sorted(_SINGULARS, key=len, reverse=True))})(?![a-z])"
"""A pattern for the name of a unit or of a thing that is counted, singular or plural."""

PART = rf"(?:{'|'.join(sorted(_PLURALS, key=len, reverse=True))})(?![a-z])"
"""A pattern for a name in the singular, as in "two-mile"."""

SQUARE = rf"(?:{'|'.join(_SQUARE)})"
"""A pattern for the word before a unit of area or of volume."""


def agreeing_unit(text: str) -> str | None:
    """Return the field "mile|miles" of the name ``text`` of a unit, in its case; None where it has none."""
    singular = _SINGULARS[text.lower()]
    forms = [in_case_of(word, text) for word in (singular, _PLURALS[singular])]
    return "|".join(form for form in forms if form) if all(forms) else None
