"""The grammatical gender of an output, by the lists that it was drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.language.language import Language


def gender_of(output: str, language: Language) -> str:
    """Return the gender of an institution, of a word for what people do, or of a people, "" if no list has it."""
    gender = language.institutions.gender_of(output)
    if gender or not output.strip():
        return gender
    first = output.split()[0].casefold()
    own = next((gender for gender, words in language.genders_of_work.items() if words.has(first)), "")
    if own:
        return own
    words = {output, output.lower()}
    for listed in (language.occupations, language.peoples.nations, language.peoples.beliefs):
        is_man, is_woman = not words.isdisjoint(listed.all), not words.isdisjoint((*listed.women, *listed.others))
        if is_man or is_woman:
            return "" if is_man and is_woman else "m" if is_man else "f"
    return ""
