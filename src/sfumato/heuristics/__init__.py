"""Methods without a guarantee, a file each: what they leave has to be measured."""
