"""Drafts of bindings for numbers that nothing binds: what the words around a number say, and the value agrees with."""
