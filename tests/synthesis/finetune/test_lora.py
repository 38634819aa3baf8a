"""Low-rank factors: their answers and gradients beside peft, a loop and Opacus; clipping; odd rows."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from sfumato.abstract.synthesizer import Unit
from sfumato.errors import ConfigurationError
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.synthesis.finetune.lora import UNWANTED, Adapter, clipped_sum
from sfumato.synthesis.finetune.rows import Row, end_piece, prompts, rows_of, tensors

from .conftest import made_units

pytestmark = pytest.mark.models
RANK, SCALE = 3, 6.0


@pytest.fixture(params=["llama", "gpt2"])
def network(request: pytest.FixtureRequest) -> Any:
    import tiny_causal

    made = tiny_causal.llama() if request.param == "llama" else tiny_causal.gpt2()
    return made.eval().requires_grad_(False)


@pytest.fixture
def adapter(network: Any) -> Adapter:
    return moved(Adapter(network, RANK, SCALE, trains_down=True))


def moved(adapter: Adapter) -> Adapter:
    """Factors away from their start, where half of the gradients are zero."""
    import torch

    adapter.initialise(1)
    adapter.vector += 0.1 * torch.randn(len(adapter.vector), generator=torch.Generator().manual_seed(2))
    return adapter


def batch(rows: int = 5, width: int = 12) -> tuple[Any, Any, Any]:
    """Random rows, the last ones shorter, and the weights of a mean over each row's targets."""
    import torch

    dice = torch.Generator().manual_seed(3)
    ids = torch.randint(0, 330, (rows, width), generator=dice)
    targets = torch.randint(0, 330, (rows, width), generator=dice)
    for row in range(rows):
        targets[row, : row % 3] = UNWANTED
        targets[row, width - row :] = UNWANTED
    return ids, targets, 1.0 / (targets != UNWANTED).sum(dim=1)


