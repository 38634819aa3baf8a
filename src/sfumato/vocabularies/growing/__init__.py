"""Growing a public vocabulary: seed phrases in, phrases of the same kind from a chat model out.

The paper of CluSanT (Appendix E) makes its vocabulary this way. Seeds go to the model and stand in the vocabulary, so
they must be public (:mod:`~sfumato.vocabularies.growing.seeds`). What comes back is tidied or refused
(:mod:`~sfumato.vocabularies.growing.cleaning`). Questions go out in rounds
(:mod:`~sfumato.vocabularies.growing.growth`), and the phrases are written with their origin
(:mod:`~sfumato.vocabularies.growing.writing`).
"""
