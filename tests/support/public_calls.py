"""The public face, found by inspection, and for each callable one call that works: a table for tests of arguments.

A test replaces one argument of such a call, so that it is the only thing that is wrong.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import sfumato
from contracts.rows import DETECTORS, METHODS, NEED_MODELS, TEXTS, WORDS, answering
from sfumato import registry
from sfumato.abstract.choice import MethodChoice
from sfumato.abstract.treated import Treated
from sfumato.batch import Sanitize
from sfumato.building.detectors import detector_class
from sfumato.building.offers import Offer
from sfumato.building.synthesizers import build_synthesizer, synthesis_options
from sfumato.detectors.disclosures import Disclosures
from sfumato.ledger import Budget, Head, Ledger, Level, Reservation, made_key
from sfumato.options.option import options_of
from sfumato.policy.policy import _SECTIONS
from sfumato.protection.request import Request
from sfumato.text.marks import Spans

VALUES = {
    "Audit", "Certificate", "Compared", "Composed", "Evaluation", "Finding", "Guarantee", "Law", "Polished",
    "Preview", "Release", "Released", "Replacement", "Restored", "Span", "Synthesized",
}  # fmt: skip
"""Classes whose objects sfumato makes and hands out: they hold what they are given."""
INSIDE = {
    "BlackBox.sampler", "ChatChoice.made", "ChatChoice.notice", "Document.several", "DrawnTokens.described",
    "DrawnTokens.law", "DrawnTokens.law_over", "DrawnTokens.outputs", "DrawnTokens.planned", "DrawnTokens.route_of",
    "DrawnTokens.under", "Engine.with_parts", "FileOptions.must_have", "FileOptions.places", "FileOptions.reading",
    "FileOptions.stays",
    "Guarantee.of_any_two_tokens", "Ledger", "Ledger.publish", "Ledger.reserve", "Plan.only", "Release.joined",
    "Release.of_parts", "Release.several", "Request.run",
    "Route.described", "Route.drawn", "Route.marked", "Route.tokens",
    "SanitizingMiddleware.awrap_model_call", "SanitizingMiddleware.awrap_tool_call",
    "SanitizingMiddleware.wrap_model_call", "SanitizingMiddleware.wrap_tool_call",
    "Sanitizer.kind", "Sanitizer.treatment_of", "Sanitizer.treatment_of_value", "Vocabulary.find",
    "Vocabulary.measured_in", "Vocabulary.medoid", "Vocabulary.project", "Vocabulary.subset",
}  # fmt: skip
"""Methods by which one part of sfumato asks another, often many times a record."""
ENGINES = {
    "drawn": "santext", "contextual": "dp-mlm", "replaced": "redaction", "whole": "paraphrase",
}  # fmt: skip
POLICY = sfumato.Policy.parse(
    "[find]\ndetect = ['list:names.txt']\n[treat_others]\nmethod = 'label'\n[accept]\nutility_lower = 0.5\n"
)
LAW = ("one", ("one", "two"), np.array([0.6, 0.4]), "exact", "santext", 1.0, 1.0, None)


@cache
def public() -> dict[str, tuple[Callable[..., Any], list[str]]]:
    """Every public callable by its name, with its arguments; a choice of a method has the options of `build`."""
    from sfumato.agents.langchain import SanitizingMiddleware  # whose packages take a while

    found: dict[str, Any] = {}
    further = (Sanitize, Request, SanitizingMiddleware)
    for value in [*(getattr(sfumato, name) for name in sfumato.__all__), *further]:
        if inspect.isfunction(value):
            found[value.__name__] = value
        elif inspect.isclass(value) and not issubclass(value, (BaseException, MethodChoice)):
            found |= {} if value.__name__ in VALUES or inspect.isabstract(value) else {value.__name__: value}
            members = {**vars(Treated), **vars(value)} if value is sfumato.Sanitizer else vars(value)
            own = {name: getattr(member, "__func__", member) for name, member in members.items()}
            methods = [name for name, member in own.items() if inspect.isfunction(member) and name[0] != "_"]
            found |= {f"{value.__name__}.{name}": own[name] for name in methods}
    arguments = {name: _arguments(value) for name, value in found.items() if name not in INSIDE}
    return {name: (found[name], own) for name, own in arguments.items() if own}


def _arguments(function: Callable[..., Any]) -> list[str]:
    every = inspect.signature(function).parameters.values()
    return [each.name for each in every if each.name not in ("self", "cls") and each.kind is not each.VAR_KEYWORD]


def _method(name: str) -> dict[str, Any]:
    """Return the options with which the method ``name`` is built here."""
    row = METHODS[name]
    plain = {key: value.format(names="names.txt") if key == "detect" else value for key, value in row.options.items()}
    chat = {"chat_model": answering(registry.method_class(name), Disclosures)} if row.asks else {}  # type: ignore[arg-type]
    return {**plain, **chat, **({} if row.epsilon is None else {"epsilon": row.epsilon})}


@cache
def engine(name: str) -> sfumato.Sanitizer:
    if name == "policy":
        return sfumato.build_policy(POLICY)
    return sfumato.build(ENGINES[name], **_method(ENGINES[name]))


DOCUMENT = sfumato.Document(TEXTS[0], "a")
FACE: dict[str, dict[str, Any]] = {
    "sanitize_batch": {"documents": [DOCUMENT], "randomness": None},
    "sanitize_marked": {"documents": [DOCUMENT], "randomness": None},
    "staying": {"documents": [DOCUMENT], "detected": [Spans([])]},
    "planned": {"documents": [DOCUMENT]},
    "records": {"documents": [DOCUMENT]},
    "sanitize": {"text": TEXTS[0], "randomness": None},
    "sanitize_stream": {"texts": [TEXTS[0]], "randomness": None, "batch": None},
    "preview": {"text": TEXTS[0], "randomness": None},
    "spans": {"document": DOCUMENT},
    "prepare": {"progress": None},
    "suited_to": {"randomness": sfumato.SystemRandomness()},
    "explain": {"text": TEXTS[0], "position": None, "label": None},
    "cost": {"draws": 2, "records": 10},
    "cost_of_person": {"spent": 2, "draws": [2], "people": 10},
    "check_fields": {"files": sfumato.FileOptions()},
    "reporting": {"on_draws": None},
    "pseudonyms": {"documents": [DOCUMENT]},
}
"""The methods of a sanitizer, each with a call that works."""
RUN: dict[str, Any] = {
    "workers": 1, "engine": "processes", "overwrite": True, "resume": False, "map": None, "map_key": None,
    "rounds": None, "randomness": None, "ledger": None, "ledger_key": None, "progress": None, "begin": None,
}  # fmt: skip
FINDING: dict[str, Any] = {
    "spans_field": None, "skip_labels": (), "merge_spans": False, "allow": (), "deny": (),
}  # fmt: skip
RESERVED = Reservation("x", Head(1, "0" * 64))
CALLS: dict[str, dict[str, Any]] = {
    "audit": {"method": "santext", "tokens": ("one", "two"), "texts": None, "position": 0, "label": None,
              "samples": 200, "confidence": 0.9, "prior_tokens": 4, "audits": 1, "randomness": None,
              "progress": None, "epsilon": 2.0, "vocabulary": WORDS},
    "build": {"method": "santext", "epsilon": 2.0, "progress": None, "vocabulary": WORDS},
    "build_policy": {"policy": POLICY, "encoder": None, "progress": None},
    "compare": {"plan": "none.toml", "output": None, "input": None, "progress": None},
    "detector": {"name": "words", "options": None, **FINDING},
    "evaluate": {"original": "in.jsonl", "release": "none.jsonl", "output": None, "chat_model": None,
                 "show_text": False, "progress": None, "attacks": (), "metrics": ()},
    "find_file": {"detector": sfumato.detector("words"), "input": "in.jsonl", "options": None,
                  "write": lambda _: None, "show_text": False, "progress": None},
    "load_vocabulary": {"path": "none.txt", "encoder": None, "words": None, "lower": False, "progress": None},
    "mechanism": {"name": "santext", "vocabulary": WORDS, "epsilon": 2.0},
    "polish": {"release": "in.jsonl", "output": "polished.jsonl", "chat_model": None, "files": None,
               "overwrite": False, "progress": None},
    "restore": {"release": "in.jsonl", "map": "m", "output": "o", "key": None, "pseudonyms": False, "record": None,
                "overwrite": False},
    "sanitize_file": {"method": "redaction", "input": "in.jsonl", "output": "out.jsonl", "epsilon": None, **RUN,
                      "detect": "list:names.txt"},
    "synthesize_file": {"method": "predict", "input": "none.jsonl", "output": "s.jsonl", "units": 100, "records": 5,
                        "epsilon": 1.0, "delta": None, "no_guarantee": False, "codes": (), "public_fields": (),
                        "unit_field": None, "texts_per_unit": 1, "overwrite": False, "resume": False,
                        "save_model": None, "randomness": None, "progress": None},
    "sanitize": {"method": "santext", "text": TEXTS[0], "epsilon": 2.0, "randomness": None, "vocabulary": WORDS},
    "protect": {"input": "in.jsonl", "output": "safe", "policy": POLICY, "key": "signing.key", "keep": None,
                "labels": (), "workers": 1, "overwrite": False, "resume": False, "sample": 500, "seed": 0,
                "trials": True, "ledger": None, "ledger_key": None, "decisions": None, "anyway": False,
                "progress": None, "tell": None},
    "verify": {"folder": "none.release", "key": None},
    "Request": {"input": "in.jsonl", "policy": POLICY, "name": "safe"},
    "Sanitize": {"method": "santext", "epsilon": 2.0, "text_field": "text", "id_field": "id", "subject_field": None,
                 "keep": (), "draws_field": None, "person_field": None, "pin": None},
    "SanitizingMiddleware": {"policy": POLICY, "pseudonyms": "typed", "images": False},
    "Sanitize.schema": {"schema": pa.schema([("id", pa.string()), ("text", pa.string())])},
    "Sanitize.batches": {"batches": []},
    "Sanitize.statement": {"tables": []},
    "Policy": {"treat": (), "name": "x"},
    "Policy.load": {"name": "clinical"},
    "Policy.parse": {"toml": "x = 1", "folder": Path()},
    "Policy.of": {"tables": POLICY.as_tables(), "folder": Path()},
    "Policy.with_changes": {"changes": {}},
    "Policy.treatment_of": {"kind": "DATE"},
    "Policy.treatment_of_label": {"label": "DATE"},
    "PinnedRandomness": {"key": bytes(range(32))},
    "SeededRandomness": {"seed": 1},
    "FileOptions": {},
    "Plan": {},
    "ChatChoice": {"name": "local:x"},
    "BlackBox": {"inputs": ("a", "b"), "command": "true"},
    "Document": {"text": "a"},
    "Vocabulary": {"tokens": ("a", "b"), "vectors": [[0.0], [1.0]], "provenance": "toy"},
    "Route": {"mechanism": None},
    "DrawnTokens": {"routes": None, "default": "words"},
    "Engine": {"detector": sfumato.detector("words"), "others": None},
    "Law.probability": {"outcome": "one"},
    "Law.top": {"count": 5},
    "Law.rest": {"count": 5},
    "Law.as_dict": {"count": 5},
    "Compared.matched": {"success": 0.5, "measure": None},
    "Evaluation.study": {"name": "linkage"},
    "Ledger.void": {"reservation": RESERVED, "name": "Ada", "reason": "a trial"},
    "Ledger.raise_cap": {"level": Level.RECORD, "currency": "AGE per year", "cap": 2.0, "name": "Ada", "reason": "x"},
    "Ledger.admit": {"digest": "0" * 32, "name": "Ada", "reason": "a trial"},
}  # fmt: skip
"""Every other public callable, with a call that works or fails only where nothing of its arguments is wrong."""
OBJECTS: dict[str, Callable[[], Any]] = {
    "Ledger": lambda: _ledger(),
    "Policy": lambda: POLICY,
    "Law": lambda: sfumato.Law(*LAW),  # type: ignore[arg-type]
    "Compared": lambda: sfumato.Compared(Path(), ()),
    "Evaluation": lambda: sfumato.Evaluation({}, ()),
    "Sanitize": lambda: Sanitize("santext", 2.0, vocabulary=WORDS, draws_field="draws"),
}


def _ledger() -> Ledger:
    """Return a ledger of its own for each call."""
    name = f"{len(list(Path().glob('*.key')))}.sqlite"
    made_key(key := Path(f"{name}.key"))
    return Ledger.begin(name, key, Budget("notes", {Level.RECORD: {"AGE per year": 10**9}}))


def _bound(name: str) -> Callable[..., Any]:
    """Return the public callable ``name``; a method is that of an object."""
    owner, _, method = name.partition(".")
    if method in FACE:
        function = getattr(engine(owner), method)
    else:
        function = getattr(OBJECTS[owner](), method) if method else public()[name][0]
    return (lambda **given: list(function(**given))) if method in ("sanitize_stream", "batches") else function


def _given(name: str) -> dict[str, Any]:
    given = dict(FACE.get(name.partition(".")[2]) or CALLS[name])
    if name == "Route":
        given["mechanism"] = sfumato.mechanism("santext", WORDS, 2.0)
    routes = {"words": sfumato.Route(sfumato.mechanism("santext", WORDS, 2.0))}
    if name == "DrawnTokens":
        given["routes"] = routes
    if name == "Engine":
        given["others"] = sfumato.DrawnTokens(routes, "words")
    return given


HANDED_ON: dict[str, Any] = {
    "evaluate": sfumato.Plan, "sanitize_file": sfumato.FileOptions, "synthesize_file": sfumato.FileOptions,
    "protect": sfumato.FileOptions,
}  # fmt: skip
"""Functions whose options are the fields of a class."""
Case = tuple[str, str, Callable[[Any], Any]]


def cases() -> Iterator[Case]:
    """Yield every argument of every public callable, and every option, with what calls it."""
    for name, (_, arguments) in public().items():
        owner, _, method = name.partition(".")
        for engine_name in [*ENGINES, "policy"] if method in FACE and owner == "Sanitizer" else []:
            yield from _each(f"{engine_name}.{method}", arguments)
        if method not in FACE:
            yield from _each(name, arguments)
    seen = set[tuple[str, str]]()
    for method in METHODS:
        own = {option.name for option in options_of(registry.method_class(method))}
        for option in Offer(method).everything:  # those of an engine are the same for each method that it runs
            if option.name in own or (registry.family(method), option.name) not in seen:
                yield f"build {method}", option.name, partial(_build, method, option.name)
            seen.add((registry.family(method), option.name))
    for found in DETECTORS:
        for option in () if found in NEED_MODELS else options_of(detector_class(found.replace("FILE", "x"))):
            yield f"detector {found}", option.name, partial(_detector, found, option.name)
    for kind in registry.SYNTHESIZERS:
        for option in synthesis_options(kind):
            yield f"synthesize {kind}", option.name, partial(_synthesizer, kind, option.name)
    for section, cls in _SECTIONS.items():
        for option in options_of(cls):
            yield f"Policy.of [{section}]", option.name, partial(_policy, section, option.name)
    for function, cls in HANDED_ON.items():
        for field in fields(cls):
            if field.name not in CALLS[function] or field.name in ("attacks", "metrics"):
                yield function, field.name, partial(call, function, field.name)


def _each(name: str, arguments: list[str]) -> Iterator[Case]:
    for argument in arguments:
        yield name, argument, partial(call, name, argument)


def call(name: str, argument: str, wrong: Any) -> Any:
    function, given = _bound(name), {**_given(name), argument: wrong}
    kinds = inspect.signature(function).parameters
    first = [given.pop(key) for key in kinds if kinds[key].kind is inspect.Parameter.POSITIONAL_ONLY]
    return function(*first, **given)


def _build(name: str, option: str, wrong: Any) -> Any:
    usual = wrong is None or (option == "vocabulary" and isinstance(wrong, dict) and not wrong)
    return None if usual else sfumato.build(name, **{**_method(name), option: wrong})


def _detector(name: str, option: str, wrong: Any) -> Any:
    return sfumato.detector(DETECTORS[name](Path())[0], options={option: wrong})


def _synthesizer(name: str, option: str, wrong: Any) -> Any:
    return build_synthesizer(name, **{option: wrong})


def _policy(section: str, option: str, wrong: Any) -> Any:
    return sfumato.Policy.of({**POLICY.as_tables(), section: {option: wrong}})
