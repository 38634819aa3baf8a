"""What a statement says of the domains of a kind: enough that anyone can make each law again and check it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sfumato.abstract.kind import Kind
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.options import options_of

FEW = 8
"""So many domains are stated one by one."""
WEAKEST = "weakest"
"""Under which name the one domain stands whose certificate is the treatment's, where there are many."""


def options_of_kind(kind: Kind) -> dict[str, Any]:
    """Return the public options of ``kind``, which decide its domains."""
    return {option.name: getattr(kind, option.name) for option in options_of(type(kind))}


def stated_domains(mechanisms: Mapping[str, Mechanism], weakest: str) -> dict[str, Any]:
    """Return an entry for each domain; of many, their number, one hash over all, and the entry of the ``weakest``."""
    if len(mechanisms) <= FEW:
        return {grain: _stated(mechanism) for grain, mechanism in mechanisms.items()}
    domains = {grain: made.vocabulary for grain, made in mechanisms.items()}
    return {
        "count": len(domains),
        "tokens": sum(len(domain) for domain in domains.values()),
        "hash": hash_of_all({grain: domain.hash for grain, domain in domains.items()}),
        WEAKEST: {weakest: _stated(mechanisms[weakest])},
    }


def hash_of_all(hashes: Mapping[str, str]) -> str:
    """Return one hash over the hashes of domains by name."""
    return hashlib.sha256(json.dumps(dict(sorted(hashes.items()))).encode()).hexdigest()


def _stated(mechanism: Mechanism) -> dict[str, Any]:
    domain, certificate, law = mechanism.vocabulary, mechanism.certify(), mechanism.law_facts
    return {
        "provenance": domain.provenance,
        "tokens": len(domain),
        "hash": domain.hash,
        "parameters": mechanism.parameters,
        "certificate": certificate.as_dict(),
        "worst_values": None if certificate.pair is None else [domain.tokens[value] for value in certificate.pair],
        **({"law": law} if law else {}),
    }