def in_peft(adapter: Adapter) -> Any:
    """The same factors in peft's hands."""
    from peft import LoraConfig, get_peft_model

    names = [layer.name for layer in adapter.layers]
    config = LoraConfig(
        r=adapter.rank, lora_alpha=adapter.scale, target_modules=names, fan_in_fan_out="h.0" in str(names)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = get_peft_model(adapter.network, config).eval()
    modules = dict(model.named_modules())
    for layer in adapter.layers:
        module = modules[f"base_model.model.{layer.name}"]
        module.lora_A["default"].weight.data.copy_(adapter.down(layer))
        module.lora_B["default"].weight.data.copy_(adapter.up(layer))
    return model


def peft_gradients(adapter: Adapter, model: Any) -> Any:
    """What autograd left at peft's factors, in the order of the adapter's vector."""
    import torch

    modules = dict(model.named_modules())
    found = [modules[f"base_model.model.{layer.name}"] for layer in adapter.layers]

    def one(weight: Any) -> Any:
        gradient = getattr(weight, "grad_sample", None)
        return weight.grad[None].flatten(1) if gradient is None else gradient.flatten(1)

    downs = [one(module.lora_A["default"].weight) for module in found]
    return torch.cat([*downs, *(one(module.lora_B["default"].weight) for module in found)], dim=1)


def loss(model: Any, ids: Any, targets: Any, weights: Any) -> Any:
    import torch

    logits = model(input_ids=ids, use_cache=False).logits
    nats = torch.nn.functional.cross_entropy(logits.transpose(1, 2), targets, ignore_index=UNWANTED, reduction="none")
    return (nats.sum(dim=1) * weights).sum()


def apart(ours: Any, theirs: Any) -> float:
    return float((ours - theirs).norm() / theirs.norm())


def test_answers_agree(adapter: Adapter) -> None:
    import torch

    ids, _, _ = batch()
    with torch.no_grad():
        plain = adapter.network(input_ids=ids).logits
        with adapter.attached():
            ours = adapter.network(input_ids=ids).logits
        assert torch.equal(adapter.network(input_ids=ids).logits, plain), "the hooks are gone after the block"
        theirs = in_peft(adapter)(input_ids=ids).logits
    assert apart(ours, theirs) < 1e-6
    assert apart(plain, theirs) > 1e-3


def test_the_gradient_of_each_row_agrees_with_a_loop(adapter: Adapter) -> None:
    ids, targets, weights = batch()
    ours = adapter.gradients(ids, targets, weights)
    model = in_peft(adapter)
    for row in range(len(ids)):
        model.zero_grad()
        one = slice(row, row + 1)
        loss(model, ids[one], targets[one], weights[one]).backward()
        assert apart(ours[row], peft_gradients(adapter, model)[0]) < 1e-6


def test_norms_agree_with_opacus() -> None:
    from opacus import GradSampleModule

    import tiny_causal

    adapter = moved(Adapter(tiny_causal.llama().eval().requires_grad_(False), RANK, SCALE, trains_down=True))
    ids, targets, weights = batch()
    ours = adapter.gradients(ids, targets, weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = in_peft(adapter).train()  # Opacus looks at training modules only; there is no dropout
        hooked = GradSampleModule(model, loss_reduction="sum")
        loss(hooked, ids, targets, weights).backward()
        theirs = peft_gradients(adapter, model)
        hooked.remove_hooks()
    assert apart(ours.norm(dim=1), theirs.norm(dim=1)) < 1e-6
    assert apart(ours, theirs) < 1e-6


def test_frozen_down_factors_have_no_columns(network: Any) -> None:
    import torch

    both = moved(Adapter(network, RANK, SCALE, trains_down=True))
    ups = Adapter(network, RANK, SCALE)
    ups.vector.copy_(both.vector)
    rows = batch()
    assert torch.equal(ups.gradients(*rows), both.gradients(*rows)[:, ups.first_trained :])
    assert len(ups.trained) < len(both.trained)


def test_at_the_start_only_the_up_factors_have_a_gradient(network: Any) -> None:
    adapter = Adapter(network, RANK, SCALE, trains_down=True)
    adapter.initialise(1)
    gradients = adapter.gradients(*batch())
    first = adapter.layers[0].up_start
    assert not gradients[:, :first].any()
    assert gradients[:, first:].any(dim=1).all()


def test_a_row_that_is_no_number_stays_alone(adapter: Adapter) -> None:
    import torch

    ids, targets, weights = batch()
    sound = adapter.gradients(ids, targets, weights)
    weights[2] = torch.nan
    found = adapter.gradients(ids, targets, weights)
    assert torch.equal(found[[0, 1, 3, 4]], sound[[0, 1, 3, 4]])
    assert not torch.isfinite(found[2]).all()


def test_padding_and_other_rows_change_a_gradient_by_rounding_only(adapter: Adapter) -> None:
    import torch

    ids, targets, weights = batch()
    wide = torch.nn.functional.pad(ids[:1], (0, 9)), torch.nn.functional.pad(targets[:1], (0, 9), value=UNWANTED)
    alone = adapter.gradients(*wide, weights[:1])
    assert apart(alone[0], adapter.gradients(ids, targets, weights)[0]) < 1e-5


def test_a_network_that_mixes_rows_is_refused(network: Any) -> None:
    adapter = Adapter(network, RANK, SCALE)
    layer = adapter.layers[1].layer
    layer.register_forward_pre_hook(lambda _, inputs: (inputs[0].flatten(0, 1),))
    layer.register_forward_hook(lambda _, __, output: output.view(5, 12, -1))
    with pytest.raises(ConfigurationError, match="mixes its rows"):
        adapter.gradients(*batch())


def test_a_network_without_linear_layers_is_refused() -> None:
    import torch

    bare = torch.nn.Sequential(torch.nn.Embedding(3, 4))
    bare.get_output_embeddings = lambda: None  # type: ignore[assignment]
    with pytest.raises(ConfigurationError, match="no linear layers"):
        Adapter(bare, RANK, SCALE)


def test_it_is_the_sum_of_clipped_rows() -> None:
    import torch

    rows = torch.randn(7, 50, generator=torch.Generator().manual_seed(1)) * torch.logspace(-3, 3, 7)[:, None]
    wanted = sum(row.double() * min(1.0, 2.0 / float(row.double().norm())) for row in rows)
    assert apart(clipped_sum(rows.clone(), 2.0), wanted) < 1e-6
    assert apart(clipped_sum(rows.clone(), None), rows.double().sum(0)) < 1e-6


@pytest.mark.parametrize("size", [1e-30, 1.0, 3.7, 1e20, 1e37])
def test_no_row_adds_more_than_the_bound(size: float) -> None:
    import torch

    for seed in range(20):
        row = size * torch.rand((1, 1000), generator=torch.Generator().manual_seed(seed))
        assert float(clipped_sum(row, 1.0).norm()) <= 1.0


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_row_that_is_no_number_counts_as_zero(value: float) -> None:
    import torch

    rows = torch.ones(3, 4)
    rows[1, 2] = value
    for bound in (1.0, None):
        assert torch.equal(clipped_sum(rows.clone(), bound), clipped_sum(rows[[0, 2]].clone(), bound))
    assert not clipped_sum(rows[1:2].clone(), 1.0).any()


def test_zero_rows_add_zero() -> None:
    import torch

    assert not clipped_sum(torch.zeros(2, 3), 1.0).any()


def test_the_code_is_read_and_not_learned(model: TransformersCausal) -> None:
    codes = ("topic: move", "")
    ((row,), (plain,)) = rows_of(model, codes, [Unit(("the old",), (0,)), Unit(("the old",), (1,))], 20)
    assert row.before == (end_piece(model), *model.pieces("topic: move\n"))
    assert plain.before == (end_piece(model),)
    assert row.learned == plain.learned == (*model.pieces("the old"), end_piece(model))
    ids, targets = tensors([row], row.width, "cpu")
    wanted = [int(piece) for piece in targets[0] if piece != UNWANTED]
    assert wanted == list(row.learned)
    place = int((targets[0] != UNWANTED).nonzero()[0])
    assert ids[0, : place + 1].tolist() == list(row.before), "the first piece is learned after the whole code"


def test_special_pieces_are_made_by_no_text_and_no_code(model: TransformersCausal) -> None:
    end = end_piece(model)
    forms = "<|end|><|user|>hello<|assistant|>"
    ((row,),) = rows_of(model, (f"topic: {forms}",), [Unit((forms,), (0,))], 100)
    assert row.learned.count(end) == 1
    assert row.learned[-1] == end
    assert end not in row.before[1:]
    assert not model.special & {*row.learned[:-1], *row.before[1:]}
    assert model.text(row.learned[:-1]).startswith("<|end|><|user|>hello")
    assert end not in prompts(model, [forms])[0][1:]


def test_empty_and_long_texts(model: TransformersCausal) -> None:
    ((empty,), (long,)) = rows_of(model, ("",), [Unit(("",), (0,)), Unit(("the tram " * 99,), (0,))], 10)
    assert empty.learned == (end_piece(model),)
    assert len(long.learned) == 10
    assert end_piece(model) not in long.learned


def test_a_row_is_padded_by_its_own_length(model: TransformersCausal) -> None:
    units = made_units(12)
    alone = [rows_of(model, ("", ""), [unit], 30)[0][0].width for unit in units]
    assert [unit[0].width for unit in rows_of(model, ("", ""), units, 30)] == alone
    assert Row((1,), tuple(range(16))).width == 16
    assert Row((1,), tuple(range(17))).width == 32
