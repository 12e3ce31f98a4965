"""Capture a transformer layer of Megatron-core itself, on the CPU: python megatron_core.py [--out FOLDER]

Needs megatron-core beside torch (`pip install --no-deps megatron-core`; tried with 0.16.1). Where there are GPUs, leave out on_cpu and ask for your own
layers.
"""
import argparse
import contextlib
import os
import sys
import warnings

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
from fxdump import capture  # noqa: E402


class NoTracker:
    """In the place of the state of the CUDA random numbers."""

    @contextlib.contextmanager
    def fork(self, *_):
        yield


class Done:
    """In the place of the handle of a collective that runs by the side."""

    def wait(self):
        pass


def at_once(collective):
    def run(*args, async_op=False, **options):
        collective(*args, **options)
        return Done()

    return run


def without_async():
    """torch.compile takes no collective with async_op=True. When it is waited for has no influence on its value."""
    from megatron.core.tensor_parallel import layers, mappings
    dist.all_reduce = at_once(dist.all_reduce)
    gather, scatter = at_once(dist.all_gather_into_tensor), at_once(dist.reduce_scatter_tensor)
    for module in (layers, mappings):
        module.dist_all_gather_func, module.dist_reduce_scatter_func = gather, scatter


def on_cpu():
    """What Megatron asks of CUDA while a layer is built and run."""
    from megatron.core import jit, tensor_parallel
    from megatron.core.tensor_parallel import random
    jit.disable_jit_fuser()
    os.environ['CUDA_DEVICE_MAX_CONNECTIONS'] = '1'
    warnings.warn = lambda *_, **__: None  # cannot be compiled
    torch.cuda.current_device = lambda: 'cpu'
    for module in (random, tensor_parallel):
        module.get_cuda_rng_tracker = lambda *_: NoTracker()


class Layer(torch.nn.Module):
    """A layer and the mask that it always has."""

    def __init__(self, layer, length):
        super().__init__()
        self.layer = layer
        self.register_buffer('mask', torch.ones(1, 1, length, length, dtype=torch.bool).triu(1))

    def forward(self, x):
        return self.layer(x, self.mask)[0]


def build(mesh, length=8, width=16):
    if mesh is None:
        dist.init_process_group('fake', rank=0, world_size=1, store=FakeStore())
    on_cpu()
    without_async()
    from megatron.core import parallel_state
    from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
    from megatron.core.transformer.spec_utils import build_module
    from megatron.core.transformer.transformer_config import TransformerConfig
    n = dist.get_world_size()
    parallel_state.initialize_model_parallel(tensor_model_parallel_size=n, create_gloo_process_groups=False)
    config = TransformerConfig(
        num_layers=1, hidden_size=width, ffn_hidden_size=2 * width, num_attention_heads=4, use_cpu_initialization=True,
        tensor_model_parallel_size=n, hidden_dropout=0.0, attention_dropout=0.0,
        gradient_accumulation_fusion=False, bias_activation_fusion=False, bias_dropout_fusion=False, masked_softmax_fusion=False,
        persist_layer_norm=False, params_dtype=torch.float32, normalization='RMSNorm')
    layer = build_module(get_gpt_layer_local_spec(normalization='RMSNorm'), config=config, layer_number=1)
    return Layer(layer, length), (torch.randn(length, 2, width, requires_grad=True),)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', default='graphs')
    o = parser.parse_args()
    capture(build, {'tp': 2}, o.out)


if __name__ == '__main__':
    main()
