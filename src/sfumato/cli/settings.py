"""Options of methods, detectors and policies on the command line: ``--set NAME=VALUE``, for all of them.

A name is that of Python and of a policy: ``k``, ``vocabulary.PERSON`` for one label, ``detect.strict`` for an
option of a detector, and ``treat.DATE.epsilon`` in a policy. Help and errors come from the annotations of options.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from sfumato import registry
from sfumato.building.offers import Offer
from sfumato.building.option_groups import DetectionOptions
from sfumato.building.synthesizers import synthesis_options
from sfumato.building.vocabularies import ANY
from sfumato.errors import ConfigurationError
from sfumato.language.languages import LANGUAGES
from sfumato.options.option import DETECT, OF_SPANS, Described, options_of
from sfumato.options.values import is_plain, read_text

_OF_POLICIES = (
    "treat.", "treat_others.", "find.", "fields.", "randomness.", "release.", "synthesize.", "against.", "accept.",
    "kinds.",
)  # fmt: skip
_FLAGS = {
    **{"mechanism": "--mechanism", "epsilon": "--epsilon", "detect": "--detect", "chat_model": "--chat-model"},
    **{"progress": "--quiet", "detect_options": "--set detect.NAME=VALUE"},
}
"""What is given in another way, and so is not set."""


def settings(typed: Iterable[str] | None) -> dict[str, str]:
    """Return what NAME=VALUE says, by name. Raise ConfigurationError for one without =, or a name twice.

    No value is repeated, and no name that is not plain: a policy may turn out to be something private.
    """
    given: dict[str, str] = {}
    for each in typed or ():
        name, equals, value = each.partition("=")
        name = name.strip().replace("-", "_") if "." not in name or name.startswith(DETECT) else name.strip()
        if name.startswith(DETECT):  # an option of given spans has two names
            own = name.removeprefix(DETECT)
            name = f"{DETECT}{OF_SPANS.get(own, own)}"
        if not equals:
            raise ConfigurationError(
                "--set is given something without =; it takes NAME=VALUE, such as k=8 or treat.DATE.epsilon=0.5."
            )
        if name in given:
            raise ConfigurationError(f"--set is given {name if is_plain(name) else 'a name'} twice; keep one.")
        given[name] = value.strip()
    return given


def of_method(typed: Mapping[str, str], detects: bool = False) -> dict[str, str]:
    """Return what is said of a method, which may run with detectors.

    Raise ConfigurationError for what has a flag, or what only a policy or a detector has.
    """
    own = {name: text for name, text in typed.items() if not (detects and name.startswith(DETECT))}
    for name in own:
        if name.startswith(DETECT):
            raise ConfigurationError(f"{name} is an option of detectors, and none is used here; leave it out.")
        if name.startswith(_OF_POLICIES):
            raise ConfigurationError(f"{name} is an option of a policy; name one with --policy.")
        if name in _FLAGS:
            raise ConfigurationError(f"--set is for what has no flag; {name} is given by {_FLAGS[name]}.")
    return own


def of_detectors(typed: Mapping[str, str], alone: bool = False) -> dict[str, str]:
    """Return what is said of detectors, without the prefix. Raise ConfigurationError for the rest if ``alone``."""
    if alone and (others := [name for name in typed if not name.startswith(DETECT)]):
        raise ConfigurationError(
            f"Options of detectors are set here, such as {DETECT}strict=high; {others[0]} is another option."
        )
    return {name.removeprefix(DETECT): text for name, text in typed.items() if name.startswith(DETECT)}


def values_of(typed: Mapping[str, str], known: Iterable[Described], prefix: str = "") -> dict[str, Any]:
    """Return what was ``typed`` as values of the ``known`` options, by name; of any other name its text.

    ``NAME.KEY=VALUE`` is one entry of a mapping, and NAME=VALUE beside it is for all other keys. Raise
    ConfigurationError for what is no value.
    """
    options = {option.name: option for option in known}
    values, entries = dict[str, Any](), dict[str, dict[str, str]]()
    for name, text in typed.items():
        head, dot, key = name.partition(".")
        option = options.get(head)
        if option is None or (dot and not option.by_key):
            values[name] = text
        elif dot:
            entries.setdefault(head, {})[key] = text
        else:
            values[name] = read_text(option, text, f"{prefix}{name}")
    for name, own in entries.items():
        every = values.get(name)
        values[name] = {**({} if every in (None, options[name].default) else {ANY: every}), **own}
    return values


def _settable(method: str, detectors: Sequence[str], policy: str | None) -> Iterator[tuple[str, str]]:
    """Yield the names that --set takes, each with what it does."""
    if policy:
        from sfumato.policy.changes import names

        yield from names()
        return
    own: Sequence[Described] = ()
    if method.lower() in registry.methods():
        offer = Offer(method)
        own, detectors = offer.options, detectors or offer.detectors
    elif method.lower() in registry.synthesizers():
        own = synthesis_options(method)
    of_detection = [*options_of(DetectionOptions)] if detectors else []
    for name in detectors:
        of_detection += options_of(registry.detector_class(name))
    for option in (*own, *of_detection):
        if option.name not in _FLAGS and not option.option.flag:
            yield f"{DETECT if option in of_detection else ''}{option.name}", option.option.help


def method_names(incomplete: str) -> list[tuple[str, str]]:
    """Return the methods whose names begin so, for a shell."""
    return [(name, row.about) for name, row in registry.methods().items() if name.startswith(incomplete)]


def detector_names(incomplete: str) -> list[tuple[str, str]]:
    """Return the detectors whose names begin so, for a shell."""
    return [(name, row.about) for name, row in registry.detectors().items() if name.startswith(incomplete)]


def _complete(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the names that --set takes behind what was typed before, for a shell."""
    typed = context.params
    try:
        every = dict(_settable(typed.get("mechanism") or "", typed.get("detect") or (), typed.get("policy")))
    except ConfigurationError:  # a name that does not exist is refused when the command runs
        return []
    return [(f"{name}=", about) for name, about in every.items() if name.startswith(incomplete)]


Language = Annotated[str | None, typer.Option(help=f"Language: {'/'.join(LANGUAGES)}, several in quotes, or auto.")]


def in_language(typed: Sequence[str] | None, language: str | None) -> list[str]:
    """Return what was set, with a ``language`` that was named as the detectors' option."""
    return [*(typed or ()), *([] if language is None else [f"{DETECT}language={language}"])]


Setting = Annotated[
    list[str] | None,
    typer.Option("--set", help="An option as NAME=VALUE (repeatable); see `sfumato list`.", autocompletion=_complete),
]
