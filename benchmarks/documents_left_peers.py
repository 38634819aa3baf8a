"""Run another tool over one file, with a detector that knows every canary: ``PYTHON THIS TOOL SOURCE TARGET``.

It runs in that tool's environment and imports nothing of sfumato. It ends with 3 where the tool has no such format.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

CANARY = re.compile(r"qz[a-p]+qz", re.IGNORECASE)
NO_SUCH_FORMAT = 3


def spans(text: str, **_: Any) -> list[dict[str, Any]]:
    return [
        {"start": each.start(), "end": each.end(), "text": each[0], "label": "PERSON", "confidence": 1.0}
        for each in CANARY.finditer(text)
    ]


def masked(text: str, **_: Any) -> str:
    return CANARY.sub("[PERSON]", text)


def result(text: str, **_: Any) -> SimpleNamespace:
    return SimpleNamespace(deidentified_text=masked(text), pii_entities=spans(text))


def openmed(source: Path, target: Path) -> None:
    from openmed.multimodal import redact_document
    from openmed.multimodal.metadata_scrub import scrub_metadata

    if source.suffix in (".docx", ".pdf"):
        redact_document(source, policy={"output_path": str(target)}, models={"detector": spans})
        if source.suffix == ".docx":
            scrub_metadata(target)
    elif source.suffix == ".xlsx":
        from openmed.multimodal.xlsx import redact_xlsx

        redact_xlsx(source, target, cell_deidentifier=masked)
    elif source.suffix == ".eml":
        from openmed.multimodal.email import redact_email

        redact_email(source, target, models={"detector": spans})
    elif source.suffix == ".hl7":
        from openmed.interop.hl7v2 import redact_hl7v2

        target.write_bytes(redact_hl7v2(source.read_bytes().decode(), deidentifier=result).encode())
    elif source.suffix == ".json":
        from openmed.interop.fhir_operations import de_identify_bundle

        target.write_text(json.dumps(de_identify_bundle(json.loads(source.read_text()), deidentifier=result)))
    else:
        sys.exit(NO_SUCH_FORMAT)


def presidio(source: Path, target: Path) -> None:
    """Presidio has a package for tables and JSON, and one for pictures and DICOM."""
    if source.suffix not in (".xlsx", ".json"):
        sys.exit(NO_SUCH_FORMAT)
    import spacy
    from presidio_analyzer import AnalyzerEngine, Pattern, PatternRecognizer
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from presidio_structured import JsonAnalysisBuilder, PandasAnalysisBuilder, StructuredEngine
    from presidio_structured.data import JsonDataProcessor

    spacy.blank("en").to_disk(target.with_suffix(".model"))
    models = [{"lang_code": "en", "model_name": str(target.with_suffix(".model"))}]
    analyzer = AnalyzerEngine(nlp_engine=SpacyNlpEngine(models=models))
    pattern = Pattern("canary", r"(?i)qz[a-p]+qz", 1.0)
    analyzer.registry.add_recognizer(PatternRecognizer(supported_entity="PERSON", patterns=[pattern]))
    if source.suffix == ".json":
        data = json.loads(source.read_text())
        found = JsonAnalysisBuilder(analyzer=analyzer).generate_analysis(data)
        new = StructuredEngine(data_processor=JsonDataProcessor()).anonymize(data, found)
        target.write_text(json.dumps(new))
        return
    import pandas

    engine, builder = StructuredEngine(), PandasAnalysisBuilder(analyzer=analyzer)
    with pandas.ExcelWriter(target) as writer:
        for name, table in pandas.read_excel(source, sheet_name=None).items():
            found = builder.generate_analysis(table, selection_strategy="mixed")
            engine.anonymize(table, found).to_excel(writer, sheet_name=name, index=False)


if __name__ == "__main__":
    {"openmed": openmed, "presidio": presidio}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
