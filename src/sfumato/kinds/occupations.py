"""Occupations: words for workers, everyday jobs of this file, and the cleaned list of faker."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.kinds.workers import WORKERS
from sfumato.language.lists import phrases_of

EVERYDAY = phrases_of(
    """
    night porter, minister, chorister, riveter, hotel porter, hospital porter, night watchman, tram driver
    bus driver, taxi driver, train driver, lorry driver, truck driver, van driver, delivery driver, forklift driver
    crane operator, machine operator, factory worker, warehouse worker, assembly worker, steel worker, dock worker
    farm worker, construction worker, shop assistant, sales assistant, care assistant, care worker, home carer
    nursing assistant, dental nurse, dental hygienist, dental technician, staff nurse, district nurse, school nurse
    ward sister, healthcare assistant, general practitioner, family doctor, junior doctor, house officer
    heart surgeon, eye surgeon, anaesthetist, cardiologist, dermatologist, endocrinologist, gastroenterologist
    gynaecologist, nephrologist, neurologist, obstetrician, rheumatologist, paediatrician, geriatrician
    speech therapist, occupational therapist, massage therapist, teaching assistant, nursery teacher
    kindergarten teacher, nursery nurse, childminder, au pair, babysitter, head teacher, deputy head teacher
    primary teacher, secondary teacher, mathematics teacher, history teacher, language teacher, music teacher
    driving instructor, ski instructor, swimming instructor, fitness instructor, personal trainer, football coach
    tennis coach, school caretaker, school cook, dinner lady, lollipop lady, postwoman, postal worker
    refuse collector, street sweeper, road sweeper, window cleaner, office cleaner, hotel maid, chambermaid
    kitchen porter, kitchen assistant, line cook, pastry chef, sous chef, head chef, head waiter, wine waiter
    bar manager, barmaid, barman, dishwasher, fishmonger, greengrocer, confectioner, cheesemaker, brewer, winemaker
    dairy farmer, sheep farmer, pig farmer, beekeeper, gamekeeper, groundsman, tree feller, lumberjack
    landscape gardener, market gardener, fruit picker, stable hand, dog walker, dog groomer, veterinary nurse
    farrier, car mechanic, motor mechanic, bicycle mechanic, panel beater, car salesman, estate agent, letting agent
    insurance agent, insurance broker, travel agent, mortgage broker, stock broker, bank clerk, bank manager
    loan officer, bank teller, tax accountant, payroll clerk, office clerk, filing clerk, data entry clerk
    court clerk, court reporter, court usher, bailiff, magistrate, high court judge, defence lawyer, trial lawyer
    tax lawyer, patent lawyer, public prosecutor, legal assistant, law clerk, notary public, police sergeant
    police inspector, police detective, police constable, traffic warden, parking attendant, security guard
    prison guard, prison warden, border guard, customs officer, immigration officer, coast guard, fire officer
    ambulance driver, emergency dispatcher, air force pilot, army officer, naval officer, army captain, infantryman
    paratrooper, submariner, merchant seaman, ship's captain, ship's engineer, deckhand, ferry captain
    harbour master, flight attendant, helicopter pilot, ground crew member, baggage handler, train conductor
    ticket inspector, ticket collector, station master, signalman, railway engineer, track worker, truck mechanic
    aircraft mechanic, heating engineer, gas fitter, pipe fitter, boilermaker, sheet metal worker, toolmaker, roofer
    tiler, paver, floor layer, carpet fitter, kitchen fitter, cabinet maker, furniture maker, upholsterer
    wood carver, sign writer, glass blower, goldsmith, silversmith, dressmaker, pattern cutter, textile worker
    laundry worker, dry cleaner, hair stylist, beautician, nail technician, make-up artist, tattoo artist
    fashion model, wedding planner, event planner, funeral director, grave digger, church organist, parish priest
    army chaplain, hospital chaplain, Buddhist monk, verger, sexton, piano teacher, piano tuner, opera singer
    jazz musician, church musician, violinist, cellist, drummer, guitarist, orchestra conductor, sound engineer
    lighting engineer, camera operator, film director, film producer, screenwriter, television presenter
    radio presenter, news reader, sports reporter, war correspondent, copy editor, book editor, ghost writer
    children's author, book illustrator, cartoonist, graphic artist, street artist, street musician
    circus performer, magician, puppeteer, stunt performer, stagehand, theatre usher, museum guard, tour guide
    mountain guide, lifeguard, park ranger, forest ranger, zoo keeper, lighthouse keeper, marine biologist, botanist
    entomologist, palaeontologist, volcanologist, seismologist, climatologist, glaciologist, nuclear physicist
    astrophysicist, organic chemist, food chemist, laboratory assistant, laboratory technician, research assistant
    research fellow, postdoctoral researcher, doctoral student, university lecturer, university professor
    assistant professor, software developer, software tester, web developer, database developer
    systems administrator, network administrator, security analyst, data analyst, data engineer
    machine learning engineer, game designer, help desk technician, call centre agent, telephone operator
    switchboard operator, telemarketer, market trader, street vendor, ice cream seller, newsagent, bookshop owner
    shop owner, restaurant owner, hotel owner, pub landlord, small business owner, managing director
    finance director, sales director, sales manager, marketing manager, project manager, plant manager
    factory manager, shift supervisor, foreman, site manager, store manager, human resources manager
    recruitment officer, press officer, speech writer, political adviser, city councillor, town clerk, mayor
    member of parliament, trade union official, charity worker, aid worker, missionary, social worker, youth worker
    foster carer, probation officer, housing officer, benefits adviser, debt counsellor, school counsellor
    marriage counsellor, drug counsellor, child psychologist, school psychologist, sign language interpreter
    court interpreter, conference interpreter, literary translator, night nurse, night shift worker, seasonal worker
    piece worker, home worker, odd-job man, handyman, apprentice electrician, apprentice plumber, trainee nurse
    medical student, law student, nursing student, retired teacher, retired nurse, retired miner, coal miner
    oil rig worker, pipeline welder, power station worker, electricity meter reader, water engineer
    wind turbine technician, solar panel installer, chimney sweep, pest controller, locksmith
    vending machine technician, lift engineer
    """
)
_CUT_SHORT = frozenset(
    ["copy", "land", "make", "sub", "best boy", "press sub", "publishing copy", "gaffer", "dealer"]
)
_NAMES = ("IT ", "TEFL ", "English ", "Civil Service ", "Diplomatic Services ")


def occupations() -> Iterator[str]:
    """Yield occupations in small letters, except for names in them."""
    yield from EVERYDAY
    yield from (word.replace("-", " ") for word in WORKERS)
    yield from _listed_by_faker()


def _listed_by_faker() -> Iterator[str]:
    """Yield faker's jobs; "Engineer, civil (consulting)" and what a slash parts are listed in another way as well."""
    from faker.providers.job import Provider

    for job in Provider.jobs:
        last, comma, first = job.partition(", ")
        plain = job if not comma else f"{first} {last[:1].lower()}{last[1:]}"
        if any(sign in plain for sign in ",/()") or (comma and not _is_adjective(first)):
            continue
        plain = plain if plain.startswith(_NAMES) else plain[:1].lower() + plain[1:]
        plain = plain.lower() if plain.startswith(("chief ", "associate ", "professor ")) else plain
        if plain not in _CUT_SHORT:
            yield plain


def _is_adjective(text: str) -> bool:
    return text.islower() and " " not in text and text not in ("nature", "local", "land")
