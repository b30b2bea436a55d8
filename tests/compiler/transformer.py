"""A transformer as a graph: what the speed of the compiler is measured on. Every layer has buffers of its own."""

from __future__ import annotations

from uopc.ops import Ops
from uopc.uop import UOp, buf

_LOG2_E = 1.4426950408889634


class Transformer:
    """Layers of attention and a feed-forward network over `tokens` rows of `width`, with `heads` heads."""

    def __init__(self, tokens: int = 128, width: int = 64, heads: int = 4) -> None:
        self.tokens, self.width, self.heads = tokens, width, heads
        self.slot = 0
        self.sizes: list[int] = []

    def weight(self, *shape: int) -> UOp:
        """A fresh input of that shape."""
        n = 1
        for s in shape:
            n *= s
        self.sizes.append(n)
        self.slot += 1
        return buf(self.slot - 1, n).reshape(shape)

    def layers(self, count: int) -> UOp:
        """The output of that many layers."""
        x = self.weight(self.tokens, self.width)
        for _ in range(count):
            x = x + self.attention(self.norm(x))
            x = x + self.feed_forward(self.norm(x))
        return x

    def norm(self, x: UOp) -> UOp:
        """Every row shifted and scaled to mean 0 and variance 1, then by learned weights."""
        n = self.width
        d = x - spread(x.reduce(Ops.ADD, 1) * (1 / n), x.shape)
        variance = (d * d).reduce(Ops.ADD, 1) * (1 / n)
        scale = UOp(Ops.RECIP, (UOp(Ops.SQRT, (variance + 1e-5,)),))
        return d * spread(scale, x.shape) * self.row(x) + self.row(x)

    def row(self, x: UOp) -> UOp:
        """A learned row, for every row of x."""
        return self.weight(x.shape[1]).reshape((1, x.shape[1])).expand(x.shape)

    def linear(self, x: UOp, width: int) -> UOp:
        """x times a weight, plus a bias."""
        y = product(x, self.weight(width, x.shape[1]))
        return y + self.row(y)

    def attention(self, x: UOp) -> UOp:
        """Softmax of scores between all tokens, head by head."""
        t, h, d = self.tokens, self.heads, self.width // self.heads
        q, k, v = (self.linear(x, self.width).reshape((t, h, d)).permute((1, 0, 2)) for _ in range(3))
        scores = batched(q, k) * d**-0.5
        p = softmax(scores)
        out = batched(p, v.permute((0, 2, 1)))
        return self.linear(out.permute((1, 0, 2)).reshape((t, self.width)), self.width)

    def feed_forward(self, x: UOp) -> UOp:
        """Two linear maps with x * sigmoid(x) between them."""
        y = self.linear(x, 4 * self.width)
        sigmoid = UOp(Ops.RECIP, (UOp(Ops.EXP2, (y * -_LOG2_E,)) + 1.0,))
        return self.linear(y * sigmoid, self.width)


def spread(row: UOp, shape: tuple[int, ...]) -> UOp:
    """A value per row, for every element of the row."""
    return row.reshape((*row.shape, 1)).expand(shape)


def product(a: UOp, b: UOp) -> UOp:
    """a (M, K) times b (N, K) transposed."""
    (m, k), n = a.shape, b.shape[0]
    return (a.reshape((m, 1, k)).expand((m, n, k)) * b.reshape((1, n, k)).expand((m, n, k))).reduce(Ops.ADD, 1)


def batched(a: UOp, b: UOp) -> UOp:
    """a (H, M, K) times b (H, N, K) transposed, for every H."""
    (h, m, k), n = a.shape, b.shape[1]
    shape = (h, m, n, k)
    return (a.reshape((h, m, 1, k)).expand(shape) * b.reshape((h, 1, n, k)).expand(shape)).reduce(Ops.ADD, 1)


def softmax(x: UOp) -> UOp:
    """Along the last axis."""
    e = UOp(Ops.EXP2, ((x - spread(x.reduce(Ops.MAX, 1), x.shape)) * _LOG2_E,))
    return e * spread(UOp(Ops.RECIP, (e.reduce(Ops.ADD, 1),)), x.shape)


def transformer(operations: int) -> tuple[UOp, list[int]]:
    """A graph of about that many operations, and the sizes of its inputs (by slot)."""
    count = 1
    while True:
        t = Transformer()
        root = t.layers(count)
        if len(root.toposort()) >= operations:
            return root, t.sizes
        count += 1
