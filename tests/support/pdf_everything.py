"""A PDF file with a canary in every kind of part that it can have."""

from __future__ import annotations

from typing import Any

from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from pdf_around import around, attached, filled, tagged
from pdf_parts import Canaries, form, made, text


def everything(c: Canaries) -> Pdf:
    """Return a file with a canary in each part."""
    pdf = made(_first_page(c), text(f"Page two {c('text of page 2')}"))
    page, other = pdf.pages[0].obj, pdf.pages[1].obj
    _drawn(pdf, page, other, c)
    _annotated(pdf, page, c)
    filled(pdf, page, c)
    around(pdf, page, other, c)
    tagged(pdf, page, c)
    attached(pdf, page, c)
    return pdf


def _first_page(c: Canaries) -> bytes:
    kerned = c("kerned glyphs")
    spaced = " 5 ".join(f"({letter})" for letter in kerned)
    apart = c("glyphs with places")
    placed = "".join(f"BT /F1 12 Tf {300 + 9 * n} 600 Td ({each}) Tj ET\n" for n, each in enumerate(apart))
    return (
        text(f"Body {c('Tj')} text")
        + f"BT /F1 12 Tf 14 TL 72 680 Td (one) Tj ({c('quote')}) ' 1 1 ({c('double quote')}) \" ET\n".encode()
        + f"BT /F1 12 Tf 72 600 Td [{spaced}] TJ ET\n{placed}".encode()
        + f"% {c('comment of a stream')}\n".encode()
        + f"BX ({c('operand of an unknown operator')}) secret EX\n".encode()
        + f"({c('odd operand')}) 0 0 0 rg\n".encode()
        + f"/{c('name of a state')} gs\n".encode()
        + f"/Span <</ActualText ({c('actual text')})>> BDC {text('shown', 72, 560).decode()} EMC\n".encode()
        + f"/Figure <</Alt ({c('alt of content')}) /E ({c('expansion')})>> BDC EMC\n".encode()
        + f"/Figure <</{c('key of content')} (x)>> BDC EMC\n".encode()
        + f"/{c('tag of content')} BMC EMC /P <</Odd ({c('property of content')})>> BDC EMC\n".encode()
        + f"/Point <</Note ({c('marked point')})>> DP\n".encode()
        + f"/OC /MC0 BDC {text(c('hidden layer'), 72, 540).decode()} EMC\n".encode()
        + f"BT /F1 12 Tf 3 Tr 72 520 Td ({c('invisible')}) Tj 0 Tr ET\n".encode()
        + f"1 g {text(c('white'), 72, 500).decode()} 0 g\n".encode()
        + text(c("outside of the page"), 900, 500)
        + b"q 50 0 0 50 72 400 cm /Im1 Do Q q /Fm1 Do Q q /Fm2 Do Q /Pattern cs /P1 scn 72 300 50 50 re f /GS1 gs\n"
        + f"BI /W {len(c('inline image'))} /H 1 /BPC 8 /CS /G ID {c['inline image']} EI\n".encode()
        + b"/CS1 cs 1 scn 10 10 5 5 re f /CS2 cs 0 0 0 scn 10 10 5 5 re f\n"
        + b"BT /T3 12 Tf 72 460 Td (a) Tj ET BT /F2 12 Tf 72 440 Td (\x01) Tj ET\n"
    )


