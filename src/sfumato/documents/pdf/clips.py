"""What cuts drawings off: the boxes that a content stream clips by, such as the cells of a printed sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sfumato.documents.pdf.operators import PAINTING

Box = tuple[float, float, float, float]
CURVED = frozenset(("c", "v", "y", "l"))
PATH = CURVED | {"m", "h", "re", "W", "W*"}
ENDING = PAINTING | {"n"}
_NUMBERS = (int, float, Decimal)


@dataclass
class Path:
    """The path that is being drawn: its boxes on the page, whether it has other parts, and whether it clips."""

    boxes: list[Box] = field(default_factory=list)
    others: bool = False
    clips: bool = False

    def add(self, operator: str, operands: Sequence[Any], matrix: Sequence[float]) -> None:
        """Add a step to it."""
        if operator in ("W", "W*"):
            self.clips = True
            return
        numbers = [float(each) for each in operands if type(each) in _NUMBERS] if operator == "re" else []
        a, b, c, d, e, f = matrix
        if len(numbers) != 4 or (any((b, c)) and any((a, d))):
            self.others = True
            return
        x, y, wide, high = numbers
        xs, ys = zip(*((a * s + c * t + e, b * s + d * t + f) for s in (x, x + wide) for t in (y, y + high)),
                     strict=True)  # fmt: skip
        self.boxes.append((min(xs), min(ys), max(xs), max(ys)))

    def end(self, box: Box | None) -> Box | None:
        """End it. Return what is seen behind it, of what was seen in ``box`` before; no less if it is no box."""
        boxes, clips = self.boxes, self.clips and not self.others
        self.boxes, self.others, self.clips = [], False, False
        if not clips or len(boxes) != 1:
            return box
        if box is None:
            return boxes[0]
        (left, low, right, high), (other_left, other_low, other_right, other_high) = box, boxes[0]
        return max(left, other_left), max(low, other_low), min(right, other_right), min(high, other_high)
