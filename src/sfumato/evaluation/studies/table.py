"""From a plan to the studies that answer it, with the models that they need."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato import registry
from sfumato.attacks.claims import ClauseSplitter
from sfumato.building.chat import causal_model
from sfumato.evaluation.bench import Bench
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.run import Measured
from sfumato.evaluation.studies._losses import trained_id
from sfumato.evaluation.studies.asking import Asking
from sfumato.evaluation.studies.beside import Beside
from sfumato.models.encoders.tunable import TunableModel
from sfumato.models.entailment import EntailmentModel
from sfumato.models.masked.embedded import embedded_masked
from sfumato.storage.digests import digest_of


def studies(bench: Bench) -> Mapping[str, Measured]:
    """Return the studies of the plan for which everything is on the ``bench``, in the order of the report."""
    plan, chat, measured = bench.plan, bench.chat, dict[str, Measured]()
    noted = registry.studies(registry.NOTED) if plan.rounds is not None else {}
    for name in registry.studies():
        if name in (*plan.attacks, *plan.metrics, *noted):
            kind = registry.study_class(name)
            if bench.has(kind.needs):
                made = kind.of(bench)
                if kind.compared and not plan.one_to_one:
                    made = Beside(made, kind.compared)
                counts_itself = "chat" in kind.needs
                measured[name] = Asking(made, chat) if chat and kind.may_ask and not counts_itself else made
    return measured


def asking(plan: Plan) -> Plan:
    """Return ``plan`` with those of its studies alone that may ask a language model."""
    return plan.only(lambda name: registry.study_class(name).may_ask)


def made_by(plan: Plan) -> list[str]:
    """Return the identities of the models and other packages that ``plan`` names. Not for the results.

    Two models of one name are not one, nor are two versions of a package.
    """
    identities = [embedded_masked().id, ClauseSplitter().description]
    identities += [TunableModel(plan.classifier).id] if plan.classifier is not None else []
    identities += [causal_model(plan.causal).id] if plan.causal is not None else []
    identities += [trained_id(plan.trained)] if plan.trained is not None else []
    identities += [EntailmentModel(plan.entailment).id] if plan.entailment is not None else []
    identities += [digest_of(Path(name)) for name in (plan.rounds, plan.canaries) if name is not None]
    own = {**registry.STUDIES, **registry.METRICS}
    others = {name: row for name, row in registry.studies().items() if name not in own}
    identities += [
        f"{others[name].place} {others[name].about}" for name in (*plan.attacks, *plan.metrics) if name in others
    ]
    return [*identities, *(plan.chat.identity if plan.chat else ())]
