"""Workbooks of Excel: a walk row by row, what cells show, formulas, names and parts."""
