"""Adapters in bytes: what rounding costs, what a lower rank becomes, and that the package reads what is written."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")

TRAINING = Path(__file__).parents[2] / "training"


@pytest.fixture
def adapters(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("adapters_under_test", TRAINING / "adapters.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def tensors(rank: int, seed: int = 1) -> dict[str, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    sizes = torch.logspace(-3, 1, rank)
    return {
        "layer.adapter_a": torch.randn(rank, 20, generator=draw) * sizes[:, None],
        "layer.adapter_b": torch.randn(30, rank, generator=draw) / sizes,
        "layer.bias": torch.randn(30, generator=draw),
    }


def test_rounding_keeps_the_change_within_a_hundredth(adapters: ModuleType) -> None:
    trained = tensors(8)
    whole = adapters.whole(adapters.packed(trained))
    change, rounded = (each["layer.adapter_b"] @ each["layer.adapter_a"] for each in (trained, whole))
    assert (change - rounded).norm() < 0.01 * change.norm()
    # one scale for the whole factor would not do: its directions differ by four powers of ten
    coarse = trained["layer.adapter_a"].abs().max() / 127
    lost = (trained["layer.adapter_a"] / coarse).round() * coarse
    assert (change - trained["layer.adapter_b"] @ lost).norm() > 0.05 * change.norm()


def test_the_package_reads_what_is_packed(adapters: ModuleType) -> None:
    from sfumato.models.masked.embedded import _merged

    trained, published = tensors(8), {"layer.weight": torch.ones(30, 20)}
    packed = {name: tensor.numpy() for name, tensor in adapters.packed(trained).items()}
    merged = _merged({name: tensor.numpy() for name, tensor in published.items()}, packed)
    expected = 1.0 + trained["layer.adapter_b"] @ trained["layer.adapter_a"]
    assert set(merged) == {"bert.layer.weight", "bert.layer.bias"}
    assert (torch.from_numpy(merged["bert.layer.weight"]) - expected).abs().max() < 0.02 * expected.abs().max()


def test_a_higher_rank_begins_where_a_lower_one_ended(adapters: ModuleType) -> None:
    earlier, trained = tensors(4), tensors(6, seed=2)
    trained["layer.adapter_b"].zero_()
    adapters.begin_with(trained, earlier)
    assert torch.allclose(
        trained["layer.adapter_b"] @ trained["layer.adapter_a"],
        earlier["layer.adapter_b"] @ earlier["layer.adapter_a"],
    )
    assert torch.equal(trained["layer.bias"], earlier["layer.bias"])


def test_a_factor_of_zeros_stays_zero(adapters: ModuleType) -> None:
    packed = adapters.packed({"layer.adapter_b": torch.zeros(3, 2)})
    assert torch.equal(adapters.whole(packed)["layer.adapter_b"], torch.zeros(3, 2))
