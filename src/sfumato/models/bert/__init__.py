"""Networks of BERT's build, run by onnxruntime: quick to start, and without torch."""
