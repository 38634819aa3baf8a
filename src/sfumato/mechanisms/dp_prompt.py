"""DP-Prompt (Utpala et al., Locally Differentially Private Document Generation Using Zero Shot Prompting, 2023).

An instruction-tuned model is asked to say a document in other words, and its answer is drawn piece by piece by its
scores: by their order, or as in the paper by a softmax.

Analysis. That of :mod:`sfumato.mechanisms._generative`: ε for each draw (the paper bounds that of its softmax by
2R/T; here the loss is exact), n·ε for the n draws of a document.

Differences from the paper and its evaluation in the DP-MLM paper (§5.1.2). Exact calibration. A causal chat model;
the latter used an encoder-decoder. The number of draws is public: taking the length of the input in pieces, as the
latter does, would show it to everyone exactly. The wording of the prompt is ours. The private text is laid into the
model's chat form in pieces, none of them special, so that it cannot end its turn and give orders in another role (it
may still give orders as text, and these change scores only). ``answer`` is put where the model's answer begins, so
that no draws are spent on a polite opening. Long documents are written in segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from sfumato.errors import ConfigurationError
from sfumato.mechanisms._generative import Generative
from sfumato.options.option import Option

INSTRUCTION = "Paraphrase the following text:"
ANSWER = "The same in other words:"


@dataclass(frozen=True, eq=False)
class DPPrompt(Generative):
    """Asks a chat model for the document in other words. ε is the price of one draw.

    ``instruction`` precedes the text, and the answer begins with ``answer``, which is not part of the release.
    """

    instruction: Annotated[str, Option("what the model is asked to do with the text")] = INSTRUCTION
    answer: Annotated[str, Option("how its answer begins, which is not part of the release")] = ANSWER
    name: ClassVar[str] = "dp-prompt"
    default_model: ClassVar[str | None] = "smollm2"
    _theorem: ClassVar[str] = "Utpala et al. 2023"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.instruction.strip():
            raise ConfigurationError("The instruction is empty; say what the model shall do with the text.")

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {**super().parameters, "instruction": self.instruction, "answer": self.answer}

    def prompt(self, pieces: Sequence[int]) -> list[int]:
        """Return the instruction and the text as a turn of a chat, and the beginning of the answer."""
        return [*self.model.prompt(self.instruction, pieces), *self.model.pieces(self.answer)]
