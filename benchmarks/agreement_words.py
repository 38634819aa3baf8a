"""What the checker of `agreement.py` knows of each language. sfumato reads none of it.

``HEADS`` are the nouns that tell the gender of an institution: its first word in French, Italian, Spanish and
Portuguese, the end of a word in German and Dutch.
"""

from __future__ import annotations

HEADS: dict[str, dict[str, str]] = {
    "de": {
        "m": "dienst verein club verband gasthof biergarten",
        "f": """
            regierung botschaft bank gesellschaft telekom akademie klinik praxis anwaltschaft kammer
            anstalt inspektion verwaltung universität hochschule grundschule gesamtschule
            tagesstätte berufsschule bibliothek sparkasse ag gmbh gemeinde stiftung genossenschaft
            feuerwehr apotheke herberge
        """,
        "n": """
            parlament ministerium gericht konsulat klinikum krankenhaus hospital heim zentrum
            präsidium rathaus amt jobcenter gymnasium museum theater bistum tagblatt hospiz hotel
            restaurant café
        """,
        "p": "stadtwerke betriebe",
    },
    "fr": {
        "m": """
            gouvernement ministère parlement institut tribunal conseil parquet barreau commissariat
            lycée collège musée théâtre orchestre conservatoire hôpital chu centre ehpad comptoir
            stade club courrier diocèse office service cabinet hôtel restaurant café laboratoire
        """,
        "f": """
            cour banque ambassade croix-rouge académie bibliothèque radio fédération église chambre
            gendarmerie maison mairie préfecture caisse université école clinique maternité
            polyclinique pharmacie mutuelle société laiterie compagnie imprimerie coopérative union
            gazette fondation régie infirmerie auberge brasserie résidence
        """,
        "p": "chemins aciéries ateliers",
    },
    "it": {
        "m": """
            governo ministero parlamento istituto tribunale giudice ordine comando comune ufficio
            politecnico liceo museo teatro conservatorio ospedale policlinico ambulatorio
            consultorio caseificio consorzio calcio corriere studio hospice albergo ristorante bar
            laboratorio
        """,
        "f": """
            corte banca ambasciata croce accademia biblioteca radio federazione camera agenzia
            procura questura prefettura polizia casa provincia università scuola azienda asl clinica
            farmacia rsa cassa cooperativa cantina polisportiva gazzetta diocesi parrocchia
            fondazione pro infermeria osteria trattoria pensione
        """,
        "q": "ferrovie acciaierie officine",
    },
    "nl": {
        "m": "",
        "f": """
            regering ambassade bank raad academie rekenkamer loterij telecom kliniek praktijk post
            thuiszorg ggd dienst rechtbank inrichting gemeente provincie universiteit hogeschool
            basisschool bibliotheek schouwburg nv bv corporatie club vereniging kamer parochie
            stichting brandweer vakbond apotheek herberg
        """,
        "n": """
            ziekenhuis centrum gerechtshof kantongerecht ministerie parlement bureau kantoor
            stadhuis gemeentehuis waterschap gymnasium lyceum dagverblijf museum bisdom dagblad
            bedrijf hospice hotel restaurant café consulaat verpleeghuis
        """,
        "p": "spoorwegen",
    },
    "es": {
        "m": """
            gobierno tribunal ministerio banco parlamento consulado hospital centro consultorio
            servicio juzgado colegio ayuntamiento registro instituto museo teatro sindicato club
            diario cuerpo hotel hostal restaurante café
        """,
        "f": """
            embajada cruz academia biblioteca clínica residencia audiencia fiscalía comisaría
            policía agencia oficina delegación universidad escuela facultad orquesta caja cámara
            radio diócesis parroquia fundación cooperativa asociación federación farmacia pensión
        """,
        "q": "líneas",
    },
    "pt": {
        "m": """
            governo tribunal ministério banco parlamento consulado hospital centro serviço juízo
            colégio registo instituto museu teatro sindicato clube diário corpo hotel restaurante
            café lar posto município agrupamento liceu jornal laboratório supremo estabelecimento
        """,
        "f": """
            embaixada cruz academia biblioteca clínica residência esquadra polícia agência
            repartição universidade escola faculdade orquestra caixa câmara rádio diocese paróquia
            fundação cooperativa associação federação farmácia pensão misericórdia maternidade
            procuradoria junta unidade santa conservatória
        """,
        "p": "bombeiros",
    },
}
LANDS: dict[str, dict[str, str]] = {
    "de": {
        "f": """
            Schweiz; Türkei; Slowakei; Ukraine; Mongolei; Elfenbeinküste; Dominikanische Republik;
            Zentralafrikanische Republik; Republik Moldau
        """,
        "p": """
            Niederlande; Philippinen; Vereinigte Staaten; Malediven; Seychellen; Vereinigten
            Staaten; Vereinigten Arabischen Emirate; Komoren; Ålandinseln; Marshallinseln;
            Falklandinseln; Salomonen; Färöer; Bahamas
        """,
        "m": "Libanon; Irak; Iran; Jemen; Sudan; Südsudan; Tschad; Niger; Vatikan",
        "n": "Saarland",
    },
    "fr": {
        "m": """
            Portugal; Luxembourg; Royaume-Uni; Danemark; Canada; Maroc; Sénégal; Mali; Japon;
            Brésil; Mexique; Pérou; Chili; Liban; Togo; Bénin; Niger; Tchad; Cameroun; Kenya;
            Vietnam; Pakistan; Népal; Kosovo; Monténégro; Ghana; Iran; Irak; Congo; Soudan;
            Mozambique; Burundi; Rwanda; Guatemala; Honduras; Panama; Paraguay; Cambodge; Laos
        """,
        "f": """
            France; Belgique; Suisse; Allemagne; Autriche; Italie; Espagne; Pologne; Suède; Norvège;
            Finlande; Grèce; Turquie; Russie; Chine; Inde; Algérie; Tunisie; Égypte; Argentine;
            Colombie; Australie; Hongrie; Roumanie; Irlande; Syrie; Côte d'Ivoire; Slovaquie;
            Slovénie; Bulgarie; Serbie; Croatie; Ukraine; Géorgie; Arménie; Libye; Somalie; Tanzanie
        """,
        "p": "Pays-Bas; États-Unis; Philippines; Bahamas; Maldives; Seychelles; Comores",
    },
    "it": {
        "m": """
            Portogallo; Belgio; Lussemburgo; Regno Unito; Canada; Messico; Brasile; Perù; Cile;
            Marocco; Egitto; Giappone; Iran; Iraq; Libano; Kenya; Senegal; Mali; Niger; Pakistan;
            Vietnam; Nepal; Kosovo; Montenegro; Sudan; Yemen; Congo; Ciad; Burundi; Benin; Togo;
            Ghana; Mozambico
        """,
        "f": """
            Francia; Svizzera; Austria; Germania; Spagna; Italia; Polonia; Svezia; Norvegia;
            Finlandia; Grecia; Turchia; Russia; Cina; India; Algeria; Tunisia; Argentina; Colombia;
            Australia; Ungheria; Romania; Irlanda; Siria; Croazia; Birmania; Costa d'Avorio; Tanzania;
            Bulgaria; Serbia; Slovenia; Slovacchia; Danimarca; Ucraina; Libia; Nigeria
        """,
        "p": "Paesi Bassi; Stati Uniti; Emirati Arabi Uniti",
        "q": "Filippine; Bahamas; Maldive; Seychelles; Comore",
    },
    "nl": {
        "n": "Verenigd Koninkrijk",
        "f": "Dominicaanse Republiek; Centraal-Afrikaanse Republiek",
        "p": """
            Verenigde Staten; Filipijnen; Malediven; Seychellen; Verenigde Arabische Emiraten;
            Comoren; Marshalleilanden; Salomonseilanden; Bahama's
        """,
    },
    "es": {
        "m": "Reino Unido",
        "p": "Estados Unidos; Países Bajos",
        "f": "India",
    },
    "pt": {
        "m": """
            Brasil; Reino Unido; Luxemburgo; Canadá; México; Peru; Chile; Egito; Japão; Irão;
            Iraque; Líbano; Quénia; Mali
        """,
        "f": """
            França; Espanha; Alemanha; Itália; Suíça; Bélgica; Áustria; Polónia; Suécia; Grécia;
            Turquia; Rússia; China; Índia; Chéquia; Palestina
        """,
        "p": "Países Baixos; Estados Unidos; Emirados Árabes Unidos",
        "q": "Filipinas; Maldivas; Bahamas; Seicheles; Comores",
    },
}
"""Countries with an article, by its gender."""
TOWNS: dict[str, dict[str, str]] = {
    "pt": {
        "m": """
            Porto; Rio de Janeiro; Recife; Funchal; Cairo; Montijo; Cacém; Estoril; Areeiro; Barreiro; Seixal;
            Entroncamento; Parque das Nações
        """,
        "f": """
            Guarda; Covilhã; Figueira da Foz; Amadora; Amora; Damaia; Ramada; Pontinha; Azambuja; Senhora da Hora;
            Quinta Do Conde; Póvoa de Santa Iria; Charneca de Caparica
        """,
        "q": "Caldas da Rainha",
    },
}
"""Towns with an article."""
PEOPLE: dict[str, dict[str, str]] = {
    "de": {
        "f": "Hebamme; Pflegekraft; Tagesmutter; Reinigungskraft",
        "n": "Zimmermädchen; Modell",
        "m": "Lehrling; Imam",
    },
    "fr": {
        "f": "sage-femme; femme de chambre",
    },
    "it": {
        "f": "colf; guardia forestale; guardia giurata; suora",
    },
    "nl": {
        "n": "kamermeisje; afdelingshoofd",
    },
}
"""Words for people whose gender is not that of the column of a list. The others are of the column of their pair."""
