"""What becomes a stage, what becomes one kernel, and what the plan says about it."""

from __future__ import annotations

from math import prod

from transformer import Transformer, batched, product, softmax, spread

from uopc.ops import Ops
from uopc.pipeline import Compiled, compile_program
from uopc.schedule import cut
from uopc.uop import UOp, buf


def matrix(slot: int, *shape: int) -> UOp:
    return buf(slot, prod(shape)).reshape(shape)


def stages(value: UOp) -> list[str]:
    """The reasons of the stages of a value."""
    return [s.why for s in cut([(value, buf(99, max(1, prod(value.shape)), value.dtype))])]


def compiled(value: UOp) -> Compiled:
    return compile_program(value, "program")


def test_a_chain_of_three_products_is_three_stages() -> None:
    a, b, c, d = (matrix(k, 64, 64) for k in range(4))
    assert len(stages(product(product(product(a, b), c), d))) == 3


def test_softmax_of_rows_is_one_kernel_without_memory_between() -> None:
    c = compiled(softmax(matrix(0, 512, 256)))
    assert len(c.kernels) == 1
    assert c.scratch <= 4096, "a row of scratch, not a matrix"


def test_layer_norm_is_one_kernel() -> None:
    x = matrix(0, 512, 256)
    d = x - spread(x.reduce(Ops.ADD, 1) * (1 / 256), x.shape)
    scale = UOp(Ops.RECIP, (UOp(Ops.SQRT, ((d * d).reduce(Ops.ADD, 1) * (1 / 256) + 1e-5,)),))
    assert len(compiled(d * spread(scale, x.shape)).kernels) == 1


def test_attention_is_one_kernel_that_keeps_no_matrix_of_scores() -> None:
    q, k, v = (matrix(slot, 1, 512, 64) for slot in range(3))
    c = compiled(batched(softmax(batched(q, k) * 0.125), v.permute((0, 2, 1))))
    assert len(c.kernels) == 1
    assert c.scratch < 512 * 512 * 4 / 2


def test_a_large_operand_keeps_products_apart() -> None:
    a, b, c = matrix(0, 64, 2048), matrix(1, 2048, 2048), matrix(2, 1024, 2048)
    made = compiled(product(product(a, b), c))
    assert len(made.kernels) == 2
    assert any("larger than the cache" in line for line in made.plan.lines())


def test_an_output_that_is_a_stage_is_written_in_place() -> None:
    x = matrix(0, 64, 32)
    assert compiled(x.reduce(Ops.ADD, 1).reshape((8, 8))).scratch == 0


def test_equal_kernels_are_written_once() -> None:
    x = matrix(0, 64, 4096)
    for slot in (1, 2, 3):
        x = product(x, matrix(slot, 4096, 4096))
    assert len(compiled(x).kernels) == 1
    assert compiled(x).source.count("noinline") <= 4


def test_a_sum_of_several_values_is_computed_once_for_all_its_readers() -> None:
    a, b, c = (matrix(k, 64, 64) for k in range(3))
    two, three = a + b, a + b + c
    assert not any("several values" in why for why in stages(two * spread(two.reduce(Ops.ADD, 1), two.shape)))
    assert any("several values" in why for why in stages(three * spread(three.reduce(Ops.ADD, 1), three.shape)))


def test_layers_that_are_equal_share_their_kernels_and_each_has_its_lines() -> None:
    few, many = (compiled(Transformer(32, 16, 2).layers(n)) for n in (4, 12))
    assert len(many.kernels) == len(few.kernels)
    root = Transformer(32, 16, 2).layers(12)
    c = compiled(root)
    kernels = c.source.split("\n").index(next(x for x in c.source.split("\n") if x.startswith("int program(")))
    named = {u for origins in c.line_origins[:kernels] for u in origins}
    dear = [u for u in root.toposort() if u.op in (Ops.EXP2, Ops.SQRT)]
    assert len(dear) == 12 * 4 and set(dear) <= named, "a layer is without lines"


def test_temporaries_share_memory() -> None:
    x = matrix(0, 256, 2048)
    for slot in range(1, 7):
        x = product(x, matrix(slot, 2048, 2048))
    one = 256 * 2048 * 4
    assert compiled(x).scratch < 2 * one + (4 << 20)


def test_the_plan_gives_reasons() -> None:
    plan = "\n".join(compiled(product(matrix(0, 64, 64), matrix(1, 64, 64))).plan.lines())
    assert "a tile of" in plan and "stays in registers" in plan
    off = "\n".join(compile_program(product(matrix(0, 64, 64), matrix(1, 64, 64)), off=("tile",)).plan.lines())
    assert "register tiles are switched off" in off


def test_every_line_of_a_kernel_knows_its_origin() -> None:
    root = softmax(product(matrix(0, 32, 48), matrix(1, 40, 48)))
    c = compiled(root)
    nodes = set(root.toposort())
    lines = c.source.rstrip("\n").split("\n")
    assert len(lines) == len(c.line_origins)
    assert all(set(origins) <= nodes for origins in c.line_origins)
    written = [k for k, line in enumerate(lines) if " = " in line and line.startswith("    ") and "uir_" not in line]
    inside = [k for k in written if any(lines[j].startswith("static void program_k") for j in range(k))]
    known = sum(bool(c.line_origins[k]) for k in inside)
    assert known > 0.9 * len(inside), f"{known} of {len(inside)}"
