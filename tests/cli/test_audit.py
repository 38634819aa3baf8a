"""``sfumato audit``: honest claims stand, false ones are refuted, and whatever is odd is one sentence."""

from __future__ import annotations

import json
import math
import random
import shlex
import sys
import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from command_line import CANARY, Ran, call, write_vectors
from scripted_models import ScriptedMasked
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.attacks.black_box import CommandSampler
from sfumato.attacks.distinguishing import Distinguishing, draws_of
from sfumato.engines.contextual import Contextual
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.auditing import audited, audited_in_context, default_pairs
from sfumato.evaluation.audit.findings import UNCOVERED, inference, unigram_prior
from sfumato.mechanisms.dp_mlm import DPMLM
from sfumato.mechanisms.santext import SanText
from sfumato.privacy.clipped_softmax import ClippedSoftmax
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.randomness import SeededRandomness
from sfumato.types import IntArray, Uniforms

YES, NO = f"{CANARY} yes", f"{CANARY} no"
QUICK = ("--samples", 20_000)
FEW = ("--samples", 4_000)
RESPONSE = """
import math, random, sys
keep = math.exp({epsilon}) / (1 + math.exp({epsilon}))
print("{canary} on stderr", file=sys.stderr)
lines = sys.stdin.readlines()
random.seed(lines[0])
for line in lines:
    truth = "yes" if "yes" in line else "no"
    draw = {draw}
    print(truth if draw < keep else "no" if truth == "yes" else "yes")
"""


def command(folder: Path, body: str) -> str:
    place = folder / "their.py"
    place.write_text(body, encoding="utf-8")
    return shlex.join([sys.executable, str(place)])


def response(folder: Path, epsilon: float, draw: str = "random.random()") -> str:
    return command(folder, RESPONSE.format(epsilon=epsilon, canary=CANARY, draw=draw))


def ask(*arguments: object, claim: object = 1.0, first: str = YES, second: str = NO) -> Ran:
    ran = call("audit", *arguments, "--epsilon", claim, "--input", first, "--input", second)
    assert CANARY not in ran.out + ran.err
    return ran


def test_an_honest_command_stands_and_shows_most_of_its_loss(tmp_path: Path) -> None:
    ran = ask("--command", response(tmp_path, 1.0), "--json", *QUICK)
    [pair] = ran.json["pairs"]
    assert 0.9 < pair["lower_bound"] <= 1.0
    assert pair["verdict"] == "consistent with the claim"
    assert (ran.json["outcomes"], ran.json["refuted"]) == (2, False)
    shown = ask("--command", response(tmp_path, 1.0), *QUICK)
    assert "proves nothing" in shown.out


def test_a_command_that_loses_more_than_it_says_is_refuted(tmp_path: Path) -> None:
    ran = ask("--command", response(tmp_path, 2.0), *QUICK)
    assert ran.code == 1
    assert "REFUTES" in ran.out
    assert ask("--command", response(tmp_path, 2.0), "--distance", 2.5, *QUICK).code == 0  # 2 nats over 2.5 units


def test_what_draws_alike_for_equal_lines_is_refuted(tmp_path: Path) -> None:
    echo = command(tmp_path, "import sys\nfor line in sys.stdin: print(line.upper(), end='')")
    assert ask("--command", echo, *QUICK, claim=5).code == 1
    seeded = response(tmp_path, 0.1, draw="random.Random(line).random()")
    keep = math.exp(0.1) / (1 + math.exp(0.1))
    first, second = (
        next(line for line in (f"{one} {n}" for n in range(99)) if random.Random(f"{line}\n").random() < keep)
        for one in (YES, NO)
    )
    assert ask("--command", seeded, *QUICK, claim=1, first=first, second=second).code == 1  # each line has its answer
    salted = command(tmp_path, "import sys, zlib\nfor line in sys.stdin: print(zlib.crc32(line.encode()))")
    assert ask("--command", salted, *QUICK, claim=5).code == 1
    counting = response(tmp_path, 1.0, draw="random.Random(random.random()).random()")
    assert ask("--command", counting, *QUICK, claim=1).code == 0


