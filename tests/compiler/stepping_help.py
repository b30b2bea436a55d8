"""Machines for programs that tests make."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from uopc.linearize import linearize
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.stepping.code import Code
from uopc.stepping.machine import Machine
from uopc.stepping.program import SteppedProgram, open_program
from uopc.uop import UOp

Array = npt.NDArray[Any]
# Its last store is outside.
OUTSIDE = """\
# uir: input 0 = [0, 1, 2, 3]
%in = buffer 4 : dtype=i32 slot=0
%out = buffer 3 : dtype=i32 slot=1
%i = range 4 : idx=0 kind=loop
%to = index %out, %i
%from = index %in, %i
%x = load %from
%put = store %to, %x
%done = end %put, %i
%root = sink %done
"""


def stepped(text: str, value: str = "") -> tuple[SteppedProgram, Machine]:
    """A program of a text that reads no files, and a machine at its beginning."""
    program = open_program(text, Path("program.uir"), value)
    return program, program.machine()


def machine_of(loops: UOp, inputs: Mapping[int, Array], **options: int) -> Machine:
    """A machine for a loop program."""
    memories = [u for u in loops.toposort() if u.op in (Ops.BUFFER, Ops.ALLOC)]
    given = {u: inputs.get(u.arg.slot) if u.op is Ops.BUFFER else None for u in memories}
    elements = {u: None if a is None else np.asarray(a).ravel().tolist() for u, a in given.items()}
    return Machine(Code(linearize(loops), lambda u: 0, elements), **options)


def run(machine: Machine) -> Machine:
    """The machine, at its end."""
    with np.errstate(all="ignore"):
        while not machine.ended:
            machine.forward()
    return machine


def stored(machine: Machine) -> dict[int, Array]:
    """The buffers that a program stores to, by slot."""
    found = {}
    for node, memory in machine.memories.items():
        if node.op is Ops.BUFFER and memory.stored:
            found[node.arg.slot] = np.array(memory.elements, np_dtype(node.dtype))
    return found
