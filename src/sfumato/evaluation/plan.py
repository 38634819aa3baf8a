"""The plan of an evaluation: which attacks and metrics, on which fields, with which models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

from sfumato import registry
from sfumato.attacks.claim_judges import kinds
from sfumato.attacks.linkage import Knowledge, held
from sfumato.attacks.population_files import LISTED
from sfumato.building.chat import ChatChoice
from sfumato.errors import ConfigurationError
from sfumato.options.option import Option, Part
from sfumato.options.typed import typed

USUAL_ATTACKS = tuple(name for name, row in registry.STUDIES.items() if row.family == registry.ATTACK)
USUAL_METRICS = tuple(name for name in registry.METRICS if name not in ("divergence", "answers", "purposes"))
"""Divergence takes minutes, and few records have questions or are chats: each only where it is named."""
TEXTS = ("any", "profiles", "chats")
"""What the texts may be, which decides how a language model reads them."""
QUESTION_FIELDS = ("question", "options", "answer")
"""Fields of a record with a question about it, which are read along for the metric `answers`."""

ATTACKS_ON_SYNTHETIC = frozenset({"copies", "membership", "canaries"})
"""Attacks that there are on synthetic records alone; left out elsewhere, and refused where they are named."""

_GUESSING, _REBUILDING = "attributes", "reconstruction"

_FOLDERS = ("encoder", "classifier", "causal", "entailment", "trained")


@typed
@dataclass(frozen=True)
class Plan:
    """What an evaluation measures, and how.

    Attributes:
        attacks: Some of `linkage`, `tokens`, `guarantee`, `reconstruction`, `attributes`.
        metrics: Some of `surface`, `utility`, `quality`, and where named `divergence`, `answers`, `purposes`.
        id_field: The field that joins the records; None: their order.
        field: The text field of the originals.
        released_field: The text field of the release, if it has another name.
        labels: Fields that an attacker infers.
        tasks: Fields that the release is used for.
        knowledge: Which claims about a person the attacker holds: `first`, `random` or `last`.
        claims: How many claims the attacker holds.
        sample: How many records (or words) are drawn for what takes longest.
        dense: Link by embeddings too, however many records there are.
        one_to_one: Whether a released record belongs to one original; False for synthetic records.
        held_out: A file of people held out of training, read like the originals; for synthetic records.
        trained: The model that wrote the synthetic records, for membership inference by loss: a folder of
            `finetune`, whose base is `causal` or SmolLM2, or a causal model.
        canaries: The key of the canaries that were planted in the originals, a file of `sfumato canaries`.
        population: A table of people, .csv or .parquet, in which those are counted who share what a record shows;
            `shipped:places` has the listed places alone, and is what the attack `population` takes without a table.
        population_fields: Columns of the table that are fields of the records too; none: the texts are read.
        population_k: With fewer people than this who share what is shown, a person counts as hardly hidden.
        unit_field: The field that names the person of a record, if people have several; one record of each is used.
        texts_per_unit: How many records of a person the synthesis read, the first ones of the file; none: 1.
        seed: The seed of everything that the evaluation draws.
        kinds: The kinds that claims are sorted into: `clinical` or `chat`.
        texts: What the texts are, for a language model: `any`, `profiles` of patients or `chats`.
        encoder: A sentence encoder on this machine that links and compares, in place of all-MiniLM-L6-v2: a folder or
            a fetched name. The judge's three steps were chosen for that one.
        classifier: A model on this machine that is fine-tuned to infer labels: a folder or a fetched name.
        causal: A causal model on this machine that reads for perplexity, and answers questions.
        entailment: An entailment model on this machine that judges claims.
        chat: The language model that splits, judges and sorts claims, and marks texts.
        paraphrased_knowledge: Also link by claims that the language model reworded.
        rounds: The file in which `-m iterative` noted what it found.

    Raises:
        ConfigurationError: A value cannot work.
    """

    attacks: Annotated[tuple[str, ...], Option("attacks, by commas; see `sfumato list`", flag="--attacks")] = (
        USUAL_ATTACKS
    )
    metrics: Annotated[tuple[str, ...], Option("metrics, by commas; see `sfumato list`", flag="--metrics")] = (
        USUAL_METRICS
    )
    id_field: Annotated[str | None, Option("field that joins the records; else their order", flag="--id-field")] = (
        None
    )
    field: Annotated[str, Option("text field of the originals", flag="--field")] = "text"
    released_field: Annotated[
        str | None, Option("text field of the release, if another", flag="--released-field")
    ] = None
    labels: Annotated[
        tuple[str, ...], Option("field that an attacker infers (repeatable)", flag="--label", repeated=True)
    ] = ()
    tasks: Annotated[
        tuple[str, ...], Option("field that the release is for (repeatable)", flag="--task", repeated=True)
    ] = ()
    knowledge: Annotated[Knowledge, Option("the claims held: first, random or last", flag="--knowledge")] = "random"
    claims: Annotated[int, Option("how many claims the attacker holds", flag="--claims")] = 3
    sample: Annotated[int, Option("records for the slowest measurements", flag="--sample")] = 500
    dense: Annotated[bool, Option("link by embeddings too", flag="--dense")] = False
    one_to_one: Annotated[bool, Option("the release is synthetic records", flag="--synthetic", unsets=True)] = True
    held_out: Annotated[
        str | None, Option("--synthetic: people held out of training", "--held-out", metavar="a file")
    ] = None
    trained: Annotated[str | None, Option("the model that wrote the records (folder)", "--trained")] = None
    canaries: Annotated[
        str | None, Option("--synthetic: key of the canaries that were planted", "--canaries", metavar="a file")
    ] = None
    population: Annotated[
        str | None,
        Option(
            "table of a population: who shares what is shown? or shipped:places", "--population", metavar="a file"
        ),
    ] = None
    population_fields: Annotated[
        tuple[str, ...], Option("columns of the table that are fields of records, by commas", "--population-fields")
    ] = ()
    population_k: Annotated[int, Option("--population: fewest people that hide one", "--population-k")] = 5
    unit_field: Annotated[str | None, Option("--synthetic: field that names a record's person", "--unit-field")] = (
        None
    )
    texts_per_unit: Annotated[
        int | None, Option("records of a person that were read", "--texts-per-unit", usual="1, as in `synthesize`")
    ] = None
    seed: Annotated[int, Option("random seed", flag="--seed")] = 0
    kinds: Annotated[str, Option("kinds of claims: clinical or chat", flag="--kinds")] = "clinical"
    texts: Annotated[str, Option("what a language model is to mark: any, profiles or chats", "--texts")] = "any"
    encoder: Annotated[str | None, Option("sentence encoder that links and compares", flag="--encoder")] = None
    classifier: Annotated[str | None, Option("model that is tuned to infer labels", flag="--classifier")] = None
    causal: Annotated[str | None, Option("causal model that measures perplexity", flag="--causal")] = None
    entailment: Annotated[str | None, Option("entailment model that judges claims", flag="--entailment")] = None
    chat: Annotated[ChatChoice | None, Part("the language model that is asked")] = None
    paraphrased_knowledge: Annotated[bool, Option("link by reworded claims too", "--paraphrased-knowledge")] = False
    rounds: Annotated[
        str | None, Option("what `sanitize -m iterative` noted (OUTPUT.rounds.jsonl)", "--rounds", metavar="a file")
    ] = None

    def __post_init__(self) -> None:
        for given, what in ((self.attacks, registry.ATTACK), (self.metrics, registry.METRIC)):
            known = registry.studies(what)
            for name in given:
                if name not in known:
                    raise ConfigurationError(f"There is no {what} {name!r}; choose from {', '.join(known)}.")
        self._check_labels()
        if self.seed < 0:
            raise ConfigurationError("A seed is 0 or more.")
        for name in _FOLDERS:
            if not isinstance(getattr(self, name), str | None):
                raise ConfigurationError(f"{name} names a model, a folder or a fetched one.")
        if self.rounds is not None and not Path(self.rounds).is_file():
            raise ConfigurationError(f"There is no file {Path(self.rounds).name} with rounds.")
        if (
            self.one_to_one
            and self.attacks != USUAL_ATTACKS
            and (named := ATTACKS_ON_SYNTHETIC.intersection(self.attacks))
        ):
            raise ConfigurationError(f"{', '.join(sorted(named))}: an attack on synthetic records; add --synthetic.")
        if self.held_out is not None and self.one_to_one:
            raise ConfigurationError(
                "People held out of training are compared with the members of synthetic records; add --synthetic."
            )
        if self.trained is not None and self.held_out is None and self.canaries is None:
            raise ConfigurationError(
                "Membership by loss needs people held out of training; name them with --held-out, or name the key of "
                "planted canaries with --canaries."
            )
        self._check_canaries()
        self._check_population()
        if self.unit_field is not None and self.one_to_one:
            raise ConfigurationError(
                "A field that names people is for synthetic records; add --synthetic, or leave out --unit-field."
            )
        if self.texts_per_unit is not None and (self.unit_field is None or self.texts_per_unit < 1):
            raise ConfigurationError("The records of a person are counted from 1 on, and only with --unit-field.")
        if self.sample < 1:
            raise ConfigurationError("A sample has at least one record.")
        if self.paraphrased_knowledge and self.chat is None:
            raise ConfigurationError("Claims are reworded by a language model; name one with --chat-model.")
        if self.chat is None and self.attacks != USUAL_ATTACKS and _REBUILDING in self.attacks:
            raise ConfigurationError("Texts are rebuilt by a language model; name one with --chat-model.")
        held([], self.knowledge, self.claims, self.seed)  # refuses an attacker who is not possible
        kinds(self.kinds)
        if self.texts not in TEXTS:
            raise ConfigurationError(f"Texts are {', '.join(TEXTS[:-1])} or {TEXTS[-1]}, not {self.texts!r}.")

    def _check_labels(self) -> None:
        """Refuse labels and tasks that nothing is to guess."""
        given = {"label": self.labels, "task": self.tasks}
        roles = [role for role, names in given.items() if names]
        if roles and not _guess(*self.attacks, *self.metrics):
            raise ConfigurationError(
                f"A {' or a '.join(roles)} is a field that the attack {_GUESSING!r} guesses; add it to attacks, or "
                f"leave out {' and '.join(roles)}."
            )

    def _check_canaries(self) -> None:
        """Refuse a key of canaries that is not there, or that nothing is to be done with."""
        if self.canaries is None:
            if self.attacks != USUAL_ATTACKS and "canaries" in self.attacks:
                raise ConfigurationError("Which canaries were planted? Name their key with --canaries.")
            return
        if self.one_to_one:
            raise ConfigurationError("Canaries are looked for in synthetic records; add --synthetic.")
        if self.attacks != USUAL_ATTACKS and "canaries" not in self.attacks:
            raise ConfigurationError("A key of canaries is for the attack canaries; add it to --attacks.")
        if not Path(self.canaries).is_file():
            raise ConfigurationError(f"There is no file {Path(self.canaries).name} with a key of canaries.")

    def _check_population(self) -> None:
        """Refuse a table of a population that is not there, or that nothing is to be done with."""
        if self.population_k < 2:
            raise ConfigurationError("A person is hidden among 2 people or more; raise --population-k.")
        if self.population_fields and not self.counts_a_population:
            raise ConfigurationError("In which table are the fields looked up? Name it with --population.")
        if self.population is None:
            return
        if not self.one_to_one:
            raise ConfigurationError("A synthetic record is about nobody; leave out --population, or --synthetic.")
        if "population" not in self.attacks:
            raise ConfigurationError("A table of people is for the attack population; add it to --attacks.")
        if self.population != LISTED and not Path(self.population).is_file():
            raise ConfigurationError(
                f"There is no file {Path(self.population).name} with a population; {LISTED} names the listed places."
            )

    @property
    def counts_a_population(self) -> bool:
        """Return whether people are counted who share what is shown: a table is named, or the attack is."""
        named = "population" in self.attacks and self.attacks != USUAL_ATTACKS
        return self.one_to_one and (named or self.population is not None)

    def only(self, wanted: Callable[[str], bool]) -> Plan:
        """Return the same with the ``wanted`` attacks and metrics alone."""
        attacks, metrics = tuple(filter(wanted, self.attacks)), tuple(filter(wanted, self.metrics))
        if self.chat is None:  # of the usual attacks, left out without a model
            attacks = tuple(name for name in attacks if name != _REBUILDING)
        labels, tasks = (self.labels, self.tasks) if _guess(*attacks, *metrics) else ((), ())
        return replace(self, attacks=attacks, metrics=metrics, rounds=None, labels=labels, tasks=tasks)

    @property
    def read_along(self) -> tuple[str, ...]:
        """Return the fields that the studies read where a record has them."""
        return (*(QUESTION_FIELDS if "answers" in self.metrics else ()), *self.population_fields)

    @property
    def setting(self) -> dict[str, Any]:
        """Return everything except the files that decides a figure, for the results."""
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "chat"}
        # A path discloses the machine.
        values |= {
            name: values[name] and Path(values[name]).name
            for name in (*_FOLDERS, "rounds", "held_out", "canaries", "population")
        }
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {**plain, **(self.chat.setting if self.chat else {})}


def _guess(*names: str) -> bool:
    """Return whether one of these attacks and metrics guesses labels; those of other packages say so themselves."""
    others = (name for name in names if name not in {**registry.STUDIES, **registry.METRICS})
    return _GUESSING in names or any("labels" in registry.study_class(name).needs for name in others)
