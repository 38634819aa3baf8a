"""French and Italian small words agree with the value behind them: d'Anne, du Havre, l'8 marzo, ad Asti."""

from __future__ import annotations

import re

from made_surface import Piece

_START = r"(?:(?<=^)|(?<=[\s(«\"]))"
_FRENCH_SHORT = re.compile(_START + r"([DdLlQqSsJj]|[Jj]usqu|[Ll]orsqu|[Pp]uisqu)(?:e|a|ue) $")
_FRENCH_MUTE = re.compile(r"[aeiouàâéèêëîïôœAEIOUÉÈÊÎÔŒ]|Y[vl]|H(?:é|en|ub|or|ip|u[gb]|ô)")
_FRENCH_ARTICLE = re.compile(_START + r"(à|À|de|De) $")
_ITALIAN_DAY = re.compile(r"\b([Ii]l|[Dd]el|[Aa]l|[Dd]al|[Nn]el|[Ss]ul) $")
_ITALIAN_FORMS = {
    "il": ("il ", "la ", "l'", "gli "), "del": ("del ", "della ", "dell'", "degli "),
    "al": ("al ", "alla ", "all'", "agli "), "dal": ("dal ", "dalla ", "dall'", "dagli "),
    "nel": ("nel ", "nella ", "nell'", "negli "), "sul": ("sul ", "sulla ", "sull'", "sugli "),
}  # fmt: skip
_FRENCH_FORMS = {
    "le": ("le ", "la ", "l'", "les "), "du": ("du ", "de la ", "de l'", "des "),
    "au": ("au ", "à la ", "à l'", "aux "),
}  # fmt: skip
_FRENCH_OF_PLACES = {
    "le": ("le ", "la ", "l'", "les "),
    "du": ("du ", "de ", "d'", "des "),
    "au": ("au ", "en ", "en ", "aux "),
}
_ITALIAN_FEMININE = re.compile(
    r"(?:Casa|Clinica|Cassa|Banca|BCC|Farmacia|RSA|Cooperativa|Parrocchia|Pro|Corte|Procura|Provincia|Questura|[Ss]cuola|"
    r"Polizia|Lega|CGIL|CISL|UIL|Regione|Guardia|Protezione|Croce|RAI|CONSOB|Camera|Federazione|Fondazione|Società|Caritas|"
    r"Fiat|Juventus|Roma|Lazio|Fiorentina|Sampdoria|Commissione|NATO|Repubblica|Stampa|Barilla|Ferrari|Via|Piazza|Strada|"
    r"Contrada|Salita|Fondamenta|Calle|Traversa|Riviera|Biblioteca|Curia|Marina|Cina)\b|"
    r".*(?:S\.r\.l|S\.p\.A|s\.n\.c|\w[a-z]a$)"
)
_FRENCH_FEMININE = re.compile(
    r"(?:Clinique|Maison|Pharmacie|Boulangerie|Mairie|Caisse|Banque|Mutuelle|crèche|Paroisse|Préfecture|Cour|SARL|SAS|"
    r"Fondation|Société|CAF|CNIL|CPAM|CGT|CFDT|SNCF|RATP|Croix|Sécurité|Ligue|Fédération|Commission|Gendarmerie|Chambre|"
    r"Polyclinique|Cité|MAIF|DRH|BNP|Ville|Région|Poste|rue|place|route|Haute|Police|Bibliothèque|Sorbonne|"
    r"(?!Mexique|Cambodge|Mozambique|Zimbabwe|Rhône|Languedoc|Havre|Maine|Finistère|Bosphore|Centre|Crédit|Groupe|Tribunal|"
    r"Conseil|CHU|Ministère|Trésor|Lycée|lycée|collège|Collège|Garage|cabinet|Cabinet|Gaz)[A-ZÉÎ][\w-]+e$)"
)
_ITALIAN_PLURAL = re.compile(r"Stati Uniti|Emirati|Uffizi")
_FRENCH_PLURAL = re.compile(
    r"États-|Pays-|Alpes|Pyrénées|Vosges|Ardennes|Cévennes|Antilles|Philippines|Landes|Yvelines|Transports"
)
_ITALIAN_VOWEL = re.compile(r"[AEIOUÈaeiou]")


def elided(pieces: list[Piece], language: str) -> list[Piece]:
    """Let the small word before each value agree with it."""
    if language not in ("fr", "it"):
        return pieces
    out: list[Piece] = []
    for piece in pieces:
        if piece.label and out and out[-1].label is None:
            before, text = out[-1].text, piece.text
            if piece.label in ("ORGANIZATION", "LOCATION"):
                before = _with_article(before, piece, language)
            before, text = _in_french(before, piece) if language == "fr" else (_in_italian(before, piece), text)
            out[-1], piece = Piece(before), piece._replace(text=text)
        out.append(piece)
    return out


def _with_article(before: str, piece: Piece, language: str) -> str:
    french = language == "fr"
    forms = _ITALIAN_FORMS if not french else _FRENCH_OF_PLACES if piece.label == "LOCATION" else _FRENCH_FORMS
    match = re.search(rf"{_START}({'|'.join(forms)}) $", before, re.IGNORECASE)
    if not match:
        return before
    masculine, feminine, short, plural = forms[match[1].lower()]
    name = piece.text
    if (_FRENCH_PLURAL if french else _ITALIAN_PLURAL).match(name):
        word = plural
    elif (_FRENCH_MUTE if french else _ITALIAN_VOWEL).match(name):
        word = short
    else:
        word = feminine if (_FRENCH_FEMININE if french else _ITALIAN_FEMININE).match(name) else masculine
    return before[: match.start(1)] + (word[0].upper() + word[1:] if match[1][0].isupper() else word)


def _in_french(before: str, piece: Piece) -> tuple[str, str]:
    short, article = _FRENCH_SHORT.search(before), _FRENCH_ARTICLE.search(before)
    if short and _FRENCH_MUTE.match(piece.text) and piece.label not in ("CODE", "USERNAME", "URL", "EMAIL"):
        return f"{before[: short.end(1)]}{'u' if short[1] in 'Qq' else ''}'", piece.text
    if article and piece.label == "LOCATION" and re.match(r"Les? [A-ZÉ]", piece.text):
        plural = piece.text.startswith("Les ")
        joint = {"à": "aux" if plural else "au", "d": "des" if plural else "du"}[article[1].lower()[0]]
        joint = joint.capitalize() if article[1][0].isupper() else joint
        return f"{before[: article.start(1)]}{joint} ", piece.text.partition(" ")[2]
    return before, piece.text


def _in_italian(before: str, piece: Piece) -> str:
    day = _ITALIAN_DAY.search(before)
    if day and piece.label == "DATE" and re.match(r"(?:8|11)(?!\d)", piece.text):
        short = _ITALIAN_FORMS[day[1].lower()][2]
        return before[: day.start(1)] + (short.capitalize() if day[1][0].isupper() else short)
    same = re.search(r"(?:^|\s)([AaEe]) $", before)
    if same and piece.text.startswith(same[1].upper()) and piece.label in ("LOCATION", "PERSON"):
        return f"{before[:-1]}d "
    return before
