"""Put right what needs no person: false figures, in a list above their paragraph too, and stale generated blocks.

Whatever a sentence would have to say otherwise is left, with the reason.
"""
