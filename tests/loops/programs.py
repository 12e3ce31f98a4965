"""Programs that loop, written for tests/loops: plain JAX, as gen.py lowers it.

Each case() says: mesh, the arguments (shape, partition spec, dtype, how to
draw one), the partition specs of the results, and the function.
"""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

CASES = {}


class Ctx:
    """What a program may ask of the generator: sharding constraints."""
    def __init__(self, mesh):
        self.mesh = mesh

    def c(self, x, *spec):
        return lax.with_sharding_constraint(x, NamedSharding(self.mesh, P(*spec)))

    def smap(self, f, in_specs, out_specs):
        return jax.shard_map(f, mesh=self.mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)


def A(shape, spec=(), dtype='float32', draw='normal', **kw):
    return dict(shape=tuple(shape), spec=P(*spec), dtype=dtype, draw=draw, **kw)


def case(name, mesh, args, outs, about, seq=None, run=True, group='loops', **kw):
    def deco(f):
        CASES[name] = dict(name=name, mesh=mesh, args=args, outs=outs, about=about, fn=f, seq=seq, run=run, group=group, **kw)
        return f
    return deco


DM22, DM24 = {'data': 2, 'model': 2}, {'data': 2, 'model': 4}

# ------------------------------------------------- microbatches over layers


def layer(x, w1, w2):
    return x + jnp.tanh(x @ w1) @ w2


def layers(x, w1, w2):
    return lax.scan(lambda h, w: (layer(h, *w), None), x, (w1, w2))[0]


WEIGHTS = [A((4, 8, 16), (None, None, 'model')), A((4, 16, 8), (None, 'model', None))]


@case('micro_layers', DM24, [A((3, 4, 8), (None, 'data', None))] + WEIGHTS, (P(None, 'data', None), P()),
      'three microbatches, each through four stacked layers (a scan in a scan); results stacked, their squares summed over the microbatches')
def micro_layers(k, xs, w1, w2):
    def body(total, x):
        y = layers(x, w1, w2)
        return total + jnp.sum(y * y), y
    total, ys = lax.scan(body, jnp.float32(0), xs)
    return ys, total


@case('micro_layers_grad', DM22, [A((3, 4, 8), (None, 'data', None)), A((3, 4, 8), (None, 'data', None))] + WEIGHTS,
      (P(), P(None, None, 'model'), P(None, 'model', None)),
      'gradient accumulation: forward and backward through four stacked layers in each of three microbatches (two scans in a scan)')
def micro_layers_grad(k, xs, ts, w1, w2):
    def loss(w, x, t):
        d = layers(x, *w) - t
        return jnp.sum(d * d)

    def body(carry, xt):
        l, g = jax.value_and_grad(loss)((w1, w2), *xt)
        return jax.tree.map(jnp.add, carry, (l, g)), None
    zero = (jnp.float32(0), (jnp.zeros_like(w1), jnp.zeros_like(w2)))
    (l, (g1, g2)), _ = lax.scan(body, zero, (xs, ts))
    return l, g1, g2


# ------------------------------------------------- a recurrent net

@case('rnn_sharded', DM24, [A((5, 4, 8), (None, 'data', None)), A((4, 16), ('data', 'model')), A((8, 16), (None, 'model')),
                            A((16, 16), (None, 'model')), A((16,), ('model',)), A((16, 8), ('model', None))],
      (P('data', 'model'), P(None, 'data', None)),
      'five time steps of an RNN whose hidden state is sharded over model: gathered in every step; the read-out is all-reduced in every step')
def rnn_sharded(k, xs, h0, wx, wh, b, wo):
    def body(h, x):
        h = jnp.tanh(x @ wx + h @ wh + b)
        return k.c(h, 'data', 'model'), k.c(h @ wo, 'data', None)
    return lax.scan(body, h0, xs)


@case('rnn_scatter', DM24, [A((5, 4, 8), (None, 'data', None)), A((4, 16), ('data', 'model')), A((8, 16), (None, 'model')),
                            A((16, 16), ('model', None))],
      P('data', 'model'),
      'the same with the recurrent weight cut by rows: the products are all-reduced in every step, each rank keeps its slice')
def rnn_scatter(k, xs, h0, wx, wh):
    def body(h, x):
        u = k.c(h @ wh, 'data', None)
        return k.c(jnp.tanh(x @ wx + u), 'data', 'model'), None
    return lax.scan(body, h0, xs)[0]


# ------------------------------------------------- rematerialisation

