"""The sentences of `agreement.py`: a gap, the kind of its value, and what may be before a value.

Behind the kind are the words that may be before a value, by its gender and its beginning: m, f, n, p and q (plurals
of men's and women's words), v before a vowel (vm and vf where the gender counts too), o and g before the sounds
that ask for "lo" and "gli", "-" for a name without an article. A slash parts what is right as well.
"""

from __future__ import annotations

from typing import NamedTuple


class Frame(NamedTuple):
    """A sentence: what is before and behind the gap, its kind, its words, and whether the verb is for one alone."""

    head: str
    kind: str
    words: dict[str, tuple[str, ...]]
    tail: str
    dative: bool = False

    @property
    def is_subject(self) -> bool:
        return not self.head


def frames(rows: str) -> tuple[Frame, ...]:
    """Read rows "head | KIND words | tail"; "!" before the kind says that it is in the dative or genitive."""
    made = []
    for row in rows.strip().splitlines():
        head, middle, tail = (part.strip() for part in row.split("|"))
        kind, *pairs = middle.removeprefix("!").split(";")
        words = {}
        for pair in pairs:
            key, _, right = pair.strip().partition("=")
            words[key] = tuple(each if each.endswith("'") or not each else f"{each} " for each in right.split("/"))
        space = "" if tail.startswith((".", ",")) else " "
        made.append(Frame(f"{head} " if head else "", kind.strip(), words, f"{space}{tail}", middle.startswith("!")))
    return tuple(made)


