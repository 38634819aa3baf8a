"""Names that belong to the format: no person's text is among them."""

from __future__ import annotations

import re

from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.operators import TAGS
from sfumato.documents.pdf.standard import SHORT_NAMES

_WORDS = entries("""
    A AA AC AIS AP AS ASCII85Decode ASCIIHexDecode AbsoluteColorimetric ActualText After All AllOff AllOn AllPages
    Alpha Alt Alternate Annot Annots AntiAlias AnyOff AnyOn AppDefault Approved ArtBox Artifact AsIs Ascent Attached
    Author Auto AvgWidth B BBox BC BE BG BG2 BM BS Background BackgroundColor BaseEncoding BaseFont BaseState Bates
    Before BitsPerComponent BitsPerCoordinate BitsPerFlag BitsPerSample Black BlackIs1 BlackPoint BleedBox Blinds
    Block BlockAlign Blue Border BorderColor BorderStyle BorderThickness Both Bounds Box Btn Butt C C0 C1 CA
    CCITTFaxDecode CIDFontType0 CIDFontType0C CIDFontType2 CIDSystemInfo CIDToGIDMap CL CO CP CS CalGray CalRGB Cap
    CapHeight Caret Catalog Center CenterWindow Ch CharProcs Checked Circle ClosedArrow ColSpan Color ColorBurn
    ColorDodge ColorSpace ColorTransform Colorants Colors Column ColumnCount ColumnGap ColumnWidths Columns Comment
    Compatible Components Confidential Contents Coords Count Cover Creator CropBox Cyan D DA DCTDecode DR DV DW DW2
    Darken Dashed Decimal Decode DecodeParms Default DefaultCMYK DefaultGray DefaultRGB Departmental Desc
    DescendantFonts Descent Dest Dests DeviceCMYK DeviceGray DeviceN DeviceRGB Di Diamond Difference Differences
    Direction Disc DisplayDocTitle Dissolve Dm Domain DotGain Dotted Double Draft Duplex DuplexFlipLongEdge
    DuplexFlipShortEdge Dur E EF EarlyChange EmbeddedFile EmbeddedFiles Encode Encoding End EndIndent Event
    Exclusion Experimental Expired Export ExportState ExtGState Extend F FL FS FT Fade Ff Fields FileAttachment
    Filespec Filter Final First FirstChar FirstPage FitB FitBH FitBV FitH FitR FitV FitWindow Flags FlateDecode Fly
    Font FontBBox FontDescriptor FontFile FontFile2 FontFile3 FontMatrix FontName FontStretch FontWeight Footer
    ForComment ForPublicRelease Form FormType FreeText FreeTextCallout FreeTextTypeWriter FullScreen Function
    FunctionType Functions G GS0 Gamma Glitter GoBack GoForward GoTo Graph Green Group H HardLight Header Headers
    Height Help Hidden HideMenubar HideToolbar HideWindowUI Highlight Hue I IC ICCBased ID IDTree IRT IT IX Identity
    Identity-H Identity-V Image ImageMask Indexed Info Ink InkList Inline InlineAlign Insert Intent Interpolate
    IsMap ItalicAngle JBIG2Decode JBIG2Globals JPXDecode Justify K Key Keywords Kids L L2R LC LE LJ LL LLE LLO LW
    LZWDecode Lab Lang Last LastChar LastPage Leading Left Length Length1 Length2 Length3 Lighten Limits Line
    LineArrow LineDimension LineHeight LineNum LineThrough Link ListMode ListNumbering Locked LowerAlpha LowerRoman
    LrTb Luminosity M MCID MCR MK ML MacExpertEncoding MacRomanEncoding Magenta MarkInfo Marked Mask Matrix Matte
    MaxLen MaxWidth MediaBox Middle MissingWidth MixingHints Movie Multiply N Name Named Names NeedAppearances
    NewParagraph Next NextPage NonFullScreenPageMode None Normal NotApproved NotForPublicRelease Note NumCopies Nums
    O OBJR OC OCG OCGs OCMD OCProperties OFF ON OP OPM Obj Off On OneColumn Open OpenAction OpenArrow OpenType Opt
    Order Ordering Outlines Overlay Overline P Padding Page PageLabels PageLayout PageMode PageNum Pages Pagination
    PaintType Paperclip Paragraph Parent ParentTree ParentTreeNextKey Pattern PatternType Perceptual Pg
    PickTrayByPDFSize Placement PolyLine PolyLineDimension Polygon PolygonCloud PolygonDimension Popup Predictor
    Prev PrevPage Print PrintArea PrintClip PrintScaling PrintState PrintingOrder ProcSet Process Producer
    Projection Properties Push PushPin Q QuadPoints R R2L RBGroups RClosedArrow RD RI ROpenArrow RT Range Rect Red
    Redact Registry Relative RelativeColorimetric Resources Right RlTb Role RoleMap Root Rotate Row RowSpan
    RubyAlign RubyPosition RunLengthDecode S SA SM SMask SMaskInData SS Saturation Scope Screen Separation
    SetOCGState Shading ShadingType Sig Simplex SinglePage Size Slash SoftLight Sold Solid Solidities Sound
    SpaceAfter SpaceBefore Split Square Squiggly St Stamp StandardEncoding Start StartIndent State StemH StemV Stm
    StrikeOut StructElem StructParent StructParents StructTreeRoot Style Subj Subject Subtype Summary Supplement
    Suspects T TBorderStyle TI TK TP TPadding TR TR2 TU Tabs Tag TbRl Text TextAlign TextDecorationColor
    TextDecorationThickness TextDecorationType TextIndent TilingType Title ToUnicode Toggle Top TopSecret Trans
    Transparency TrimBox TrueType TwoColumnLeft TwoColumnRight TwoPageLeft TwoPageRight Tx Type Type0 Type1 Type1C
    Type3 U UCR UCR2 UF URI Uncover Underline UpperAlpha UpperRoman UseAttachments UseBlackPtComp UseNone UseOC
    UseOutlines UseThumbs UserProperties UserUnit V VE Version Vertices VerticesPerRow View ViewArea ViewClip
    ViewState ViewerPreferences VisiblePages W W2 WMode Watermark WhitePoint Widget Width Widths WinAnsiEncoding
    Wipe WritingMode X XHeight XObject XRef XStep XYZ YStep Yellow Yes cb checked neutral off on pb rb tv
""")
_SHORT = re.compile(r"/([A-Za-z]{1,3}\d{1,6}|Ink\d+)")


class _Public(frozenset[str]):
    """Names of the format, and those as short as resources have."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or bool(_SHORT.fullmatch(str(name)))


PUBLIC = _Public(_WORDS | TAGS | frozenset(f"/{name}" for name in SHORT_NAMES.values()))
