"""Dates in other languages: what is read is written again, and each form holds every date of its grain."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kind_contract import ODD, check_any_text, check_small_domains, check_writing, draw_value_and_form, forms_of
from sfumato.abstract.kind import Form
from sfumato.kinds.dates.date import Date
from sfumato.language.languages import LANGUAGES

KEPT = {
    "de": [
        ("11. Januar 2019", "day", "2019-01-11"),
        ("11.01.2019", "day", "2019-01-11"),
        ("Freitag, 11. Januar 2019", "day", "2019-01-11"),
        ("am Freitag, den 11. Januar 2019", "day", "2019-01-11"),
        ("VOM 3. MÄRZ 2020", "day", "2020-03-03"),
        ("2019-01-11", "day", "2019-01-11"),
        ("11-Jan-2019", "day", "2019-01-11"),
        ("11.01.19", "day-yy", "2019-01-11"),
        ("am Mittwoch, den 5. April", "day-of-year", "04-05"),
        ("15.03.", "day-of-year", "03-15"),
        ("seit dem 5. März", "day-of-year", "03-05"),
        ("vom 3. bis 5. März", "day-of-year", "03-05"),
        ("3.-5. März 2020", "day", "2020-03-05"),
        ("28. Februar bis 1. März 2020", "day", "2020-03-01"),
        ("der 17.", "day-of-month", "17"),
        ("17. des Monats", "day-of-month", "17"),
        ("Anfang März 2020", "month", "2020-03"),
        ("im Januar 2019", "month", "2019-01"),
        ("03/2019", "month", "2019-03"),
        ("im Mai", "month-of-year", "05"),
        ("letzten August", "month-of-year", "08"),
        ("im Frühling 2020", "season", "frühling 2020"),
        ("diesen Winter", "season-of-year", "winter"),
        ("seit 2019", "year", "2019"),
        ("im Jahre 2019", "year", "2019"),
        ("die 1980er Jahre", "decade", "1980s"),
        ("in den 1980ern", "decade", "1980s"),
        ("Montag", "weekday", "Montag"),
        ("montags", "weekday", "Montag"),
        ("am Montagmorgen", "weekday", "Montag"),
        ("gestern", "past day", "gestern"),
        ("seit gestern Abend", "past day", "gestern Abend"),
        ("heute früh", "present day", "heute früh"),
        ("übermorgen", "coming day", "übermorgen"),
        ("letzte Woche", "past period", "letzte Woche"),
        ("nächstes Jahr", "coming period", "nächstes Jahr"),
        ("diesen Monat", "present period", "diesen Monat"),
        ("am Vormittag", "part of a day", "Vormittag"),
        ("an Weihnachten", "holiday", "Weihnachten"),
        ("am Karfreitag", "holiday", "Karfreitag"),
        ("den 3. Mai 2020 um 12:00 Uhr", "day", "2020-05-03"),
        ("um 12.00 Uhr am 3. Mai 2020", "day", "2020-05-03"),
    ],
    "fr": [
        ("11 janvier 2019", "day", "2019-01-11"),
        ("le 1er mars 2020", "day", "2020-03-01"),
        ("LE 1ER MARS 2020", "day", "2020-03-01"),
        ("vendredi 11 janvier 2019", "day", "2019-01-11"),
        ("Vendredi, 11 janvier 2019", "day", "2019-01-11"),
        ("du 3 août 2020", "day", "2020-08-03"),
        ("jusqu'au 3 août 2020", "day", "2020-08-03"),
        ("29\u00a0février\n2020", "day", "2020-02-29"),
        ("11/01/2019", "day", "2019-01-11"),
        ("11.01.2019", "day", "2019-01-11"),
        ("2019-01-11", "day", "2019-01-11"),
        ("11-janv-2019", "day", "2019-01-11"),
        ("11/01/19", "day-yy", "2019-01-11"),
        ("mercredi 5 avril", "day-of-year", "04-05"),
        ("le 1er mars", "day-of-year", "03-01"),
        ("5 mars dernier", "day-of-year", "03-05"),
        ("le 03/12", "day-of-year", "12-03"),
        ("du 3 au 5 mars", "day-of-year", "03-05"),
        ("entre le 3 et le 5 mars", "day-of-year", "03-05"),
        ("du 28 février au 1er mars 2020", "day", "2020-03-01"),
        ("du 1er au 5 mars 2019", "day", "2019-03-05"),
        ("28 décembre 2019 - 3 janvier 2020", "day", "2020-01-03"),
        ("le 11", "day-of-month", "11"),
        ("le 1er du mois", "day-of-month", "01"),
        ("début mars 2020", "month", "2020-03"),
        ("début d'avril 2020", "month", "2020-04"),
        ("janvier 2019", "month", "2019-01"),
        ("au mois d'août 2019", "month", "2019-08"),
        ("01/2019", "month", "2019-01"),
        ("en août", "month-of-year", "08"),
        ("mi-mars", "month-of-year", "03"),
        ("Mars", "month-of-year", "03"),
        ("au printemps 2020", "season", "printemps 2020"),
        ("l'été 2019", "season", "été 2019"),
        ("L'ÉTÉ 2019", "season", "été 2019"),
        ("en automne", "season-of-year", "automne"),
        ("cet hiver", "season-of-year", "hiver"),
        ("en 2019", "year", "2019"),
        ("l'année 2019", "year", "2019"),
        ("les années 1980", "decade", "1980s"),
        ("lundi", "weekday", "Lundi"),
        ("tous les mardis", "weekday", "Mardi"),
        ("dimanche dernier", "weekday", "Dimanche"),
        ("hier", "past day", "hier"),
        ("Avant-hier", "past day", "avant-hier"),
        ("aujourd'hui", "present day", "aujourd'hui"),
        ("depuis hier soir", "past day", "hier soir"),
        ("après-demain", "coming day", "après-demain"),
        ("la semaine dernière", "past period", "semaine dernière"),
        ("du mois dernier", "past period", "mois dernier"),
        ("l'année prochaine", "coming period", "année prochaine"),
        ("cette semaine", "present period", "cette semaine"),
        ("l'après-midi", "part of a day", "après-midi"),
        ("à Noël", "holiday", "Noël"),
        ("à la Toussaint", "holiday", "Toussaint"),
        ("le jour de l'An", "holiday", "jour de l'An"),
        ("le 5 mars 2020 à 12 h 00", "day", "2020-03-05"),
        ("lundi à 12 heures", "weekday", "Lundi"),
        ("à 12h le 3 mai 2020", "day", "2020-05-03"),
    ],
    "it": [
        ("11 gennaio 2019", "day", "2019-01-11"),
        ("l'11 gennaio 2019", "day", "2019-01-11"),
        ("il 5 marzo 2019", "day", "2019-03-05"),
        ("L'8 MARZO 2019", "day", "2019-03-08"),
        ("dell'8 marzo 2019", "day", "2019-03-08"),
        ("1° marzo 2020", "day", "2020-03-01"),
        ("in data 11/01/2019", "day", "2019-01-11"),
        ("dell'11/01/2019", "day", "2019-01-11"),
        ("11.01.2019", "day", "2019-01-11"),
        ("11-gen-2019", "day", "2019-01-11"),
        ("la domenica 13 gennaio 2019", "day", "2019-01-13"),
        ("11/01/19", "day-yy", "2019-01-11"),
        ("Il 5 marzo", "day-of-year", "03-05"),
        ("mercoledì 5 aprile", "day-of-year", "04-05"),
        ("3 aprile u.s.", "day-of-year", "04-03"),
        ("dal 3 al 5 marzo", "day-of-year", "03-05"),
        ("dall'8 all'11 marzo 2019", "day", "2019-03-11"),
        ("dal 28 febbraio al 1° marzo 2020", "day", "2020-03-01"),
        ("tra il 3 e il 5 marzo", "day-of-year", "03-05"),
        ("il 3 e l'8 marzo", "day-of-year", "03-08"),
        ("il 5", "day-of-month", "05"),
        ("l'11 del mese", "day-of-month", "11"),
        ("inizio marzo 2020", "month", "2020-03"),
        ("nel mese di marzo 2020", "month", "2020-03"),
        ("nell'aprile 2019", "month", "2019-04"),
        ("ad agosto", "month-of-year", "08"),
        ("a marzo", "month-of-year", "03"),
        ("nell'inverno 1999", "season", "inverno 1999"),
        ("in primavera", "season-of-year", "primavera"),
        ("d'estate", "season-of-year", "estate"),
        ("quest'autunno", "season-of-year", "autunno"),
        ("nel 2019", "year", "2019"),
        ("gli anni 1980", "decade", "1980s"),
        ("lunedì", "weekday", "Lunedì"),
        ("lo scorso lunedì", "weekday", "Lunedì"),
        ("la scorsa domenica", "weekday", "Domenica"),
        ("domenica scorsa", "weekday", "Domenica"),
        ("questo martedì sera", "weekday", "Martedì"),
        ("l'altro ieri", "past day", "l'altro ieri"),
        ("Ieri sera", "past day", "ieri sera"),
        ("stamattina", "present day", "stamattina"),
        ("dopodomani", "coming day", "dopodomani"),
        ("il mese scorso", "past period", "mese scorso"),
        ("dell'anno scorso", "past period", "anno scorso"),
        ("nella settimana prossima", "coming period", "settimana prossima"),
        ("nella notte", "part of a day", "notte"),
        ("a Natale", "holiday", "Natale"),
        ("all'Epifania", "holiday", "Epifania"),
        ("il giorno di Pasqua", "holiday", "Pasqua"),
        ("il 5 marzo 2020 alle ore 12:00", "day", "2020-03-05"),
        ("alle 12.00 dell'11 marzo 2020", "day", "2020-03-11"),
    ],
    "nl": [
        ("11 januari 2019", "day", "2019-01-11"),
        ("11-01-2019", "day", "2019-01-11"),
        ("3. augustus 2019", "day", "2019-08-03"),
        ("op vrijdag 11 januari 2019", "day", "2019-01-11"),
        ("Vrijdag 11 januari 2019", "day", "2019-01-11"),
        ("3 MAART 2020", "day", "2020-03-03"),
        ("2019-01-11", "day", "2019-01-11"),
        ("11-jan-2019", "day", "2019-01-11"),
        ("11-01-19", "day-yy", "2019-01-11"),
        ("woensdag 5 april", "day-of-year", "04-05"),
        ("5 maart jl.", "day-of-year", "03-05"),
        ("tot en met 5 maart", "day-of-year", "03-05"),
        ("de 5e maart", "day-of-year", "03-05"),
        ("de 5e maart 2020", "day", "2020-03-05"),
        ("15/03", "day-of-year", "03-15"),
        ("van 3 tot 5 maart", "day-of-year", "03-05"),
        ("3-5 maart 2020", "day", "2020-03-05"),
        ("28 februari t/m 1 maart 2020", "day", "2020-03-01"),
        ("de 17e", "day-of-month", "17"),
        ("begin maart 2020", "month", "2020-03"),
        ("in januari van 2019", "month", "2019-01"),
        ("03/2019", "month", "2019-03"),
        ("in mei", "month-of-year", "05"),
        ("Augustus", "month-of-year", "08"),
        ("in de zomer van 2020", "season", "zomer 2020"),
        ("deze winter", "season-of-year", "winter"),
        ("sinds 2019", "year", "2019"),
        ("eind 2019", "year", "2019"),
        ("de jaren 1980", "decade", "1980s"),
        ("maandag", "weekday", "Maandag"),
        ("'s maandags", "weekday", "Maandag"),
        ("maandagochtend", "weekday", "Maandag"),
        ("afgelopen vrijdag", "weekday", "Vrijdag"),
        ("gisteren", "past day", "gisteren"),
        ("Vanochtend", "present day", "vanochtend"),
        ("overmorgen", "coming day", "overmorgen"),
        ("vorige week", "past period", "vorige week"),
        ("volgend jaar", "coming period", "volgend jaar"),
        ("deze maand", "present period", "deze maand"),
        ("in de ochtend", "part of a day", "ochtend"),
        ("met Kerstmis", "holiday", "Kerstmis"),
        ("op Goede Vrijdag", "holiday", "Goede Vrijdag"),
        ("3 mei 2020 om 12.00 uur", "day", "2020-05-03"),
        ("om 12:00 uur op 3 mei 2020", "day", "2020-05-03"),
    ],
    "es": [
        ("11 de enero de 2019", "day", "2019-01-11"),
        ("1 de mayo de 2020", "day", "2020-05-01"),
        ("11 de Enero del 2019", "day", "2019-01-11"),
        ("viernes, 11 de enero de 2019", "day", "2019-01-11"),
        ("EL LUNES 3 DE MAYO DE 2021", "day", "2021-05-03"),
        ("a 3 de mayo de 2020", "day", "2020-05-03"),
        ("11/01/2019", "day", "2019-01-11"),
        ("2019-01-11", "day", "2019-01-11"),
        ("11-ene-2019", "day", "2019-01-11"),
        ("11-01-19", "day-yy", "2019-01-11"),
        ("miércoles, 5 de abril", "day-of-year", "04-05"),
        ("el pasado 3 de mayo", "day-of-year", "05-03"),
        ("3 de mayo del presente año", "day-of-year", "05-03"),
        ("del 3 al 5 de marzo", "day-of-year", "03-05"),
        ("DEL 3 AL 5 DE MARZO", "day-of-year", "03-05"),
        ("entre el 3 y el 5 de marzo de 2020", "day", "2020-03-05"),
        ("del 28 de febrero al 1 de marzo de 2020", "day", "2020-03-01"),
        ("los días 3 y 5 de marzo", "day-of-year", "03-05"),
        ("el 5", "day-of-month", "05"),
        ("día 3 del mes", "day-of-month", "03"),
        ("enero de 2019", "month", "2019-01"),
        ("a principios de marzo de 2020", "month", "2020-03"),
        ("en el mes de mayo de 2019", "month", "2019-05"),
        ("03/2019", "month", "2019-03"),
        ("marzo", "month-of-year", "03"),
        ("en Mayo", "month-of-year", "05"),
        ("en la primavera de 2020", "season", "primavera 2020"),
        ("el verano pasado", "season-of-year", "verano"),
        ("la próxima primavera", "season-of-year", "primavera"),
        ("en invierno", "season-of-year", "invierno"),
        ("a finales de 2019", "year", "2019"),
        ("en el año 2019", "year", "2019"),
        ("los años 1980", "decade", "1980s"),
        ("la década de 1980", "decade", "1980s"),
        ("lunes", "weekday", "Lunes"),
        ("los lunes", "weekday", "Lunes"),
        ("todos los sábados", "weekday", "Sábado"),
        ("el próximo domingo", "weekday", "Domingo"),
        ("el lunes por la tarde", "weekday", "Lunes"),
        ("ayer", "past day", "ayer"),
        ("Anteayer", "past day", "anteayer"),
        ("esta mañana", "present day", "esta mañana"),
        ("mañana", "coming day", "mañana"),
        ("pasado mañana", "coming day", "pasado mañana"),
        ("la semana pasada", "past period", "semana pasada"),
        ("del mes pasado", "past period", "mes pasado"),
        ("el próximo año", "coming period", "próximo año"),
        ("este mes", "present period", "este mes"),
        ("por la mañana", "part of a day", "mañana"),
        ("en Navidad", "holiday", "Navidad"),
        ("el día de Navidad", "holiday", "Navidad"),
        ("el Viernes Santo", "holiday", "Viernes Santo"),
        ("3 de mayo de 2020 a las 12:00", "day", "2020-05-03"),
        ("a las 12:00 del 3 de mayo de 2020", "day", "2020-05-03"),
    ],
    "pt": [
        ("11 de janeiro de 2019", "day", "2019-01-11"),
        ("1º de maio de 2020", "day", "2020-05-01"),
        ("11 de Janeiro de 2019", "day", "2019-01-11"),
        ("sexta-feira, 11 de janeiro de 2019", "day", "2019-01-11"),
        ("NA SEGUNDA-FEIRA, 3 DE MAIO DE 2021", "day", "2021-05-03"),
        ("a 3 de maio de 2020", "day", "2020-05-03"),
        ("11/01/2019", "day", "2019-01-11"),
        ("2019-01-11", "day", "2019-01-11"),
        ("11/jan/2019", "day", "2019-01-11"),
        ("11-01-19", "day-yy", "2019-01-11"),
        ("quarta-feira, 5 de abril", "day-of-year", "04-05"),
        ("no passado dia 3 de maio", "day-of-year", "05-03"),
        ("de 3 a 5 de março", "day-of-year", "03-05"),
        ("DE 3 A 5 DE MARÇO", "day-of-year", "03-05"),
        ("entre 3 e 5 de março de 2020", "day", "2020-03-05"),
        ("de 28 de fevereiro a 1º de março de 2020", "day", "2020-03-01"),
        ("do dia 3 ao dia 5 de março", "day-of-year", "03-05"),
        ("no dia 5", "day-of-month", "05"),
        ("em janeiro de 2019", "month", "2019-01"),
        ("no início de março de 2020", "month", "2020-03"),
        ("no mês de maio de 2019", "month", "2019-05"),
        ("03/2019", "month", "2019-03"),
        ("março", "month-of-year", "03"),
        ("em Maio", "month-of-year", "05"),
        ("na primavera de 2020", "season", "primavera 2020"),
        ("no verão passado", "season-of-year", "verão"),
        ("a próxima primavera", "season-of-year", "primavera"),
        ("em finais de 2019", "year", "2019"),
        ("no ano de 2019", "year", "2019"),
        ("os anos 1980", "decade", "1980s"),
        ("na década de 1980", "decade", "1980s"),
        ("segunda-feira", "weekday", "Segunda-feira"),
        ("no sábado", "weekday", "Sábado"),
        ("na próxima sexta-feira", "weekday", "Sexta-feira"),
        ("sexta-feira passada", "weekday", "Sexta-feira"),
        ("ontem", "past day", "ontem"),
        ("Anteontem", "past day", "anteontem"),
        ("hoje à tarde", "present day", "hoje à tarde"),
        ("amanhã", "coming day", "amanhã"),
        ("depois de amanhã", "coming day", "depois de amanhã"),
        ("na semana passada", "past period", "semana passada"),
        ("do mês passado", "past period", "mês passado"),
        ("no próximo ano", "coming period", "próximo ano"),
        ("este mês", "present period", "este mês"),
        ("de manhã", "part of a day", "manhã"),
        ("à noite", "part of a day", "noite"),
        ("no Natal", "holiday", "Natal"),
        ("na Páscoa", "holiday", "Páscoa"),
        ("no Dia de Finados", "holiday", "Dia de Finados"),
        ("3 de maio de 2020 às 12h00", "day", "2020-05-03"),
        ("às 12:00 de 3 de maio de 2020", "day", "2020-05-03"),
    ],
}
CHANGED = {
    "de": {
        "11 Januar 2019": "11. Januar 2019",
        "11.1.2019": "11.01.2019",
        "1. Jänner 2020": "1. Januar 2020",
        "11. Jan. 2019": "11. Januar 2019",
        "MARZ 2020": "MÄRZ 2020",
        "im Frühjahr 2020": "im Frühling 2020",
        "Freitag, 5. April": "Mittwoch, 5. April",
        "in den achtziger Jahren": "in den 1980er Jahren",
        "die 80er": "die 1980er",
        "Gestern": "gestern",
        "zum Weihnachten": "zu Weihnachten",
        "vorige Woche": "letzte Woche",
        "3. Mai 2020, 14:30 Uhr": "3. Mai 2020, 12:00 Uhr",
        "2019-01-11T04:30:15Z": "2019-01-11T12:00:00Z",
    },
    "fr": {
        "1 mars 2020": "1er mars 2020",
        "le premier mars": "le 1er mars",
        "6. juillet": "6 juillet",
        "11 FEVRIER 2019": "11 FÉVRIER 2019",
        "11 fevrier 2019": "11 février 2019",
        "11 janv. 2019": "11 janvier 2019",
        "vendredi 5 avril": "mercredi 5 avril",
        "les années 80": "les années 1980",
        "les années '80": "les années 1980",
        "les années quatre-vingt": "les années 1980",
        "le 5 mars 2020 à 14 h 30": "le 5 mars 2020 à 12 h 00",
        "le 5 mars 2020 à midi": "le 5 mars 2020 à 12 h",
        "l'an dernier": "l'année dernière",
        "jusqu’au 3 mars": "jusqu’au 3 mars",
        "NOEL": "NOËL",
        "La Toussaint": "la Toussaint",
        "2019-01-11T04:30:15Z": "2019-01-11T12:00:00Z",
    },
    "it": {
        "1 marzo": "1° marzo",
        "il primo marzo 2020": "il 1° marzo 2020",
        "6. luglio 2020": "6 luglio 2020",
        "1º marzo": "1° marzo",
        "VENERDI 11 GENNAIO 2019": "VENERDÌ 11 GENNAIO 2019",
        "venerdì 5 aprile": "mercoledì 5 aprile",
        "gli anni '80": "gli anni 1980",
        "negli anni Ottanta": "negli anni 1980",
        "5 marzo a mezzogiorno": "5 marzo alle 12",
        "lunedì alle 9": "lunedì alle 12",
        "5/3/2020 ore 9.30": "05/03/2020 ore 12.00",
        "lo scorso anno": "l'anno scorso",
        "l’8 marzo": "l'8 marzo",
        "stamani": "stamattina",
    },
    "nl": {
        "11-1-2019": "11-01-2019",
        "11 jan. 2019": "11 januari 2019",
        "de 1ste maart": "de 1e maart",
        "de 17de": "de 17e",
        "in het voorjaar van 2020": "in de lente van 2020",
        "dit najaar": "deze herfst",
        "vrijdag 5 april": "woensdag 5 april",
        "de jaren tachtig": "de jaren 1980",
        "de jaren '80": "de jaren 1980",
        "vanmorgen": "vanochtend",
        "met kerst": "met Kerstmis",
        "afgelopen week": "vorige week",
        "3 mei 2020 om 14.30 uur": "3 mei 2020 om 12.00 uur",
        "2019-01-11T04:30:15Z": "2019-01-11T12:00:00Z",
    },
    "es": {
        "1.º de mayo": "1 de mayo",
        "el primero de mayo de 2020": "el 1 de mayo de 2020",
        "MIERCOLES 5 DE ABRIL": "MIÉRCOLES 5 DE ABRIL",
        "viernes, 5 de abril": "miércoles, 5 de abril",
        "ENE 2019": "ENERO 2019",
        "5 de setiembre de 2020": "5 de septiembre de 2020",
        "los años 80": "los años 1980",
        "en los años ochenta": "en los años 1980",
        "el mes que viene": "el próximo mes",
        "antes de ayer": "anteayer",
        "el lunes a las 9": "el lunes a las 12",
        "3 de mayo a las 9:30 a. m.": "3 de mayo a las 12:00 p. m.",
        "3 de mayo, a mediodía": "3 de mayo, a las 12",
        "2019-01-11T04:30:15Z": "2019-01-11T12:00:00Z",
    },
    "pt": {
        "1.º de maio": "1º de maio",
        "1 de maio de 2020": "1º de maio de 2020",
        "TERCA-FEIRA, 4 DE MAIO DE 2021": "TERÇA-FEIRA, 4 DE MAIO DE 2021",
        "sexta, 5 de abril": "quarta-feira, 5 de abril",
        "no sábado, 5 de abril": "na quarta-feira, 5 de abril",
        "6ª feira, 11 de janeiro de 2019": "sexta-feira, 11 de janeiro de 2019",
        "JAN 2019": "JANEIRO 2019",
        "os anos 80": "os anos 1980",
        "nos anos oitenta": "nos anos 1980",
        "às segundas-feiras": "à segunda-feira",
        "AOS SÁBADOS": "AO SÁBADO",
        "todas as sextas": "toda sexta-feira",
        "no mês que vem": "no próximo mês",
        "esta manhã": "hoje de manhã",
        "segunda-feira às 9h": "segunda-feira às 12h",
        "3 de maio de 2020, 14h30": "3 de maio de 2020, 12h00",
        "3 de maio às 9h da manhã": "3 de maio às 12h da tarde",
        "2019-01-11T04:30:15Z": "2019-01-11T12:00:00Z",
    },
}
UNREADABLE = {
    "de": [
        *("30. Februar 2019", "Samstag, 11. Januar 2019", "11. january 2019", "32. März", "0. März", "13/13/2020"),
        *("die 85er Jahre", "11", "11.", "die Woche", "morgen um 25 Uhr", "Mai und Juni"),
    ],
    "fr": [
        *("30 février 2019", "samedi 11 janvier 2019", "11 january 2019", "32 mars", "0 mars", "13/13/2020", "1899"),
        *("les années 85", "11", "11er mars", "la semaine", "demain à 25 heures", "été comme hiver", "Noël dernier"),
    ],
    "it": [
        *("30 febbraio 2019", "sabato 11 gennaio 2019", "11 january 2019", "32 marzo", "0 marzo", "13/13/2020"),
        *("gli anni 85", "11", "2° marzo", "la settimana", "domani alle 25", "l'", "primo"),
    ],
    "nl": [
        *("30 februari 2019", "zaterdag 11 januari 2019", "11 january 2019", "32 maart", "0 maart", "13/13/2020"),
        *("de jaren 85", "11", "de week", "morgen om 25 uur", "mei en juni"),
    ],
    "es": [
        *("30 de febrero de 2019", "sábado, 11 de enero de 2019", "11 de january de 2019", "32 de marzo"),
        *("0 de marzo", "13/13/2020", "los años 85", "11", "la semana", "mañana a las 25", "el", "tarde", "mar"),
    ],
    "pt": [
        *("30 de fevereiro de 2019", "sábado, 11 de janeiro de 2019", "11 de january de 2019", "32 de março"),
        *("0 de março", "13/13/2020", "os anos 85", "11", "a semana", "amanhã às 25h", "o", "manhã", "2xª feira"),
    ],
}
CODES = sorted(KEPT)
KINDS = {code: Date(language=code, both_orders=True) for code in CODES}
FORMS = {code: forms_of(KINDS[code], [*(text for text, _, _ in KEPT[code]), *CHANGED[code]]) for code in CODES}


@pytest.mark.parametrize(("code", "row"), [(code, row) for code in CODES for row in KEPT[code]])
def test_a_text_is_read_and_written_again(code: str, row: tuple[str, str, str]) -> None:
    text, grain, value = row
    reading = KINDS[code].read(text)
    assert reading is not None
    assert (reading.form.grain, reading.value) == (grain, value)
    assert KINDS[code].write(reading.value, reading.form) == text


@pytest.mark.parametrize(("code", "row"), [(code, row) for code in CODES for row in CHANGED[code].items()])
def test_what_only_some_dates_show_is_not_kept(code: str, row: tuple[str, str]) -> None:
    text, written = row
    reading = KINDS[code].read(text)
    assert reading is not None
    assert KINDS[code].write(reading.value, reading.form) == written
    assert KINDS[code].read(written) == reading


@pytest.mark.parametrize(("code", "text"), [(code, text) for code in CODES for text in UNREADABLE[code]])
def test_other_texts_are_not_readable(code: str, text: str) -> None:
    assert KINDS[code].read(text) is None


@pytest.mark.parametrize("code", CODES)
def test_every_value_of_a_small_domain_can_be_written_in_every_form(code: str) -> None:
    check_small_domains(KINDS[code], FORMS[code])


@pytest.mark.parametrize("code", CODES)
def test_reading_is_the_inverse_of_writing(code: str) -> None:
    @given(draw_value_and_form(KINDS[code], FORMS[code]))
    def check(drawn: tuple[str, Form]) -> None:
        check_writing(KINDS[code], *drawn)

    check()


@pytest.mark.parametrize("code", CODES)
def test_any_text_is_unreadable_or_of_the_domain(code: str) -> None:
    texts = [text for text, _, _ in KEPT[code]]
    words = sorted({word for text in texts for word in re.findall(r"\w+['’]?|\W", text)})

    @given(st.lists(st.sampled_from(words), min_size=1, max_size=8).map("".join) | st.sampled_from(ODD))
    def check(text: str) -> None:
        check_any_text(KINDS[code], text)

    check()


@pytest.mark.parametrize("code", CODES)
def test_each_day_of_a_year_has_the_form_of_the_others(code: str) -> None:
    first = date(2019, 1, 1)
    dates = LANGUAGES[code].dates
    forms = {form for form in FORMS[code] if form.grain == "day"}
    assert any(name in form.style[0] for form, name in product(forms, dates.agreeing))
    for form in forms:
        for number in range(365):
            check_writing(KINDS[code], (first + timedelta(days=number)).isoformat(), form)


@pytest.mark.parametrize("code", CODES)
def test_a_text_in_two_signs_for_a_letter_says_the_same(code: str) -> None:
    for text, _, value in KEPT[code]:
        reading = KINDS[code].read(unicodedata.normalize("NFD", text))
        assert reading is not None, text
        assert reading.value == value
