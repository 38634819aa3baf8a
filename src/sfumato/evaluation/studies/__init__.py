"""What an evaluation measures, a study a file."""
