"""Common diseases, injuries and other conditions, by the part of the body or the field that they belong to."""

from __future__ import annotations

from sfumato.language.lists import phrases_of

CONDITIONS = phrases_of(
    """
    asthma, chronic obstructive pulmonary disease, emphysema, acute bronchitis, chronic bronchitis, bronchiectasis
    pneumonia, pulmonary embolism, pulmonary fibrosis, pulmonary hypertension, pleural effusion, pneumothorax
    sleep apnoea, sarcoidosis, whooping cough, croup, bronchiolitis, cystic fibrosis, lung abscess, asbestosis
    common cold, influenza, COVID-19, sinusitis, tonsillitis, pharyngitis, laryngitis, hay fever, nasal polyps
    nosebleed, glandular fever, diphtheria, tuberculosis, respiratory syncytial virus infection, hypertension
    hypotension, angina, heart attack, heart failure, coronary artery disease, atrial fibrillation
    supraventricular tachycardia, ventricular tachycardia, heart block, bradycardia, cardiac arrest, cardiomyopathy
    myocarditis, pericarditis, endocarditis, mitral regurgitation, mitral stenosis, aortic stenosis
    aortic regurgitation, aortic aneurysm, aortic dissection, atrial septal defect, ventricular septal defect
    rheumatic fever, deep vein thrombosis, varicose veins, peripheral artery disease, phlebitis
    Raynaud's phenomenon, lymphoedema, stroke, transient ischaemic attack, subarachnoid haemorrhage
    subdural haematoma, epilepsy, febrile seizure, migraine, cluster headache, tension headache
    trigeminal neuralgia, concussion, traumatic brain injury, meningitis, encephalitis, multiple sclerosis
    Parkinson's disease, Huntington's disease, motor neurone disease, Guillain-Barré syndrome, myasthenia gravis
    peripheral neuropathy, Bell's palsy, carpal tunnel syndrome, sciatica, essential tremor, restless legs syndrome
    narcolepsy, cerebral palsy, hydrocephalus, spina bifida, neurofibromatosis, Alzheimer's disease
    vascular dementia, Lewy body dementia, frontotemporal dementia, delirium, vertigo, depression
    postnatal depression, bipolar disorder, generalised anxiety disorder, panic disorder, social phobia, agoraphobia
    obsessive-compulsive disorder, post-traumatic stress disorder, adjustment disorder, schizophrenia
    schizoaffective disorder, psychosis, borderline personality disorder, anorexia nervosa, bulimia nervosa
    binge eating disorder, insomnia, alcohol dependence, opioid dependence, cannabis dependence, gambling disorder
    autism, attention deficit hyperactivity disorder, dyslexia, Tourette syndrome, learning disability, stammering
    type 1 diabetes, type 2 diabetes, gestational diabetes, hypoglycaemia, diabetic ketoacidosis, obesity
    hypothyroidism, hyperthyroidism, Graves' disease, Hashimoto's thyroiditis, goitre, thyroid nodule
    Cushing's syndrome, Addison's disease, acromegaly, hyperparathyroidism, hypercalcaemia, hyponatraemia
    hyperkalaemia, hypokalaemia, gout, high cholesterol, vitamin D deficiency, vitamin B12 deficiency
    polycystic ovary syndrome, phenylketonuria, gastritis, peptic ulcer, gastro-oesophageal reflux, hiatus hernia
    oesophageal varices, Barrett oesophagus, coeliac disease, Crohn's disease, ulcerative colitis
    irritable bowel syndrome, diverticulitis, appendicitis, gastroenteritis, food poisoning, lactose intolerance
    constipation, haemorrhoids, anal fissure, inguinal hernia, umbilical hernia, bowel obstruction, peritonitis
    gallstones, cholecystitis, pancreatitis, hepatitis A, hepatitis B, hepatitis C, fatty liver disease, cirrhosis
    liver failure, Gilbert syndrome, colonic polyps, rectal prolapse, urinary tract infection, cystitis
    pyelonephritis, kidney stones, acute kidney injury, chronic kidney disease, nephrotic syndrome
    glomerulonephritis, polycystic kidney disease, urinary incontinence, overactive bladder
    benign prostatic hyperplasia, prostatitis, erectile dysfunction, testicular torsion, hydrocele, phimosis
    endometriosis, uterine fibroids, ovarian cyst, pelvic inflammatory disease, heavy periods, menopause
    infertility, miscarriage, ectopic pregnancy, pre-eclampsia, placenta praevia, premature birth, mastitis
    uterine prolapse, chlamydia, gonorrhoea, syphilis, genital herpes, genital warts, trichomoniasis, HIV infection
    osteoarthritis, rheumatoid arthritis, psoriatic arthritis, ankylosing spondylitis, juvenile arthritis
    septic arthritis, osteoporosis, osteomyelitis, Paget disease of bone, rickets, scoliosis, slipped disc
    spinal stenosis, low back pain, whiplash, frozen shoulder, rotator cuff tear, tennis elbow, golfer's elbow
    bursitis, tendonitis, plantar fasciitis, bunion, meniscal tear, anterior cruciate ligament rupture, ankle sprain
    Achilles tendon rupture, hip fracture, wrist fracture, collarbone fracture, rib fracture, skull fracture
    vertebral fracture, femoral fracture, tibial fracture, dislocated shoulder, dislocated kneecap, hip dysplasia
    clubfoot, fibromyalgia, polymyalgia rheumatica, giant cell arteritis, systemic lupus erythematosus
    Sjögren syndrome, scleroderma, vasculitis, muscular dystrophy, eczema, contact dermatitis, psoriasis, acne
    rosacea, urticaria, cellulitis, impetigo, boil, abscess, shingles, chickenpox, cold sore, wart, verruca
    ringworm, athlete's foot, thrush, scabies, head lice, vitiligo, alopecia areata, lichen planus, pressure ulcer
    leg ulcer, burn, frostbite, sunburn, ingrown toenail, keloid scar, hyperhidrosis, cataract, glaucoma
    macular degeneration, diabetic retinopathy, retinal detachment, conjunctivitis, blepharitis, keratitis, uveitis
    stye, squint, short-sightedness, colour blindness, dry eye syndrome, optic neuritis, otitis media
    otitis externa, glue ear, tinnitus, Ménière disease, hearing loss, perforated eardrum, labyrinthitis
    dental caries, gingivitis, dental abscess, mouth ulcer, teething, temporomandibular disorder
    iron deficiency anaemia, pernicious anaemia, sickle cell disease, thalassaemia, haemophilia, haemochromatosis
    immune thrombocytopenia, neutropenia, polycythaemia vera, leukaemia, Hodgkin lymphoma, non-Hodgkin lymphoma
    multiple myeloma, breast cancer, prostate cancer, lung cancer, bowel cancer, stomach cancer, pancreatic cancer
    liver cancer, kidney cancer, bladder cancer, ovarian cancer, cervical cancer, womb cancer, testicular cancer
    thyroid cancer, oesophageal cancer, throat cancer, mouth cancer, brain tumour, skin cancer, melanoma
    basal cell carcinoma, mesothelioma, neuroblastoma, retinoblastoma, osteosarcoma, sepsis, malaria, dengue fever
    yellow fever, typhoid fever, cholera, Lyme disease, leptospirosis, brucellosis, toxoplasmosis, schistosomiasis
    measles, mumps, rubella, scarlet fever, slapped cheek syndrome, polio, rabies, tetanus, anthrax, botulism
    leprosy, cytomegalovirus infection, hand foot and mouth disease, norovirus infection, anaphylaxis
    peanut allergy, penicillin allergy, latex allergy, milk allergy, bee sting allergy, drug rash
    chronic fatigue syndrome, long COVID, dehydration, heat stroke, hypothermia, carbon monoxide poisoning
    paracetamol overdose, alcohol poisoning, electric shock, dog bite, snake bite, head injury, spinal cord injury
    Down syndrome, Turner syndrome, Klinefelter syndrome, Marfan syndrome, fragile X syndrome, cleft lip, tongue tie
    pyloric stenosis, neonatal jaundice, infantile colic, bedwetting, failure to thrive, undescended testicle
    """
)
