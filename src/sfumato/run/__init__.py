"""One door for every run over a file: a request, what is refused of it, and how it is carried out."""