def test_outcomes_that_never_repeat_say_that_the_bound_is_weak(tmp_path: Path) -> None:
    fresh = command(tmp_path, "import sys, uuid\nfor line in sys.stdin: print(line.strip(), uuid.uuid4())")
    ran = ask("--command", fresh, *QUICK)
    assert ran.code == 0
    assert "the bound is weak" in ran.out
    blank = command(tmp_path, "import sys\nfor line in sys.stdin: print()")
    assert ask("--command", blank, "--json", *QUICK).json["pairs"][0]["lower_bound"] == 0.0
    assert "Every answer was the same" in ask("--command", blank, *QUICK).out
    assert "Every answer was the same" not in ran.out


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f"import sys; sys.exit('{CANARY}')", "exit code 1"),
        (f"import sys; sys.stdin.read(); raise ValueError('{CANARY}')", "exit code 1"),
        ("import sys; sys.stdin.read(); print('one')", "answered with 1 lines to 20,000"),
        ("import sys; sys.stdin.read(); print('one\\n' * 30_000)", "more than the 20,000 lines"),
        (f"while True: print('{CANARY}')", "more than the 20,000 lines"),
        ("import time; time.sleep(60)", "No answer within 0.5 seconds"),
        ("import sys, time\nfor line in sys.stdin: print(line, end='', flush=True); time.sleep(60)", "No answer"),
        ("import os, sys, time; sys.stdin.read(); print('a\\n' * 20_000); os.close(1); time.sleep(60)", "more than"),
        ("import os, time; os.close(1); time.sleep(60)", "No answer"),
    ],
)
def test_a_command_that_does_not_answer_is_a_sentence(tmp_path: Path, body: str, reason: str) -> None:
    limit = 0.5 if reason.startswith("No answer") else 60
    ran = ask("--command", command(tmp_path, body), "--timeout", limit, *QUICK)
    assert ran.code == 2
    assert reason in ran.err


def test_a_line_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.attacks.black_box._MOST_BYTES", 1 << 20)
    body = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    ran = ask("--command", command(tmp_path, body), *QUICK)
    assert "more than 1 GiB" in ran.err


def test_a_program_is_ended_with_what_it_started(tmp_path: Path) -> None:
    body = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\ntime.sleep(60)"
    )
    told = tmp_path / "pid"
    for limit in (1, 20):  # where processes start slowly, nothing is told within the first
        assert "No answer" in ask("--command", command(tmp_path, body), "--timeout", limit, *QUICK).err
        if told.exists() and told.read_text():
            break
    if not Path("/proc/self").exists():
        return
    state = Path(f"/proc/{told.read_text()}/stat")
    ends = time.monotonic() + 20.0
    while state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] != "Z":
        assert time.monotonic() < ends
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--command", "there-is-no-such-program-here"), "cannot be started"),
        (("--command", ""), "command is empty"),
        (("--command", "cat 'x"), "quotation mark"),
        (("--command", "cat", "--python", "a:b"), "Give one of"),
        ((), "Give one of"),
        (("--command", "cat", "--input", "third"), "give --input twice"),
        (("--command", "cat", "--seed", 1), "--seed is for --mechanism"),
        (("--command", "cat", "--timeout", 0), "time limit"),
        (("--command", "cat", "--distance", -1), "distance must be 0 or more"),
        (("--command", "cat", "--samples", 3), "at least 4 samples"),
        (("--command", "cat", "--confidence", 1), "between 0 and 1"),
        (("--python", "nothing"), "module:function"),
        (("--mechanism", "santext"), "--input belongs to"),
    ],
)
def test_what_cannot_be_is_a_sentence(arguments: tuple[object, ...], reason: str) -> None:
    ran = ask(*arguments)
    assert ran.code == 2
    assert reason in ran.err


@pytest.mark.parametrize(
    ("claim", "text", "reason"), [(-1, YES, "0 or more"), (math.nan, YES, "finite"), (1, f"{YES}\n{NO}", "one line")]
)
def test_claims_and_inputs_that_cannot_be(claim: float, text: str, reason: str) -> None:
    ran = ask("--command", "cat", claim=claim, first=text)
    assert ran.code == 2
    assert reason in ran.err
    assert "--epsilon" in call("audit", "--command", "cat", "--input", "a", "--input", "b").err