FRAMES = {
    "de": frames("""
Sie wurde | !ORGANIZATION; m=im/in dem; n=im/in dem; f=in der; p=in den | behandelt.
Er arbeitet | !ORGANIZATION; m=beim/bei dem; n=beim/bei dem; f=bei der; p=bei den | als Bote.
Man brachte ihn | ORGANIZATION; m=in den; n=ins/in das; f=in die; p=in die | zurück.
Das Schreiben | !ORGANIZATION; m=vom/von dem; n=vom/von dem; f=von der; p=von den | liegt vor.
Die Akte ging | !ORGANIZATION; m=zum/zu dem; n=zum/zu dem; f=zur/zu der; p=zu den | zurück.
Er wandte sich an | ORGANIZATION; m=den; n=das; f=die; p=die | um Hilfe.
Die Rechnung ist für | ORGANIZATION; m=den; n=das; f=die; p=die | bestimmt.
Der Leiter | !ORGANIZATION; m=des; n=des; f=der; p=der | unterschrieb.
| ORGANIZATION; m=Der; n=Das; f=Die; p=Die | hat geantwortet.
Zeuge war | OCCUPATION; m=ein; n=ein; f=eine | aus dem Ort.
Als Vertreterin kam | OCCUPATION; m=ein; n=ein; f=eine | aus dem Ort.
Der Vater ist | GROUP; m=ein; f=eine | und wohnt hier.
Er wohnt | !PLACE; -=in; m=im/in dem; n=im; f=in der; p=in den | bei Freunden.
Sie kommt | !PLACE; -=aus; m=aus dem; n=aus dem; f=aus der; p=aus den | und bleibt hier.
Sie zog | PLACE; -=nach; m=in den; n=ins; f=in die; p=in die | um.
"""),
    "fr": frames("""
Il travaille | ORGANIZATION; m=au; f=à la; v=à l'; p=aux | depuis hier.
Le directeur | ORGANIZATION; m=du; f=de la; v=de l'; p=des | a signé la lettre.
Elle a écrit à propos | ORGANIZATION; m=du; f=de la; v=de l'; p=des | sans réponse.
Il a visité | ORGANIZATION; m=le; f=la; v=l'; p=les | avec sa sœur.
| ORGANIZATION; m=Le; f=La; v=L'; p=Les | a répondu.
La lettre vient de | ORGANIZATION; m=ce; f=cette; vm=cet; vf=cette; p=ces | sans date.
C'était | OCCUPATION; m=un; f=une | de la région.
Le témoin est | GROUP; m=un; f=une | de la région.
Elle habite | PLACE; -=à; m=au; f=en; v=en; p=aux | depuis un an.
Il vient | PLACE; -=de; -v=d'; m=du; f=de; v=d'; p=des | et reste ici.
La mère | PERSON; -=de; -v=d' | est venue.
On sait | PERSON; -=que; -v=qu' | est venu.
"""),
    "it": frames("""
Lavora | ORGANIZATION; m=al; o=allo; f=alla; v=all'; p=ai; g=agli; q=alle | da ieri.
Il direttore | ORGANIZATION; m=del; o=dello; f=della; v=dell'; p=dei; g=degli; q=delle | ha firmato.
La visita | ORGANIZATION; m=nel; o=nello; f=nella; v=nell'; p=nei; g=negli; q=nelle | è stata breve.
La lettera viene | ORGANIZATION; m=dal; o=dallo; f=dalla; v=dall'; p=dai; g=dagli; q=dalle | di ieri.
Fu ricoverata presso | ORGANIZATION; m=il; o=lo; f=la; v=l'; p=i; g=gli; q=le | per due giorni.
| ORGANIZATION; m=Il; o=Lo; f=La; v=L'; p=I; g=Gli; q=Le | ha risposto.
Il testimone è | OCCUPATION; m=un; o=uno; f=una; vm=un; vf=un' | della zona.
Il padre è | GROUP; m=un; o=uno; f=una; vm=un; vf=un' | della zona.
Abita | PLACE; -=a; -a=ad/a; m=in/nel; f=in/nella; o=in/nello; v=in/nell'; p=nei; g=negli; q=nelle | da un anno.
Viene | PLACE; -=da; m=dal; f=dalla; o=dallo; v=dall'; p=dai; g=dagli; q=dalle | e resta qui.
Sono venuti Marco | PERSON; -=e; -e=ed/e | insieme.
Fu ricoverata | DATE; m=il; v=l' | per due giorni.
"""),
    "nl": frames("""
Zij werd opgenomen in | ORGANIZATION; n=het; f=de; p=de | na een val.
De directeur van | ORGANIZATION; n=het; f=de; p=de | heeft getekend.
De brief van | ORGANIZATION; n=dit; f=deze; p=deze | is zoek.
| ORGANIZATION; n=Het; f=De; p=De | heeft geantwoord.
De getuige sprak met | OCCUPATION; m=de; f=de; n=het | uit het dorp.
Zij woont in | PLACE; -=; n=het; p=de | bij vrienden.
Hij komt uit | PLACE; -=; n=het; p=de | en blijft hier.
"""),
    "es": frames("""
Trabaja en | ORGANIZATION; m=el; f=la; p=los; q=las | desde ayer.
El director | ORGANIZATION; m=del; f=de la; p=de los; q=de las | ha firmado.
Fue trasladada | ORGANIZATION; m=al; f=a la; p=a los; q=a las | por la noche.
| ORGANIZATION; m=El; f=La; p=Los; q=Las | ha respondido.
El testigo es | OCCUPATION; m=un; f=una | de la zona.
El padre es | GROUP; m=un; f=una | de la zona.
Vive en | PLACE; -=; m=/el; f=/la; p=/los; q=/las | desde hace un año.
Vinieron Marcos | PERSON; -=y; -i=e | juntos.
"""),
    "pt": frames("""
Trabalha | ORGANIZATION; m=no; f=na; p=nos; q=nas | desde ontem.
O diretor | ORGANIZATION; m=do; f=da; p=dos; q=das | assinou.
Foi levada | ORGANIZATION; m=ao; f=à; p=aos; q=às | à noite.
Foi assinado | ORGANIZATION; m=pelo; f=pela; p=pelos; q=pelas | ontem.
| ORGANIZATION; m=O; f=A; p=Os; q=As | respondeu.
A testemunha é | OCCUPATION; m=um; f=uma | da zona.
O pai é | GROUP; m=um; f=uma | da zona.
Vive | PLACE; -=em; m=no; f=na; p=nos; q=nas | há um ano.
Vem | PLACE; -=de; m=do; f=da; p=dos; q=das | e fica aqui.
"""),
}  # fmt: skip
ORIGINALS = {
    "de": """
        m Pflegedienst Bremen; f Universitätsklinik Marburg; n Amtsgericht Kassel; f Grundschule
        Bonn; n Klinikum Fulda; n Gesundheitsamt Ulm; f Stadtbibliothek Trier; p Stadtwerke Ulm; m
        Sportverein Celle; n Museum Hanau
    """,
    "fr": """
        m tribunal administratif de Pau; f clinique de Lyon; m hôpital de Tours; f université de
        Nice; p ateliers de Reims; m lycée de Dijon; f mairie de Rouen; f école primaire de Metz; m
        centre hospitalier de Vannes
    """,
    "it": """
        m Tribunale di Pisa; f Clinica di Lecce; m Ospedale di Bari; f Università di Siena; q
        Officine di Terni; m Studio dentistico di Parma; f Questura di Como; m Istituto tecnico di
        Lodi; f Azienda ospedaliera di Pavia
    """,
    "nl": """
        n Ziekenhuis Gouda; f Rechtbank Zwolle; n Gezondheidscentrum Breda; f Gemeente Delft; n
        Museum Leiden; f Basisschool Hoorn
    """,
    "es": """
        m Hospital General de Burgos; f Clínica de Lugo; m Ayuntamiento de León; f Universidad de
        Cádiz; m Museo de Soria
    """,
    "pt": """
        m Hospital de Braga; f Universidade de Évora; m Tribunal de Faro; f Câmara Municipal de
        Beja; m Museu de Aveiro
    """,
}
CITIES = {
    "de": """
        Fulda Kassel Ulm Marburg Bremen Essen
    """,
    "fr": """
        Lyon Tours Amiens Orléans Nice Metz Angers
    """,
    "it": """
        Bari Parma Ancona Siena Udine Arezzo
    """,
    "nl": """
        Delft Gouda Zwolle Breda Almelo Eindhoven
    """,
    "es": """
        Burgos Soria Lugo Cuenca Huesca Ibiza
    """,
    "pt": """
        Braga Faro Beja Lisboa Coimbra Leiria
    """,
}
NAMES = {
    "de": """
        Anna Berg; Marc Huber
    """,
    "fr": """
        Anne Martin; Marc Petit; Élodie Roux; Paul Simon; Hélène Faure
    """,
    "it": """
        Elena Russo; Paolo Conti; Emma Ricci; Giulia Gallo
    """,
    "nl": """
        Anna Jansen; Piet Bakker
    """,
    "es": """
        Irene Ruiz; Pablo Ortega; Isabel Gil; Carmen Vega
    """,
    "pt": """
        Ana Sousa; Rui Costa
    """,
}
