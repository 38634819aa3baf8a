"""The operators of content streams that are known: no other is written, and no tag that is not a standard one."""

from __future__ import annotations

PAINTING = frozenset(("S", "s", "f", "F", "f*", "B", "B*", "b", "b*"))
KNOWN = (
    PAINTING
    | frozenset(
        "b B BDC BMC BT c cm CS cs d d0 d1 Do EMC ET G g gs h i j J K k l m M n q Q re RG rg ri SC sc SCN scn sh T* Tc "
        "Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' \"".split()
    )
    | {"INLINE IMAGE"}
)
TAGS = frozenset(
    "/Document /DocumentFragment /Part /Art /Sect /Div /BlockQuote /Caption /TOC /TOCI /Index /NonStruct /Private /Aside "
    "/Title /FENote /Sub /Em /Strong /H /H1 /H2 /H3 /H4 /H5 /H6 /P /L /LI /Lbl /LBody /Table /TR /TH /TD /THead /TBody "
    "/TFoot /Span /Quote /Note /Reference /BibEntry /Code /Link /Annot /Ruby /RB /RT /RP /Warichu /WT /WP /Figure "
    "/Formula /Form /Artifact /OC /Tx /ReversedChars /Clip".split()
)
"""The standard names of marked contents and of structure."""
