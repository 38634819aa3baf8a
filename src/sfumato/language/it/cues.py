"""Italian words beside a value that say what it is about: a date of birth, a relative's age, a woman or a man."""

from __future__ import annotations

from sfumato.language.cue_words import cues_of

CUES = cues_of(
    births=r"nat[oa] il|nat[oa] l['’]|nat[oa] nel|nato/a il|data di nascita|nascita|nat[oa]|d\.n\.|ddn",
    women="moglie|figlia|madre|mamma|sorella|zia|nonna|cugina|cognata|suocera|nuora|compagna|fidanzata|madrina|vedova"
    "|vicina|imputata|convenuta|attrice|assistita|signora|ragazza|bambina|chiamata",
    men="marito|figlio|padre|papà|fratello|zio|nonno|cugino|cognato|suocero|genero|compagno|fidanzato|padrino|vedovo"
    "|vicino|imputato|convenuto|attore|assistito|signore|ragazzo|bambino|chiamato",
    others="figli|genitori|coniuge|nipote|gemello|gemella|parente|caregiver",
    born_woman="nata|è nata|è deceduta|è morta|è stata|è venuta|è andata|si è presentata|vedova|domiciliata|affetta",
    born_man="nato|è nato|è deceduto|è morto|è stato|è venuto|è andato|si è presentato|vedovo|domiciliato|affetto",
    maiden="nata|cognome da nubile|cognome di nascita|cognome|da nubile",
    families="famiglia|coniugi|fratelli|sorelle|eredi",
)
