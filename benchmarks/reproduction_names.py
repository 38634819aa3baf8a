"""Names recovered from a model trained on records: the shape of Table 14 of Semantics-preserved distortion.

Usage: reproduction_names.py FOLDER [--people N] [--notes N] [--epochs N] [--texts N] [--smoke] [--record]

SmolLM2-135M is fine-tuned without a guarantee on short sections of clinic notes (MTS-Dialog), each behind a sentence
about a made-up person, and once more on the same notes after distortion (substitutive, with NDD). Both models, and
the one that was not tuned, write texts; the names in them are counted. As many names were kept back, so chance is
known. A small recogniser of diseases (NCBI-disease) learns from the vectors of each model. FOLDER keeps checkpoints,
the distorted notes and figures, so that a stopped run resumes; no text is shown.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import recogniser
from recogniser import CausalVectors, counts, interval
from recording import DATA, Cells, models, table, written
from tagged_sentences import read, shuffled

from sfumato import build
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.attacks.canaries import MadeUp, made_up, named
from sfumato.metrics.estimates import share
from sfumato.metrics.guesses import auc
from sfumato.models.causal.gguf import smollm2
from sfumato.models.masked.embedded import EmbeddedSource
from sfumato.privacy.randomness import SeededRandomness
from sfumato.storage.atomic import put
from sfumato.synthesis.finetune.finetune import Finetune
from sfumato.synthesis.finetune.lora import Adapter
from sfumato.synthesis.finetune.rows import prompts, rows_of
from sfumato.synthesis.finetune.tuned import Decoding, TunedModel
from sfumato.text.document import Document

BASE, ORIGINAL, DISTORTED = "not tuned", "tuned on the notes", "tuned on distorted notes"
PAPER = {
    BASE: (84.7, 34.0, 12.17, 88.32),
    ORIGINAL: (59.6, 84.0, 4.17, 89.24),
    DISTORTED: (64.3, 23.0, 0.95, 90.13),
}
"""Table 14 where names were inserted into every sentence: texts with a name, A@100, EM, BioNER; in per cent."""
CONDITIONS = (
    "asthma", "gout", "anemia", "migraine", "pneumonia", "psoriasis", "epilepsy", "glaucoma", "hepatitis", "sciatica",
    "bronchitis", "diabetes", "eczema", "hypertension", "insomnia", "lupus", "osteoporosis", "sinusitis", "vertigo",
    "tonsillitis",
)  # fmt: skip
FIRST, LAST = 60, 100  # the most frequent names that people are made up of
SHORTEST, LONGEST = 4, 12  # words of a note
LENGTH, WRITTEN = 48, 24  # tokens of a note that are learned, and of a text that is written
BATCH = 16
HELD_OUT = 150
DISEASES, SEEDS = 150, 3  # sentences to learn from and as many to test, and trainings
SHUFFLED = 20


@dataclass(frozen=True)
class Plan:
    """The sizes of a run."""

    people: int
    notes: int
    epochs: float
    texts: int


def census(name: str, most: int) -> list[str]:
    """The ``most`` frequent names of a list."""
    lines = (DATA / "names_cities" / "census1990" / name).read_text(encoding="utf-8").splitlines()
    return [line.split()[0].title() for line in lines[:most]]


def people(count: int) -> MadeUp:
    """Made-up people: half of the first names are women's."""
    first = [name for sex in ("female", "male") for name in census(f"dist.{sex}.first", FIRST // 2)]
    return made_up(first, census("dist.all.last", LAST), CONDITIONS, count)


def notes() -> list[str]:
    """Short sections of notes, each once, in random order."""
    with (DATA / "mts_dialog" / "MTS-Dialog-TrainingSet.csv").open(encoding="utf-8", newline="") as file:
        every = dict.fromkeys(" ".join(row["section_text"].split()) for row in csv.DictReader(file))
    short = [text for text in every if SHORTEST <= len(text.split()) <= LONGEST]
    return [short[at] for at in np.random.default_rng(0).permutation(len(short))]


def planted(people: MadeUp, bearing: Sequence[str]) -> list[str]:
    """Each note behind the sentence of a person; people take turns."""
    sentences = [canary.text for canary in people.canaries]
    return [f"{sentences[number % len(sentences)]} {note}" for number, note in enumerate(bearing)]


def distorted(texts: Sequence[str], folder: Path) -> list[str]:
    """Return the texts with the entities that a recogniser finds replaced by others, chosen with NDD; kept."""
    path = folder / f"distorted-{len(texts)}-{EmbeddedSource().id[-16:]}.json"
    if not path.exists():
        method = build("distortion", None, detect="entities", way="substitutive")
        documents = [Document(text, str(number)) for number, text in enumerate(texts)]
        releases = method.sanitize_batch(documents, SeededRandomness(1))
        put(path, json.dumps([release.text for release in releases]).encode())
    return list(json.loads(path.read_text(encoding="utf-8")))


def kept_names(texts: Sequence[str], people: MadeUp) -> tuple[float, float]:
    """The shares of notes that still hold their person's full name, and the first or the last one."""
    names = list(people.planted)
    full = [names[number % len(names)] in text for number, text in enumerate(texts)]
    part = [bool(set(names[number % len(names)].split()) & set(text.split())) for number, text in enumerate(texts)]
    return float(np.mean(full)), float(np.mean(part))


def held_out(model: Any, adapter: Adapter, texts: Sequence[str]) -> float:
    """Nats a token of notes without planted sentences that were not learned."""
    rows = [row for unit in rows_of(model, ("",), [Unit((text,), (0,)) for text in texts], LENGTH) for row in unit]
    with adapter.attached():
        nats = model.nats([(row.before, row.learned) for row in rows])
    return float(sum(nats) / sum(len(row.learned) for row in rows))


def counted(texts: Sequence[str], people: MadeUp) -> dict[str, Any]:
    """What the texts say of the people, and the exact matches if conditions belonged to other people."""
    names, conditions = list(people.planted), list(people.planted.values())
    draw = np.random.default_rng(0)
    others = [dict(zip(names, draw.permutation(conditions).tolist(), strict=True)) for _ in range(SHUFFLED)]
    by_chance = [named(texts, replace(people, planted=other)).exact for other in others]
    return {**asdict(named(texts, people)), "exact_by_chance": float(np.mean(by_chance))}


def told_apart(tuned: TunedModel, people: MadeUp) -> dict[str, list[float]]:
    """Minus the nats of the openings about people who were planted, and about those kept back."""
    before = prompts(tuned.model, ("",))[0]
    groups = {"planted": list(people.planted), "kept_back": list(people.kept_back)}
    with tuned.adapter.attached():
        nats = {
            group: tuned.model.nats([(before, tuple(tuned.model.pieces(f"{name} {people.form}"))) for name in names])
            for group, names in groups.items()
        }
    return {group: [-float(one) for one in own] for group, own in nats.items()}


def diseases(tuned: TunedModel) -> list[list[list[int]]]:
    """Return for each training what a recogniser of diseases finds in test sentences by the model's vectors."""
    folder = DATA / "ncbi_disease"
    train, test = (shuffled(read(folder / f"{part}.tsv"), 0)[:DISEASES] for part in ("train", "test"))
    vectors = CausalVectors(tuned.model)  # type: ignore[arg-type]
    with tuned.adapter.attached():
        return [
            counts(test, recogniser.trained(train, ("O", "B-Disease", "I-Disease"), vectors, seed)(test))
            for seed in range(SEEDS)
        ]


def arm(folder: Path, name: str, plan: Plan, texts: Sequence[str], people: MadeUp, fresh: Sequence[str]) -> Any:
    """Train on ``texts`` (on nothing if there are none), write, and count."""
    tuned = model_of(folder, f"{name.replace(' ', '-')}-{plan.people}-{plan.notes}", plan, texts)
    writer = replace(tuned, decoding=Decoding(WRITTEN, 1.0, 0.95))
    return {
        "held_out": held_out(tuned.model, tuned.adapter, fresh),
        "diseases": diseases(tuned),
        **counted(list(writer.write([0] * plan.texts)), people),
        **told_apart(tuned, people),
    }


def model_of(folder: Path, name: str, plan: Plan, texts: Sequence[str]) -> TunedModel:
    """The model that is tuned on ``texts``; the one that is not tuned if there are none."""
    model = smollm2("bfloat16", "cpu")
    if texts:
        return trained(model, folder / name, plan, texts)
    adapter = Adapter(model.network, 8, 16.0)
    adapter.initialise(1)
    return TunedModel(model, adapter, ("",), Decoding(WRITTEN, 1.0, 0.95))


def trained(model: Any, place: Path, plan: Plan, texts: Sequence[str]) -> TunedModel:
    """The model after ``plan.epochs`` over the texts, without a guarantee."""
    method = Finetune(model, batch=BATCH, epochs=plan.epochs, length=LENGTH)
    order = Order(("",), len(texts), 1, 0, None, 1e-5)
    schedule = method.schedule(order)
    place.mkdir(parents=True, exist_ok=True)
    units = [Unit((text,), (0,)) for text in texts]
    workspace = Workspace(place, SeededRandomness(1), place.name)
    return method.trained(order, schedule, units, workspace, lambda done: print(f"{done:.2f}", end=" ", flush=True))


def percent(hits: int, of: int, what: str) -> str:
    """A share with its interval, and what it is a share of."""
    if not of:
        return f"– (no {what})"
    one = share(hits, of, what)
    return f"{100 * one.value:.1f} % ({100 * one.low:.1f} to {100 * one.high:.1f}) of {of} {what}"


def row(name: str, facts: dict[str, Any]) -> list[object]:
    with_name, at_100, exact, bioner = PAPER[name]
    chance = f"{100 * facts['exact_by_chance'] / facts['told']:.1f} %" if facts["told"] else "–"
    apart = auc(np.array(facts["planted"]), np.array(facts["kept_back"]))
    return [
        name,
        f"{with_name} % / {percent(facts['with_name'], facts['texts'], 'texts')}",
        f"{at_100:.0f} % / {percent(facts['hits'], facts['ranked'], 'names')}",
        f"{100 * facts['chance']:.0f} %",
        f"{exact} % / {percent(facts['exact'], facts['told'], 'texts')}",
        chance,
        f"{apart.value:.3f} ({apart.low:.3f} to {apart.high:.3f})",
        f"{facts['held_out']:.2f}",
        f"{bioner} / {recogniser.told(interval(facts['diseases'])[1])}",
    ]


WHY = """Why they differ:

- **People.** The paper looks for real patients of MIMIC-III, which is not available here. Ours are made up and
  planted, so chance is known: it is the share of planted names among all names looked for. The paper's table has no
  such line. Of names that occur equally often, those kept back rank first, so chance is a little below that share.
  A model that writes none of the names leaves A@100 and EM without a value; the loss still has one.
- **Model.** The paper's is BERT, a masked model, trained on the notes of a hospital. Ours is a causal model with
  low-rank factors, tuned for minutes on short notes, each with a made-up person.
- **Names in texts.** The paper tags any name. Ours are looked for in the list of planted and kept-back names alone.
  So its texts with a name are far more, and its shares of first and last names have no counterpart here.
- **Detection.** The distorted notes keep the names that the recogniser missed; the share is given above.
- **Medical knowledge.** The paper trains the whole model on NCBI-disease. Ours stays as it is, and a small network
  learns from its vectors; the loss on notes that were not learned is given beside it.

None of these causes was tested, except that chance is known. What would have to be true for the paper's figures to
come out: a model that has seen the names of many people before it is tuned, so that one that is not tuned writes
names as well, and a list of names that holds most of those that it writes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where checkpoints and counts are kept")
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--notes", type=int, default=100)
    parser.add_argument("--epochs", type=float, default=8)
    parser.add_argument("--texts", type=int, default=300, help="texts that each model writes")
    parser.add_argument("--smoke", action="store_true", help="32 notes, 64 texts")
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    plan = Plan(16, 32, 1, 64) if given.smoke else Plan(given.people, given.notes, given.epochs, given.texts)
    given.folder.mkdir(parents=True, exist_ok=True)
    crowd, every = people(plan.people), notes()
    fresh, bearing = every[:HELD_OUT], every[HELD_OUT : HELD_OUT + plan.notes]
    originals = planted(crowd, bearing)
    replaced = distorted(originals, given.folder)
    full, part = kept_names(replaced, crowd)
    print(f"{full:.1%} of the full names left, {part:.1%} of their parts", flush=True)
    versions: dict[str, Sequence[str]] = {ORIGINAL: originals, DISTORTED: replaced, BASE: ()}
    cells = Cells(given.folder, "names", models("masked", "causal"))
    found = {
        name: cells.get(lambda name=name, texts=texts: arm(given.folder, name, plan, texts, crowd, fresh),
                        arm=name, **asdict(plan)) for name, texts in versions.items()
    }  # fmt: skip
    header = ["model", "texts with a listed name", "A@100", "chance", "EM", "chance", "AUC", "held-out nats a token",
              "BioNER"]  # fmt: skip
    text = (
        f"{table(header, [row(name, found[name]) for name in PAPER])}\n\n"
        "The paper's figure / ours with its 95 % interval (the paper's model with names in every sentence; the "
        f"first line is its general BERT). {plan.people} people were planted in turn in {len(originals)} notes of "
        f"{SHORTEST} to {LONGEST} words ({len(originals) / plan.people:.1f} notes each on average), and as many were "
        f"kept back; {plan.epochs:g} epochs on average, one training each; {plan.texts:,} texts of {WRITTEN} tokens. "
        "The attacker has the model and the list of names. A@100: the share of planted people among the (at most) "
        "100 names written most often. EM: the share of texts with a planted name that also state the person's "
        "condition; its chance is the share if the conditions are shuffled among people. AUC: how well the model's "
        "loss on the beginning of the sentence tells planted people from those kept back; 0.5 is chance. "
        f"After distortion {full:.1%} of the notes still hold their person's full name, and {part:.1%} hold the "
        "first or the last one. BioNER: F1 in per cent "
        f"of a small recogniser on the model's vectors, which learned from {DISEASES} sentences of NCBI-disease and "
        f"reads {DISEASES} others, the mean over {SEEDS} trainings with an interval over sentences. One word a pass. "
        f"{cells.described}\n\n{WHY}"
    )
    written("names", text, given.record, page="reproduction.md")


if __name__ == "__main__":
    main()
