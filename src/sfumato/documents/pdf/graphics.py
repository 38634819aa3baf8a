"""Objects of graphics: colours, functions, states, images. They keep the entries that draw, and no others."""

from __future__ import annotations

from typing import Any

from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.work import Work

_DRAWING = entries("""
    Type Subtype S CS I K Length Filter DecodeParms Predictor Colors BitsPerComponent Columns EarlyChange
    FunctionType Domain Range N C0 C1 Size BitsPerSample Order Encode Decode Functions Bounds ShadingType ColorSpace
    Background BBox AntiAlias Coords Extend Function Matrix BitsPerCoordinate BitsPerFlag VerticesPerRow PatternType
    PaintType TilingType XStep YStep Shading ExtGState Alternate WhitePoint BlackPoint Gamma Colorants Process
    Components Solidities DotGain MixingHints PrintingOrder LW LC LJ ML D RI OP op OPM Font BG BG2 UCR UCR2 TR TR2
    FL SM SA BM SMask CA ca AIS TK G BC UseBlackPtComp Resources
""")
_OF_IMAGE = entries("""
    Type Subtype Width Height ColorSpace BitsPerComponent Intent ImageMask Mask Decode Interpolate SMask SMaskInData
    Matte StructParent OC Length Filter DecodeParms
""")
_DEEPEST = 40


def clean(work: Work, value: Any, where: str, depth: int = 0) -> None:
    """Take out of an object of graphics the entries that do not draw."""
    if depth > _DEEPEST:
        return
    if isa(value, "Array"):
        for each in value:
            clean(work, each, where, depth + 1)
    elif isa(value, "Dictionary") or isa(value, "Stream"):
        if value.objgen != (0, 0) and not work.first(value):
            return
        for key in list(value.keys()):
            if key not in _DRAWING:
                del value[key]
            elif key not in ("/Resources", "/Font", "/G"):
                clean(work, value[key], where, depth + 1)


def emptied_image(stream: Any) -> None:
    """Make an image white, or nothing if it is one that lets what is below shine through."""
    import pikepdf

    through = any(key in stream for key in ("/ImageMask", "/Mask", "/SMask", "/SMaskInData"))
    kept = {key: stream[key] for key in ("/OC", "/StructParent") if key in stream}
    for key in list(stream.keys()):
        if key != "/Length":
            del stream[key]
    stream.write(b"\x80" if through else b"\xff")
    stream.Type, stream.Subtype, stream.Width, stream.Height = pikepdf.Name.XObject, pikepdf.Name.Image, 1, 1
    if through:
        stream.ImageMask, stream.BitsPerComponent = True, 1
    else:
        stream.ColorSpace, stream.BitsPerComponent = pikepdf.Name.DeviceGray, 8
    for key, value in kept.items():
        stream[key] = value


def kept_image(work: Work, stream: Any, where: str) -> None:
    """Keep an image without its descriptions."""
    for key in list(stream.keys()):
        if key not in _OF_IMAGE:
            del stream[key]
    for key in ("/SMask", "/Mask"):
        if isa(stream.get(key), "Stream") and work.first(stream[key]):
            kept_image(work, stream[key], where)
    if "/ColorSpace" in stream:
        clean(work, stream.ColorSpace, where)
