"""Capture an MLP whose data is sharded along dp and whose weights are sharded along dp and tp: python fsdp.py [--fault] [--out FOLDER]

Each weight is gathered along dp before it is used and its gradient is scattered after, as FSDP does, in the program itself (PyTorch's fully_shard does it in
hooks beside the graph).
"""
import argparse
import os
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
from fxdump import capture  # noqa: E402


class MLP(nn.Module):
    """Placements are along (dp, tp)."""

    def __init__(self, mesh, fault, width=8, hidden=16):
        super().__init__()
        self.mesh, self.fault = mesh, fault
        self.up = self.sharded(torch.randn(hidden, width), Shard(1), Shard(0))
        self.down = self.sharded(torch.randn(width, hidden), Shard(0), Shard(1))

    def sharded(self, weight, *placements):
        return nn.Parameter(weight if self.mesh is None else distribute_tensor(weight, self.mesh, placements))

    def gathered(self, weight, along_tp):
        """What this rank of tp multiplies with; its gradients along dp are averaged. The fault: they are summed."""
        if self.mesh is None:
            return weight
        gradient = Partial('sum' if self.fault else 'avg')
        return weight.redistribute(placements=[Replicate(), along_tp]).to_local(grad_placements=[gradient, along_tp])

    def summed(self, y):
        """The ranks of tp hold addends."""
        if self.mesh is None:
            return y
        y = DTensor.from_local(y, self.mesh['tp'], [Partial()])
        return y.redistribute(placements=[Replicate()]).to_local()

    def forward(self, x, target):
        hidden = F.gelu(F.linear(x, self.gathered(self.up, Shard(0))))
        y = self.summed(F.linear(hidden, self.gathered(self.down, Shard(1))))
        return ((y - target)**2).mean()


def build(o, mesh):
    batch = 8 // (1 if mesh is None else mesh['dp'].size())
    return MLP(mesh, o.fault), (torch.randn(batch, 8), torch.randn(batch, 8))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', default='graphs')
    parser.add_argument('--fault', action='store_true', help='sum gradients over dp instead of averaging them')
    o = parser.parse_args()
    capture(lambda mesh: build(o, mesh), {'dp': 2, 'tp': 2}, o.out)


if __name__ == '__main__':
    main()
