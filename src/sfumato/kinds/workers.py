"""Words for people by what they do; a hyphen may be a blank in a text."""

from __future__ import annotations

from sfumato.language.lists import words_of

WORKERS = words_of(
    """
    advocate accountant actor actress administrator adviser advisor ambassador analyst anthropologist apprentice
    archaeologist architect artist assistant astronaut astronomer athlete auctioneer auditor author baker banker
    barber barista barrister bartender biochemist biologist blacksmith bookkeeper bricklayer broadcaster broker
    builder businessman businesswoman businessperson butcher butler captain caretaker carpenter cashier chef
    chemist chiropractor civil-servant cleaner clerk coach cobbler columnist comedian composer conductor
    conscript consultant contractor cook counsellor counselor courier craftsman curator customs-officer dancer
    dentist designer detective developer diplomat director diver docker doctor draughtsman driver ecologist
    economist editor editor-in-chief electrician embalmer engineer entrepreneur estate-agent executive farmer
    farmhand filmmaker firefighter fireman fisherman florist footballer foreman forester gardener gendarme
    geographer geologist glazier governess grocer guard guide hairdresser handyman headmaster headmistress
    headteacher historian housekeeper housewife hunter illustrator imam importer innkeeper inspector instructor
    interpreter inventor investigator janitor jeweller jockey joiner journalist labourer laborer landlord lawyer
    lecturer librarian lifeguard linguist lobbyist locksmith logger machinist maid manager manufacturer mason
    masseur masseuse mathematician mechanic mediator merchant metallurgist meteorologist midwife miller miner
    missionary model monk musician nanny naturalist navigator neurologist newsagent notary novelist nun nurse
    nutritionist officer operator optician owner optometrist painter paralegal paramedic parliamentarian pastor
    pathologist pediatrician paediatrician pensioner pharmacist philosopher photographer physician physicist
    physiotherapist pianist pilot plasterer playwright plumber poet policeman policewoman politician porter
    postman potter preacher priest principal printer producer professor programmer prosecutor psychiatrist
    psychologist psychotherapist publican publisher rabbi radiographer radiologist railwayman realtor
    receptionist rector reporter researcher restaurateur sailor salesman salesperson saleswoman scaffolder
    scientist sculptor seamstress seaman secretary shepherd shoemaker shopkeeper singer social-worker
    sociologist soldier solicitor stenographer steward stewardess statistician stockbroker stonemason
    storekeeper student supervisor surgeon surveyor tailor tanner teacher technician technologist teller
    therapist trader trainee trainer translator trucker tutor typist underwriter undertaker undergraduate
    upholsterer urologist usher vet veterinarian vicar waiter waitress warder warehouseman watchman watchmaker
    weaver welder window-cleaner woodcutter worker writer zoologist serviceman servicewoman
    """
)
