"""``sfumato evaluate``: an original and a release in; what can still be inferred, and what is left of use, out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sfumato.abstract.chat import Price
from sfumato.building.chat import ChatChoice
from sfumato.cli import options as choices
from sfumato.cli.printing import printing
from sfumato.cli.progress import staged
from sfumato.errors import ConfigurationError
from sfumato.evaluation.plan import ATTACKS, USUAL_METRICS, Plan
from sfumato.evaluation.studies.asking import estimate
from sfumato.evaluation.studies.files import read_files
from sfumato.evaluation.studies.table import studies
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.report.evaluate import Evaluation, evaluate_plan


def evaluate(
    original: Annotated[Path, typer.Argument(help="What was sanitized: .jsonl, .csv, .parquet, .txt, a folder.")],
    release: Annotated[Path, typer.Argument(help="What came of it, by sfumato or anything else; the same kind.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for results.json and report.html.")],
    id_field: Annotated[
        str | None, typer.Option("--id", help="Field that joins the records; else their order.")
    ] = None,
    field: Annotated[str, typer.Option("--field", help="Text field of the originals.")] = "text",
    released_field: Annotated[
        str | None, typer.Option("--released-field", help="Text field of the release, where it has another name.")
    ] = None,
    attacks: Annotated[str, typer.Option("--attacks", help="What is tried, by commas.")] = ",".join(ATTACKS),
    metrics: Annotated[
        str, typer.Option("--metrics", help="What is compared, by commas; divergence takes minutes more.")
    ] = ",".join(USUAL_METRICS),
    label: Annotated[
        list[str] | None, typer.Option("--label", help="Field that an attacker infers (repeatable).")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Field that the release is to be used for (repeatable).")
    ] = None,
    knowledge: Annotated[str, typer.Option("--knowledge", help="The claims held: first, random or last.")] = "random",
    claims: Annotated[int, typer.Option("--claims", help="How many claims the attacker holds.")] = 3,
    kinds: Annotated[
        str, typer.Option("--kinds", help="Kinds that claims are sorted into: clinical or chat.")
    ] = "clinical",
    sample: Annotated[int, typer.Option("--sample", help="Records for what takes longest, drawn at random.")] = 500,
    dense: Annotated[bool, typer.Option("--dense", help="Link by embeddings too, however many records.")] = False,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="No released record belongs to one original.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of everything that is drawn here.")] = 0,
    classifier: Annotated[
        str | None, typer.Option("--classifier", help="A model that is fine-tuned to infer labels (folder or name).")
    ] = None,
    causal: Annotated[
        str | None, typer.Option("--causal", help="A causal model that reads for perplexity (folder, name, smollm2).")
    ] = None,
    entailment: Annotated[
        str | None, typer.Option("--entailment", help="An entailment model that judges claims (folder or name).")
    ] = None,
    chat_model: Annotated[
        str | None,
        typer.Option(
            "--chat-model", help="Language model: NAME at SFUMATO_CHAT_URL, or local:FOLDER, local:smollm2."
        ),
    ] = None,
    votes: Annotated[int, typer.Option("--votes", help="How often a language model judges each claim.")] = 3,
    at_once: Annotated[int, typer.Option("--chat-at-once", help="Questions to the endpoint at a time.")] = 8,
    timeout: Annotated[float, typer.Option("--chat-timeout", help="Seconds that it may be silent.")] = 60.0,
    hearsay: Annotated[
        bool, typer.Option("--hearsay", help="Also link by claims that the language model reworded.")
    ] = False,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Keep no answers of the language model, which may be private.")
    ] = False,
    price: Annotated[
        str | None, typer.Option("--chat-price", help="What a million tokens cost, as IN,OUT; for the costs.")
    ] = None,
    rounds: Annotated[
        Path | None, typer.Option("--rounds", help="What `sanitize -m iterative` noted (OUTPUT.rounds.jsonl).")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what the language model would be asked, and ask nothing.")
    ] = False,
    show_text: Annotated[
        bool, typer.Option("--show-text", help="Show the records that tell most on the page, which is private then.")
    ] = False,
    as_json: choices.Json = False,
) -> None:
    """Attack a release: can people be found again, what is learned of them, what is the text still good for?

    OUTPUT/report.html opens without a network; results.json holds every figure with its interval. Neither holds text
    of a record. Finished studies are kept, so that a stopped run goes on.
    """
    chat = None
    if chat_model is not None:
        cost = Price.read(price) if price else None
        chat = ChatChoice(chat_model, votes, not no_cache, at_once, timeout, cost, seed)
    plan = Plan(
        _names(attacks), _names(metrics), id_field, field, released_field, tuple(label or ()), tuple(task or ()),
        knowledge, claims, sample, dense, not synthetic, seed, kinds, classifier, causal, entailment, chat,  # type: ignore[arg-type]
        hearsay, None if rounds is None else str(rounds),
    )  # fmt: skip
    if dry_run:
        _estimated(original, release, plan)
        return
    if chat is not None:
        Console(stderr=True, highlight=False, soft_wrap=True).print(chat.notice(output), markup=False)
    with staged(as_json) as stages:
        results = evaluate_plan(
            plan, original, release, output, show_text, lambda name, share: stages(f"Measuring: {name}", share)
        )
    with printing(output / "results.json", output / "report.html"):
        _close(results, output, as_json)


def _estimated(original: Path, release: Path, plan: Plan) -> None:
    """What the language model would be asked."""
    if plan.chat is None:
        raise ConfigurationError("Only a language model costs anything; name one with --chat-model.")
    encoder, asking = SentenceEncoder(), {"linkage", "quality"}
    found = estimate(
        lambda chat: {name: one for name, one in studies(plan, encoder, chat).items() if name in asking},
        read_files(original, release, plan),
    )
    typer.echo(found.sentence(plan.chat.price))


def _names(given: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _close(results: Evaluation, output: Path, as_json: bool) -> None:
    if as_json:
        typer.echo(results.as_text())
        return
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for line in results.headline:
        console.print(f"* {line}")
    for what, why in results.skipped:
        console.print(f"Not measured: {what}: {why.rstrip('.')}.")
    count = sum(len(study.figures) for study in results.studies)
    console.print(
        f"Open {output / 'report.html'} in a browser; all {count} figures are in {output / 'results.json'}, "
        "with their intervals."
    )
