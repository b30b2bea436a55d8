"""A program after each stage of its compilation, for people: what `uir explain --stages` and the pipeline view show.

text        lines that know their nodes, and names that stay the same from stage to stage
naming      what a file calls its nodes
values      a value as a person writes it
loops       a loop program as a loop nest
kernels     the fast program's kernels as loop nests
together    a schedule as one program again
rules       what the rewrite rules did
difference  two texts, line by line
record      drives the compiler and collects all of it
"""
