"""What a node of a graph can be: the operations, the groups of them, the kinds of loops, the address spaces."""

from __future__ import annotations

from enum import Enum


class Ops(Enum):
    """Operation of a graph node."""

    BUFFER = "buffer"
    CONST = "const"
    PARAM = "param"
    ADD = "add"
    MUL = "mul"
    MAX = "max"
    CMPLT = "cmplt"
    CMPNE = "cmpne"
    FLOORDIV = "floordiv"
    FLOORMOD = "floormod"
    AND = "and"
    OR = "or"
    XOR = "xor"
    SHL = "shl"
    SHR = "shr"
    NEG = "neg"
    RECIP = "recip"
    EXP2 = "exp2"
    LOG2 = "log2"
    SQRT = "sqrt"
    SIN = "sin"
    TRUNC = "trunc"
    NOT = "not"
    WHERE = "where"
    CAST = "cast"
    BITCAST = "bitcast"
    RESHAPE = "reshape"
    EXPAND = "expand"
    PERMUTE = "permute"
    SHRINK = "shrink"
    PAD = "pad"
    FLIP = "flip"
    STACK = "stack"
    INDEX = "index"
    REDUCE = "reduce"
    STAGE = "stage"
    RANGE = "range"
    ALLOC = "alloc"
    LOAD = "load"
    STORE = "store"
    AFTER = "after"
    END = "end"
    SINK = "sink"
    GROUP = "group"
    CALL = "call"
    # Only between rangeify and the end of lowering: an index that a pad's guard keeps inside (see rangeify).
    ASSUME = "assume"

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python call on every dictionary access

    def __repr__(self) -> str:
        return f"Ops.{self.name}"


class AxisType(Enum):
    """How a loop is mapped onto the machine."""

    LOOP = "loop"
    REDUCE = "reduce"
    THREAD = "thread"
    UPCAST = "upcast"
    UNROLL = "unroll"
    GLOBAL = "global"
    LOCAL = "local"

    def __lt__(self, other: AxisType) -> bool:
        return self.value < other.value


class AddrSpace(Enum):
    """Where a value lives: nowhere (a pure value), global memory, or registers and local memory."""

    NONE = "none"
    GLOBAL = "global"
    LOCAL = "local"


UNARY = frozenset({Ops.NEG, Ops.RECIP, Ops.EXP2, Ops.LOG2, Ops.SQRT, Ops.SIN, Ops.TRUNC, Ops.NOT})
COMPARE = frozenset({Ops.CMPLT, Ops.CMPNE})
ARITHMETIC = frozenset({Ops.ADD, Ops.MUL, Ops.MAX, Ops.FLOORDIV, Ops.FLOORMOD})
BITWISE = frozenset({Ops.AND, Ops.OR, Ops.XOR})
SHIFT = frozenset({Ops.SHL, Ops.SHR})
BINARY = ARITHMETIC | COMPARE | BITWISE | SHIFT
ALU = UNARY | BINARY | {Ops.WHERE, Ops.CAST, Ops.BITCAST}
MOVEMENT = frozenset({Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE, Ops.SHRINK, Ops.PAD, Ops.FLIP})
EFFECTS = frozenset({Ops.STORE, Ops.END, Ops.SINK, Ops.GROUP})
REDUCE_OPS = {"add": Ops.ADD, "max": Ops.MAX, "mul": Ops.MUL}
