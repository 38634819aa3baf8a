"""What a PDF file has beside its pages, with a canary in each part: fields, bookmarks, structure, attachments."""

from __future__ import annotations

from typing import Any

from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from pdf_parts import Canaries, form, made, saved, text


def filled(pdf: Pdf, page: Any, c: Canaries) -> None:
    """Add fields of a form."""
    shown = form(pdf, b"/Tx BMC " + text(c("appearance of a field"), 2, 2) + b"EMC")
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
    state = c("state of a button")
    drawn = {"/" + state: form(pdf, text(c("appearance of a state"))), "/Off": form(pdf, b"")}
    box = pdf.make_indirect(
        Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, Rect=[1, 1, 9, 9], FT=Name.Btn, T=String("box"),
            V=Name("/" + state), AS=Name("/" + state), AP=Dictionary(N=Dictionary(drawn)),
        )
    )  # fmt: skip
    unseen = pdf.make_indirect(
        Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, Rect=[1, 1, 9, 9], FT=Name.Tx, T=String("unseen"),
            V=String(c("value of a field that no page shows")), P=page,
            AP=Dictionary(N=form(pdf, text(c("appearance of a field that no page shows")))),
            MK=Dictionary(CA=String(c("caption of a field that no page shows"))),
        )
    )  # fmt: skip
    stray = pdf.make_indirect(Dictionary(FT=Name.Tx, T=String(c("field that is computed and not in the form"))))
    page.Annots.append(box)
    page.Annots.append(value)
    pdf.Root.AcroForm = Dictionary(
        Fields=Array([value, choice, long, signed, parent, box, unseen]),
        CO=Array([value, stray]),
        XFA=pdf.make_stream(c("XFA").encode()),
        DA=String("/Helv 0 Tf 0 g"),
        DR=Dictionary(
            Font=Dictionary(Helv=page.Resources.Font.F1),
            XObject=Dictionary(X1=form(pdf, text(c("form among the resources of fields")))),
        ),
        Odd=String(c("entry of the form")),
    )


def around(pdf: Pdf, page: Any, other: Any, c: Canaries) -> None:
    """Add bookmarks, names, programs and settings."""
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
    other.Tabs = String(c("tabs of a page"))
    other.Dur = String(c("duration of a page"))
    root.PageMode = Name("/" + c("page mode"))
    first.C = Array([0, 0, String(c("colour of a bookmark"))])
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


def tagged(pdf: Pdf, page: Any, c: Canaries) -> None:
    """Add a structure."""
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


def attached(pdf: Pdf, page: Any, c: Canaries) -> None:
    """Add attachments."""
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
