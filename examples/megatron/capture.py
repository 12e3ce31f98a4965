"""Capture a GPT with Megatron's tensor and sequence parallelism: python capture.py [--tp N] [--layers N] [--fault] [--out FOLDER]

The layers are ours, written as Megatron-core writes them: activations are [sequence, batch, width]; column-parallel layers gather the sequence before
they multiply, row-parallel ones scatter it after; vocabulary and loss are cut, too. README.md says what to do with Megatron-core itself.
"""
import argparse
import os
import sys

import torch
import torch.distributed._functional_collectives as funcol
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
from fxdump import capture  # noqa: E402


# ---- collectives, with what runs in the backward pass ----

class Place:
    """Where this program runs: of n ranks along the axis tp, as number `rank`. The sequential program is one rank of one."""

    def __init__(self, mesh):
        self.n = 1 if mesh is None else mesh.size()
        self.rank = 0 if mesh is None else mesh.get_local_rank()
        self.group = None if mesh is None else mesh.get_group().group_name


class GatherSequence(torch.autograd.Function):
    """All of the sequence; the gradients of its parts are summed and dealt out."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return funcol.all_gather_tensor(x, 0, group)

    @staticmethod
    def backward(ctx, grad):
        return funcol.reduce_scatter_tensor(grad, 'sum', 0, ctx.group), None


class ScatterSequence(torch.autograd.Function):
    """The sum over the ranks, of which each keeps its part of the sequence."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return funcol.reduce_scatter_tensor(x, 'sum', 0, group)

    @staticmethod
    def backward(ctx, grad):
        return funcol.all_gather_tensor(grad, 0, ctx.group), None


