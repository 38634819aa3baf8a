"""The sections of a report, one study a file: ``section`` draws it, ``headline`` gives what to know first, if any."""
