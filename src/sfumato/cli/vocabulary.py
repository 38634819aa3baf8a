"""``sfumato vocabulary``: public vocabularies, grown from public seeds by asking a language model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.abstract.chat import ChatModel, Price, shortfall
from sfumato.building.chat import ChatChoice
from sfumato.building.vocabularies import BUILTIN
from sfumato.cli import options as choices
from sfumato.cli.chat_options import ChatOptions, told_first
from sfumato.cli.commands import group
from sfumato.cli.flags import command
from sfumato.cli.printing import named, printing, progress_bar, tell
from sfumato.errors import ConfigurationError
from sfumato.evaluation.bench import Estimated
from sfumato.models.chat.endpoint import Endpoint
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.vocabularies.growing.growth import ENOUGH, Growth, GrowthPlan, estimated, grow
from sfumato.vocabularies.growing.seeds import Seeds, builtin_seeds, read_seeds
from sfumato.vocabularies.growing.writing import Destination, facts_of

app = group("Public vocabularies: grow one from seed phrases by asking a language model.")


@dataclass(frozen=True)
class GrowOptions:
    """Which seeds, and how many phrases of which kind are wanted."""

    label: Annotated[
        list[str] | None, typer.Option(help="Label of a .txt list; of .json or builtin, which to grow (repeatable).")
    ] = None
    count: Annotated[int, typer.Option(help="New phrases wanted for each label.")] = GrowthPlan.wanted
    stated_public: Annotated[
        bool, typer.Option("--seeds-are-public", help="You say so: they are sent, and become part of the vocabulary.")
    ] = False
    private: Annotated[
        list[Path] | None, typer.Option(help="A private file or folder, which seeds must not be (repeatable).")
    ] = None
    only_new: Annotated[bool, typer.Option("--only-new", help="Leave the seeds out of the vocabulary.")] = False
    least: Annotated[
        float | None,
        typer.Option("--min-similarity", help="Drop what is further from all seeds (cosine of the encoder)."),
    ] = None
    rounds: Annotated[int, typer.Option("--max-rounds", help="Rounds of questions at most.")] = GrowthPlan.rounds
    seed: Annotated[int, typer.Option(help="Of the choice of examples.")] = GrowthPlan.seed
    encoder: Annotated[str | None, typer.Option(help="Sentence encoder (folder or name).")] = None

    @property
    def plan(self) -> GrowthPlan:
        """Return what is wanted. Raises ConfigurationError."""
        return GrowthPlan(self.count, self.rounds, self.least, self.seed)

    def seeds(self, name: str) -> Seeds:
        """Return the public seeds called ``name``. Raises ConfigurationError for private ones, or none."""
        if name == BUILTIN:
            return builtin_seeds(self.label or [])
        private = self.private or []
        return read_seeds(Path(name), self.label or [], stated_public=self.stated_public, private=private)


@app.command("grow")
@command
def grow_vocabulary(
    seeds: Annotated[
        str, typer.Argument(help="PUBLIC seeds: a .txt list, a .json object of lists by label, or builtin.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", callback=named, help="A .json, .txt or .safetensors vocabulary.")
    ],
    grown: GrowOptions,
    chat: ChatOptions,
    force: choices.Force = False,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Ask a language model for phrases of the same kind as public seeds, and write a vocabulary of both.

    Beside OUTPUT stands OUTPUT.provenance.json: which model, which seeds, what was asked, received and refused. The
    vocabulary is for `--set vocabulary.LABEL=OUTPUT`. Never use private phrases: the vocabulary gives them away.
    """
    choice, plan = chat.choice("Growing a vocabulary", 1, grown.seed), grown.plan
    given = grown.seeds(seeds)
    place = Destination(output, force)
    place.check(given)
    if chat.dry_run:
        _estimate(given, plan, choice.price, as_json)
        return
    told_first(_notice(choice, place))
    silent = quiet or as_json
    with progress_bar("Loading the models", silent):
        model, network = choice.made(place.asked), SentenceEncoder(grown.encoder)
        network.encode(["a"])  # what is missing is told before the first question
    with progress_bar("Asking for phrases", silent) as told:
        growth = grow(model, given, plan, network, told)
    facts = _written(growth, given, place, choice, model, network, {**vars(plan), "only_new": grown.only_new}, silent)
    with printing(place.output, place.provenance):
        tell({"output": str(place.output), "provenance": facts}, _lines(growth, place), as_json, quiet)


def _estimate(seeds: Seeds, plan: GrowthPlan, price: Price | None, as_json: bool) -> None:
    """What the language model would be asked at least."""
    estimate = estimated(seeds, plan)
    line = f"{Estimated(estimate).sentence(price)} Every phrase that is a repeat or is refused makes it more."
    tell({"estimate": estimate.as_json()}, [line], as_json)


def _notice(choice: ChatChoice, place: Destination) -> str:
    """What a user must know before seeds go anywhere."""
    where = "stay on this machine" if choice.local else Endpoint(choice.name).way
    kept = f"answers are kept in {place.asked}" if choice.keep else "answers are not kept"
    return f"Questions to {choice.setting['chat_model']} show seeds, which are public, and {where}; {kept}."


def _written(
    growth: Growth, seeds: Seeds, place: Destination, choice: ChatChoice, model: ChatModel, network: SentenceEncoder,
    plan: dict[str, Any], silent: bool,
) -> dict[str, Any]:  # fmt: skip
    """Write the vocabulary and its provenance; the latter."""
    answered = {label: grown.phrases for label, grown in growth.labels.items()}
    if not any(answered.values()):
        raise ConfigurationError(
            f"The model gave no phrase that can be used ({_tally(growth)}); nothing was written. Try another model."
        )
    phrases = {label: own if plan["only_new"] else (*seeds.phrases[label], *own) for label, own in answered.items()}
    asked = {"name": model.id, "asked_at": "this machine" if choice.local else Endpoint(choice.name).place}
    facts = facts_of(growth, seeds, asked, network, plan)
    with progress_bar("Embedding", silent) as told:
        place.write(phrases, facts, network, told)
    return facts


def _tally(growth: Growth) -> str:
    spent = growth.spent
    received = sum(grown.received for grown in growth.labels.values())
    return (
        f"{spent.questions:,} questions, {spent.failed:,} without an answer, {spent.unreadable:,} answers that could "
        f"not be read, {received:,} phrases received"
    )


def _lines(growth: Growth, place: Destination) -> Iterator[str]:
    """Yield what was asked and received, and where it is."""
    for label, grown in growth.labels.items():
        refused = ", ".join(f"{number:,} {why}" for why, number in sorted(grown.refused.items()))
        short = "" if grown.ended == ENOUGH else f"; stopped: {grown.ended}"
        new = f"{label}: {len(grown.phrases):,} of {grown.wanted:,} new phrases{short}"
        yield f"{new}. Refused: {refused or 'none'}."
    yield f"{_tally(growth)}."
    if why := shortfall(growth.spent):
        yield f"Beware: {why}."
    yield f"Read the phrases before you use them: {place.output}; where they come from: {place.provenance}"
