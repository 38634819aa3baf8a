"""What a server counts, for Prometheus. No label holds text: paths, kinds and causes are of fixed lists."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)


class Counted:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = self._counter("requests", "Requests by path and status", "path", "status")
        self.refusals = self._counter("refusals", "Refused requests by cause", "cause")
        self.marks = self._counter("marks", "New marks by kind", "kind")
        self.texts = self._counter("texts", "Texts: new ones, and ones that were known", "which")
        self.restored = self._counter("pseudonyms", "Pseudonyms in answers: restored, unknown, doubtful", "which")
        self.spent = self._counter("epsilon", "Privacy loss that was charged, in nats", "currency")
        self.seconds = Histogram(
            "sfumato_seconds", "Seconds of each stage", ("stage",), registry=self.registry, buckets=_SECONDS
        )
        self.open = Gauge("sfumato_open_requests", "Requests that are answered now", registry=self.registry)

    def sanitized(self, marks: Mapping[str, int], spent: Mapping[str, float]) -> None:
        """Count new ``marks`` by kind, and what was ``spent``, in nats by currency."""
        for kind, count in marks.items():
            self.marks.labels(kind).inc(count)
        for currency, nats in spent.items():
            self.spent.labels(currency).inc(nats)

    def _counter(self, name: str, help: str, *labels: str) -> Counter:
        return Counter(f"sfumato_{name}", help, labels, registry=self.registry)
