"""Low-rank factors beside the linear layers of a frozen causal network, and their exact gradients record by record.

LoRA (Hu et al. 2022): a layer answers W·x + s·B·(A·x), where W is frozen, A has shape (rank, inputs), B has shape
(outputs, rank), and s is the scale over the rank. B begins at zero, so that the network begins as it was. A may stay
as it was drawn (Sun et al. 2024, FFA-LoRA): noise on both factors multiplies, and at the beginning, where B is zero,
noise is all that A would get.

Gradients. With x the inputs of a layer at the T places of one row, and g the gradients of the row's loss by the
layer's outputs, the row's gradients are s·gᵀ(x·Aᵀ) for B and s·(g·B)ᵀx for A: products of small matrices. Rows never
meet in a causal transformer, so one backward pass over a batch gives the g of every row, and autograd never sees the
factors. Everything of a row is written into one buffer. Its norm is therefore that of the very numbers that are
summed, in whatever format the network computed them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from sfumato.errors import ConfigurationError

_BELOW = 1.0 - 2.0**-21
"""What a norm is clipped to, over the bound: rounding to float32 afterwards does not reach the bound."""

UNWANTED = -100
"""Among targets: no piece is learned at this place."""


class Factors(NamedTuple):
    """The two factors of one layer: their shapes, and where each begins in the vector of all."""

    name: str
    layer: Any
    down: tuple[int, int]
    up: tuple[int, int]
    down_start: int
    up_start: int


@dataclass(eq=False)
class Adapter:
    """Factors for all linear layers of ``network`` except its head, in one float32 ``vector``: each A, then each B.

    Without ``trains_down`` every A is frozen.
    """

    network: Any
    rank: int
    scale: float
    trains_down: bool = False
    vector: Any = field(init=False)
    _gradients: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        import torch

        total = sum(math.prod(factors.down) + math.prod(factors.up) for factors in self.layers)
        self.vector = torch.zeros(total, device=next(self.network.parameters()).device)

    @cached_property
    def layers(self) -> tuple[Factors, ...]:
        """Return the factors of each layer. Raise ConfigurationError for a network without linear layers."""
        linear = list(_linear_layers(self.network))
        if not linear:
            raise ConfigurationError("The model has no linear layers to fine-tune; give another causal transformer.")
        down = 0
        up = self.rank * sum(inputs for _, _, inputs, _ in linear)
        layers = []
        for name, layer, inputs, outputs in linear:
            layers.append(Factors(name, layer, (self.rank, inputs), (outputs, self.rank), down, up))
            down, up = down + self.rank * inputs, up + self.rank * outputs
        return tuple(layers)

    @property
    def first_trained(self) -> int:
        """Return where the trained part of the vector begins."""
        return 0 if self.trains_down else self.layers[0].up_start

    @property
    def trained(self) -> Any:
        """Return the trained part of the vector, a view."""
        return self.vector[self.first_trained :]

    def initialise(self, seed: int) -> None:
        """Draw every A, uniform with variance 1/(3·inputs) as in the authors' code, and set every B to zero."""
        import torch

        generator = torch.Generator().manual_seed(seed)
        self.vector.zero_()
        for factors in self.layers:
            drawn = 2.0 * torch.rand(factors.down, generator=generator) - 1.0
            self.down(factors).copy_(drawn / math.sqrt(factors.down[1]))

    def copy(self) -> Adapter:
        """Return an adapter of the same network with factors of its own, which no later training changes."""
        twin = Adapter(self.network, self.rank, self.scale, self.trains_down)
        twin.vector.copy_(self.vector)
        return twin

    def down(self, factors: Factors) -> Any:
        """Return the A of a layer, a view of the vector."""
        return self.vector[factors.down_start : factors.down_start + math.prod(factors.down)].view(factors.down)

    def up(self, factors: Factors) -> Any:
        """Return the B of a layer, a view of the vector."""
        return self.vector[factors.up_start : factors.up_start + math.prod(factors.up)].view(factors.up)

    @contextmanager
    def attached(self) -> Iterator[None]:
        """Let the network answer with the factors for the length of the block."""
        with ExitStack() as hooks:
            for factors in self.layers:
                hooks.callback(factors.layer.register_forward_hook(self._hook(factors)).remove)
            yield

    def gradients(self, ids: Any, targets: Any, weights: Any) -> Any:
        """Return the gradient of each row's loss by the trained factors, shape (rows, trained), float32.

        ``ids`` (rows, T) are the pieces that are read; ``targets`` (rows, T) holds the piece wanted after each, or
        UNWANTED; ``weights`` (rows,) multiplies each row's sum of nats. Padding stands after a row's pieces, where a
        causal network does not look, and needs no mask. Raise ConfigurationError if a layer mixes rows.
        """
        import torch

        self._gradients = torch.zeros((len(ids), len(self.trained)), device=self.vector.device)
        embedding = self.network.get_input_embeddings()
        started = embedding.register_forward_hook(lambda _, __, output: output.requires_grad_())
        try:
            with self.attached(), torch.enable_grad():
                logits = self.network(input_ids=ids, use_cache=False).logits
                wanted = targets != UNWANTED
                nats = torch.nn.functional.cross_entropy(logits[wanted].float(), targets[wanted], reduction="none")
                torch.autograd.backward((nats * weights[:, None].expand_as(targets)[wanted]).sum())
            return self._gradients
        finally:
            started.remove()
            self._gradients = None

    def _hook(self, factors: Factors) -> Any:
        import torch

        product, scale = torch.nn.functional.linear, self.scale / self.rank

        def answer(_: Any, inputs: tuple[Any, ...], output: Any) -> Any:
            x = inputs[0]
            if self._gradients is not None and (x.dim() != 3 or len(x) != len(self._gradients)):
                raise ConfigurationError(
                    f"The layer {factors.name} of the model mixes its rows, so that the gradients of records "
                    "cannot be told apart; give another causal transformer."
                )
            narrow = product(x, self.down(factors).to(x.dtype))
            result = output + scale * product(narrow, self.up(factors).to(x.dtype))
            if self._gradients is not None:
                result.register_hook(lambda g: self._write(factors, x.detach(), narrow.detach(), scale * g))
            return result

        return answer

    def _write(self, factors: Factors, x: Any, narrow: Any, g: Any) -> None:
        """Write the gradients of a layer's factors, from its inputs ``x`` and the gradients ``g`` of its outputs."""
        import torch

        across = g.transpose(1, 2)
        self._put(factors.up_start, torch.bmm(across, narrow))
        if self.trains_down:
            self._put(factors.down_start, torch.bmm(torch.matmul(self.up(factors).to(g.dtype).T, across), x))

    def _put(self, start: int, gradients: Any) -> None:
        """Add to the columns from ``start`` of the vector on; a layer that is used twice adds twice."""
        flat = gradients.flatten(1)
        start -= self.first_trained
        self._gradients[:, start : start + flat.shape[1]] += flat


