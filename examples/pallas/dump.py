"""Write each kernel below as two modules, for `shardproof check before.hlo.txt after.hlo.txt`: python dump.py [--out DIR]

before.hlo.txt is the jax.numpy definition, after.hlo.txt the Pallas kernel in interpret mode, where JAX runs the grid as a loop over blocks. Nothing is
compiled and no accelerator is needed: the text is that of jax.jit(f).lower(...). With a jax that can run on the CPU both are run on random inputs, too, and
whether they agree is compared with what expect.yaml says. It needs jax (tried with 0.12) and pyyaml.
"""
import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
import yaml
from jax.experimental import pallas as pl


def call(kernel, out, grid, blocks, *operands):
    """A kernel on a grid; blocks: (block shape, grid point to block) of each operand, and of the result at the end."""
    specs = [pl.BlockSpec(*b) for b in blocks]
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(out, jnp.float32), grid=grid, in_specs=specs[:-1], out_specs=specs[-1],
                          interpret=True)(*operands)


# ---- a product by blocks of the result, with an activation (the quickstart's) ----

def product_kernel(x, y, z):
    z[...] = jnp.maximum(x[...] @ y[...], 0)


def product_blocks(rows, columns, column_of):
    def f(x, y):
        (m, k), n = x.shape, y.shape[1]
        return call(product_kernel, (m, n), (m // rows, n // columns),
                    [((rows, k), lambda i, j: (i, 0)), ((k, columns), lambda i, j: (0, column_of(i, j))), ((rows, columns), lambda i, j: (i, j))], x, y)
    return f


# ---- a product that is summed over the last axis of the grid (the guide to matmul on TPU) ----

def sum_kernel(first):
    def kernel(x, y, z):
        @pl.when(pl.program_id(2) == first)
        def _():
            z[...] = jnp.zeros_like(z)
        z[...] += x[...] @ y[...]
    return kernel


def last_block_kernel(x, y, z):
    z[...] = x[...] @ y[...]


def product_sums(kernel, rows, columns, depth):
    def f(x, y):
        (m, k), n = x.shape, y.shape[1]
        return call(kernel, (m, n), (m // rows, n // columns, k // depth),
                    [((rows, depth), lambda i, j, k: (i, k)), ((depth, columns), lambda i, j, k: (k, j)), ((rows, columns), lambda i, j, k: (i, j))], x, y)
    return f


# ---- softmax of rows ----

def softmax_kernel(axis):
    def kernel(x, out):
        e = jnp.exp(x[...] - jnp.max(x[...], axis=1, keepdims=True))
        out[...] = e / jnp.sum(e, axis=axis, keepdims=True)
    return kernel


def softmax_rows(kernel, rows):
    def f(x):
        block = ((rows, x.shape[1]), lambda i: (i, 0))
        return call(kernel, x.shape, (pl.cdiv(x.shape[0], rows),), [block, block], x)
    return f


def relu_product(x, y):
    return jnp.maximum(x @ y, 0)


# name: (definition, kernel, shapes, what is wrong)
CASES = {
    'product': (relu_product, product_blocks(32, 24, lambda i, j: j), [(64, 40), (40, 48)], None),
    'product_broken': (relu_product, product_blocks(32, 24, lambda i, j: i), [(64, 40), (40, 48)],
                       'the index map of y names the row of the grid, not the column'),
    'product_sum': (jnp.matmul, product_sums(sum_kernel(0), 32, 24, 16), [(64, 64), (64, 48)], None),
    'product_sum_broken': (jnp.matmul, product_sums(last_block_kernel, 32, 24, 16), [(64, 64), (64, 48)],
                           'the block is written anew at each step of the last axis: what was summed is lost'),
    'product_sum_grid': (jnp.matmul, product_sums(sum_kernel(0), 32, 32, 32), [(256, 512), (512, 128)], None),
    'product_sum_grid_broken': (jnp.matmul, product_sums(sum_kernel(1), 32, 32, 32), [(256, 512), (512, 128)],
                                'the block is set to zero in the second step of the last axis: the first is lost'),
    'softmax': (jax.nn.softmax, softmax_rows(softmax_kernel(1), 8), [(64, 128)], None),
    'softmax_broken': (jax.nn.softmax, softmax_rows(softmax_kernel(None), 8), [(64, 128)],
                       'the sum goes over the whole block, not over each row'),
    'softmax_grid': (jax.nn.softmax, softmax_rows(softmax_kernel(1), 8), [(4096, 256)], None),
    'softmax_ragged': (jax.nn.softmax, softmax_rows(softmax_kernel(1), 8), [(60, 128)], None),
}


def agree(f, g, shapes):
    random = np.random.default_rng(0)
    x = [random.standard_normal(s, dtype=np.float32) for s in shapes]
    return bool(np.allclose(jax.jit(f)(*x), jax.jit(g)(*x), rtol=1e-3, atol=1e-4))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', default=os.path.dirname(os.path.abspath(__file__)))
    out = parser.parse_args().out
    for name, (f, g, shapes, fault) in CASES.items():
        assert agree(f, g, shapes) == (fault is None), name
        os.makedirs(os.path.join(out, name), exist_ok=True)
        for file, function in ('before.hlo.txt', f), ('after.hlo.txt', g):
            text = jax.jit(function).lower(*[jax.ShapeDtypeStruct(s, jnp.float32) for s in shapes]).as_text(dialect='hlo')
            with open(os.path.join(out, name, file), 'w', encoding='utf-8') as w:
                w.write(text)
        expect = {'verdict': 'refines'} if fault is None else {'verdict': 'violation', 'what': fault}
        with open(os.path.join(out, name, 'expect.yaml'), 'w', encoding='utf-8') as w:
            yaml.safe_dump(expect, w, sort_keys=False, width=150)


if __name__ == '__main__':
    main()
