"""The signs of currencies, which stand before or behind an amount."""

from __future__ import annotations

import re

_SIGNS = (
    "US$ U.S.$ AU$ A$ CA$ CAD$ C$ NZ$ HK$ SG$ S$ NT$ MX$ R$ $ £ € ¥ ₹ ₽ ₺ ₩ ₪ ₫ ₦ ₴ ₱ ₡ ₲ ₵ ₸ ₼ ฿ ﷼ "
    "zł Kč kr. kr Fr. SFr. Rs. Rs Ft"
)
SIGN = rf"(?:{'|'.join(map(re.escape, sorted(_SIGNS.split(), key=len, reverse=True)))})"
"""A pattern for the sign of a currency, the longest that fits."""
