"""A PDF file with a canary in every kind of part that it can have."""

from __future__ import annotations

from typing import Any

from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from pdf_parts import Canaries, made, saved, text


def everything(c: Canaries) -> Pdf:
    """Return a file with a canary in each part."""
    pdf = made(_first_page(c), text(f"Page two {c('text of page 2')}"))
    page, other = pdf.pages[0].obj, pdf.pages[1].obj
    _drawn(pdf, page, other, c)
    _annotated(pdf, page, c)
    _filled(pdf, page, c)
    _around(pdf, page, other, c)
    _tagged(pdf, page, c)
    _attached(pdf, page, c)
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


def _form(pdf: Pdf, content: bytes, **more: Any) -> Stream:
    font = pdf.pages[0].obj.Resources.Font.F1
    about = {"Type": Name.XObject, "Subtype": Name.Form, "BBox": [0, 0, 612, 792], **more}
    about.setdefault("Resources", Dictionary(Font=Dictionary(F1=font)))
    return Stream(pdf, content, {f"/{key}": value for key, value in about.items()})


def _drawn(pdf: Pdf, page: Any, other: Any, c: Canaries) -> None:
    inner = _form(pdf, text(c("form in a form"), 200, 480))
    font = page.Resources.Font.F1
    outer = _form(
        pdf,
        text(c("form"), 72, 480) + b"/In Do",
        Resources=Dictionary(Font=Dictionary(F1=font), XObject=Dictionary(In=inner)),
        PieceInfo=Dictionary(App=String(c("private data of a form"))),
        Name=Name("/" + c("name of a form")),
        Metadata=pdf.make_stream(c("metadata of a form").encode()),
    )
    bare = _form(pdf, text(c("form without resources"), 300, 480))
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
    pattern = _form(pdf, text(c("pattern"), 1, 1), PatternType=1, PaintType=1, TilingType=1, XStep=50, YStep=50)
    mask = _form(pdf, text(c("soft mask"), 10, 10), Group=Dictionary(S=Name.Transparency, CS=Name.DeviceGray))
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
                    "/Unused": _form(pdf, text(c("form that is not used"))),
                }
            ),
            Pattern=Dictionary(P1=pattern),
            ExtGState=Dictionary(
                {
                    "/GS1": Dictionary(
                        SMask=Dictionary(S=Name.Luminosity, G=mask), Odd=String(c("entry of a state"))
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
        AP=Dictionary(N=_form(pdf, text(c("appearance"), 10, 10))),
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
        note("Stamp", Name=Name("/" + c("name of a stamp")), AP=Dictionary(N=_form(pdf, text(c("stamp"), 10, 10)))),
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
    page.Annots = Array(rows)


def _filled(pdf: Pdf, page: Any, c: Canaries) -> None:
    shown = _form(pdf, b"/Tx BMC " + text(c("appearance of a field"), 2, 2) + b"EMC")
    value = pdf.make_indirect(
        Dictionary(
            Type=Name.Annot,
            Subtype=Name.Widget,
            Rect=[100, 100, 200, 120],
            FT=Name.Tx,
            T=String(c("name of a field")),
            TU=String(c("label of a field")),
            TM=String(c("mapping name")),
            V=String(c("value")),
            DV=String(c("default value")),
            RV=String(c("rich value")),
            DS=String(c("style of a field")),
            AP=Dictionary(N=shown),
            MK=Dictionary(CA=String(c("caption")), RC=String(c("caption under the pointer"))),
            AA=Dictionary(K=Dictionary(S=Name.JavaScript, JS=String(c("script of a field")))),
        )
    )
    choice = pdf.make_indirect(
        Dictionary(
            FT=Name.Ch,
            T=String("choice"),
            Opt=Array([String(c("choice")), Array([String(c("export")), String(c("shown choice"))])]),
            V=Array([String(c["choice"])]),
            Odd=String(c("entry of a field")),
        )
    )
    long = pdf.make_indirect(
        Dictionary(FT=Name.Tx, T=String("long"), V=pdf.make_stream(c("value as a stream").encode()))
    )
    signed = pdf.make_indirect(
        Dictionary(
            FT=Name.Sig,
            T=String("sig"),
            V=Dictionary(Name=String(c("signer")), Reason=String(c("reason")), Contents=String(c("signature"))),
        )
    )
    parent = pdf.make_indirect(Dictionary(T=String(c("name of a group of fields"))))
    kid = pdf.make_indirect(
        Dictionary(FT=Name.Tx, T=String("kid"), Parent=parent, V=String(c("value below a group")))
    )
    parent.Kids = Array([kid])
    page.Annots.append(value)
    pdf.Root.AcroForm = Dictionary(
        Fields=Array([value, choice, long, signed, parent]),
        XFA=pdf.make_stream(c("XFA").encode()),
        DA=String("/Helv 0 Tf 0 g"),
        DR=Dictionary(Font=Dictionary(Helv=page.Resources.Font.F1)),
        Odd=String(c("entry of the form")),
    )


def _around(pdf: Pdf, page: Any, other: Any, c: Canaries) -> None:
    root, make = pdf.Root, pdf.make_indirect
    orphan_page = make(
        Dictionary(
            Type=Name.Page, Contents=pdf.make_stream(text(c("page that is not among the pages"))), Parent=root.Pages
        )
    )
    first = make(
        Dictionary(
            Title=String(c("bookmark")), Dest=Array([orphan_page, Name.Fit]), Odd=String(c("entry of a bookmark"))
        )
    )
    below = make(
        Dictionary(Title=String(c("bookmark below")), A=Dictionary(S=Name.GoTo, D=String("named")), Parent=first)
    )
    first.First = first.Last = below
    outlines = make(
        Dictionary(Type=Name.Outlines, First=first, Last=first, Count=1, Odd=String(c("entry of bookmarks")))
    )
    first.Parent = outlines
    root.Outlines = outlines
    root.PageLabels = Dictionary(
        Nums=[0, Dictionary(S=Name.D, P=String(c("page label")), Odd=String(c("entry of a label")))]
    )
    root.Dests = Dictionary({"/" + c("old named place"): Array([page, Name.Fit])})
    script = Dictionary(S=Name.JavaScript, JS=String(c("script of the file")))
    root.Names = Dictionary(
        Dests=Dictionary(
            Names=Array(
                [
                    String("named"),
                    Array([page, Name.XYZ, 0, 0, 0]),
                    String(c("named place")),
                    Dictionary(D=Array([page, Name.Fit])),
                ]
            )
        ),
        JavaScript=Dictionary(Names=Array([String(c("name of a script")), script])),
        IDS=Dictionary(Names=Array([String(c("id of the web")), Dictionary(S=Name.SPS)])),
        Odd=Dictionary(Names=Array([String(c("unknown names")), Dictionary()])),
    )
    root.OpenAction = Dictionary(S=Name.JavaScript, JS=pdf.make_stream(c("script at the opening").encode()))
    root.AA = Dictionary(WC=Dictionary(S=Name.JavaScript, JS=String(c("script at the closing"))))
    other.AA = Dictionary(O=Dictionary(S=Name.JavaScript, JS=String(c("script of a page"))))
    root.Lang = String(c("language"))
    root.URI = Dictionary(Base=String(c("base address")))
    root.Metadata = Stream(
        pdf, f"<x:xmpmeta>{c('XMP')}</x:xmpmeta>".encode(), {"/Type": Name.Metadata, "/Subtype": Name.XML}
    )
    other.Metadata = pdf.make_stream(f"<x:xmpmeta>{c('XMP of a page')}</x:xmpmeta>".encode())
    root.OutputIntents = Array([Dictionary(S=Name.GTS_PDFA1, Info=String(c("output intent")))])
    root.ViewerPreferences = Dictionary(DisplayDocTitle=True, Odd=String(c("preference")))
    root.MarkInfo = Dictionary(Marked=True, Odd=String(c("entry of mark info")))
    for key in (
        "PieceInfo",
        "SpiderInfo",
        "Threads",
        "Collection",
        "Legal",
        "Perms",
        "DSS",
        "Requirements",
        "DPartRoot",
        "Extensions",
        "Odd",
    ):
        root["/" + key] = make(Dictionary(Text=String(c(f"{key} of the file"))))
    for key in ("PieceInfo", "B", "VP", "SeparationInfo", "PresSteps", "BoxColorInfo", "Odd", "LastModified", "ID"):
        other["/" + key] = String(c(f"{key} of a page"))
    other.Trans = Dictionary(S=Name.Wipe, Odd=String(c("transition")))
    pdf.trailer.Info = make(
        Dictionary(Title=String(c("title")), Author=String(c("author")), Custom=String(c("custom property")))
    )
    pdf.trailer["/Odd"] = String(c("entry of the trailer"))
    root.Pages["/Odd"] = String(c("entry of the node of pages"))
    layer = make(
        Dictionary(
            Type=Name.OCG,
            Name=String(c("name of a layer")),
            Odd=String(c("entry of a layer")),
            Usage=Dictionary(
                CreatorInfo=Dictionary(Creator=String(c("creator of a layer"))),
                User=Dictionary(Name=String(c("user of a layer"))),
            ),
        )
    )
    root.OCProperties = Dictionary(
        OCGs=Array([layer]),
        D=Dictionary(
            OFF=Array([layer]),
            Name=String(c("name of a configuration")),
            Order=Array([String(c("label of layers")), layer]),
        ),
        Configs=Array([Dictionary(Name=String(c("other configuration")))]),
    )
    page.Resources.Properties = Dictionary(MC0=layer)


def _tagged(pdf: Pdf, page: Any, c: Canaries) -> None:
    make = pdf.make_indirect
    root = make(Dictionary(Type=Name.StructTreeRoot))
    orphan = make(
        Dictionary(Type=Name.Page, Contents=pdf.make_stream(text(c("page of an element"))), Parent=pdf.Root.Pages)
    )
    element = make(
        Dictionary(
            Type=Name.StructElem,
            S=Name("/" + c("role")),
            P=root,
            Pg=page,
            Alt=String(c("alt of an element")),
            T=String(c("title of an element")),
            E=String(c("expansion of an element")),
            ActualText=String(c("actual text of an element")),
            ID=String(c("id of an element")),
            Lang=String(c("language of an element")),
            Phoneme=String(c("phoneme")),
            C=Name("/" + c("class")),
            A=Dictionary(
                O=Name.Table,
                Summary=String(c("summary")),
                Headers=Array([String(c["id of an element"])]),
                Odd=String(c("attribute")),
            ),
            K=Array([0, Dictionary(Type=Name.MCR, Pg=orphan, MCID=0)]),
        )
    )
    stray = make(Dictionary(Type=Name.StructElem, S=Name.P, Alt=String(c("element that is not in the tree"))))
    root.K = element
    root.ParentTree = Dictionary(Nums=[0, Array([element, stray]), 1, stray])
    root.RoleMap = Dictionary({"/" + c["role"]: Name.P})
    root.ClassMap = Dictionary({"/" + c["class"]: Dictionary(O=Name.Layout)})
    root.IDTree = Dictionary(Names=Array([String(c["id of an element"]), element]))
    root.Namespaces = Array([Dictionary(NS=String(c("namespace")))])
    pdf.Root.StructTreeRoot = root


def _attached(pdf: Pdf, page: Any, c: Canaries) -> None:
    inner = saved(made(text(c("text of an attachment"))))

    def spec(name: str, content: bytes, about: str) -> Any:
        file = Stream(
            pdf,
            content,
            {"/Type": Name.EmbeddedFile, "/Params": Dictionary(CreationDate=String(c(f"params of {about}")))},
        )
        return pdf.make_indirect(
            Dictionary(
                Type=Name.Filespec,
                F=String(name),
                UF=String(name),
                Desc=String(c(f"description of {about}")),
                EF=Dictionary(F=file),
                CI=Dictionary(X=String(c(f"item of {about}"))),
            )
        )

    rows = [
        String("a"),
        spec(f"{c('name of an attachment')}.pdf", inner, "an attachment"),
        String("b"),
        spec(f"x{c('name of an unknown attachment')}", c("unknown attachment").encode(), "an unknown attachment"),
    ]
    pdf.Root.Names.EmbeddedFiles = Dictionary(Names=Array(rows))
    pdf.Root.AF = Array([spec("af.bin", c("associated file").encode(), "an associated file")])
    page.Annots.append(
        pdf.make_indirect(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.FileAttachment,
                Rect=[1, 1, 9, 9],
                FS=spec("note.bin", c("file of a note").encode(), "a file of a note"),
                Contents=String(c("contents of a file note")),
            )
        )
    )
