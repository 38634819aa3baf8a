"""Results as one page that opens offline: plots, tables and sentences, without any text of a record."""
