"""Private prediction: a model writes texts in the manner of the records, and is never trained on them.

The idea is PATE's (Papernot et al. 2017) and that of private prediction (Dwork and Feldman 2018), as used for text by
Amin et al. (Private prediction for large-scale synthetic text generation, 2024): several private examples vote on
every token, each by clipped scores. Ours differs: contributions are clipped beside the public model's scores and not
by themselves, outcomes come from a public set, group sizes are random and the divisor fixed (so the relation is
add-or-remove one), and every drawn token is charged, public or not.

Claim. With t texts of at most L tokens a group, a group is t·L·ρ-zCDP for one member more or less, ρ that of
:mod:`~sfumato.synthesis.predict.law`, because tokens compose adaptively. A text that ends early is charged in full. A
unit is in one group, drawn in secret among a number that is fixed beforehand
(:mod:`~sfumato.synthesis.predict.groups`), so the run costs less than the group
(:mod:`sfumato.privacy.allocation`). The Rényi conversion to (ε, δ) is :func:`sfumato.privacy.accounting.epsilon_of`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.abstract.models import CausalModel
from sfumato.abstract.synthesizer import Order, Synthesizer, Unit, Workspace
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.options.option import Option, Part
from sfumato.synthesis.predict.groups import KeptTexts, formed, joined
from sfumato.synthesis.predict.law import Prompts, TokenLaw, write_texts
from sfumato.synthesis.predict.schedule import LEAST_SIZE, MOST_SIZE, PredictSchedule, scheduled, timed
from sfumato.types import Progress

INSTRUCTION, WITHOUT, LABEL = "Here are two texts of the same kind.", "Here is a text.", "Text"
_CHARACTERS = 32  # of a piece at most, on the average of a text
LEAST_CLIP, MOST_CLIP = 1.0, 4.0
_BLANK_LINES = re.compile(r"\n\s*\n")


@dataclass(frozen=True, eq=False)
class Predict(Synthesizer):
    """Writes texts whose every token is drawn from the mean of what a model says beside each of a group's records."""

    model: Annotated[CausalModel, Part("the language model")]
    group_size: Annotated[
        int | None, Option("people or records behind a text; none: the fewest that the budget allows, from 8 to 64")
    ] = None
    clip: Annotated[
        float | None,
        Option(
            "most that one record adds to the score of a token, in nats; none: 1, and up to 4 if the budget allows"
        ),
    ] = None
    temperature: Annotated[float, Option("of every draw; a low one costs more")] = 1.0
    top_k: Annotated[int, Option("tokens that can be drawn: those with the best scores without a record")] = 100
    length: Annotated[int, Option("most tokens of a synthetic text; all are paid for")] = 64
    record_length: Annotated[int, Option("most tokens of a record that are read")] = 128
    instruction: Annotated[str, Option("what precedes a record and the text to be written")] = INSTRUCTION
    without: Annotated[str, Option("what precedes the text to be written where no record is shown")] = WITHOUT
    label: Annotated[str, Option("what a text is called there, such as: Customer review")] = LABEL
    name: ClassVar[str] = "predict"
    needs: ClassVar[tuple[str, ...]] = ("causal-model",)
    default_model: ClassVar[str | None] = "smollm2"
    takes_public_fields: ClassVar[bool] = True
    visible: ClassVar[tuple[str, ...]] = ("which texts were written by the same group",)
    proof: ClassVar[str] = (
        "Dong, Durfee and Rogers 2020, Cesar and Rogers 2021, Feldman and Shenfeld 2025: docs/synthesis.md#predict"
    )
    resolution: ClassVar[str] = "draws from 64-bit weights; the claim includes what rounding of scores may move"

    def __post_init__(self) -> None:
        for name in ("top_k", "length", "record_length", "group_size"):
            value = getattr(self, name)
            least = 2 if name == "top_k" else 1
            if (type(value) is not int or value < least) and not (name == "group_size" and value is None):
                raise ConfigurationError(f"{name} is a whole number from {least} on, not {value!r}.")
        for name, low, high in (("clip", 1e-3, 100.0), ("temperature", 0.1, 10.0)):
            value = getattr(self, name)
            if value is None and name == "clip":
                continue
            if type(value) not in (int, float) or not low <= value <= high:
                raise ConfigurationError(f"{name} is a number from {low:g} to {high:g}, not {value!r}.")
        if not self.instruction.strip() or not self.without.strip() or not self.label.strip():
            raise ConfigurationError("An instruction or label is empty; say what the model shall write.")

    def schedule(self, order: Order) -> PredictSchedule:
        """Return the smallest groups, or those asked for, whose tokens fit the budget of ``order``.

        A model's network is loaded, because its size decides the time. Raise ConfigurationError if the groups do not
        fit, or if there are fewer units than a group has.
        """
        if order.epsilon is not None and getattr(self.model, "number_format", "float32") != "float32":
            raise ConfigurationError(
                "predict keeps its guarantee in float32 alone: coarser numbers let a record be seen in the scores of "
                "others; leave out number_format."
            )
        clip = None if order.epsilon is None else float(self.clip or LEAST_CLIP)
        sizes = range(LEAST_SIZE, MOST_SIZE + 1) if self.group_size is None else [self.group_size]
        law = TokenLaw(sizes[0], clip, float(self.temperature), self.top_k)
        made = scheduled(order, law, sizes, self.length, MOST_CLIP if self.clip is None else None)
        private = len(self.private_prompt("", [])) + self.record_length
        return timed(made, getattr(self.model, "network", None), private, len(self.public_prompt("")))

    def prepare(self, progress: Progress | None = None) -> None:
        """Load the model, and refuse one that cannot answer or whose window is too small."""
        if progress is not None:
            progress(0.0)
        self._check_window([""])
        if not np.isfinite(self.model.begin([self.public_prompt("")]).scores()).all():
            raise ConfigurationError("The model's scores are not numbers; give another model.")
        if progress is not None:
            progress(1.0)

    def synthesize(
        self,
        order: Order,
        schedule: PredictSchedule,
        units: Sequence[Unit],
        wanted: Sequence[int],
        workspace: Workspace,
        progress: Progress | None = None,
    ) -> Iterator[str]:
        """Yield a text for each of ``wanted``, as soon as it and all before it are finished."""
        codes = [order.codes[code] for code in wanted]
        self._check_window(dict.fromkeys(codes))
        groups = formed(wanted, schedule.groups, schedule.texts_per_group, schedule.choices)
        if groups.least < schedule.choices:
            raise GuaranteeError("A unit would be hidden among fewer groups than are paid for; report this.")
        kept = KeptTexts(workspace)
        membership = kept.membership(len(units))
        if membership is None:
            membership = joined(units, groups, workspace)
            kept.keep_membership(membership)
        examples = membership.examples(units)
        finished: dict[int, str] = {}
        done = 0
        for group, numbers in enumerate(groups.texts):
            records = examples.get(group, [])
            for number, text in self._written(group, numbers, codes, records, schedule, workspace):
                finished[number] = text
                while done in finished:
                    yield finished.pop(done)
                    done += 1
                    if progress is not None:
                        progress(done / len(wanted))

    def _written(
        self,
        group: int,
        numbers: Sequence[int],
        codes: Sequence[str],
        records: Sequence[str],
        schedule: PredictSchedule,
        workspace: Workspace,
    ) -> Iterator[tuple[int, str]]:
        """Yield the texts of a ``group``, ``numbers`` among all; those finished before are read from the folder."""
        kept = KeptTexts(workspace)
        texts = kept.texts(group)
        yield from zip(numbers, texts, strict=False)
        if len(texts) == len(numbers):
            return
        pieces = [self.read(record) for record in records]
        batch = max(1, self.model.rows // schedule.law.group_size)
        for first in range(len(texts), len(numbers), batch):
            part = numbers[first : first + batch]
            prompts = [
                Prompts(self.public_prompt(codes[n]), [self.private_prompt(codes[n], r) for r in pieces])
                for n in part
            ]
            uniforms = np.array([workspace.uniforms("token", number, schedule.length) for number in part])
            texts += write_texts(self.model, schedule.law, prompts, uniforms)
            kept.keep_texts(group, texts)
            yield from zip(part, texts[first:], strict=True)

    def read(self, text: str) -> list[int]:
        """Return the pieces of a record that are read; none of them is special. A blank line becomes a line break."""
        shown = _BLANK_LINES.sub("\n", text[: _CHARACTERS * self.record_length].strip())
        return self.model.pieces(f" {shown}")[: self.record_length]

    def private_prompt(self, code: str, record: Sequence[int]) -> list[int]:
        """Return the prompt for a text of ``code`` with the pieces of a ``record`` as an example."""
        before = self.model.pieces(f"{self.instruction}\n\n{self._labelled(code)}")
        return [*self.model.opening, *before, *record, *self.model.pieces(f"\n\n{self._labelled(code)}")]

    def public_prompt(self, code: str) -> list[int]:
        """Return the prompt for a text of ``code`` without an example."""
        return [*self.model.opening, *self.model.pieces(f"{self.without}\n\n{self._labelled(code)}")]

    def _labelled(self, code: str) -> str:
        return f"{self.label} ({code}):" if code else f"{self.label}:"

    def _check_window(self, codes: Iterable[str]) -> None:
        """Refuse a model whose window has no room for the longest record and text beside each of ``codes``."""
        longest = max(max(len(self.private_prompt(code, [])), len(self.public_prompt(code))) for code in codes)
        if longest + self.record_length + self.length > self.model.window:
            raise ConfigurationError(
                f"The model's window of {self.model.window} tokens has no room for {self.record_length} tokens of a "
                f"record and {self.length} of a text; give a smaller record-length or length, or another model."
            )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Return every public parameter and the model."""
        return {
            "model": self.model.id,
            "group_size": self.group_size,
            "clip": self.clip,
            "temperature": self.temperature,
            "top_k": self.top_k,
            "tokens_per_text": self.length,
            "tokens_read_of_a_record": self.record_length,
            "instruction": self.instruction,
            "instruction_without_a_record": self.without,
            "label": self.label,
        }
