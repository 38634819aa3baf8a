"""What a text is made of: documents, spans, marks, sentences, occurrences and words."""
