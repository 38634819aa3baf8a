"""A file that was walked over, written whole: nothing that its pages do not reach is in it."""

from __future__ import annotations

import warnings
from typing import IO

from sfumato.documents.pdf.pages import one_tree
from sfumato.documents.pdf.renumbered import renumber
from sfumato.documents.pdf.typefaces import kept_fonts
from sfumato.documents.pdf.work import Work


def saved(work: Work, target: IO[bytes]) -> None:
    """Write the file to ``target``."""
    import pikepdf

    pdf = work.pdf
    one_tree(work)
    kept_fonts(work, renumber(work))
    for key in set(pdf.trailer.keys()) - {"/Root", "/Info", "/Size"}:
        del pdf.trailer[key]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fields that the form does not list
        pdf.save(
            target, encryption=False, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate,
            compress_streams=True, preserve_pdfa=False, fix_metadata_version=False,
        )  # fmt: skip
