"""Records of hospitals: FHIR and HL7 version 2."""
