"""What a layer computes between two products of bytes, in loops that give the same bits on every processor.

A row of numbers becomes bytes with a step of its own, its largest number over 127, so that no row depends on the rows
beside it. Bytes of states count from ``ZERO``. Of weights, keys and values, two neighbours that are multiplied with
such bytes add up to at most 2 * ``MOST``: older processors add up pairs of products in 16 bits, and so do it exactly.
Sums of bytes are whole numbers and have no order; sums of float32 keep the order that is written here.
"""

from __future__ import annotations

import numpy as np

from sfumato.models.token_classifier.scales import (
    HEADS,
    MOST,
    SIZE,
    ZERO,
    Bytes,
    FloatArray,
    Norm,
    Parts,
    Scales,
    Whole,
)
from sfumato.privacy.kernels import compiled_alike

F = np.float32
_LEAST = F(1e-30)  # a row of zeros is divided by it
_EPSILON = F(1e-12)
_HALF = F(0.5)
_BUT_SIGN, _LAST = np.int32(2**31 - 1), np.int32(31)
_TO_TWO = 1.4426950408889634  # e**x = 2**(x * this)


@compiled_alike
def embedded(words: FloatArray, kinds: FloatArray, positions: FloatArray, norm: Norm) -> FloatArray:
    """Return the normalised sums of the three vectors of each piece, all of shape (n, hidden)."""
    states, terms = np.empty_like(words), np.empty(words.shape[1], dtype=np.float32)
    for row in range(len(words)):
        state, word, kind, position = states[row], words[row], kinds[row], positions[row]
        for column in range(len(state)):
            state[column] = word[column] + kind[column] + position[column]
        _normalise(state, norm, terms)
    return states


@compiled_alike
def in_bytes(states: FloatArray) -> tuple[Bytes, FloatArray]:
    """Return ``states`` (n, columns) in bytes and the step of each row (n,)."""
    rounded, steps = np.empty(states.shape, dtype=np.uint8), np.empty(len(states), dtype=np.float32)
    for row in range(len(states)):
        steps[row] = _round(states[row], rounded[row])
    return rounded, steps


@compiled_alike
def added(sums: Whole, steps: FloatArray, scales: Scales, states: FloatArray, norm: Norm) -> FloatArray:
    """Return ``states`` (n, hidden) after the numbers of ``sums`` (n, hidden) are added, normalised."""
    changed, terms = np.empty_like(states), np.empty(states.shape[1], dtype=np.float32)
    for row in range(len(states)):
        state, before, own, step = changed[row], states[row], sums[row], steps[row]
        for column in range(len(state)):
            state[column] = F(own[column]) * (step * scales.steps[column]) + scales.bias[column] + before[column]
        _normalise(state, norm, terms)
    return changed


@compiled_alike
def grown(sums: Whole, steps: FloatArray, scales: Scales) -> tuple[Bytes, FloatArray]:
    """Return GELU of the numbers of ``sums`` (n, columns) in bytes, and the step of each row."""
    rounded, after = np.empty(sums.shape, dtype=np.uint8), np.empty(len(sums), dtype=np.float32)
    values = np.empty(sums.shape[1], dtype=np.float32)
    for row in range(len(sums)):
        own, step = sums[row], steps[row]
        widest = np.int32(0)
        for column in range(len(values)):
            value = F(_gelu(F(own[column]) * (step * scales.steps[column]) + scales.bias[column]))
            values[column] = value
            widest = max(widest, np.int32(value.view(np.int32) & _BUT_SIGN))
        bits = np.int32(widest)
        after[row] = _round_by(values, rounded[row], bits.view(np.float32))
    return rounded, after