_HUGEST = 1e30  # a norm above would need a factor that float32 cannot hold exactly enough


def clipped_sum(gradients: Any, bound: float | None) -> Any:
    """Return the sum of the rows of ``gradients``, each scaled down to a norm of at most ``bound``, float64.

    A row with a value that is no finite number, or with a norm beyond all use, counts as zero: it must neither spread
    nor be seen. With ``bound`` None the other rows are summed as they are. ``gradients`` is overwritten.
    """
    import torch

    norms = torch.linalg.vector_norm(gradients, dim=1, dtype=torch.float64)
    unusable = ~(norms < _HUGEST)
    gradients[unusable] = 0.0
    norms[unusable] = 0.0
    if bound is None:
        return gradients.sum(dim=0, dtype=torch.float64)
    factors = torch.clamp(bound * _BELOW / norms, max=1.0)  # bound / 0 is infinity
    return torch.mv(gradients.T, factors.float()).double()


def _linear_layers(network: Any) -> Iterator[tuple[str, Any, int, int]]:
    """Yield name, layer, and numbers of inputs and outputs of every linear layer except the head."""
    import torch
    from transformers.pytorch_utils import Conv1D

    head = network.get_output_embeddings()
    for name, layer in network.named_modules():
        if isinstance(layer, torch.nn.Linear) and layer is not head:
            yield name, layer, layer.in_features, layer.out_features
        elif isinstance(layer, Conv1D):  # GPT-2's name for a linear layer with its weights transposed
            yield name, layer, int(layer.weight.shape[0]), int(layer.weight.shape[1])
