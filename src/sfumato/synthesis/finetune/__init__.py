"""Fine-tuning a causal model on private records by DP-SGD, and writing records with it."""
