"""Mutation testing: small changes of the source that the tests must notice."""
