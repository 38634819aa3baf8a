"""What a server counts, for Prometheus. No label holds text: paths, kinds and causes are of fixed lists."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_LOG = logging.getLogger("sfumato.gateway")
_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)


class Counted:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = self._counter("requests", "Requests by path and status", "path", "status")
        self.refusals = self._counter("refusals", "Refused requests by cause", "cause")
        self.marks = self._counter("marks", "New marks by kind", "kind")
        self.texts = self._counter("texts", "Texts: new ones, known ones, and ones in another language", "which")
        self.restored = self._counter("pseudonyms", "Pseudonyms in answers: restored, unknown, doubtful", "which")
        self.spent = self._counter("epsilon", "Privacy loss that was charged, in nats", "currency")
        self.seconds = Histogram(
            "sfumato_seconds", "Seconds of each stage", ("stage",), registry=self.registry, buckets=_SECONDS
        )
        self._told = False
        self.open = Gauge("sfumato_open_requests", "Requests that are answered now", registry=self.registry)

    def sanitized(self, marks: Mapping[str, int], spent: Mapping[str, float]) -> None:
        """Count new ``marks`` by kind, and what was ``spent``, in nats by currency."""
        for kind, count in marks.items():
            self.marks.labels(kind).inc(count)
        for currency, nats in spent.items():
            self.spent.labels(currency).inc(nats)

    def in_other_languages(self, texts: int) -> None:
        """Count ``texts`` of a request that show another language than the policy reads; the log says it once."""
        self.texts.labels("other language").inc(texts)
        if texts and not self._told:
            self._told = True
            _LOG.warning(
                "texts show another language than the policy reads, and names in them may pass; name it in "
                "[find], or refuse such texts (other_languages); this is said once, and /metrics counts them"
            )

    def _counter(self, name: str, help: str, *labels: str) -> Counter:
        return Counter(f"sfumato_{name}", help, labels, registry=self.registry)