def _drawn(pdf: Pdf, page: Any, other: Any, c: Canaries) -> None:
    inner = form(pdf, text(c("form in a form"), 200, 480))
    font = page.Resources.Font.F1
    outer = form(
        pdf,
        text(c("form"), 72, 480) + b"/In Do",
        Resources=Dictionary(Font=Dictionary(F1=font), XObject=Dictionary(In=inner)),
        PieceInfo=Dictionary(App=String(c("private data of a form"))),
        Name=Name("/" + c("name of a form")),
        Metadata=pdf.make_stream(c("metadata of a form").encode()),
    )
    bare = form(pdf, text(c("form without resources"), 300, 480))
    del bare.Resources
    image = Stream(
        pdf,
        (c("bytes of an image") * 2).encode()[:16],
        {
            "/Type": Name.XObject,
            "/Subtype": Name.Image,
            "/Width": 4,
            "/Height": 4,
            "/ColorSpace": Name.DeviceGray,
            "/BitsPerComponent": 8,
            "/Metadata": pdf.make_stream(f"<x:xmpmeta>{c('XMP of an image')}</x:xmpmeta>".encode()),
            "/Alternates": Array([Dictionary(Image=pdf.make_stream(c("alternate image").encode()))]),
        },
    )
    pattern = form(pdf, text(c("pattern"), 1, 1), PatternType=1, PaintType=1, TilingType=1, XStep=50, YStep=50)
    mask = form(pdf, text(c("soft mask"), 10, 10), Group=Dictionary(S=Name.Transparency, CS=Name.DeviceGray))
    sign = pdf.make_stream(b"500 0 d0 " + f"BT /F1 1 Tf 0 0 Td ({c('sign of a font')}) Tj ET".encode())
    unused_sign = pdf.make_stream(f"500 0 d0 % {c('sign that is not used')}".encode())
    type3 = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type3,
        FontBBox=[0, 0, 1000, 1000],
        FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
        CharProcs=Dictionary(a=sign, b=unused_sign),
        FirstChar=97,
        LastChar=98,
        Widths=[500, 500],
        Encoding=Dictionary(Differences=[97, Name.a, Name.b]),
        Resources=Dictionary(Font=Dictionary(F1=font)),
        Name=Name("/" + c("name of a font")),
    )
    table = (
        f"% {c('comment of a character map')}\nbegincmap\n2 beginbfchar\n"
        f"<01> <{c('text of one code').encode('utf-16-be').hex()}>\n"
        f"<02> <{c('text of a code that is not used').encode('utf-16-be').hex()}>\nendbfchar endcmap"
    )
    mapped = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type1,
        BaseFont=Name.Courier,
        ToUnicode=pdf.make_stream(table.encode()),
        FirstChar=1,
        LastChar=2,
        Widths=[600, 600],
        FontDescriptor=Dictionary(
            Type=Name.FontDescriptor,
            FontName=Name.Courier,
            Flags=33,
            FontFamily=String(c("family of a font")),
            CharSet=String(c("characters of a font")),
            Odd=String(c("entry of a font")),
        ),
    )
    tint = Dictionary(FunctionType=2, Domain=[0, 1], C0=[1], C1=[0], N=1)
    calculator = Stream(
        pdf,
        f"{{ % {c('comment of a function')}\n add add }}".encode(),
        {"/FunctionType": 4, "/Domain": [0, 1, 0, 1, 0, 1], "/Range": [0, 1]},
    )
    page.Resources.update(
        Dictionary(
            Font=Dictionary(F1=font, T3=type3, F2=mapped),
            XObject=Dictionary(
                {
                    "/Im1": image,
                    "/Fm1": outer,
                    "/Fm2": bare,
                    "/" + c("name of a form among resources"): outer,
                    "/Unused": form(pdf, text(c("form that is not used"))),
                }
            ),
            Pattern=Dictionary(P1=pattern),
            ExtGState=Dictionary(
                {
                    "/GS1": Dictionary(
                        BM=String(c("blend mode")),
                        RI=Name("/" + c("intent")),
                        SMask=Dictionary(S=Name.Luminosity, G=mask),
                        Odd=String(c("entry of a state")),
                    ),
                    "/" + c["name of a state"]: Dictionary(LW=1),
                }
            ),
            ColorSpace=Dictionary(
                CS1=Array([Name.Separation, Name("/" + c("ink")), Name.DeviceGray, tint]),
                CS2=Array(
                    [
                        Name.DeviceN,
                        Array([Name("/" + c("one of inks")), Name.Cyan, Name("/None")]),
                        Name.DeviceGray,
                        calculator,
                        Dictionary(Note=String(c("entry of inks"))),
                    ]
                ),
            ),
        )
    )
    other.Contents = Array(
        [pdf.make_stream(other.Contents.read_bytes()), pdf.make_stream(text(c("second stream of a page"), 72, 300))]
    )
    other.Resources.XObject = Dictionary(Again=outer)
    other.Contents.append(pdf.make_stream(b"/Again Do"))
    other.Thumb = Stream(pdf, c("thumbnail").encode(), {"/Width": 1, "/Height": 1})


