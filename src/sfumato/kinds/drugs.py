"""Common drugs by their international nonproprietary names (INN)."""

from __future__ import annotations

from sfumato.language.lists import words_of

DRUGS = words_of(
    """
    paracetamol ibuprofen naproxen diclofenac celecoxib etoricoxib indometacin ketorolac meloxicam piroxicam aspirin
    codeine dihydrocodeine tramadol morphine oxycodone hydromorphone fentanyl buprenorphine methadone tapentadol
    naloxone naltrexone sumatriptan rizatriptan zolmitriptan propranolol pizotifen amoxicillin ampicillin
    benzylpenicillin flucloxacillin piperacillin cefalexin cefuroxime ceftriaxone cefotaxime ceftazidime meropenem
    ertapenem azithromycin clarithromycin erythromycin doxycycline minocycline tetracycline ciprofloxacin
    levofloxacin moxifloxacin ofloxacin gentamicin tobramycin amikacin vancomycin teicoplanin linezolid clindamycin
    metronidazole trimethoprim sulfamethoxazole nitrofurantoin fosfomycin rifampicin isoniazid pyrazinamide
    ethambutol aciclovir valaciclovir ganciclovir oseltamivir remdesivir tenofovir lamivudine abacavir efavirenz
    dolutegravir raltegravir sofosbuvir ribavirin fluconazole itraconazole voriconazole clotrimazole terbinafine
    amphotericin nystatin mebendazole albendazole ivermectin praziquantel chloroquine hydroxychloroquine mefloquine
    artesunate amlodipine nifedipine felodipine diltiazem verapamil ramipril lisinopril enalapril perindopril
    captopril losartan candesartan valsartan irbesartan telmisartan sacubitril bisoprolol atenolol metoprolol
    carvedilol nebivolol labetalol sotalol doxazosin tamsulosin alfuzosin clonidine methyldopa hydralazine minoxidil
    furosemide bumetanide indapamide bendroflumethiazide hydrochlorothiazide spironolactone eplerenone amiloride
    acetazolamide mannitol digoxin amiodarone flecainide adenosine lidocaine ivabradine ranolazine nicorandil
    isosorbide atorvastatin simvastatin rosuvastatin pravastatin fluvastatin ezetimibe fenofibrate bezafibrate
    alirocumab evolocumab warfarin apixaban rivaroxaban dabigatran edoxaban heparin enoxaparin dalteparin
    fondaparinux clopidogrel ticagrelor prasugrel dipyridamole alteplase tenecteplase metformin gliclazide
    glimepiride glibenclamide pioglitazone sitagliptin linagliptin saxagliptin empagliflozin dapagliflozin
    canagliflozin liraglutide semaglutide dulaglutide exenatide insulin glucagon levothyroxine liothyronine
    carbimazole propylthiouracil hydrocortisone prednisolone prednisone methylprednisolone dexamethasone
    fludrocortisone desmopressin testosterone estradiol progesterone norethisterone levonorgestrel
    medroxyprogesterone tamoxifen letrozole anastrozole exemestane raloxifene clomifene finasteride dutasteride
    sildenafil tadalafil alendronate risedronate zoledronate denosumab colecalciferol calcitriol cinacalcet
    omeprazole lansoprazole pantoprazole esomeprazole famotidine ranitidine cimetidine sucralfate misoprostol
    metoclopramide domperidone ondansetron cyclizine prochlorperazine loperamide mebeverine hyoscine bisacodyl senna
    lactulose macrogol mesalazine sulfasalazine ursodeoxycholate salbutamol terbutaline salmeterol formoterol
    tiotropium ipratropium beclometasone budesonide fluticasone mometasone montelukast theophylline aminophylline
    omalizumab mepolizumab carbocisteine acetylcysteine cetirizine loratadine fexofenadine desloratadine
    chlorphenamine promethazine hydroxyzine epinephrine diazepam lorazepam midazolam clonazepam temazepam zopiclone
    zolpidem melatonin buspirone fluoxetine sertraline citalopram escitalopram paroxetine fluvoxamine venlafaxine
    duloxetine mirtazapine trazodone amitriptyline nortriptyline clomipramine imipramine bupropion agomelatine
    vortioxetine lithium haloperidol chlorpromazine risperidone olanzapine quetiapine aripiprazole clozapine
    amisulpride paliperidone methylphenidate atomoxetine lisdexamfetamine donepezil rivastigmine galantamine
    memantine carbamazepine oxcarbazepine lamotrigine levetiracetam topiramate valproate phenytoin phenobarbital
    gabapentin pregabalin lacosamide ethosuximide levodopa carbidopa ropinirole pramipexole rasagiline selegiline
    entacapone baclofen tizanidine dantrolene riluzole pyridostigmine neostigmine methotrexate azathioprine
    mycophenolate ciclosporin tacrolimus sirolimus leflunomide adalimumab etanercept infliximab rituximab
    tocilizumab secukinumab ustekinumab tofacitinib baricitinib colchicine allopurinol febuxostat cyclophosphamide
    doxorubicin epirubicin cisplatin carboplatin oxaliplatin paclitaxel docetaxel vincristine vinblastine etoposide
    fluorouracil capecitabine gemcitabine pemetrexed irinotecan imatinib erlotinib trastuzumab bevacizumab
    pembrolizumab nivolumab bicalutamide goserelin leuprorelin interferon filgrastim epoetin isotretinoin acitretin
    tretinoin adapalene calcipotriol permethrin timolol latanoprost bimatoprost dorzolamide tropicamide
    cyclopentolate oxybutynin tolterodine solifenacin mirabegron propofol ketamine thiopental sevoflurane isoflurane
    rocuronium suxamethonium atracurium atropine glycopyrronium ephedrine phenylephrine norepinephrine dopamine
    dobutamine bupivacaine ropivacaine oxytocin carbetocin mifepristone folate cyanocobalamin thiamine pyridoxine
    phytomenadione tranexamate deferasirox hydroxycarbamide
    """
)
