"""The number format of a masked model where nobody names one: the quickest for this machine that passes a check.

The check asks about public sentences. It compares two things with float32: whether a question shows in the scores of
the questions beside it, and how often the best word is the same. What fails either is not used. The outcome is kept
in the cache under all that it depends on, so that the next process reads no weights for it.
"""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.abstract.models import MASKED, Cloze
from sfumato.errors import SfumatoError
from sfumato.models import devices
from sfumato.models.calibration import PublicText, masked_questions
from sfumato.models.devices import on_processor, usable_device
from sfumato.privacy.rank_law import MARGIN
from sfumato.storage import cache
from sfumato.storage.digests import digest_of_sources
from sfumato.version import installed

if TYPE_CHECKING:
    from sfumato.models.masked.model import MaskedNetwork

LEAST_ALIKE = 0.95
"""The least share of questions whose best word must be that of float32."""
MOST_MOVED = MARGIN / 2
"""The most by which the questions beside it may move a score in int8. The law by rank computes scores again that are
nearer than its margin, and two of them may move. In bfloat16 nothing may move."""
_ALONE = 8  # every eighth question is asked alone as well
_SHORTEST = 16  # pieces
_PACKAGES = ("numpy", "onnx", "onnxruntime", "torch", "transformers", "tokenizers")


@dataclass(frozen=True)
class Outcome:
    """How a number format answered ``questions``: the share with float32's best word, and how far a score moved."""

    questions: int
    alike: float
    moved: float

    def fault(self, number_format: str) -> str:
        """Return what is wrong with ``number_format``; empty if it may be used. What is not a number is wrong."""
        if not self.moved <= (0.0 if number_format == "bfloat16" else MOST_MOVED):
            return "a question shows in the scores of others"
        if not self.alike >= LEAST_ALIKE:
            return f"only {100 * self.alike:.1f} % of {self.questions} public questions have float32's best word"
        return ""


def chosen(model: MaskedNetwork) -> MaskedNetwork:
    """Return ``model`` in the number format for this machine, which its ``choice`` gives the reason for.

    A model that cannot be loaded comes back in float32, and says so when it is first asked.
    """
    quick = _candidate(model)
    if quick is None:
        return model.computing_in("float32", choice="float32: no quicker format is known for this machine")
    tried = quick.number_format
    try:
        outcome = _outcome(model, quick)
    except SfumatoError:
        return model.computing_in("float32", choice=f"float32: {tried} cannot be used here")
    if outcome is None:
        return model.computing_in("float32", choice="float32: no quicker format is known for a model of this build")
    if fault := outcome.fault(tried):
        return model.computing_in("float32", choice=f"float32: {tried} failed its check, {fault}")
    alike = f"{100 * outcome.alike:.1f} % of {outcome.questions} public questions have float32's best word"
    return quick.computing_in(tried, choice=f"{tried}: the quickest for this machine, {alike}")


def _candidate(model: MaskedNetwork) -> MaskedNetwork | None:
    """Return ``model`` in the format that should be quicker here, on a device that is named; None without one."""
    try:
        if on_processor(model.device):
            return model.computing_in("int8", "cpu") if devices.exact_bytes() else None
        device = usable_device(model.device)
    except SfumatoError:
        return None
    return model.computing_in("bfloat16", device) if has_bfloat16(device) else None


def has_bfloat16(device: str) -> bool:
    """Return whether the GPU ``device`` computes in bfloat16 by itself, without emulating it."""
    import torch

    return device.startswith("cuda") and bool(torch.cuda.is_bf16_supported(including_emulation=False))


def _outcome(model: MaskedNetwork, quick: MaskedNetwork) -> Outcome | None:
    """Return the outcome that is kept, or that of a check; None for a build that has no such format."""
    text = PublicText.shipped()
    key = cache.content_key("number format", quick.id, str(quick.limit), text.name, *_circumstances(quick))
    kept = cache.load_json(key)
    if kept is not None:
        return Outcome(**kept)
    if quick.number_format == "int8" and not quick.is_of_bert:
        return None
    outcome = checked(model.computing_in("float32"), quick, text)
    cache.save_json(key, asdict(outcome))
    return outcome


def _circumstances(quick: MaskedNetwork) -> list[str]:
    """Return what else decides the outcome: the device, this program and the packages."""
    device = platform.machine() if quick.number_format == "int8" else _name_of_gpu(str(quick.device))
    features = " ".join(sorted(devices.processor_features()))
    return [device, features, digest_of_sources("models"), *(installed(package) or "none" for package in _PACKAGES)]


def _name_of_gpu(device: str) -> str:
    import torch

    return str(torch.cuda.get_device_name(device))


def checked(exact: MaskedNetwork, quick: MaskedNetwork, text: PublicText) -> Outcome:
    """Return how ``quick`` answers a question about each sentence of the public ``text``, beside ``exact``.

    Larger questions show only whether they move: other lengths and several masks take other ways through a device.
    """
    questions = _questions(exact, text)
    wanted, together = exact.scores(questions), quick.scores(questions)
    others = [quick.scores(questions[::-2])[::-1] - together[len(questions) % 2 == 0 :: 2]]
    others += [quick.scores([questions[number]]) - together[number] for number in range(0, len(questions), _ALONE)]
    larger = _larger_questions(exact, text)
    beside, start = quick.scores(larger), 0
    for question in larger:
        end = start + list(question.copy).count(MASKED)
        others.append(quick.scores([question]) - beside[start:end])
        start = end
    moved = np.max([np.abs(difference).max() for difference in others])  # NaN if one is, which fault() refuses
    if quick.mixes:  # nothing moved only because each row had a batch of its own, which is slow
        moved = np.inf
    alike = together.argmax(axis=1) == wanted.argmax(axis=1)
    return Outcome(len(questions), float(alike.mean()), float(moved))


def _questions(model: MaskedNetwork, text: PublicText) -> list[Cloze]:
    """Return a question about one word of each sentence, at a place that moves on from sentence to sentence."""
    asked = [masked_questions(model, sentence) for sentence in text.sentences]
    return [words[number % len(words)][0] for number, words in enumerate(asked) if words]


def _larger_questions(model: MaskedNetwork, text: PublicText) -> list[Cloze]:
    """Return questions of every length up to the window, twice as long each time, with one, two and six masks."""
    words = " ".join(text.sentences).split()
    pieces = [piece for own in model.pieces([f" {word}" for word in words]) for piece in own]
    asked, length = [], _SHORTEST
    while length <= model.window and length <= len(pieces):
        for masks in (1, 2, 6):
            masked = {position * length // masks for position in range(masks)}
            copy = [MASKED if position in masked else pieces[position] for position in range(length)]
            asked.append(Cloze([], copy))
        length *= 2
    return asked
