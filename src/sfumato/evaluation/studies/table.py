"""From a plan to the studies that answer it, with the models that they need."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sfumato.abstract.chat import ChatModel
from sfumato.abstract.models import Encoder
from sfumato.attacks.attributes import EmbeddingClassifier, WordClassifier
from sfumato.attacks.chat_judges import ChatCategories, ChatJudge, ChatSplitter, paraphrased
from sfumato.attacks.claim_categories import EmbeddedSorter, kinds
from sfumato.attacks.claim_judges import EmbeddingJudge, Judge
from sfumato.attacks.claims import ClauseSplitter, Splitter
from sfumato.attacks.entailment_judge import EntailmentJudge
from sfumato.attacks.transformer_classifier import TransformerClassifier
from sfumato.building.chat import ChatChoice, causal_model
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.run import Measured
from sfumato.evaluation.studies.asking import Asking
from sfumato.evaluation.studies.attributes import AttributeStudy
from sfumato.evaluation.studies.divergence import DivergenceStudy
from sfumato.evaluation.studies.guarantee import GuaranteeStudy
from sfumato.evaluation.studies.linkage import LinkageStudy
from sfumato.evaluation.studies.quality import QualityStudy
from sfumato.evaluation.studies.rounds import RoundsStudy
from sfumato.evaluation.studies.surface import SurfaceStudy
from sfumato.evaluation.studies.tokens import TokenStudy
from sfumato.evaluation.studies.utility import UtilityStudy
from sfumato.models.encoders.tunable import TunableModel
from sfumato.models.entailment import EntailmentModel
from sfumato.models.masked.embedded import embedded_masked
from sfumato.storage.digests import digest_of


def studies(
    plan: Plan, encoder: Encoder, chat: ChatModel | None = None, release: Path | None = None,
    splitter: Splitter | None = None,
) -> Mapping[str, Measured]:  # fmt: skip
    """The studies of ``plan``, in the order of the report.

    ``chat`` is the model of ``plan.chat``. ``release`` is the released file, beside which a statement may stand:
    without it there is no study of its guarantee. ``splitter`` takes the place of the usual one.
    """
    makers: dict[str, Any] = {
        "linkage": lambda: _linkage(plan, encoder, chat, splitter),
        "tokens": lambda: TokenStudy(embedded_masked(), plan.sample, plan.seed),
        "guarantee": lambda: GuaranteeStudy(release or Path(), seed=plan.seed, model=embedded_masked()),
        "attributes": lambda: _attributes(plan, encoder),
        "surface": lambda: SurfaceStudy(encoder, sampled=plan.sample, seed=plan.seed),
        "utility": lambda: _utility(plan, encoder),
        "quality": lambda: QualityStudy(_there(chat), min(plan.sample, 200), plan.seed),
        "rounds": lambda: RoundsStudy(Path(plan.rounds or ""), by_id=plan.id_field is not None),
        "divergence": lambda: DivergenceStudy(embedded_masked(), encoder, min(plan.sample, 100), plan.seed),
    }
    wanted = [name for name in plan.studies if name != "guarantee" or release is not None]
    return {name: make() for name, make in makers.items() if name in wanted}


def made_by(plan: Plan) -> list[str]:
    """The identities of the models that ``plan`` names: two of one name are not one. Not for the results."""
    found = [embedded_masked().id, ClauseSplitter().description]
    found += [TunableModel(plan.classifier).id] if plan.classifier is not None else []
    found += [causal_model(plan.causal).id] if plan.causal is not None else []
    found += [EntailmentModel(plan.entailment).id] if plan.entailment is not None else []
    found += [digest_of(Path(plan.rounds))] if plan.rounds is not None else []
    return [*found, *(plan.chat.identity if plan.chat else ())]


def _linkage(plan: Plan, encoder: Encoder, chat: ChatModel | None, splitter: Splitter | None) -> Measured:
    judge: Judge = EmbeddingJudge(encoder)
    if plan.entailment is not None:
        judge = EntailmentJudge(EntailmentModel(plan.entailment))
    dense = True if plan.dense else None
    made = partial(
        LinkageStudy, encoder, knowledge=plan.knowledge, k=plan.claims, judged=plan.sample, dense=dense,
        seed=plan.seed, targets=max(plan.sample, 1000),
    )  # fmt: skip
    if chat is None:
        sorter = EmbeddedSorter(encoder, kinds(plan.kinds))
        return made(judge=judge, splitter=splitter or ClauseSplitter(), sorter=sorter)
    if plan.entailment is None:
        judge = ChatJudge(chat, plan.chat.votes if plan.chat else ChatChoice.votes)
    asking = made(
        judge=judge, splitter=ChatSplitter(chat), sorter=ChatCategories(chat, kinds(plan.kinds)),
        targets=plan.sample, hearsay=partial(paraphrased, chat) if plan.hearsay else None, split_all=False,
    )  # fmt: skip
    return Asking(asking, chat)


def _attributes(plan: Plan, encoder: Encoder) -> AttributeStudy:
    classifiers: list[Any] = [WordClassifier(), EmbeddingClassifier(encoder)]
    if plan.classifier is not None:
        classifiers.append(TransformerClassifier(TunableModel(plan.classifier), seed=plan.seed))
    return AttributeStudy(tuple(classifiers), plan.labels, plan.tasks, plan.seed, sampled=plan.sample)


def _utility(plan: Plan, encoder: Encoder) -> UtilityStudy:
    causal = None if plan.causal is None else causal_model(plan.causal)
    return UtilityStudy(encoder, plan.sample, plan.seed, causal)


def _there(chat: ChatModel | None) -> ChatModel:
    assert chat is not None  # the plan leaves the study out otherwise
    return chat
