"""Who acts: a language model, a stored workflow, a script, a person."""
