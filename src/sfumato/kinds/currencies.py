"""The currencies beside an amount: signs, codes and names with their plurals."""

from __future__ import annotations

from functools import lru_cache

from sfumato.kinds.hedges import one_of
from sfumato.kinds.nouns import Nouns
from sfumato.kinds.patterns import GAP, listed
from sfumato.text.units import codes_of_currencies, names_of_currencies

_INVARIABLE = listed("yen yuan won baht rand quid renminbi ringgit tenge dong rupiah kip kyat")
_PLURALS = {name: name for name in _INVARIABLE} | {
    **{"penny": "pence", "krone": "kroner", "krona": "kronor", "cent": "cents", "buck": "bucks", "rouble": "roubles"},
    **{"leu": "lei", "lev": "leva"},
}
_COUNTRIES = (
    "US|U.S.|American|Australian|Canadian|New Zealand|British|UK|Irish|Swiss|French|Belgian|Norwegian|Swedish|Danish"
    "|Icelandic|Czech|Slovak|Slovenian|Polish|Hungarian|Turkish|New Turkish|Russian|Ukrainian|Bulgarian|Romanian"
    "|German|Deutsch|Deutsche|GDR|Italian|Spanish|Portuguese|Dutch|Finnish|Austrian|Greek|Cypriot|Cyprus|Maltese|Latvian|Lithuanian"
    "|Estonian|Croatian|Serbian|Indian|Pakistani|Japanese|Chinese|Korean|South Korean|South African|Mexican|Brazilian"
    "|Argentine|Chilean|Colombian|Singapore|Hong Kong|Israeli|Egyptian|Kenyan|Nigerian|Philippine"
)
COUNTRY = rf"(?:{one_of(_COUNTRIES)}{GAP})?"
"""A pattern for the country of a currency and the gap after it, or for nothing."""


@lru_cache(maxsize=1)
def code_pattern() -> str:
    """Return a pattern for the code of a currency, in capitals."""
    return rf"(?-i:{'|'.join(sorted(codes_of_currencies()))})(?![A-Za-z])"


@lru_cache(maxsize=1)
def currency_names() -> Nouns:
    """Return the names of currencies."""
    names = names_of_currencies()
    singulars = {name for name in names if f"{name}s" in names} | _PLURALS.keys()
    plurals = {name: _PLURALS.get(name, f"{name}s") for name in sorted(singulars)}
    return Nouns(plurals, {"lire": "lira"} | {f"{name}s": name for name in plurals})
