"""Many methods on the same records: plan, runs and their frontier."""
