"""The detectors: what is to be protected. Each finds spans; none replaces anything.

``words`` every word, or all but stop words; ``rules`` a list of words and patterns; ``tagger`` named
entities; ``given`` spans that the record brings along. Import the class from its own file.
"""
