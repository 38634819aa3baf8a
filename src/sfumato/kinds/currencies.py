"""The currencies beside an amount: signs, codes and names with their plurals."""

from __future__ import annotations

from functools import lru_cache

from sfumato.kinds.hedges import one_of
from sfumato.kinds.letter_case import in_case_of
from sfumato.kinds.patterns import GAP, listed
from sfumato.text.units import codes_of_currencies, names_of_currencies

_SIGNS = listed(
    """
    US$ U.S.$ AU$ A$ CA$ CAD$ C$ NZ$ HK$ SG$ S$ NT$ MX$ R$ $ £ € ¥ ₹ ₽ ₺ ₩ ₪ ₫ ₦ ₴ ₱ ₡ ₲ ₵ ₸ ₼ ฿ ﷼
    zł Kč kr. kr Fr. SFr. Rs. Rs Ft
    """
)
_INVARIABLE = listed("yen yuan won baht rand quid renminbi ringgit tenge dong rupiah kip kyat")
_PLURALS = {name: name for name in _INVARIABLE} | {
    **{"penny": "pence", "krone": "kroner", "krona": "kronor", "cent": "cents", "buck": "bucks", "rouble": "roubles"},
    **{"lira": "lire", "leu": "lei", "lev": "leva"},
}
_COUNTRIES = (
    "US|U.S.|American|Australian|Canadian|New Zealand|British|UK|Irish|Swiss|French|Belgian|Norwegian|Swedish|Danish"
    "|Icelandic|Czech|Slovak|Slovenian|Polish|Hungarian|Turkish|new Turkish|Russian|Ukrainian|Bulgarian|Romanian"
    "|German|Italian|Spanish|Portuguese|Dutch|Finnish|Austrian|Greek|Cypriot|Cyprus|Maltese|Latvian|Lithuanian"
    "|Estonian|Croatian|Serbian|Indian|Pakistani|Japanese|Chinese|Korean|South Korean|South African|Mexican|Brazilian"
    "|Argentine|Chilean|Colombian|Singapore|Hong Kong|Israeli|Egyptian|Kenyan|Nigerian|Philippine"
)
COUNTRY = rf"(?:{one_of(_COUNTRIES)}{GAP})?"
"""A pattern for the country of a currency and the gap after it, or for nothing."""

SIGN = "(?:" + "|".join(sign.replace("$", r"\$").replace(".", r"\.") for sign in sorted(_SIGNS, key=len)[::-1]) + ")"
"""A pattern for the sign of a currency."""


@lru_cache(maxsize=1)
def code_pattern() -> str:
    """Return a pattern for the code of a currency, in capitals."""
    return rf"(?-i:{'|'.join(sorted(codes_of_currencies()))})(?![A-Za-z])"


@lru_cache(maxsize=1)
def _singulars() -> dict[str, str]:
    """Return the singular of each name of a currency, singular or plural."""
    names = names_of_currencies()
    singulars = {name for name in names if f"{name}s" in names} | _PLURALS.keys()
    plurals = {f"{name}s": name for name in singulars} | {plural: name for name, plural in _PLURALS.items()}
    return plurals | {name: name for name in singulars}


@lru_cache(maxsize=1)
def name_pattern() -> str:
    """Return a pattern for the name of a currency, singular or plural."""
    return rf"(?:{'|'.join(sorted(_singulars(), key=len, reverse=True))})(?![a-z])"


def agreeing_name(text: str) -> str | None:
    """Return the field "euro|euros" of the name ``text`` of a currency, in its case; None where it has none."""
    singular = _singulars()[text.lower()]
    forms = [in_case_of(word, text) for word in (singular, _PLURALS.get(singular, f"{singular}s"))]
    return "|".join(form for form in forms if form) if all(forms) else None
