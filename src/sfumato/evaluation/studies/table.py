"""From a plan to the studies that answer it, with the models that they need."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato import registry
from sfumato.abstract.chat import ChatModel
from sfumato.abstract.models import Encoder
from sfumato.attacks.claims import ClauseSplitter, Splitter
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


def studies(
    plan: Plan, encoder: Encoder, chat: ChatModel | None = None, release: Path | None = None,
    splitter: Splitter | None = None,
) -> Mapping[str, Measured]:  # fmt: skip
    """Return the studies of ``plan`` for which everything is at hand, in the order of the report.

    ``chat`` is the model of ``plan.chat``. ``release`` is the released file, beside which a statement may stand:
    without it there is no study of its guarantee. ``splitter`` takes the place of the usual one.
    """
    bench, measured = Bench(plan, encoder, chat, release, splitter), dict[str, Measured]()
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
