"""A language model that is asked during a run: its answers are kept beside the output, and its rounds are noted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.abstract.asking import ChatUse
from sfumato.abstract.journal import Journal
from sfumato.building.chat import ChatChoice
from sfumato.building.heuristics import whereabouts
from sfumato.files import Parts
from sfumato.release.companions import check_rounds


def answers_folder(output: Path) -> Path:
    """Return the folder that answers are kept in, in a folder of their own there."""
    return output.with_name(f"{output.name}.chat")


def chat_of_run(
    choice: ChatChoice, rounds: Path, input: Path, output: Path, replace: bool, resume: bool,
    beside: Sequence[Path] = (),
) -> ChatUse:  # fmt: skip
    """Return the model of ``choice``, ready to be asked, which notes in ``rounds`` what it found.

    ``beside`` are other files of this run. Rounds are resumed only if there are parts to resume: those of an earlier
    release are neither counted again nor replaced unless ``replace`` is set. Raises OutputError for a place of the
    rounds that must not be written, ConfigurationError for a model that does not answer.
    """
    resume = resume and Parts(output, "", "").folder.is_dir()
    check_rounds(rounds, input, output, replace or resume, beside)
    model = choice.made(answers_folder(output))
    return ChatUse(model, whereabouts(model), Journal(rounds, resume), choice.keep)
