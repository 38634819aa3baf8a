"""A release that was attacked, accepted and signed, in one call: the Python face of `sfumato protect`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from sfumato.files import FileOptions
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.protection.outcome import Outcome
from sfumato.protection.protecting import protect_request
from sfumato.protection.request import Request
from sfumato.protection.signing import own_key
from sfumato.types import Stages

if TYPE_CHECKING:
    from sfumato.options.keywords import ReadingKeywords


@typed
def protect(
    input: Path | str,
    output: Path | str,
    policy: Policy | Path | str,
    *,
    key: Path | str | None = None,
    keep: Sequence[str] | None = None,
    labels: Sequence[str] = (),
    workers: int = 1,
    overwrite: bool = False,
    resume: bool = False,
    sample: int = 500,
    seed: int = 0,
    trials: bool = True,
    ledger: Path | str | None = None,
    ledger_key: Path | str | None = None,
    decisions: Path | str | None = None,
    anyway: bool = False,
    progress: Stages | None = None,
    tell: Callable[[str], None] | None = None,
    **options: Unpack[ReadingKeywords],
) -> Outcome:
    """Sanitize a file by a policy, attack that very release, judge it, and sign it if it is accepted.

    The limits are those of the policy's `[against]` and `[accept]`. Without limits nothing is accepted.

    Args:
        input: The originals: .jsonl, .csv, .tsv, .parquet, .txt, or a folder of .txt.
        output: NAME: an accepted release goes to NAME.release, and what is for the owner alone to NAME.private.
        policy: A policy, the name of one that comes with sfumato, or a file.
        key: The file of the signing key, which is made at its first use; by default the user's own.
        keep: The other fields that stay; by default those of the policy.
        labels: Fields that an attacker infers.
        workers: How many processes sanitize.
        overwrite: Replace an earlier NAME.release.
        resume: Resume a stopped attempt that was paid for. It pays nothing again.
        sample: How many records the slowest attacks draw.
        seed: The seed of the attacks. The draws of the release never depend on it.
        trials: Try changes of the policy if the release is not accepted.
        ledger: The address of the ledger that pays for each attempt; by default that of the policy.
        ledger_key: The file with the ledger's key; by default the ledger's name and ".key".
        decisions: The file of a review (`sfumato review`), which is applied.
        anyway: Continue although a limit cannot hold with so few records.
        progress: Called with the stage and the share of it that is done, from 0 to 1.
        tell: Called first, with a sentence for each limit: how many people it needs.
        options: How the file is read: fields of `FileOptions`, such as `fields`, `id_field`, `lines`.

    Raises:
        ConfigurationError: An option cannot work, or the policy has no limits.
        InputError: A record or the input cannot be read. The error names the place, never content.
        OutputError: The release exists, or its name cannot be used.
        GuaranteeError: A guarantee cannot be certified. Nothing is released.
        BudgetError: Someone cannot pay. Nothing was drawn.
        LedgerError: The ledger cannot be used. Nothing is released.
    """
    reading: dict[str, Any] = {**options, "keep": keep}
    files: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in reading.items()
    }
    chosen = policy if isinstance(policy, Policy) else Policy.load(policy)
    request = Request(
        Path(input), chosen, Path(output), FileOptions(**files),
        own_key() if key is None else Path(key), workers, overwrite, tuple(labels), sample, seed, trials,
        None if ledger is None else str(ledger), _path(ledger_key), _path(decisions), anyway, resume,
    )  # fmt: skip
    return protect_request(request, progress, tell)


def _path(given: Path | str | None) -> Path | None:
    return None if given is None else Path(given)