class Sum(torch.autograd.Function):
    """The sum over the ranks; each rank's addend has the gradient of the sum."""

    @staticmethod
    def forward(ctx, x, group):
        return funcol.all_reduce(x, 'sum', group)

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Whole(torch.autograd.Function):
    """A parameter that all ranks hold, used on a part of the sequence: its gradient is the sum of theirs."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return funcol.all_reduce(grad, 'sum', ctx.group), None


# ---- layers ----

class ColumnParallel(nn.Module):
    """y = x w' + b; a rank has some of the rows of w and b, hence some of the columns of y."""

    def __init__(self, place, n_in, n_out, bias=True):
        super().__init__()
        self.place = place
        self.weight = nn.Parameter(torch.randn(n_out // place.n, n_in))
        self.bias = nn.Parameter(torch.randn(n_out // place.n)) if bias else None

    def forward(self, x):
        if self.place.n > 1:
            x = GatherSequence.apply(x, self.place.group)
        return F.linear(x, self.weight, self.bias)


class RowParallel(nn.Module):
    """y = x w' + b; a rank has some of the columns of w and of x: the products are addends of y. The bias is added once, to the sum."""

    def __init__(self, place, n_in, n_out, fault=False):
        super().__init__()
        self.place, self.fault = place, fault
        self.weight = nn.Parameter(torch.randn(n_out, n_in // place.n))
        self.bias = nn.Parameter(torch.randn(n_out))

    def forward(self, x):
        if self.place.n == 1:
            return F.linear(x, self.weight, self.bias)
        if self.fault:
            return ScatterSequence.apply(F.linear(x, self.weight, self.bias), self.place.group)
        return ScatterSequence.apply(F.linear(x, self.weight), self.place.group) + Whole.apply(self.bias, self.place.group)


class LayerNorm(nn.Module):
    """On a rank's part of the sequence."""

    def __init__(self, place, width):
        super().__init__()
        self.place = place
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        weight, bias = self.weight, self.bias
        if self.place.n > 1:
            weight, bias = Whole.apply(weight, self.place.group), Whole.apply(bias, self.place.group)
        return F.layer_norm(x, weight.shape, weight, bias)


class Attention(nn.Module):
    """One weight for queries, keys and values; in its rows q, k, v of one head follow each other, so that rows can be cut by heads."""

    def __init__(self, place, width, head):
        super().__init__()
        self.head = head
        self.qkv = ColumnParallel(place, width, 3 * width)
        self.proj = RowParallel(place, width, width)

    def forward(self, x):
        y = self.qkv(x)
        length, batch, _ = y.shape
        # [length, batch, heads, 3 * head] to three of [batch, heads, length, head]
        q, k, v = y.view(length, batch, -1, 3 * self.head).permute(1, 2, 0, 3).chunk(3, -1)
        scores = q @ k.transpose(-1, -2) / self.head**0.5
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        weights = torch.softmax(scores.masked_fill(later, -10000.0), -1)
        return self.proj((weights @ v).permute(2, 0, 1, 3).reshape(length, batch, -1))


class Layer(nn.Module):
    def __init__(self, place, width, head, fault):
        super().__init__()
        self.norm1 = LayerNorm(place, width)
        self.attention = Attention(place, width, head)
        self.norm2 = LayerNorm(place, width)
        self.up = ColumnParallel(place, width, 4 * width)
        self.down = RowParallel(place, 4 * width, width, fault)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class VocabularyParallelEmbedding(nn.Module):
    """A rank has some of the table's rows, and adds zero for the tokens of others."""

    def __init__(self, place, tokens, width):
        super().__init__()
        self.place, self.rows = place, tokens // place.n
        self.weight = nn.Parameter(torch.randn(self.rows, width))

    def forward(self, ids):
        if self.place.n == 1:
            return F.embedding(ids, self.weight)
        first = self.rows * self.place.rank
        other = (ids < first) | (ids >= first + self.rows)
        rows = F.embedding((ids - first).masked_fill(other, 0), self.weight)
        return ScatterSequence.apply(rows.masked_fill(other.unsqueeze(-1), 0.0), self.place.group)


def cross_entropy(place, logits, target):
    """Of logits [length, batch, tokens of this rank]."""
    if place.n == 1:
        return F.cross_entropy(logits.flatten(0, 1), target.flatten())
    rows = logits.shape[-1]
    first = rows * place.rank
    other = (target < first) | (target >= first + rows)
    largest = funcol.all_reduce(logits.detach().amax(-1), 'max', place.group)
    logits = logits - largest.unsqueeze(-1)
    total = Sum.apply(logits.exp().sum(-1), place.group)
    chosen = logits.gather(-1, (target - first).masked_fill(other, 0).unsqueeze(-1)).squeeze(-1)
    chosen = Sum.apply(chosen.masked_fill(other, 0.0), place.group)
    return (total.log() - chosen).mean()


class GPT(nn.Module):
    def __init__(self, place, layers, tokens, length, width, head, fault):
        super().__init__()
        self.place = place
        self.tokens = VocabularyParallelEmbedding(place, tokens, width)
        self.positions = nn.Parameter(torch.randn(length // place.n, 1, width))
        self.layers = nn.ModuleList(Layer(place, width, head, fault and i + 1 == layers) for i in range(layers))
        self.norm = LayerNorm(place, width)
        self.output = ColumnParallel(place, width, tokens, bias=False)

    def forward(self, ids, target):
        x = self.tokens(ids) + self.positions
        for layer in self.layers:
            x = layer(x)
        return cross_entropy(self.place, self.output(self.norm(x)), target)


def build(o, mesh):
    model = GPT(Place(mesh), o.layers, tokens=4 * o.width, length=o.length, width=o.width, head=o.width // 8, fault=o.fault)
    ids = torch.zeros(o.length, 2, dtype=torch.int64)  # only their shapes matter
    return model, (ids, ids.clone())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', default='graphs')
    parser.add_argument('--tp', type=int, default=2)
    parser.add_argument('--layers', type=int, default=1)
    parser.add_argument('--width', type=int, default=16)
    parser.add_argument('--length', type=int, default=8)
    parser.add_argument('--fault', action='store_true', help='add the last bias on each rank, before the sum')
    o = parser.parse_args()
    capture(lambda mesh: build(o, mesh), {'tp': o.tp}, o.out)


if __name__ == '__main__':
    main()
