"""The sections of a report, one study a file: each makes a :class:`~sfumato.report.section.Section` of its study."""
