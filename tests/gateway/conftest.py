"""What tests of the doors share: one shield, and a server of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from served_doors import POLICY, Door, opened
from sfumato.gateway.shield import Shield
from sfumato.policy import Policy


@pytest.fixture(scope="session")
def shield() -> Shield:
    return Shield.of(Policy.parse(POLICY))


@pytest.fixture
def door(shield: Shield) -> Iterator[Door]:
    with opened(shield, most_bytes=200_000) as door:
        yield door