def _annotated(pdf: Pdf, page: Any, c: Canaries) -> None:
    def note(kind: str, **entries: Any) -> Any:
        about = {"/Type": Name.Annot, "/Subtype": Name("/" + kind), "/Rect": [10, 10, 60, 30]}
        return pdf.make_indirect(Dictionary({**about, **{f"/{key}": value for key, value in entries.items()}}))

    orphan = note("Text", Contents=String(c("annotation that no page has")))
    marked = note(
        "Highlight",
        Contents=String(c("comment")),
        T=String(c("author of a comment")),
        Subj=String(c("subject")),
        RC=String(f"<body>{c('rich text')}</body>"),
        NM=String(c("name of a comment")),
        M=String("D:20200101"),
        IRT=orphan,
        AP=Dictionary(N=form(pdf, text(c("appearance"), 10, 10))),
        Odd=String(c("entry of a comment")),
    )
    popup = note("Popup", Contents=String(c("popup")), Parent=marked)
    marked.Popup = popup
    rows = [
        marked,
        popup,
        note(
            "Link",
            A=Dictionary(S=Name.URI, URI=String("https://x.org/" + c("address"))),
            Contents=String(c("alt of a link")),
        ),
        note("Link", A=Dictionary(S=Name.URI, URI=String("file:///home/" + c("address of a file")))),
        note("Link", A=Dictionary(S=Name.GoToR, F=String(c("path")), D=String(c("place in a file")))),
        note("Link", A=Dictionary(S=Name.Launch, F=String(c("path of a program")))),
        note("Link", A=Dictionary(S=Name.JavaScript, JS=String(c("script of a link")))),
        note("Link", Dest=String("named")),
        note(
            "Link",
            A=Dictionary(
                S=Name.Named, N=Name.NextPage, Next=Dictionary(S=Name.SubmitForm, F=String(c("next action")))
            ),
        ),
        note("Stamp", Name=Name("/" + c("name of a stamp")), AP=Dictionary(N=form(pdf, text(c("stamp"), 10, 10)))),
        note(
            "FreeText",
            Contents=String("see"),
            DA=String(f"/Helv 9 Tf ({c('style of a text')}) Tj"),
            DS=String(c("style")),
        ),
        note("Sound", Sound=pdf.make_stream(c("sound").encode())),
        note("Movie", T=String(c("title of a film")), Movie=Dictionary(F=String(c("file of a film")))),
        note("Screen", T=String(c("title of a screen")), A=Dictionary(S=Name.Rendition, JS=String(c("rendition")))),
        note("RichMedia", Content=String(c("media"))),
        note("3D", Contents=String(c("3D"))),
        note("Odd", Contents=String(c("unknown annotation"))),
        note("Line", Contents=String("line"), Measure=Dictionary(R=String(c("measure"))), L=[1, 1, 2, 2]),
        note("Text", Contents=String("state"), State=String(c("state")), StateModel=String("Review")),
    ]
    marked.BS = Dictionary(W=1, Odd=String(c("border of a comment")))
    marked.H = Name("/" + c("highlighting of a comment"))
    marked.IC = Array([String(c("colour of a comment"))])
    page.Annots = Array(rows)
