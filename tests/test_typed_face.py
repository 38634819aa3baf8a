"""The typed face: a class for each method, keywords of functions, and what a type checker says of a script."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import pickle
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato import registry
from sfumato.abstract.chat import Question, ScriptedChat
from sfumato.abstract.choice import MethodChoice
from sfumato.batch import Sanitize
from sfumato.building.offers import Offer
from sfumato.building.synthesizers import synthesis_options
from sfumato.errors import ConfigurationError
from sfumato.evaluation.plan import Plan
from sfumato.files import FileOptions
from sfumato.options.option import Described, options_of
from sfumato.policy import Policy
from sfumato.privacy.randomness import SeededRandomness

ROOT = Path(__file__).parents[1]
WORDS = ("oslo", "rome", "paris", "london", "bergen", "vienna")
TEXT = "Anna moved from oslo to rome."


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a vocabulary and records, and the working folder of the test."""
    vectors = np.random.default_rng(5).normal(size=(len(WORDS), 3))
    rows = [" ".join([word, *map(str, vector)]) for word, vector in zip(WORDS, vectors, strict=True)]
    (tmp_path / "vectors.txt").write_text("\n".join(rows) + "\n")
    lines = [json.dumps({"id": f"r{number}", "text": TEXT}) for number in range(5)]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _loaded(path: Path) -> Any:
    """The module in a file that no package has."""
    spec = importlib.util.spec_from_loader(path.stem, SourceFileLoader(path.stem, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[path.stem]
    return module


# What is written.


def test_the_written_files_are_those_of_the_annotations() -> None:
    maker = _loaded(ROOT / "docs" / "make_face.py")
    for name in maker.FILES:
        assert maker.written(name) == (maker.SOURCE / name).read_text(encoding="utf-8"), (
            "run: python docs/make_face.py"
        )


def test_the_stub_has_the_public_names() -> None:
    tree = ast.parse((ROOT / "src" / "sfumato" / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.asname: str(node.module) for node in imports for alias in node.names}
    assert homes == {name: f"sfumato.{home}" for name, home in sfumato._HOME.items()}
    assert set(sfumato.__all__) == {*homes, "__version__"} <= set(dir(sfumato))
    for name, home in homes.items():
        assert getattr(sfumato, name) is getattr(importlib.import_module(home), name)


# A class for each method.


def _listed() -> Iterator[Any]:
    for name, row in (registry.METHODS | registry.SYNTHESIZERS).items():
        yield pytest.param(name, row.place.partition(":")[2], id=name)


def _options(name: str) -> list[Described]:
    """What is taken today: by `build`, or by `synthesize_file`; with detectors that ask a language model."""
    if name in registry.SYNTHESIZERS:
        return list(synthesis_options(name))
    asking = ("disclosures",) if registry.family(name) == registry.HEURISTICS else None
    return list(Offer(name, asking).everything)


@pytest.mark.parametrize(("name", "cls"), list(_listed()))
def test_every_method_has_a_class_with_exactly_its_options(name: str, cls: str) -> None:
    choice: Any = getattr(sfumato, cls)
    assert choice.method == name
    wanted: dict[str, Any] = {option.name: option.default for option in _options(name)}
    family = None if name in registry.SYNTHESIZERS else registry.family(name)
    if family in (registry.TOKENS, registry.CONTEXTUAL):
        wanted["epsilon"] = MISSING if family == registry.TOKENS else None
    own = {
        each.name: each.default if each.default_factory is MISSING else each.default_factory()
        for each in fields(choice)
    }
    assert own == wanted
    signature = inspect.signature(choice)
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in signature.parameters.values())


def test_a_choice_says_what_differs_and_keeps_secrets() -> None:
    assert repr(sfumato.CusText(epsilon=6, set_size=10, similarity="euclidean")) == "CusText(epsilon=6, set_size=10)"
    secret = sfumato.Redaction(operator="hash", key=b"0123456789" * 4)
    assert "0123" not in repr(secret)
    assert secret.options["key"]
    choice = sfumato.DPMLM(epsilon=12, law="rank", detect=["words"])
    assert pickle.loads(pickle.dumps(choice)) == choice == sfumato.DPMLM(epsilon=12, law="rank", detect=["words"])
    assert choice != sfumato.DPMLM(epsilon=12, detect=["words"])
    with pytest.raises(FrozenInstanceError):
        choice.epsilon = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: sfumato.CusText(epsilon="6"), "CusText: epsilon must be a number, not str"),  # type: ignore[arg-type]
        (lambda: sfumato.SanText(epsilon=6, lower="yes"), "SanText: lower must be true or false, not str"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_type_is_refused_where_it_is_written(made: Callable[[], Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        made()


def test_describing_a_method_imports_nothing_heavy() -> None:
    code = (
        "import sys, sfumato; sfumato.CusText(epsilon=6.0, detect='words'); "
        "assert not {'numpy', 'scipy', 'spacy', 'typer'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_choice_is_accepted_wherever_a_name_is(desk: Path) -> None:
    options: dict[str, Any] = {"vocabulary": "vectors.txt", "detect": "words"}
    choice, seeded = sfumato.SanText(epsilon=4.0, **options), {"randomness": SeededRandomness(3)}
    built = sfumato.build("santext", 4.0, **options)
    assert sfumato.build(choice).setting == built.setting
    release = sfumato.sanitize("santext", TEXT, 4.0, **seeded, **options)
    assert release == sfumato.sanitize(choice, TEXT, **seeded) == built.sanitize(TEXT, **seeded)
    files: dict[str, Any] = {"id_field": "id", "keep": [], **seeded}
    sfumato.sanitize_file(choice, "notes.jsonl", "a.jsonl", **files)
    sfumato.sanitize_file("santext", "notes.jsonl", "b.jsonl", 4.0, **files, **options)
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    audits = [
        sfumato.audit(each, epsilon, tokens=("oslo", "rome"), samples=1000, **seeded, **more)
        for each, epsilon, more in ((choice, None, {}), ("santext", 4.0, options))
    ]
    assert audits[0].as_dict() == audits[1].as_dict()
    one, other = Sanitize(choice), Sanitize("santext", 4.0, **options)
    assert (one.method, one.epsilon, one.options) == (other.method, other.epsilon, other.options)


@pytest.mark.parametrize(("beside", "named"), [({"epsilon": 3.0}, "epsilon"), ({"detect": "words"}, "detect")])
def test_options_beside_a_choice_are_refused(desk: Path, beside: dict[str, Any], named: str) -> None:
    choice = sfumato.SanText(epsilon=4.0, vocabulary="vectors.txt")
    for door in (
        lambda: sfumato.build(choice, **beside),
        lambda: sfumato.sanitize(choice, TEXT, **beside),
        lambda: sfumato.sanitize_file(choice, "notes.jsonl", "out.jsonl", **beside),
        lambda: sfumato.audit(choice, tokens=("oslo", "rome"), **beside),
        lambda: Sanitize(choice, **beside),
    ):
        with pytest.raises(ConfigurationError, match=rf"SanText has its epsilon and its options; give it {named}"):
            door()
    assert not Path("out.jsonl").exists()


def test_an_option_called_as_a_parameter_is_given_in_the_class(desk: Path) -> None:
    """`rounds` is where `sanitize_file` notes what a language model found, and how often `iterative` asks it."""
    (desk / "names.txt").write_text("PERSON\tAnna\n")

    def answer(question: Question) -> str:
        return '{"found": []}' if question.system.startswith("You find out") else f"<text>{TEXT}</text>"

    (desk / "one.jsonl").write_text(json.dumps({"text": TEXT}) + "\n")
    for rounds in (1, 2):
        method = sfumato.Iterative(detect="list:names.txt", rounds=rounds, chat_model=ScriptedChat(answer))
        released = sfumato.sanitize_file(method, "one.jsonl", f"{rounds}.jsonl", keep=())
        assert released.statement["parameters"]["rounds"] == rounds


def test_a_policy_sanitizes_texts_unless_it_has_a_budget(desk: Path) -> None:
    treated = '[find]\ndetect = ["list:names.txt"]\n[treat_others]\nmethod = "label"\n'
    (desk / "names.txt").write_text("PERSON\tAnna\n")
    policy = Policy.parse(treated)
    assert sfumato.sanitize(policy, TEXT).text == "[PERSON] moved from oslo to rome."
    with pytest.raises(ConfigurationError, match="no ledger that could keep the policy's budget"):
        sfumato.sanitize(Policy.parse(treated + '[budget]\nledger = "spent.sqlite"\n'), TEXT)
    with pytest.raises(ConfigurationError, match="built already, or a policy, has its epsilons"):
        sfumato.sanitize(policy, TEXT, 4.0)
    with pytest.raises(ConfigurationError, match="Give epsilon"):
        sfumato.sanitize("santext", TEXT, vocabulary="vectors.txt")


def test_a_method_of_somebody_else_gets_a_class_of_its_own() -> None:
    from sfumato.methods import WithoutGuarantee

    @dataclass(frozen=True, kw_only=True, repr=False)
    class Initials(WithoutGuarantee):
        """Leave the first letter.

        Attributes:
            dots: How many dots follow.
        """

        method = "initials"
        dots: int = 1

    choice = Initials(dots=2, detect="words")
    assert isinstance(choice, MethodChoice)
    assert choice.options == {"detect": "words", "dots": 2}
    assert "dots: How many dots follow." in str(Initials.__doc__)
    assert "detect:" in str(Initials.__doc__)


# Keywords of functions.


def _callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    for thing in [*(getattr(sfumato, name) for name in sfumato.__all__ if name != "__version__"), Sanitize]:
        yield thing.__qualname__, thing
        if inspect.isclass(thing):
            for name, member in inspect.getmembers(thing, callable):
                if name[0] != "_":
                    yield f"{thing.__qualname__}.{name}", member


def untyped(function: Callable[..., Any]) -> list[str]:
    """Return the parameters that take any keyword with any value."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # of a class of the standard library
        return []
    gathered = [each for each in parameters if each.kind is inspect.Parameter.VAR_KEYWORD]
    return [each.name for each in gathered if not str(each.annotation).startswith("Unpack[")]


def test_no_public_callable_takes_options_of_any_name_and_type() -> None:
    assert {name: found for name, function in _callables() if (found := untyped(function))} == {}

    def mistake(**options: Any) -> None:
        """Take anything."""

    assert untyped(mistake) == ["options"]


def _keys(function: Callable[..., Any]) -> tuple[set[str], set[str]]:
    """Return the parameters of a function, and the keywords that it takes beside them."""
    parameters = inspect.signature(function).parameters
    [gathered] = [str(each.annotation) for each in parameters.values() if each.kind is inspect.Parameter.VAR_KEYWORD]
    keywords = _loaded(ROOT / "src" / "sfumato" / "options" / "keywords.pyi")
    return set(parameters), set(getattr(keywords, gathered.removeprefix("Unpack[").removesuffix("]")).__annotations__)


def test_the_keywords_are_what_functions_take() -> None:
    of_methods = {option.name for name in registry.METHODS for option in _options(name)}
    of_synthesis = {option.name for name in registry.SYNTHESIZERS for option in synthesis_options(name)}
    own = {
        option.name for name, row in registry.METHODS.items() if row.family == registry.TOKENS
        for option in options_of(registry.method_class(name))
    }  # fmt: skip
    of_files = {each.name for each in fields(FileOptions)} - {"adjustable"}
    reading = of_files - {"labels", "keep", "spans_field"}
    wanted: list[tuple[Callable[..., Any], set[str]]] = [
        (sfumato.build, of_methods), (sfumato.sanitize, of_methods), (Sanitize.__init__, of_methods),
        (sfumato.audit, of_methods), (sfumato.sanitize_file, of_methods | of_files), (sfumato.mechanism, own),
        (sfumato.synthesize_file, of_synthesis | reading), (sfumato.protect, reading),
        (sfumato.evaluate, {option.name for option in options_of(Plan)}),
    ]  # fmt: skip
    for function, names in wanted:
        parameters, taken = _keys(function)
        assert taken == names - parameters, function.__qualname__
        assert not taken & parameters


# What a type checker says.

RIGHT = """
import sfumato as sf

method = sf.CusText(epsilon=6.0, detect="content-words", set_size=10, similarity="cosine")
release: sf.Release = sf.sanitize(method, "Anna moved to Oslo.")
again: sf.Release = sf.sanitize("custext", sf.Document("Oslo", id="1"), 6.0, set_size=8)
sanitizer: sf.Sanitizer = sf.build("custext", epsilon=6, detect=["words"], vocabulary={"ANY": "vectors.txt"})
rewriter: sf.Sanitizer = sf.build(sf.DPMLM(document_epsilon=40.0, law="softmax", clip=(-5.0, 0.0)))
written: sf.Released = sf.sanitize_file(method, "in.jsonl", "out.jsonl", id_field="id", keep=["kind"], workers=2)
policy = sf.Policy.load("clinical")
sf.sanitize_file(policy, "in.jsonl", "out.jsonl", fields=["note"])
outcome = sf.protect("in.jsonl", "clinic", policy, id_field="id", key="signing.key")
holds: bool = outcome.accepted and sf.verify("clinic.release", "signing.key.pub").holds
sf.synthesize_file(sf.Finetune(epochs=2.0), "in.jsonl", "new.jsonl", units=4000, records=100, epsilon=8.0)
found: sf.Evaluation = sf.evaluate("in.jsonl", "out.jsonl", id_field="id", attacks="linkage", sample=40)
tested: sf.Audit = sf.audit(sf.SanText(epsilon=3.0), tokens=["cat", "dog"])
frontier = sf.compare("plan.toml", "out", methods=["identity", method, sf.DPMLM(epsilon=12.0)]).frontiers[0]
"""
WRONG = """
import sfumato as sf

sf.CusText(epsilon=6.0, set_sise=10)
sf.CusText(epsilon="6")
sf.CusText()
sf.CusText(epsilon=6.0, calibration="optimale")
sf.CusText(epsilon=6.0).epsilon = 3.0
sf.Redaction(epsilon=3.0)
sf.DPMLM(epsilon=6.0, number_format="int4")
sf.build("custext", epsilon=6, set_sise=10)
sf.build("custext", epsilon="6")
sf.build("custext", epsilon=6, detect=3)
sf.sanitize(3, "Anna")
sf.sanitize("custext", ["Anna"], 6.0)
sf.sanitize_file("custext", "in.jsonl", "out.jsonl", 6.0, id_feild="id")
sf.sanitize_file("custext", "in.jsonl", "out.jsonl", 6.0, lines="yes")
sf.synthesize_file("finetune", "in.jsonl", "out.jsonl", units=4000, epochs="3")
sf.protect("in.jsonl", "clinic", "clinical", id_feild="id")
sf.verify("clinic.release", key=3)
sf.evaluate("in.jsonl", "out.jsonl", atacks=["linkage"])
sf.audit("santext", epsilon=3.0, sample=100)
sf.compare("plan.toml", methods=[sf.CusText])
sf.compare("plan.toml", method=[sf.CusText(epsilon=6.0)])
sf.Policy.open("clinical")
sf.Custext
"""
_NOTEBOOKS = """
[[tool.mypy.overrides]]
disallow_untyped_defs = false
disallow_incomplete_defs = false
disallow_untyped_calls = false
strict_optional = false
"""
"""What a page leaves out that is run block by block: the types of its own functions, and checks for None."""
_PACKAGE = """
[[tool.mypy.overrides]]
module = ["sfumato.*", "numpy.*", "rich.*"]
follow_imports = "silent"
"""
"""What is followed from a script: what scripts import, and stubs. All of torch would take half a minute."""
_PAGE = re.compile(r"^```python(?! \S+\.py)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[int]]:
    """The lines that mypy has errors in, by file: of two scripts, of the example scripts and of the pages' blocks."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "right.py").write_text(RIGHT, encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    examples, pages = ROOT / "examples", []
    for page in examples.glob("*.md"):
        pages.append(f"page_{page.stem.replace('-', '_')}")
        blocks = _PAGE.findall(page.read_text(encoding="utf-8"))
        (folder / f"{pages[-1]}.py").write_text("\n".join(blocks), encoding="utf-8")
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    settings += f"{_NOTEBOOKS}module = {json.dumps(pages)}\n{_PACKAGE}"
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    scripts = [*folder.glob("*.py"), *examples.glob("*.py"), examples / "own-mechanism" / "response.py"]
    options = [
        "--follow-imports=skip",
        "--cache-dir",
        ROOT / ".mypy_cache" / "scripts",
    ]  # apart from the cache of the linters
    command = [sys.executable, "-m", "mypy", "--config-file", folder / "pyproject.toml", *options, *scripts]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    lines: dict[str, set[int]] = {path.name: set() for path in scripts}
    for line in run.stdout.splitlines():
        if match := re.match(r"(.+?):(\d+): error: ", line):
            lines.setdefault(Path(match[1]).name, set()).add(int(match[2]))
    return lines


def test_a_type_checker_accepts_the_examples(told: dict[str, set[int]]) -> None:
    assert len(told) >= 8
    assert {name: lines for name, lines in told.items() if lines and name != "wrong.py"} == {}


def test_a_type_checker_finds_each_mistake_of_a_script(told: dict[str, set[int]]) -> None:
    mistakes = {number for number, line in enumerate(WRONG.splitlines(), 1) if line.startswith("sf.")}
    assert told["wrong.py"] == mistakes


def test_the_settings_are_strict() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["strict"] is True
