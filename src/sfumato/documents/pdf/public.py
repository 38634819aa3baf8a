"""Names that belong to the format: no person's text is among them."""

from __future__ import annotations

import re

from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.operators import TAGS
from sfumato.documents.pdf.standard import SHORT_NAMES

_WORDS = entries("""
    A AA AC AIS AP AS ActualText AllOff AllOn Alt Alternate Annot Annots AntiAlias AnyOff AnyOn ArtBox Artifact
    Ascent Attached Author AvgWidth B BBox BC BE BG BG2 BM BS Background BackgroundColor BaseEncoding BaseFont
    BaseState BitsPerComponent BitsPerCoordinate BitsPerFlag BitsPerSample BlackPoint BleedBox BlockAlign Border
    BorderColor BorderStyle BorderThickness Bounds C C0 C1 CA CIDFontType0 CIDFontType2 CIDSystemInfo CIDToGIDMap CL
    CO CP CS Cap CapHeight Catalog CenterWindow CharProcs ColSpan Color ColorSpace Colorants Colors ColumnCount
    ColumnGap ColumnWidths Columns Compatible Components Contents Coords Count Creator CropBox D DA DR DV DW DW2
    Decode DecodeParms DefaultCMYK DefaultGray DefaultRGB Desc DescendantFonts Descent Dest Dests DeviceCMYK
    DeviceGray DeviceN DeviceRGB Di Differences Direction DisplayDocTitle Dm Domain DotGain Duplex Dur E EF
    EarlyChange EmbeddedFile EmbeddedFiles Encode Encoding EndIndent Event Export ExportState ExtGState Extend F FL
    FS FT Ff Fields Filespec Filter First FirstChar FitWindow Flags FlateDecode Font FontBBox FontDescriptor
    FontFile FontFile2 FontFile3 FontMatrix FontName FontStretch FontWeight Form FormType Function FunctionType
    Functions G GS0 Gamma GoTo Group H Headers Height HideMenubar HideToolbar HideWindowUI I IC ICCBased ID IDTree
    IRT IT IX Identity-H Identity-V Image ImageMask Indexed Info InkList InlineAlign Intent Interpolate IsMap
    ItalicAngle K Keywords Kids L LC LE LJ LL LLE LLO LW Lab Lang Last LastChar Leading Length Length1 Length2
    Length3 Limits LineHeight Link ListMode ListNumbering Locked M MCID MCR MK ML MacExpertEncoding MacRomanEncoding
    MarkInfo Marked Mask Matrix Matte MaxLen MaxWidth MediaBox MissingWidth MixingHints N Name Named Names
    NeedAppearances Next NonFullScreenPageMode NumCopies Nums O OBJR OC OCG OCGs OCMD OCProperties OFF ON OP OPM Obj
    Off Open OpenAction Opt Order Ordering Outlines P Padding Page PageLabels PageLayout PageMode Pages PaintType
    Parent ParentTree ParentTreeNextKey Pattern PatternType Pg PickTrayByPDFSize Placement Popup Predictor Prev
    Print PrintArea PrintClip PrintScaling PrintState PrintingOrder ProcSet Process Producer Properties Q QuadPoints
    R RBGroups RD RI RT Range Rect Registry Resources Role RoleMap Root Rotate RowSpan RubyAlign RubyPosition S SA
    SM SMask SMaskInData SS Scope Separation Shading ShadingType Size Solidities SpaceAfter SpaceBefore St
    StandardEncoding StartIndent State StemH StemV Stm StructElem StructParent StructParents StructTreeRoot Style
    Subj Subject Subtype Summary Supplement Suspects T TBorderStyle TI TK TP TPadding TR TR2 TU Tabs TextAlign
    TextDecorationColor TextDecorationThickness TextDecorationType TextIndent TilingType Title ToUnicode Trans
    Transparency TrimBox TrueType Type Type0 Type1 Type3 U UCR UCR2 UF URI UseBlackPtComp UserProperties UserUnit V
    VE Version Vertices VerticesPerRow View ViewArea ViewClip ViewState ViewerPreferences W W2 WMode WhitePoint
    Widget Width Widths WinAnsiEncoding WritingMode X XHeight XObject XRef XStep XYZ YStep
""")
_SHORT = re.compile(r"/([A-Za-z]{1,3}\d{1,6}|Ink\d+)")


class _Public(frozenset[str]):
    """Names of the format, and those as short as resources have."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or bool(_SHORT.fullmatch(str(name)))


PUBLIC = _Public(_WORDS | TAGS | frozenset(f"/{name}" for name in SHORT_NAMES.values()))
