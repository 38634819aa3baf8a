"""Files that people have: Word, Excel, slides, PDF, mail, pages, notes of hospitals. Each format is one walk."""
