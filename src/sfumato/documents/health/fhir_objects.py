"""A resource of FHIR: each element is yielded, numbered, left out, or of a kind that holds no text of people."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from sfumato.documents.health import fhir_names as names
from sfumato.documents.health.exact_json import Number
from sfumato.documents.health.fhir_attachments import attachment
from sfumato.documents.health.fhir_strings import At, Strings
from sfumato.documents.health.fhir_values import (
    MASKED,
    is_amount,
    is_contact,
    is_local,
    is_of_census,
    is_of_standard,
    label_of,
    lead_of_identifier,
    mask,
    parts_named,
    put,
    read_amount,
    read_parts,
    write_amount,
    write_parts,
)  # fmt: skip
from sfumato.documents.health.narrative import narrative
from sfumato.documents.health.public_uris import is_public
from sfumato.documents.rules import KEEP, TREAT, Refused
from sfumato.documents.slot import Slot

Texts = Generator[Slot, None, None]
_PROPERTIES = frozenset({"lastUpdated", "source", "versionId"})
_SHORT = re.compile(r"[A-Za-z][A-Za-z0-9\-]{0,40}")


@dataclass(slots=True)
class Resources(Strings):
    """The walk over the resources of one record, which writes edits into them."""

    def resource(self, node: dict[str, Any], at: At) -> Texts:
        """Walk over a resource. One of no known type is as the rules say: an empty Basic resource, or kept."""
        kind, name = node.get("resourceType"), "a resource of no known type"
        if isinstance(kind, str) and kind in names.names().types:
            name = kind
        else:
            is_plain = isinstance(kind, str) and _SHORT.fullmatch(kind) is not None
            if self.visit.rule("unknown", f"{at.place}, {name}") != KEEP or not is_plain:
                node.clear()
                node |= {"resourceType": "Basic", "code": {"extension": [dict(MASKED)]}}
                return
        place, shown = (
            f"{where}{mark}{name}".removeprefix(mark) for where, mark in ((at.place, ", "), (at.shown, "."))
        )
        yield from self.object(node, At(place, shown, is_resource=True))

    def object(self, node: dict[str, Any], at: At) -> Texts:
        """Walk over the elements of an object."""
        done = {"resourceType"} if at.is_resource else set[str]()
        if title := label_of(node if "linkId" in node else node.get("code")):
            at = replace(at, title=title)
        if "coding" in node or ("code" in node and "display" in node):
            at = replace(at, lead="")  # a term, of which a detector would make somebody's name
        file = next((key for key in ("data", "content") if isinstance(node.get(key), str)), "")
        if file and ("contentType" in node or node.get("resourceType") == "Binary"):
            yield from attachment(
                node, file, self.visit, self.text_at(at), f"{at.place}, {file}", self.record, self.fields
            )
            done |= {file, "size", "hash"}
        elif is_amount(node):
            done |= yield from self._amount(node, at)
        elif keys := parts_named(node):
            composed = read_parts(node, keys)
            write_parts(node, keys, composed, (yield from self.edits(composed.text, at)))
            done |= {*keys}
        elif is_contact(node):
            at = replace(at, title=names.lead_of("telephone" if node["system"] == "phone" else node["system"])[:-2])
            done.add("system")
        elif isinstance(node.get("value"), str) and ("system" in node or "type" in node):
            at = replace(at, title=lead_of_identifier(node))
        if is_local(node) and "code" not in done:
            node["code"] = yield from self.text(node["code"], at.member("code"))
            if not node["code"].strip():
                mask(node, "code")
            done.add("code")
        elif is_of_standard(node):
            done.add("code")
        for key in list(node):
            if key not in done and key in node:
                yield from self._member(node, key, at)

    def _amount(self, node: dict[str, Any], at: At) -> Generator[Slot, None, set[str]]:
        composed = read_amount(node)
        unit = "unit" if "unit" in node else "code"
        if not write_amount(node, composed, (yield from self.edits(composed.text, at))):
            mask(node, "value")
        return {"value", "comparator", "currency", unit}

    def _member(self, node: dict[str, Any], key: str, at: At) -> Texts:
        name = key.removeprefix("_")
        if name not in names.names().values:
            if self.visit.rule("unknown", f"{at.place}, an element of no known name") != KEEP:
                del node[key]
                return
            if not _SHORT.fullmatch(name):
                raise Refused(f"an element has a name that FHIR has for none, at {at.place}; leave it out")
            at = replace(at, known=False)
        elif key in ("extension", "modifierExtension"):
            yield from self._extensions(node, key, at)
            return
        elif name in _PROPERTIES and (rule := self.visit.rule("properties", f"{at.place}, {name}")) != TREAT:
            if rule != KEEP:
                del node[key]
            return
        elif "sigFormat" in node and name == "data":
            if self.visit.rule("unknown", f"{at.place}, a signature") != KEEP:
                del node[key]
            return
        value = node[key]
        if isinstance(value, list):
            for index, each in enumerate(value):
                yield from self._value(node, key, each, at.member(key, index + 1), index)
            if value and all(each is None for each in value) and f"_{key}" not in node:
                del node[key]
        else:
            yield from self._value(node, key, value, at.member(key))

    def _value(self, node: dict[str, Any], key: str, value: Any, at: At, index: int | None = None) -> Texts:
        if isinstance(value, list):
            raise Refused(f"a list lies in a list, at {at.place}; FHIR has none")
        if isinstance(value, dict):
            yield from self._inner(node, key, value, at, index)
        elif isinstance(value, str):
            new = yield from self.string(key, value, at)
            if new is None or (new != value and not new.strip()):
                mask(node, key, index)
            elif new != value:
                put(node, key, new, index)
        elif isinstance(value, Number) and not names.is_count(key, value.text):
            number = yield from self.text(value.text, at)
            if number != value.text and names.NUMBER.fullmatch(number):
                put(node, key, Number(number), index)
            elif number != value.text:
                mask(node, key, index)

    def _inner(self, node: dict[str, Any], key: str, value: dict[str, Any], at: At, index: int | None) -> Texts:
        if "resourceType" in value:
            yield from self.resource(value, replace(at, place=at.place.removesuffix(", resource")))
        elif key == "text" and isinstance(value.get("div"), str):
            inner = replace(at, lead="", title="")
            new = yield from narrative(value["div"], self.visit, self.edits_at(inner), self.link_at(inner), at.place)
            if new is None:
                del node[key]
            else:
                value["div"] = new
        else:
            before = bool(value)
            yield from self.object(value, at)
            if before and not value and key.startswith("_"):
                put(node, key, None, index)
                if index is None:
                    del node[key]
            elif before and not value:
                value["extension"] = [dict(MASKED)]

    def _extensions(self, node: dict[str, Any], key: str, at: At) -> Texts:
        kept = list[dict[str, Any]]()
        for each in node[key] if isinstance(node[key], list) else [node[key]]:
            url = each.get("url") if isinstance(each, dict) else None
            known = isinstance(url, str) and (is_public(url) or (at.inside and _SHORT.fullmatch(url) is not None))
            if not known and self.visit.rule("unknown", f"{at.place}, an extension of no known address") != KEEP:
                if key == "modifierExtension":
                    raise Refused(
                        "it holds an extension of no known address that changes what its element means, at "
                        f'{at.place}; remove it, or choose unknown = "keep"'
                    )
                continue
            if not isinstance(url, str):
                raise Refused(f"an extension has no address, at {at.place}; leave it out")
            kept.append(each)
            if is_of_census(each):
                continue
            inner = at.extension(key, len(kept), url if known else "")
            for name in [name for name in each if name != "url"]:
                yield from self._member(each, name, inner)
            for name in [name for name in each if name.startswith("_value") and name[1:] not in each]:
                if isinstance(each[name], dict) and "extension" in each[name]:
                    each["extension"] = each.pop(name)["extension"]  # one without a value has others in it
        if kept:
            node[key] = kept
        else:
            del node[key]
