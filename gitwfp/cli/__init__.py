"""Words in, words out: the command line and everything that a person reads."""
