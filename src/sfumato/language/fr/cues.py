"""French words beside a value that say what it is about: a date of birth, a relative's age, a woman or a man."""

from __future__ import annotations

from sfumato.language.cue_words import cues_of

CUES = cues_of(
    births=r"n[ée]e? le|né\(e\) le|née? en|date de naissance|ddn|naissance|née?",
    women="femme|épouse|fille|mère|maman|sœur|tante|nièce|grand-mère|petite-fille|cousine|belle-sœur|belle-mère|belle-fille"
    "|compagne|marraine|veuve|patiente|requérante|voisine|nommée|dénommée|appelée|prévenue|actrice|plaignante",
    men="mari|époux|fils|père|papa|frère|oncle|neveu|grand-père|petit-fils|cousin|beau-frère|beau-père|beau-fils|gendre"
    "|compagnon|parrain|veuf|patient|requérant|voisin|nommé|dénommé|appelé|prévenu|acteur|plaignant",
    others="enfant|enfants|parents|conjoint|partenaire|jumeau|jumelle|bébé|aidant",
    born_woman="née|est née|est décédée|est allée|est venue|est entrée|est sortie|s'est présentée"
    "|âgée|veuve|domiciliée",
    born_man="né|est né|est décédé|est allé|est venu|est entré|est sorti|s'est présenté|âgé|veuf|domicilié",
    maiden="née|nom de jeune fille|nom de naissance|nom de famille|nom d'usage|nom d'épouse|patronyme",
    families="famille|époux|consorts|frères|sœurs",
)