@compiled_alike
def parted(sums: Whole, steps: FloatArray, scales: Scales, low: int, high: int) -> Parts:
    """Return the parts of a window from ``sums`` (n, 3 hidden), queries only of the rows from ``low`` to ``high``.

    The bias of keys changes no share of attention, and that of values is added afterwards.
    """
    count, hidden = len(sums), HEADS * SIZE
    queries, query_steps = np.empty((HEADS, high - low, SIZE), np.uint8), np.empty((HEADS, high - low), np.float32)
    keys, key_steps = np.empty((HEADS, SIZE, count), np.int8), np.empty((HEADS, count), np.float32)
    values, value_steps = np.empty((HEADS, count, SIZE), np.int8), np.zeros(hidden, np.float32)
    numbers = np.empty(SIZE, np.float32)
    for row in range(count):
        own, step = sums[row, 2 * hidden :], steps[row]
        for column in range(hidden):
            value_steps[column] = max(value_steps[column], abs(F(own[column]) * step))
    for column in range(hidden):
        value_steps[column] = max(value_steps[column], _LEAST) * (F(1) / F(MOST))
    factors = F(1) / value_steps
    for row in range(count):
        step = steps[row]
        for head in range(HEADS):
            place = head * SIZE
            if low <= row < high:
                own = sums[row, place : place + SIZE]
                column_steps, bias = scales.steps[place : place + SIZE], scales.bias[place : place + SIZE]
                for column in range(SIZE):
                    numbers[column] = F(own[column]) * (step * column_steps[column]) + bias[column]
                query_steps[head, row - low] = _round(numbers, queries[head, row - low])
            own = sums[row, hidden + place : hidden + place + SIZE]
            column_steps = scales.steps[hidden + place : hidden + place + SIZE]
            for column in range(SIZE):
                numbers[column] = F(own[column]) * (step * column_steps[column])
            widest = _widest(numbers)
            key_steps[head, row] = widest * (F(1) / F(MOST))
            factor = F(MOST) / widest
            for column in range(SIZE):
                keys[head, column, row] = _signed(numbers[column] * factor)
            own, value = sums[row, 2 * hidden + place : 2 * hidden + place + SIZE], values[head, row]
            column_factors = factors[place : place + SIZE]
            for column in range(SIZE):
                value[column] = _signed(F(own[column]) * step * column_factors[column])
    for column in range(hidden):
        value_steps[column] *= scales.steps[2 * hidden + column]
    return Parts(queries, keys, values, query_steps, key_steps, value_steps)


@compiled_alike
def shares(sums: Whole, query_steps: FloatArray, key_steps: FloatArray) -> tuple[Bytes, Whole]:
    """Return the shares (HEADS, m, n) of attention in bytes from the products of queries and keys, and their sums."""
    heads, rows, count = sums.shape
    rounded, totals = np.empty(sums.shape, dtype=np.uint8), np.empty((heads, rows), dtype=np.int32)
    scores = np.empty(count, dtype=np.float32)
    for head in range(heads):
        for row in range(rows):
            own, share, steps = sums[head, row], rounded[head, row], key_steps[head]
            factor = query_steps[head, row] * F(SIZE**-0.5 * _TO_TWO)
            order = np.int32(-(2**31))
            for column in range(count):
                score = F(F(own[column]) * (factor * steps[column]))
                scores[column] = score
                order = max(order, _order(score.view(np.int32)))
            largest, total = _ordered(np.int32(order)), np.int32(0)
            for column in range(count):
                byte = np.int32(_power(scores[column] - largest) * F(255) + _HALF)
                share[column] = byte
                total = np.int32(total + byte)
            totals[head, row] = total
    return rounded, totals


@compiled_alike
def mixed(sums: Whole, totals: Whole, value_steps: FloatArray, bias: FloatArray) -> tuple[Bytes, FloatArray]:
    """Return the means of values in bytes from ``sums`` (HEADS, m, SIZE), and the step of each row."""
    heads, rows, size = sums.shape
    rounded, steps = np.empty((rows, heads * size), dtype=np.uint8), np.empty(rows, dtype=np.float32)
    numbers = np.empty(heads * size, dtype=np.float32)
    for row in range(rows):
        for head in range(heads):
            own, place = sums[head, row], head * size
            number, step = numbers[place : place + size], value_steps[place : place + size]
            factor = F(1) / F(totals[head, row])
            for column in range(size):
                number[column] = F(own[column]) * (factor * step[column]) + bias[place + column]
        steps[row] = _round(numbers, rounded[row])
    return rounded, steps


