"""Stepping through the loop program of a file: forward and back, with every counter, load and accumulator to see.

Read `program` for how a text becomes one, `code` and `machine` for the execution, `control` for what stops it,
`describe` for what a person is told.
"""
