"""How a language writes dates, numbers, names and amounts: kinds, operators, detectors and repairs ask here."""
