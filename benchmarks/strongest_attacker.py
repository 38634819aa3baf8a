"""How often the strongest attacker names a value from its draw, kind by kind, under each shipped policy.

Usage: strongest_attacker.py [--policy clinical ...] [--kind PLACE ...] [--shares FILE] [--save FILE] [--before FILE]
[--record]

The attacker knows the law, the domain of the value and a public prior, and names the value that is most likely given
the draw. No attacker is right more often: the share is sum_y max_x p(x) P(y|x), computed from the law that is drawn
and certified (`sfumato.attacks.token_attacks.bayes_attack`). There are two priors. "even": all values of the domain
are equally likely; of more than 2,000 values those nearest to the middle of the domain. "by use": as often as English
uses them (wordfreq), for kinds that are words.

A kind has several domains, and which one a value is of shows. The share of a kind is that over all its values, each
of them equally likely, so that a domain counts by its size. "highest" is the domain with the highest share.

* A kind that is drawn once for a record shows one draw, however often it is named. An age that is named three
  times is computed for three mentions: one draw or three independent ones. (Two draws of this law name an age no more
  often than one: all ages between them are as likely.)
* Dates that are shifted together have no law of single values. The attacker of the shift names which of 365
  timelines, each a day after the one before, is the true one.
* What is kept is named with certainty. What becomes its label, or is drawn without a look at it, tells nothing.

Whatever makes a record hold together afterwards reads nothing but the release, so that no share can rise by it: each
is the best over all functions of the draw, those that read it after any such step included.

`--save` writes the shares, and `--shares` reads them again; then only the kinds that are named are computed. To
compare with another state of the project, run this script there with `--save`, and here with `--before`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from recording import table, written

from sfumato.abstract.mechanism import Mechanism
from sfumato.attacks.token_attacks import bayes_attack
from sfumato.building.policies import treatment_of_kind
from sfumato.evaluation.audit.findings import even_prior, unigram_prior
from sfumato.policy import Policy
from sfumato.policy.suitability import INDEPENDENT, KINDS, SHIFT
from sfumato.policy.tables import shipped_names
from sfumato.types import FloatArray

VALUES, TIMELINES = 2_000, 365
MENTIONED_OFTEN, MENTIONS = "AGE", 3
WORDS = frozenset(kind for kind, traits in KINDS.items() if not traits.unit and traits.has_distance) | {"PLACE"}
Share = dict[str, Any]


def of_shift(epsilon: float, timelines: int = TIMELINES) -> float:
    """Return how often the attacker names the timeline: the discrete Laplace law is highest at no offset.

    Every offset that leads between the first and the last timeline is named right if it is 0, and the two tails
    beyond them belong to the first and the last one.
    """
    falls = float(np.exp(-epsilon))
    still = (1.0 - falls) / (1.0 + falls)
    tail = still * falls / (1.0 - falls)
    return (timelines * still + 2.0 * tail) / timelines


def named_by(law: FloatArray, draws: int, joint: FloatArray | None = None) -> float:
    """Return how often a value is named that shows so many independent ``draws`` of ``law`` (n, V), by an even prior.

    ``joint`` (n,) is the chance of each value with the draws before.
    """
    joint = np.full(len(law), 1.0 / len(law)) if joint is None else joint
    if draws == 1:
        return float((joint[:, None] * law).max(axis=0).sum())
    return sum(named_by(law, draws - 1, joint * seen) for seen in law.T)


def of_domain(made: Mechanism, kind: str) -> Share:
    """Return what the attacker names in one domain, under each prior."""
    shares: Share = {"values": len(made.vocabulary)}
    priors = {"even": even_prior(made, VALUES)}
    if kind in WORDS:
        priors["by use"] = unigram_prior(made, VALUES)
    for name, prior in priors.items():
        shares[name] = bayes_attack(made.law, prior.weights, len(made.vocabulary)).success
        shares[f"{name}, guessed"] = float(prior.weights.max())
    return shares


def of_kind(policy: Policy, kind: str) -> Share:
    """Return what the attacker names of the values of ``kind`` under ``policy``."""
    rule = policy.treatment_of(kind)
    if not rule.has_guarantee:
        return {"law": rule.name, "even": 1.0 if rule.name == "keep" else None}
    if rule.name == INDEPENDENT:
        return {"law": f"{rule.name}, epsilon 0", "even": None}
    treatment: Any = treatment_of_kind(policy, kind)
    epsilon = f"{rule.name}, epsilon {rule.epsilon:g}{f' within {rule.within}' if rule.within else ''}"
    if rule.name == SHIFT:
        share = of_shift(float(treatment.epsilon))
        return {"law": epsilon, "even": share, "even, guessed": 1.0 / TIMELINES, "highest": share, "domains": 1}
    domains = {grain: of_domain(made, kind) for grain, made in treatment.mechanisms.items()}
    sizes = np.array([domain["values"] for domain in domains.values()], dtype=np.float64)
    told: Share = {"law": epsilon, "domains": len(domains), "values": int(sizes.sum())}
    for name in ("even", "even, guessed", "by use", "by use, guessed"):
        own = [domain[name] for domain in domains.values() if name in domain]
        if own:
            told[name] = float((np.array(own) * sizes).sum() / sizes.sum())
    told["highest"] = max(domain["even"] for domain in domains.values())
    if kind == MENTIONED_OFTEN:
        made = treatment.mechanisms["year"]
        law = np.array([made.law(token) for token in range(len(made.vocabulary))])
        told["often"] = named_by(law, MENTIONS if treatment.scope == "mention" else 1)
    return told


def measured(
    policies: list[str], kinds: list[str], known: dict[str, dict[str, Share]]
) -> dict[str, dict[str, Share]]:
    """Return the shares of the ``kinds`` under each of the ``policies``, and all others that are ``known``."""
    every: dict[str, dict[str, Share]] = dict(known)
    for name in policies:
        policy = Policy.load(name)
        every[name] = dict(known.get(name, {}))
        for kind in kinds:
            every[name][kind] = of_kind(policy, kind)
            print(name, kind, every[name][kind], flush=True)
    return every


def rows(after: dict[str, dict[str, Share]], before: dict[str, dict[str, Share]]) -> Iterator[list[object]]:
    """Yield a row for each kind whose shares the law decides, or whose treatment changed."""
    for policy, kinds in after.items():
        for kind, now in kinds.items():
            then = before.get(policy, {}).get(kind, {})
            if now["even"] is None and then.get("even") is None:
                continue
            yield [f"`{policy}`", kind, now["law"], *_cells(now, then, "even"), *_cells(now, then, "by use")]
            if "often" in now:
                cells = [_told(now.get("often")), _told(then.get("often"))]
                yield [f"`{policy}`", f"{kind} in years, named {MENTIONS} times", now["law"], "", *cells, "", "", ""]


def _cells(now: Share, then: Share, prior: str) -> list[str]:
    return [_told(now.get(f"{prior}, guessed")), _told(now.get(prior)), _told(then.get(prior))]


def _told(share: float | None) -> str:
    return "" if share is None else f"{share:.4f}"


def main() -> None:
    """Show the table, or record it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", nargs="*", default=None)
    parser.add_argument("--kind", nargs="*", default=None)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--shares", type=Path, help="shares that --save wrote for this state")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    known = {} if given.shares is None else json.loads(given.shares.read_text(encoding="utf-8"))["shares"]
    kinds = given.kind or ([] if known else list(KINDS))
    shares = measured(given.policy or [name for name in shipped_names() if name != "synthetic"], kinds, known)
    if given.save is not None:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        given.save.write_text(json.dumps({"commit": commit.stdout.strip(), "shares": shares}), encoding="utf-8")
    before = {"commit": "", "shares": {}}
    if given.before is not None:
        before = json.loads(given.before.read_text(encoding="utf-8"))
    heads = ["policy", "kind", "law", "guessed, even", "now", "before", "guessed, by use", "now", "before"]
    told = table(heads, list(rows(shares, before["shares"])))
    named = f"\n\nBefore: commit {before['commit']}." if before["commit"] else ""
    written("strongest-attacker", f"{told}{named}", given.record)


if __name__ == "__main__":
    main()
