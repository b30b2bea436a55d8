"""The fast program: what `run` executes. Kernels over rows, contractions in registers, sums down columns, in C.

schedule   (one room up) which values get memory of their own
opt        (one room up) how each kernel is computed, and why
fuse       which stages become one kernel
nest       a stage as loops around a scalar expression
emit, alu  that expression in C, for one element or for W lanes
vectors, vecmath  the vector types, and exp2, log2 and sin of vectors
passes, rows, columns, tile, contraction, turned  the loops of the kinds of kernels
program, memory, group  the C file: kernels, memory between them, the function that calls them
"""
