"""Counties of the British Isles, each at a town of it: no installed package has both their names and their places."""

from __future__ import annotations

from functools import cache

from sfumato.kinds.gazetteer import Area, City, cities

_COUNTIES = {
    "GB": """
        Bedfordshire=Bedford|Berkshire=Reading|Buckinghamshire=Aylesbury|Cambridgeshire=Cambridge|Cheshire=Chester
        Cornwall=Truro|Cumbria=Carlisle|Derbyshire=Derby|Devon=Exeter|Dorset=Dorchester|County Durham=Durham
        East Sussex=Lewes|Essex=Chelmsford|Gloucestershire=Gloucester|Hampshire=Winchester|Herefordshire=Hereford
        Hertfordshire=Hertford|Kent=Maidstone|Lancashire=Lancaster|Leicestershire=Leicester|Lincolnshire=Lincoln
        Norfolk=Norwich|North Yorkshire=Northallerton|Northamptonshire=Northampton|Northumberland=Blyth
        Nottinghamshire=Nottingham|Oxfordshire=Oxford|Shropshire=Shrewsbury|Somerset=Taunton|South Yorkshire=Sheffield
        Staffordshire=Stafford|Suffolk=Ipswich|Surrey=Guildford|Tyne and Wear=Newcastle upon Tyne|Warwickshire=Warwick
        West Sussex=Chichester|West Yorkshire=Leeds|Wiltshire=Trowbridge|Worcestershire=Worcester
        Aberdeenshire=Aberdeen|Ayrshire=Ayr|Fife=Glenrothes|Lanarkshire=Hamilton|Perthshire=Perth
        Renfrewshire=Paisley|Stirlingshire=Stirling|West Lothian=Livingston|Denbighshire=Rhyl|Glamorgan=Cardiff
        Gwent=Newport|Gwynedd=Bangor|County Antrim=Ballymena|County Armagh=Craigavon|County Down=Newtownards
        County Tyrone=Omagh
    """,
    "IE": """
        County Carlow=Carlow|County Clare=Ennis|County Cork=Cork|County Donegal=Letterkenny|County Dublin=Dublin
        County Galway=Galway|County Kerry=Tralee|County Kildare=Naas|County Kilkenny=Kilkenny|County Limerick=Limerick
        County Louth=Dundalk|County Meath=Navan|County Sligo=Sligo|County Tipperary=Cluain Meala
        County Waterford=Waterford|County Westmeath=Athlone|County Offaly=Tullamore|County Laois=Portlaoise
        County Wexford=Wexford|County Wicklow=Bray
    """,
}


@cache
def counties() -> tuple[Area, ...]:
    """Return the counties, each at its town; "Co. Cork" is another name of "County Cork"."""
    towns: dict[tuple[str, str], City] = {}
    for city in cities():
        towns.setdefault((city.country, city.name), city)
    rows = [
        (country, *row.strip().split("="))
        for country, text in _COUNTIES.items()
        for row in text.strip().replace("\n", "|").split("|")
    ]
    return tuple(Area(name, "", _short(name), towns[country, town]) for country, name, town in rows)


def _short(name: str) -> tuple[str, ...]:
    own = name.removeprefix("County ")
    return () if own == name else (f"Co. {own}", f"Co {own}")
