"""Dutch words beside a value that say what it is about: a date of birth, a relative's age, a woman or a man.

A participle and an article have one form for both, so nouns alone say the sex.
"""

from __future__ import annotations

from sfumato.language.cue_words import cues_of

CUES = cues_of(
    births=r"geb\.|geb|geboren|geb\. op|geboren op|geboren d\.d\.|geboortedatum|geb\. ?datum|gebdat|geboortedag",
    women="echtgenote|vrouw|dochter|moeder|mama|mam|zus|zuster|zusje|halfzus|schoonmoeder|schoondochter|schoonzus"
    "|stiefmoeder|stiefdochter|oma|grootmoeder|kleindochter|tante|nicht|nichtje|vriendin|weduwe|buurvrouw"
    "|peettante|patiënte|cliënte|eiseres|verzoekster|verweerster|appellante|aangeefster|bewoonster|aanvraagster|studente"
    "|lerares|juf|verpleegster|verloskundige|huurster|medewerkster|werkneemster|meisje"
    r"|mevrouw|mevr\.?|mw\.?",
    men="echtgenoot|man|zoon|zoontje|vader|papa|pap|broer|broertje|halfbroer|schoonvader|schoonzoon|zwager|stiefvader"
    "|stiefzoon|opa|grootvader|kleinzoon|oom|neef|neefje|vriend|weduwnaar|buurman|peetoom|jongen|meester|raadsman"
    r"|meneer|heer|dhr\.?",
    others="kind|kinderen|ouders|partner|tweeling|tweelingbroer|tweelingzus|familielid|baby|mantelzorger|kleinkind"
    "|kleinkinderen",
    born_woman=r"weduwe|(?<=,\s)weduwe|(?<=,\s)echtgenote|(?<=,\s)huisvrouw",
    born_man=r"weduwnaar|(?<=,\s)weduwnaar|(?<=,\s)echtgenoot|(?<=,\s)huisman",
    maiden="geboren|geb.|achternaam|familienaam|meisjesnaam|geboortenaam|gehuwd|weduwe van",
    families="familie|fam.|gezin|echtpaar|gebroeders|erven|erfgenamen",
)
