"""What hover, hints and warnings say about values: index maps as text, strides, costs, lints. No NumPy, no LSP, no I/O.

Modules, from the bottom up:
    style names linear expressions numeric counting   how things are written and counted
    digits dependence                                 what varies along what
    composition equation index_map                    where elements come from
    strides cost products lints                       facts about values and programs
    summary trace explanation explain                 what is said about one value
    formula inverse reads explore                     index maps as data, both ways, for the index map explorer

What is needed is imported from its module: who checks a text does not wait for what only hover says.
"""
