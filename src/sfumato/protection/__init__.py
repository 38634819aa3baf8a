"""From a file and a policy to a release that was attacked, accepted and signed, and that others can check."""
