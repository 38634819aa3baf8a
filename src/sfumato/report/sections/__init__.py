"""The sections of a report: NAME_section draws a study, NAME_headline gives what to know first, if any."""
