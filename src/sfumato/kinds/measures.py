"""The units beside a quantity: symbols, names with their plurals, and things that are counted."""

from __future__ import annotations

import re

from sfumato.kinds.nouns import Nouns
from sfumato.kinds.patterns import listed

_NAMES = listed(
    """
    metre meter centimetre centimeter millimetre millimeter kilometre kilometer mile yard inch:inches foot:feet acre
    hectare gram gramme kilogram kilogramme kilo milligram milligramme microgram tonne ton pound ounce lb oz:oz
    stone:stone litre liter millilitre milliliter centilitre gallon pint drop tablet capsule pill unit dose puff cup
    glass:glasses bottle cigarette pack degree volt watt kilowatt megawatt calorie kilocalorie byte kilobyte
    megabyte gigabyte terabyte time occasion person:people child:children son daughter brother sister sibling cousin
    employee worker member man:men woman:women boy girl victim witness:witnesses applicant patient student room
    house apartment flat car vehicle share plot page beat breath point session visit hearing decision report letter
    document file copy:copies package parcel envelope box:boxes bag item object packet tree animal dog cat cow
    sheep:sheep horse building floor bed seat ticket guest passenger soldier officer prisoner inmate detainee
    defendant accused:accused plaintiff claimant lawyer doctor nurse teacher pupil resident tenant owner landowner
    customer client user subscriber voter shop company:companies store branch:branches school hospital case
    complaint claim request order attempt attack visitor volunteer participant respondent vote goal game
    match:matches song book article picture photo message e-mail call step stair lap mouthful spoonful teaspoon
    tablespoon slice meal
    """
)
_SYMBOLS = listed(
    """
    % ‰ kg g mg µg μg mcg ng t km m cm mm µm nm km² m² cm² mm² m³ cm³ m2 m3 km2 ha l L dl dL cl ml mL µl µL mol mmol
    µmol nmol mEq IU mIU U kcal cal kJ J Pa kPa hPa mmHg bar Hz kHz MHz GHz rpm bpm V kV mV W kW MW kWh MWh A mA °C °F
    K km/h mph m/s kph B KB kB MB GB TB bit kbps Mbps GBq MBq Gy mGy mSv Kg KG ML dB g/dL g/L g/l mg/dL mg/dl mg/L
    mg/l mmol/L mmol/l µmol/L nmol/L ng/mL ng/ml pg/mL µg/L IU/L U/L mg/kg mg/day ml/min mL/min ml/h kg/m² kg/m2
    """
)
SYMBOL = rf"(?-i:{'|'.join(map(re.escape, sorted(_SYMBOLS, key=len, reverse=True)))})(?![A-Za-z0-9/])"
"""A pattern for the symbol of a unit; capitals matter."""

UNITS = Nouns(
    {singular: plural or f"{singular}s" for singular, _, plural in (name.partition(":") for name in _NAMES)},
    {"persons": "person"},
)
"""The names of units and of things that are counted."""

BEFORE_UNIT = r"(?:square|cubic|other|further|more|additional|different)"
"""A pattern for a word between the number and the name."""
