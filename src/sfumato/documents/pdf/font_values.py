"""Values of the dictionary of a font, as Python has them, whatever a damaged file holds in their place."""

from __future__ import annotations

from typing import Any

from sfumato.documents.pdf.streams import isa


def of_type3(spec: Any) -> tuple[float, float]:
    """Return the scale of the widths of a type-3 font, and how high its letters are for size 1."""
    matrix = [number(each) for each in spec.get("/FontMatrix", [0.001, 0, 0, 0.001, 0, 0])]
    box = [number(each) for each in spec.get("/FontBBox", [0, 0, 0, 0])]
    rise = abs(matrix[3]) * abs(box[3] - box[1]) if len(box) == 4 else 0
    return matrix[0], rise if rise > 0 else 1000 * abs(matrix[3])


def dictionary(value: Any) -> Any:
    """Return ``value`` if it is a dictionary, or None."""
    return value if isa(value, "Dictionary") else None


def number(value: Any) -> float:
    """Return ``value`` as a number, or 0."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def numbers(value: Any, depth: int = 0) -> Any:
    """Return an array of numbers as Python has it."""
    if isa(value, "Array") and depth < 4:
        return [numbers(each, depth + 1) for each in value]
    return value if isinstance(value, int | list) else number(value)
