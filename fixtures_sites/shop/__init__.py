"""The shop: a catalogue, a cart, a checkout and accounts."""