@case('remat_grad', DM22, [A((4, 8), ('data', None))] + WEIGHTS, (P(), P(None, None, 'model'), P(None, 'model', None)),
      'loss and gradients of four stacked layers under jax.checkpoint: the backward scan computes each layer again')
def remat_grad(k, x, w1, w2):
    def loss(w1, w2):
        body = jax.checkpoint(lambda h, w: (layer(h, *w), None))
        y = lax.scan(body, x, (w1, w2))[0]
        return jnp.sum(y * y)
    l, (g1, g2) = jax.value_and_grad(loss, argnums=(0, 1))(w1, w2)
    return l, g1, g2


# ------------------------------------------------- sums after the loop

def accumulate(xs, ts, w, scale):
    """Gradients of a linear layer, summed over the microbatches."""
    def body(g, xt):
        x, t = xt
        return g + x.T @ (x @ w - t) * scale, None
    return lax.scan(body, jnp.zeros_like(w), (xs, ts))[0]


@case('psum_after_loop', DM22, [A((3, 8, 8), (None, 'data', None)), A((3, 8, 6), (None, 'data', None)), A((8, 6))], P(),
      'gradients summed over three microbatches on each rank, and over data once after the loop (shard_map)',
      seq=lambda k, xs, ts, w: accumulate(xs, ts, w, 0.125))
def psum_after_loop(k, xs, ts, w):
    return k.smap(lambda xs, ts, w: lax.psum(accumulate(xs, ts, w, 0.125), 'data'),
                  (P(None, 'data', None), P(None, 'data', None), P()), P())(xs, ts, w)


def summed_loss(xs, ts, w1, w2, mean):
    """Loss and gradients of four stacked layers, over the microbatches."""
    def loss(w, x, t):
        d = layers(x, *w) - t
        return jnp.sum(d * d) * mean

    def body(carry, xt):
        l, g = jax.value_and_grad(loss)((w1, w2), *xt)
        return jax.tree.map(jnp.add, carry, (l, g)), None
    zero = (jnp.float32(0), (jnp.zeros_like(w1), jnp.zeros_like(w2)))
    return lax.scan(body, zero, (xs, ts))[0]


BATCHES = [A((3, 8, 8), (None, 'data', None)), A((3, 8, 8), (None, 'data', None)), A((4, 8, 16)), A((4, 16, 8))]


@case('ddp_layers', DM22, BATCHES, (P(), P(), P()),
      'loss and gradients of stacked layers over microbatches, each rank on the mean over its share of the batch; one mean over data after both loops (shard_map)',
      seq=lambda k, *a: tuple(jax.tree.leaves(summed_loss(*a, mean=0.125))))
def ddp_layers(k, *a):
    return k.smap(lambda *a: tuple(lax.pmean(v, 'data') for v in jax.tree.leaves(summed_loss(*a, mean=0.25))),
                  (P(None, 'data', None), P(None, 'data', None), P(), P()), (P(), P(), P()))(*a)


@case('scatter_after_loop', DM22, [A((3, 8, 8), (None, 'data', None)), A((3, 8, 6), (None, 'data', None)), A((8, 6))], P('data', None),
      'gradients summed over microbatches on each rank, then reduce-scattered: each rank keeps its rows',
      seq=lambda k, xs, ts, w: accumulate(xs, ts, w, 0.125))
def scatter_after_loop(k, xs, ts, w):
    return k.smap(lambda xs, ts, w: lax.psum_scatter(accumulate(xs, ts, w, 0.125), 'data', tiled=True),
                  (P(None, 'data', None), P(None, 'data', None), P()), P('data', None))(xs, ts, w)


# ------------------------------------------------- how many steps is not known

@case('steps_given', DM24, [A((4, 8), ('data', None)), A((8, 16), (None, 'model')), A((16, 8), ('model', None)), A((), (), 'int32', 'int', lo=0, hi=6)],
      P('data', None), 'as many steps as an argument says')
def steps_given(k, x, w1, w2, n):
    return lax.fori_loop(0, n, lambda i, h: layer(h, w1, w2), x)


@case('converges', DM24, [A((8, 8), (None, 'model')), A((8, 4), (None, None))], (P(None, None), P()),
      'steps until the change is small: the condition is about the data')
def converges(k, a, b):
    def body(s):
        i, x, _ = s
        y = jnp.tanh(0.1 * (a @ x)) + b
        return i + 1, y, jnp.sum(jnp.abs(y - x))
    i, x, _ = lax.while_loop(lambda s: (s[0] < 20) & (s[2] > 1e-2), body, (0, b, jnp.float32(1)))
    return x, i