MODULE = f"""
import math, random, time

def answer(text, n, epsilon):
    random.seed(text)
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    return [("yes" in text) == (random.random() < keep) for _ in range(n)]

def honest(text, n):
    print("{CANARY}", text)
    return answer(text, n, 1.0)

def loud(text, n):
    return answer(text, n, 2.0)

class Their:
    @staticmethod
    def arrays(text, n):
        import numpy
        return numpy.array(answer(text, n, 1.0))

def fails(text, n):
    raise RuntimeError(text)

def short(text, n):
    return [1]

def letters(text, n):
    return "x" * n

def endless(text, n):
    return (one for one in iter(int, 1))

def things(text, n):
    return [object() for _ in range(n)]

def sleeps(text, n):
    time.sleep(60)

def leaves(text, n):
    raise SystemExit(text)

number = 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "theirs.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "theirs"


def test_functions_of_others(module: str) -> None:
    ran = ask("--python", f"{module}:honest", "--json", *QUICK)
    assert 0.9 < ran.json["pairs"][0]["lower_bound"] <= 1.0
    assert ask("--python", f"{module}:Their.arrays", *QUICK).code == 0
    assert ask("--python", f"{module}:loud", *QUICK).code == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("fails", "raised an exception"),
        ("short", "did not answer with a list"),
        ("letters", "did not answer with a list"),
        ("endless", "did not answer with a list"),
        ("things", "neither text nor a number"),
        ("sleeps", "No answer within"),
        ("leaves", "exit code 1"),
        ("number", "no function"),
        ("missing", "no function"),
    ],
)
def test_functions_that_do_not_answer(module: str, name: str, reason: str) -> None:
    ran = ask("--python", f"{module}:{name}", "--timeout", 0.5 if name == "sleeps" else 60, *QUICK)
    assert ran.code == 2
    assert reason in ran.err
    assert "no module" in ask("--python", f"no_{module}:f", *QUICK).err


def test_samplers_are_asked_for_what_is_wanted() -> None:
    found = CommandSampler(["cat"], "one")(1_000)
    assert (len(found), len(set(found))) == (1_000, 1)
    with pytest.raises(ConfigurationError, match="time limit"):
        CommandSampler(["cat"], "one", math.nan)


@pytest.fixture
def public(tmp_path: Path) -> Path:
    return write_vectors(tmp_path)


def of_ours(public: Path, name: str, *more: object, claim: float = 2.0) -> Ran:
    return call("audit", "-m", name, "-e", claim, "--set", f"vocabulary={public}", *more)


OURS = {
    "santext": (),
    "santext+": ("--set", "sensitive_share=0.7"),
    "custext": ("--set", "set_size=5"),
    "custext+": ("--set", "set_size=5"),
    "clusant": ("--set", "set_size=5", "--set", "k=4"),
    "tem": (),
    "fbdd": (),
    "mahalanobis": (),
    "vickrey": (),
}


@pytest.mark.parametrize("name", list(OURS))
def test_our_mechanisms_stand(public: Path, name: str) -> None:
    ran = of_ours(public, name, "--tokens", "cat,dog,house", "--seed", 3, "--json", *FEW, *OURS[name])
    found = ran.json
    assert not found["refuted"]
    noise = name in ("fbdd", "mahalanobis", "vickrey")
    for pair in found["pairs"]:
        if pair["verdict"] != UNCOVERED:
            assert pair["lower_bound"] <= (2.0 if noise else pair["exact"]) <= 2.0 * (1 + 1e-9)
    if noise:
        assert "bayes_success" not in found["inference"] or found["inference"]["bayes_success"] is None
    else:
        assert found["pairs"][0]["exact"] == pytest.approx(found["certificate"]["certified"], rel=1e-6)
        inferred = found["inference"]
        assert inferred["guessing"] <= inferred["bayes_success"] <= inferred["permitted"] + 1e-9
    assert set(found["queries"]) == {"cat", "dog", "house"}


def test_a_seed_repeats_an_audit(public: Path) -> None:
    one, same, other = (
        of_ours(public, "santext", "--seed", seed, "--json", *FEW).json["pairs"] for seed in (3, 3, 4)
    )
    assert one == same
    assert one != other


def test_the_worst_pair_of_every_finite_law_loses_what_is_certified(finite: Any, toy: Vocabulary) -> None:
    try:
        made = finite.on(toy)
        certificate = made.certify()
    except sfumato.SfumatoError:
        pytest.skip("not on this vocabulary")
    pair = made.worst_pair()
    if pair is None or certificate.kind != "exact" or certificate.certified < 1e-9:
        return
    assert made.worst_pair() == pair  # as it was remembered
    [found] = audited(made, [(pair, "worst")], Distinguishing(samples=2_000), SeededRandomness(1))
    assert found.exact == pytest.approx(certificate.certified, rel=1e-6)
    assert not found.refuted


def test_audits_that_belong_together_share_the_confidence(public: Path) -> None:
    """Several labels are several chances to refute a true claim by luck."""
    vocabulary = sfumato.load_vocabulary(public)
    made, auditor = sfumato.mechanism("santext", vocabulary, 4.0), Distinguishing(confidence=0.9, samples=20_000)
    alone, beside = (
        audited(made, [((0, 1), "given")], auditor, SeededRandomness(1), audits=audits)[0] for audits in (1, 5)
    )
    strict = replace(auditor, confidence=1.0 - 0.1 / 5)
    assert beside == audited(made, [((0, 1), "given")], strict, SeededRandomness(1))[0]
    assert 0.0 < beside.bound < alone.bound  # type: ignore[operator]
    one, several = (
        of_ours(public, "santext", "--tokens", "cat,dog", *labels, "--seed", 3, "--json", *QUICK, claim=4).json
        for labels in (("--label", "LOC"), ("--label", "LOC", "--label", "ORG"))
    )  # fmt: skip
    first, second = one["pairs"], several["audits"][0]["pairs"]
    assert sum(pair["lower_bound"] for pair in second) < sum(pair["lower_bound"] for pair in first)


def test_ours_is_shown_with_what_it_means(public: Path) -> None:
    ran = of_ours(public, "santext", "--prior-tokens", 5, "--seed", 3, *QUICK)
    assert ran.code == 0
    for said in ("proves nothing", "strongest attacker", "5 most frequent of", "draws after which a token leads"):
        assert said in ran.out
    several = call(
        "audit", "-m", "santext", "-e", 2, "--set", f"vocabulary.LOC={public}", "--set", f"vocabulary.ORG={public}",
        "--set", f"vocabulary={public}", "--label", "LOC", "--label", "ORG", "--seed", 3, "--json", *QUICK,
    )  # fmt: skip
    assert [one["label"] for one in several.json["audits"]] == ["LOC", "ORG"]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("--tokens", f"cat,{CANARY}"), "Word 2 of --tokens is not in the vocabulary"),
        (("--tokens", ",".join(["cat"] * 13)), "12 at most"),
        (("--prior-tokens", -1), "0 for all"),
        (("--text", CANARY), "give --tokens"),
        (("--set", "model=x"), "leave out model "),
    ],
)
def test_what_ours_cannot_do_is_a_sentence(public: Path, more: tuple[object, ...], reason: str) -> None:
    ran = of_ours(public, "santext", *more, *QUICK)
    assert ran.code == 2
    assert reason in ran.err
    assert CANARY not in ran.err
    assert "no method" in of_ours(public, "santex").err
    assert "--text" in call("audit", "-m", "dp-mlm", "-e", 5).err


@dataclass(frozen=True, eq=False)
class Boastful(SanText):
    """Says half of what it loses."""

    @property
    def guarantee(self) -> Guarantee:
        return replace(super().guarantee, epsilon=self.epsilon / 2)


@dataclass(frozen=True, eq=False)
class Leaky(SanText):
    """Keeps every fourth token, which its law does not tell."""

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        return np.where(np.arange(len(tokens)) % 4 == 0, tokens, super().draw(tokens, uniforms))


def toy_words(count: int = 12) -> Vocabulary:
    vectors = np.random.default_rng(3).normal(size=(count, 3))
    return Vocabulary(tuple(f"w{n}" for n in range(count)), vectors, "a toy made by the tests")


@pytest.mark.parametrize(("kind", "refuted"), [(SanText, False), (Boastful, True), (Leaky, True)])
def test_a_mechanism_that_lies_is_refuted(kind: type[Mechanism], refuted: bool) -> None:
    made = kind(toy_words(), 1.5)  # type: ignore[call-arg]
    pair = made.worst_pair()
    assert pair is not None
    [found] = audited(made, [(pair, "worst")], Distinguishing(samples=50_000), SeededRandomness(5))
    assert found.refuted is refuted
    assert found.bound is not None
    assert (found.bound > found.claim) is refuted  # by draws alone, whatever its law says


def test_draws_come_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    made = sfumato.mechanism("fbdd", toy_words(), 2.0)
    drawn = draws_of(made, 1, SeededRandomness(1))(5_000)
    assert len(drawn) == 5_000
    monkeypatch.setattr(type(made), "draws_at_once", 5_000)
    whole = draws_of(made, 1, SeededRandomness(1))(5_000)
    assert np.abs(np.bincount(drawn, minlength=12) - np.bincount(whole, minlength=12)).max() < 300
    assert (drawn[:2048] != drawn[2048:4096]).any()


def test_noise_is_audited_near_and_far() -> None:
    made = sfumato.mechanism("mahalanobis", toy_words(), 2.0)
    assert made.worst_pair() is None
    (first, near), (same, far) = default_pairs(made)
    found = made.adjacency()
    apart = found.distances(np.array([first]), np.arange(12))[0]
    assert first == same == made.vocabulary.medoid()
    assert apart[near] == sorted(apart)[1]
    assert apart[far] == apart.max()
    noise = made.noise(np.random.default_rng(0).random((4, 4)))
    by_root = np.linalg.norm(np.linalg.solve(made.root, noise.T), axis=0)
    assert found.metric.block(np.linalg.solve(made.root, noise.T).T, np.zeros((1, 3)))[:, 0] == pytest.approx(by_root)


def test_a_prior_of_words_that_nobody_counts_is_flat() -> None:
    odd = Vocabulary(("qqzzx", "xxqqz", "zzxxq"), np.eye(3), "a toy made by the tests")
    prior = unigram_prior(sfumato.mechanism("santext", odd, 1.0))
    assert prior.weights.tolist() == pytest.approx([1 / 3] * 3)
    assert "equally likely" in prior.description
    stops = Vocabulary(("the", "a", "cat", "dog", "house"), np.random.default_rng(0).normal(size=(5, 2)), "a toy")
    made = sfumato.mechanism("custext+", stops, 1.0, set_size=3)
    found = inference(made, unigram_prior(made))
    assert found.prior.weights[:2].tolist() == [0.0, 0.0]  # nothing is promised for them
    rates = [found.guessing, found.attack.success, found.permitted]  # type: ignore[union-attr]
    assert all(one <= other * (1 + 1e-12) for one, other in pairwise(rates))


def rewriter(epsilon: float = 3.0, **options: Any) -> Any:
    return sfumato.build("dp-mlm", epsilon, model=ScriptedMasked(), clip=(-5.0, 0.0), **options)


class Steep(ClippedSoftmax):
    """Runs at the scale of three times the ε it is asked for."""

    __slots__ = ()

    def scale(self, epsilon: float) -> float:
        return ClippedSoftmax.scale(self, 3.0 * epsilon)


class Boasting(DPMLM):
    @property
    def score_law(self) -> ClippedSoftmax:  # type: ignore[override]
        honest = DPMLM.score_law.func(self)  # type: ignore[attr-defined]
        return Steep(honest.clip, honest.outcomes, honest.calibration)


def test_one_draw_of_a_rewriting() -> None:
    auditor = Distinguishing(samples=20_000)
    made = rewriter()
    texts = ("One elm fell.", "One sycamores fell.")
    found = audited_in_context(made, texts, 1, auditor, SeededRandomness(2))
    assert not found.refuted
    assert found.bound is not None
    assert found.exact is not None
    assert 0.5 * found.exact < found.bound <= found.exact <= found.claim
    same = audited_in_context(made, texts[:1] * 2, 1, auditor, SeededRandomness(2))
    assert (same.exact, same.bound) == (0.0, 0.0)
    mechanism = made.others.mechanism
    boasting = Boasting(mechanism.model, mechanism.epsilon, mechanism.scoring)
    assert audited_in_context(
        replace(made, others=Contextual(boasting)), texts, 1, auditor, SeededRandomness(2)
    ).refuted


@pytest.mark.parametrize(
    ("texts", "position", "reason"),
    [
        (("One elm.", "Elm."), 0, "does not cover"),
        (("One, elm.", "One elm."), 0, "does not cover"),
        (("One elm.", "Two oak."), 2, "no word 2"),
    ],
)
def test_documents_that_the_claim_does_not_cover(texts: tuple[str, str], position: int, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        audited_in_context(rewriter(), texts, position, Distinguishing(samples=100))


def test_json_holds_no_infinity(public: Path) -> None:
    ran = of_ours(public, "custext", "--set", "set_size=5", "--tokens", "cat,dog,house,river,stone", "--json", *QUICK)
    assert "Infinity" not in ran.out
    assert json.loads(ran.out, parse_constant=lambda name: pytest.fail(name))
