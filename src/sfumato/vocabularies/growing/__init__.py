"""Growing a public vocabulary: seed phrases in, phrases of the same kind from a chat model out.

The paper of CluSanT (Appendix E) makes its vocabulary this way. Seeds go to the model and appear in the vocabulary,
so they must be public; like the model's phrases they are tidied or refused
(:mod:`~sfumato.vocabularies.growing.seeds`). Questions are asked in rounds
(:mod:`~sfumato.vocabularies.growing.growth`), and the phrases are written with their origin
(:mod:`~sfumato.vocabularies.growing.writing`).
"""