@compiled_alike
def probabilities(states: FloatArray, weight: FloatArray, bias: FloatArray) -> FloatArray:
    """Return the probabilities (n, classes + 1) of the classes and, in the last column, of telling.

    ``weight`` has shape (hidden, classes + 1).
    """
    answers = np.empty((len(states), weight.shape[1]), dtype=np.float32)
    classes = weight.shape[1] - 1
    for row in range(len(states)):
        answer, state = answers[row], states[row]
        answer[:] = bias
        for column in range(0, len(state), 4):
            first, second, third, fourth = state[column], state[column + 1], state[column + 2], state[column + 3]
            own = weight[column : column + 4]
            for place in range(len(answer)):
                answer[place] += (
                    first * own[0, place] + second * own[1, place] + (third * own[2, place] + fourth * own[3, place])
                )
        largest, total = answer[0], F(0)
        for place in range(1, classes):
            largest = max(largest, answer[place])
        for place in range(classes):
            answer[place] = _power((answer[place] - largest) * F(_TO_TWO))
            total += answer[place]
        for place in range(classes):
            answer[place] /= total
        opposite = _power(-abs(answer[classes]) * F(_TO_TWO))
        answer[classes] = (F(1) if answer[classes] > F(0) else opposite) / (F(1) + opposite)
    return answers


@compiled_alike
def _normalise(state: FloatArray, norm: Norm, terms: FloatArray) -> None:
    count = F(len(state))
    terms[:] = state
    mean = _sum(terms) / count
    for column in range(len(state)):
        state[column] -= mean
        terms[column] = state[column] * state[column]
    factor = F(1) / np.sqrt(_sum(terms) / count + _EPSILON)
    for column in range(len(state)):
        state[column] = state[column] * factor * norm.weight[column] + norm.bias[column]


@compiled_alike
def _sum(terms: FloatArray) -> np.float32:
    """Return the sum of ``terms``, which are folded in half while they are many."""
    count = len(terms)
    while count % 2 == 0 and count > 24:
        count //= 2
        left, right = terms[:count], terms[count : 2 * count]
        for place in range(count):
            left[place] += right[place]
    total = F(0)
    for place in range(count):
        total += terms[place]
    return total


@compiled_alike
def _round(numbers: FloatArray, rounded: Bytes) -> np.float32:
    """Write ``numbers`` in bytes to ``rounded`` and return the step."""
    return _round_by(numbers, rounded, _widest(numbers))


@compiled_alike
def _round_by(numbers: FloatArray, rounded: Bytes, widest: np.float32) -> np.float32:
    widest = max(widest, _LEAST)
    factor = F(127) / widest
    for place in range(len(numbers)):
        rounded[place] = np.int32(numbers[place] * factor + (F(ZERO) + _HALF))
    return widest * (F(1) / F(127))


@compiled_alike
def _signed(number: np.float32) -> np.int32:
    return np.int32(number + (F(ZERO) + _HALF)) - np.int32(ZERO)


@compiled_alike
def _widest(numbers: FloatArray) -> np.float32:
    """Return the largest absolute number: without their sign, the bits of numbers have the order of the numbers."""
    widest = np.int32(0)
    for bits in numbers.view(np.int32):
        widest = max(widest, np.int32(bits & _BUT_SIGN))
    found = np.int32(widest)
    return max(found.view(np.float32), _LEAST)


@compiled_alike
def _order(bits: np.int32) -> np.int32:
    """Return a whole number that has the order of the number with these bits, and so back."""
    return np.int32(bits ^ ((bits >> _LAST) & _BUT_SIGN))


@compiled_alike
def _ordered(order: np.int32) -> np.float32:
    bits = np.int32(_order(order))
    return bits.view(np.float32)


@compiled_alike
def _gelu(number: np.float32) -> np.float32:
    """Return GELU within 4e-5: the error function is a polynomial up to four standard deviations, and flat beyond."""
    near = min(max(number, F(-4)), F(4))
    bent = near * near * F(0.125) - F(1)
    share = F(-0.00545787)
    share = share * bent + F(0.01642252)
    share = share * bent + F(-0.02652017)
    share = share * bent + F(0.04324346)
    share = share * bent + F(-0.07299068)
    share = share * bent + F(0.1121016)
    share = share * bent + F(-0.1687149)
    share = share * bent + F(0.3518955)
    return number * (_HALF + _HALF * near * share)


@compiled_alike
def _power(number: np.float32) -> np.float32:
    """Return 2 to the power of a number up to 0 within 3e-6 of itself: 2**whole times a polynomial."""
    number = max(number, F(-126))
    whole = np.int32(number - _HALF)
    rest = number - F(whole)
    power = F(0.00957010358)
    power = power * rest + F(0.0559179042)
    power = power * rest + F(0.240247452)
    power = power * rest + F(0.693121809)
    power = power * rest + F(0.999999261)
    return power * np.int32((whole + np.int32(127)) << np.int32(23)).view(np.float32)
