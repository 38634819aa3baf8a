"""What the detector loses on a genre that it did not learn: one training with everything, and one without each genre.

Usage: detector_genres.py --made made.jsonl --made-held held.jsonl --state FOLDER [--budget 0.8] [--genres law chat]

Run by hand: it trains the network of ``training/detector`` anew for each genre, each time on as many million pieces
from the same start, and takes hours with all genres. A training that was done is found in the folder and not
repeated. Recall: words of a kind that is marked without gaps, which the network marks at the threshold of the level
``medium``; the mean over the corpora of a genre, of which made text of the genre is one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from recording import DATA, models, table, written

from sfumato.detectors.identifier_finder import POINTS


class Genre(NamedTuple):
    """Corpora, and genres of made text, that are left out together."""

    corpora: tuple[str, ...]
    made: tuple[str, ...]


CLINIC = ("discharge", "clinic_letter", "ward_note", "lab_report", "gp_note", "triage", "chart", "note", "letter")
GENRES = {
    "biography": Genre(("en_gum_sa", "en_wikigold", "en_redocred", "en_crossner"), ("bio",)),
    "clinic": Genre(("en_asq_phi", "es_meddocan"), CLINIC),
    "chat": Genre(("en_btc", "en_tweebank", "en_wnut17"), ("chat", "post", "call")),
    "law": Genre(("en_tab", "en_legal_india", "en_sec_filings", "de_ler", "pt_lener_br"),
                 ("court", "person_case", "police")),
    "news": Genre(("en_gum", "en_re3d", "de_germeval14", "no_norne", "da_uner_ddt", "pt_uner_bosque", "sv_klintan",
                   "nl_europeana", "fr_europeana"), ("news", "old_paper")),
    "e-mail": Genre(("en_uner_ewt",), ("email", "mailhead", "support", "ticket")),
}  # fmt: skip


def without(path: Path, genres: Collection[str], target: Path, keep: bool = False) -> Path:
    """Write made text without some genres, or (``keep``) with them alone."""
    with path.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as kept:
        kept.writelines(line for line in lines if (json.loads(line)["genre"] in genres) is keep)
    return target


def trained(asked: argparse.Namespace, name: str, genre: Genre) -> Any:
    """The network of a training without ``genre``."""
    import train
    from network import Network
    from safetensors.torch import load_file

    state = asked.state / name
    state.mkdir(parents=True, exist_ok=True)
    if not (state / "done").exists():
        made = without(asked.made, genre.made, state / "made.jsonl")
        words = ["--corpora", DATA / "detection", "--made", made, "--state", state, "--budget", asked.budget,
                 "--threads", asked.threads, "--every", 10_000, "--limit", asked.limit, *asked.more, "--leave-out",
                 *genre.corpora]  # fmt: skip
        train.main([str(word) for word in words])
        made.unlink()
        (state / "done").touch()
    network = Network(train.arguments(["--corpora", ".", "--state", ".", *asked.more]).layers)
    tensors = load_file(state / "state.safetensors")
    for key, tensor in network.named_parameters():
        tensor.data.copy_(tensors[key])
    return network.eval()


def recalls(asked: argparse.Namespace, network: Any, name: str, genre: Genre, tests: Iterable[Any]) -> list[float]:
    """Recall on each corpus of a genre and on its made text, on the half that nothing was chosen by."""
    import measuring
    import torch

    held = without(asked.made_held, genre.made, asked.state / f"{name}.jsonl", keep=True)
    own = [test for test in tests if test.name in genre.corpora] + measuring.tests(asked.state / "none", held, None)
    with torch.inference_mode():
        return [
            test.figures(network, "kept", threshold=POINTS["medium"].likely)["recall"]
            for test in own
            if test.records["kept"]
        ]


def report(asked: argparse.Namespace) -> str:
    sys.path.insert(0, str(Path(__file__).parents[1] / "training" / "detector"))
    import measuring

    whole = trained(asked, "everything", Genre((), ()))
    tests = measuring.tests(DATA / "detection", None, None)
    rows: list[list[object]] = []
    for name in asked.genres:
        genre = GENRES[name]
        before, after = (
            sum(values) / len(values)
            for values in (
                recalls(asked, network, name, genre, tests) for network in (whole, trained(asked, name, genre))
            )
        )
        rows.append([name, f"{before:.3f}", f"{after:.3f}", f"{after - before:+.3f}"])
    return "\n\n".join((
        f"{asked.budget:g} million pieces read by each training, from the encoder that ships.",
        table(["genre", "recall, learned with it", "recall, without it", "difference"], rows),
    ))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--made", type=Path, required=True)
    parser.add_argument("--made-held", type=Path, required=True)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--budget", type=float, default=0.8, help="millions of pieces")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=int, default=10**9, help="records of a corpus, for a trial")
    parser.add_argument("--genres", nargs="*", choices=GENRES, default=list(GENRES))
    parser.add_argument("--more", nargs=argparse.REMAINDER, default=[], help="options of training/detector/train.py")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    written("detector genres", report(given), given.record, page="reproduction.md", used=models("detector"))


if __name__ == "__main__":
    main()
