"""Objects of graphics: colours, functions, states, images. They keep the entries that draw, and no others."""

from __future__ import annotations

import re
import zlib
from typing import Any

from sfumato.documents.pdf.described import bare_jpeg, bare_jpeg2000, bare_profile
from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.public import PUBLIC
from sfumato.documents.pdf.streams import content_of, isa
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import Refused

_DRAWING = entries("""
    Type Subtype S CS I K Length Filter DecodeParms Predictor Colors BitsPerComponent Columns EarlyChange
    FunctionType Domain Range N C0 C1 Size BitsPerSample Order Encode Decode Functions Bounds ShadingType ColorSpace
    Background BBox AntiAlias Coords Extend Function Matrix BitsPerCoordinate BitsPerFlag VerticesPerRow PatternType
    PaintType TilingType XStep YStep Shading Alternate WhitePoint BlackPoint Gamma Colorants Process
    Components Solidities DotGain MixingHints PrintingOrder LW LC LJ ML D RI OP op OPM Font BG BG2 UCR UCR2 TR TR2
    FL SM SA BM SMask CA ca AIS TK G BC UseBlackPtComp
""")
_OF_IMAGE = entries("""
    Type Subtype Width Height ColorSpace BitsPerComponent Intent ImageMask Mask Decode Interpolate SMask SMaskInData
    Matte StructParent OC Length Filter DecodeParms
""")
_DESCRIBED = ("/DCTDecode", "/JPXDecode")
_CALCULATOR = 4
COMMENTS = re.compile(rb"%[^\r\n]*")
_DEEPEST = 40


def clean(work: Work, value: Any, where: str, depth: int = 0) -> None:
    """Take out of an object of graphics the entries that do not draw, and the names that people give colours."""
    if depth > _DEEPEST:
        return
    if isa(value, "Array"):
        kind = str(value[0]) if len(value) and isa(value[0], "Name") else ""
        if kind in ("/Separation", "/DeviceN") and len(value) > 3:
            _clean_inks(work, value, kind)
        elif kind == "/ICCBased" and len(value) > 1 and isa(value[1], "Stream"):
            _clean_profile(work, value)
        for each in value:
            clean(work, each, where, depth + 1)
    elif isa(value, "Dictionary") or isa(value, "Stream"):
        if value.objgen != (0, 0) and not work.first(value):
            return
        if isa(value, "Stream") and value.get("/FunctionType") == _CALCULATOR:
            value.write(COMMENTS.sub(b" ", content_of(value)))
        for key in list(value.keys()):
            if key not in _DRAWING or not _draws(work, key, value[key]):
                del value[key]
            elif key not in ("/Font", "/G"):
                clean(work, value[key], where, depth + 1)


def _draws(work: Work, key: str, value: Any) -> bool:
    """Say whether a value is one that draws: no text, no name that the format does not have, and known objects."""
    if key == "/G":
        return isa(value, "Stream") and value.objgen in work.done
    if key == "/Font":
        return isa(value, "Array") and len(value) == 2 and value[0].objgen in work.fonts
    if isa(value, "Array") and len(value) and value[0] in ("/Indexed", "/Separation", "/DeviceN", "/ICCBased"):
        return True
    if isa(value, "Array"):
        return not any(isa(each, "String") for each in value)
    return not isa(value, "String") and (not isa(value, "Name") or str(value) in PUBLIC)


def _clean_inks(work: Work, value: Any, kind: str) -> None:
    """Number the inks of a colour space, and take out what describes them."""
    import pikepdf

    if kind == "/Separation":
        value[1] = pikepdf.Name(work.ink(str(value[1])))
    elif isa(value[1], "Array"):
        value[1] = pikepdf.Array([pikepdf.Name(work.ink(str(each))) for each in value[1]])
    while len(value) > 4:
        del value[4]


def _clean_profile(work: Work, space: Any) -> None:
    """Take the texts out of a profile of colours. Raise Refused for one that is damaged."""
    import pikepdf

    stream = space[1]
    if stream.objgen in work.done:
        return
    content = bare_profile(content_of(stream))
    if content is None:
        raise Refused("a profile of its colours is damaged; print it to a new file")
    stream.write(zlib.compress(content), filter=pikepdf.Name.FlateDecode)


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
    import pikepdf

    for key in list(stream.keys()):
        if key not in _OF_IMAGE:
            del stream[key]
    for key in ("/SMask", "/Mask"):
        if isa(stream.get(key), "Stream") and work.first(stream[key]):
            kept_image(work, stream[key], where)
    if "/ColorSpace" in stream:
        clean(work, stream.ColorSpace, where)
    filters = stream.get("/Filter")
    names = [str(each) for each in filters] if isa(filters, "Array") else [str(filters)]
    if names[-1] not in _DESCRIBED:
        return
    if len(names) > 1:
        raise Refused(f"an image of {where} is packed twice; print it to a new file, or drop images")
    raw = bytes(stream.read_raw_bytes())
    content = bare_jpeg(raw) if names[-1] == "/DCTDecode" else bare_jpeg2000(raw)
    if content is None:
        raise Refused(f"an image of {where} is damaged; print it to a new file, or drop images")
    parameters = stream.get("/DecodeParms")
    stream.write(content, filter=pikepdf.Name(names[-1]), decode_parms=parameters)
