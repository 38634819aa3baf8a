"""Build a synthesizer by its name: its models, and its own options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.abstract.synthesizer import Synthesizer
from sfumato.building.chat import chat_use
from sfumato.building.models import CAUSAL, load_model
from sfumato.building.option_groups import CHAT, NEEDS
from sfumato.options.option import Described, chosen, options_of, parts_of

ENCODER = "encoder"


def synthesis_options(name: str) -> tuple[Described, ...]:
    """Return the options of the synthesizer called ``name``: its own, and those of the models it needs."""
    kind = registry.synthesizer_class(name)
    brought = [option for need in kind.needs if need in NEEDS for option in options_of(NEEDS[need])]
    return (*options_of(kind), *brought)


def owners(name: str) -> dict[str, Described]:
    """Return the synthesizers of this package that have an option called ``name``, with what they say of it."""
    every = ((kind, option) for kind in registry.SYNTHESIZERS for option in synthesis_options(kind))
    return {kind: option for kind, option in every if option.name == name}


def build_synthesizer(name: str, **options: Any) -> Synthesizer:
    """Return the synthesizer called ``name``. Its models are named, and loaded when it is prepared.

    Raise ConfigurationError for a name or an option that does not exist, or a model that cannot serve.
    """
    kind = registry.synthesizer_class(name)
    values = chosen(name, options, synthesis_options(name), owners)
    own = {option.name for option in options_of(kind)}
    parts: dict[str, Any] = {}
    if CAUSAL in kind.needs:
        named = {option.name for option in options_of(NEEDS[CAUSAL])}
        parts["model"] = load_model(name, **{key: values[key] for key in named & values.keys()})
    if CHAT in kind.needs:
        parts[CHAT] = chat_use(name, values.get("chat_model"), ready=False)  # asked when it is prepared
    if ENCODER in kind.needs:
        parts[ENCODER] = _encoder(values.get(ENCODER))
    made: Synthesizer = kind(
        **{key: value for key, value in parts.items() if key in parts_of(kind)},
        **{key: value for key, value in values.items() if key in own},
    )
    return made


def public_files(name: str, options: Mapping[str, Any]) -> list[Path]:
    """Return the files and folders among ``options`` that are read to build it: all of them must be public."""
    named = [options.get(option.name) for option in synthesis_options(name) if option.option.file]
    return [Path(value) for value in named if isinstance(value, str | Path) and Path(value).exists()]


def _encoder(encoder: Any) -> Any:
    from sfumato.models.encoders.sentence import SentenceEncoder

    if encoder is None:
        return SentenceEncoder()
    return SentenceEncoder(str(encoder)) if isinstance(encoder, str | Path) else encoder
