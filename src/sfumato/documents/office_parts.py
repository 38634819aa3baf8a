"""Parts that Word, PowerPoint and Excel share: properties, themes, pictures, files inside, what programs leave."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.documents.office import Kind
from sfumato.documents.scrub import Part, scrubbed
from sfumato.documents.slot import Slot


def plain(part: Part) -> Iterator[Slot]:
    """Walk over a part that holds no text of its own, except in its attributes."""
    yield from scrubbed(part, {}, {})


SHARED = {
    "theme": Kind("theme", plain),
    "themeOverride": Kind("theme", plain),
    "image": Kind("picture", rule="images"),
    "video": Kind("film", rule="images"),
    "audio": Kind("sound", rule="images"),
    "media": Kind("film", rule="images"),
    "package": Kind("file", rule="attachments"),
    "oleObject": Kind("object", rule="programs"),
    "vbaProject": Kind("macros", rule="programs"),
    "control": Kind("control", rule="programs"),
    "thumbnail": Kind("preview", rule="caches"),
    "core-properties": Kind("properties", rule="properties"),
    "extended-properties": Kind("properties", rule="properties"),
    "custom-properties": Kind("properties", rule="properties"),
    "printerSettings": Kind("printer", gone=True),
}
