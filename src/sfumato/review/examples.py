"""Before and after: a draw from the law of a policy, as an example. It is not the draw that is released."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Any

from sfumato.abstract.detector import Detector
from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.policy.policy import Policy
from sfumato.privacy.randomness import SystemRandomness
from sfumato.review.segments import Piece, segments_of_release
from sfumato.review.texts import Texts


class Examples:
    """Draws examples by ``policy``, whose sanitizer is built and certified when the first is wanted.

    An example shares no random number with a release, pinned or not. It is for the owner of the text only: two
    draws of one text cost twice.
    """

    def __init__(self, policy: Policy, texts: Texts) -> None:
        self._policy, self._texts, self._lock = policy, texts, Lock()
        self._built: Engine | None = None

    def draw(self, record: int, detector: Detector) -> list[list[Piece]]:
        """Return the pieces of an example release of each text of ``record``."""
        with self._lock:
            if self._built is None:
                built = build_policy(self._policy)
                built.prepare()
                self._built = built
            sanitizer = self._built
        releases = replace(sanitizer, detector=detector).sanitize_batch(self._texts.of(record), SystemRandomness())
        return [segments_of_release(release) for release in releases]

    def as_facts(self, record: int, detector: Detector) -> dict[str, Any]:
        """Return an example for the page."""
        return {"record": record, "texts": [{"pieces": pieces} for pieces in self.draw(record, detector)]}
