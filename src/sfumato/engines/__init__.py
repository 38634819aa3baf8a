"""How a Sanitizer runs a method: over tokens, in context, over spans, or on whole texts."""
