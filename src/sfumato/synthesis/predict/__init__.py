"""Private prediction: a model that was never trained on the records writes texts in their manner."""
