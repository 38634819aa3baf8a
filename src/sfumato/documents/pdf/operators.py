"""The operators of content streams that are known: no other is written, and no tag that is not a standard one."""

from __future__ import annotations

from sfumato.documents.pdf.entries import entries

PAINTING = frozenset(("S", "s", "f", "F", "f*", "B", "B*", "b", "b*"))
KNOWN = PAINTING | {
    '"', "'", "BDC", "BMC", "BT", "CS", "Do", "EMC", "ET", "G", "INLINE IMAGE", "J", "K", "M", "Q", "RG", "SC",
    "SCN", "T*", "TD", "TJ", "TL", "Tc", "Td", "Tf", "Tj", "Tm", "Tr", "Ts", "Tw", "Tz", "W", "W*", "b*", "c", "cm",
    "cs", "d", "d0", "d1", "g", "gs", "h", "i", "j", "k", "l", "m", "n", "q", "re", "rg", "ri", "sc", "scn", "sh",
    "v", "w", "y",
}  # fmt: skip
TAGS = entries("""
    Document DocumentFragment Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private Aside Title
    FENote Sub Em Strong H H1 H2 H3 H4 H5 H6 P L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note
    Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form Artifact OC Tx ReversedChars
    Clip
""")
"""The standard names of marked contents and of structure."""
INLINE = entries("NonStruct Span Em Strong Sub Quote Note Reference Code Link")
"""Those of parts of a line."""
