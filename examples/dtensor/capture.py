"""Capture a transformer block that PyTorch's DTensor parallelises: python capture.py [--forward] [--fault] [--out FOLDER]

The block is ours and small; put your model in the place of Block, and your plan in the place of `plan`.
"""
import argparse
import os
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.tensor import Partial
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
from fxdump import capture  # noqa: E402


class Attention(nn.Module):
    def __init__(self, width, head):
        super().__init__()
        self.head = head
        self.wq = nn.Linear(width, width, bias=False)
        self.wk = nn.Linear(width, width, bias=False)
        self.wv = nn.Linear(width, width, bias=False)
        self.wo = nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, length, _ = x.shape
        # -1: on a rank there are fewer heads
        q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        scores = q @ k.transpose(-1, -2) / self.head**0.5
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        weights = torch.softmax(scores.masked_fill(later, float('-inf')), -1)
        return self.wo((weights @ v).transpose(1, 2).reshape(batch, length, -1))


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, width=16, hidden=32, head=4):
        super().__init__()
        self.norm1 = nn.RMSNorm(width, eps=1e-5)
        self.attention = Attention(width, head)
        self.norm2 = nn.RMSNorm(width, eps=1e-5)
        self.feed_forward = FeedForward(width, hidden)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


def plan(fault):
    """Which layer is cut how. The fault: the ranks' parts of feed_forward.down are taken for the whole."""
    return {
        'attention.wq': ColwiseParallel(),
        'attention.wk': ColwiseParallel(),
        'attention.wv': ColwiseParallel(),
        'attention.wo': RowwiseParallel(),
        'feed_forward.gate': ColwiseParallel(),
        'feed_forward.up': ColwiseParallel(),
        'feed_forward.down': RowwiseParallel(output_layouts=Partial()) if fault else RowwiseParallel(),
    }


def build(o, mesh):
    block = Block()
    if mesh is not None:
        parallelize_module(block, mesh, plan(o.fault))
    return block.requires_grad_(not o.forward), (torch.randn(2, 8, 16, requires_grad=not o.forward),)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', default='graphs')
    parser.add_argument('--forward', action='store_true', help='no backward pass')
    parser.add_argument('--fault', action='store_true', help='leave out an all-reduce')
    o = parser.parse_args()
    capture(lambda mesh: build(o, mesh), {'tp': 2}, o.out)


if __name__ == '__main__':
    main()
