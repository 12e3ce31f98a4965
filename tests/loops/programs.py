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


# ------------------------------------------------- a loop on one side only

def rows(a, t, n):
    return lax.dynamic_slice_in_dim(a, t * n, n)


def blocked_dot(x, w, n):
    """x @ w, n of the summed index in each step."""
    def body(t, acc):
        return acc + lax.dynamic_slice_in_dim(x, t * n, n, axis=1) @ rows(w, t, n)
    return lax.fori_loop(0, w.shape[0] // n, body, jnp.zeros((x.shape[0], w.shape[1])))


MATMUL = [A((8, 512), (None, 'model')), A((512, 6), ('model', None))]


@case('blocked_matmul', {'model': 2}, MATMUL, P(), 'a product whose ranks each sum 128 blocks of two in a loop, and then over ranks (shard_map); one dot before',
      seq=lambda k, x, w: x @ w)
def blocked_matmul(k, x, w):
    return k.smap(lambda x, w: lax.psum(blocked_dot(x, w, 2), 'model'), (P(None, 'model'), P('model', None)), P())(x, w)


@case('blocked_before', {'model': 2}, [A((8, 512), ('model', None)), A((512, 6))], P('model', None), 'the loop of 128 blocks is in the program before; one dot after',
      seq=lambda k, x, w: blocked_dot(x, w, 4))
def blocked_before(k, x, w):
    return x @ w


@case('blocked_reduce', {'data': 2}, [A((8, 600), ('data', None))], (P('data'), P('data'), P('data')),
      'sums, maxima and minima of rows, eight columns in each step (75 steps, downwards)', seq=lambda k, x: (x.sum(1), x.max(1), x.min(1)))
def blocked_reduce(k, x):
    def local(x):
        def body(s):
            t, total, most, least = s
            b = lax.dynamic_slice_in_dim(x, t * 8 - 8, 8, axis=1)
            return t - 1, total + b.sum(1), jnp.maximum(most, b.max(1)), jnp.minimum(least, b.min(1))
        n = x.shape[0]
        start = jnp.int32(75), jnp.zeros(n), jnp.full(n, -jnp.inf), jnp.full(n, jnp.inf)
        return lax.while_loop(lambda s: s[0] > 0, body, start)[1:]
    return k.smap(local, (P('data', None),), (P('data'),) * 3)(x)


def mlp(x, w1, w2):
    return jnp.tanh(x @ w1) @ w2


@case('blocked_rows', {'data': 2}, [A((520, 8), ('data', None)), A((8, 16)), A((16, 8))], P('data', None),
      'two layers on four rows in each of 65 steps, written into the result by dynamic-update-slice',
      seq=lambda k, x, w1, w2: mlp(x, w1, w2))
def blocked_rows(k, x, w1, w2):
    def local(x, w1, w2):
        def body(t, out):
            return lax.dynamic_update_slice_in_dim(out, mlp(rows(x, t, 4), w1, w2), t * 4, axis=0)
        return lax.fori_loop(0, 65, body, jnp.zeros_like(x))
    return k.smap(local, (P('data', None), P(), P()), P('data', None))(x, w1, w2)


@case('mapped_before', {'data': 2, 'model': 2}, [A((66, 4, 8), (None, 'data', None)), A((8, 16), (None, 'model')), A((16, 8), ('model', None))], P(None, 'data', None),
      'two layers mapped over 66 batches by a scan before; at once, and cut over two axes, after',
      seq=lambda k, x, w1, w2: lax.map(lambda b: mlp(b, w1, w2), x))
def mapped_before(k, x, w1, w2):
    return k.c(mlp(x, w1, w2), None, 'data', None)


@case('blocked_tiles', {'data': 2}, [A((64, 40), ('data', None)), A((40, 24))], P('data', None),
      'a product by tiles of its result and blocks of the sum: three nested loops', seq=lambda k, x, w: x @ w)
def blocked_tiles(k, x, w):
    def local(x, w):
        def row(i, out):
            def column(j, out):
                def block(b, acc):
                    return acc + lax.dynamic_slice(x, (i * 4, b * 8), (4, 8)) @ lax.dynamic_slice(w, (b * 8, j * 6), (8, 6))
                tile = lax.fori_loop(0, 5, block, jnp.zeros((4, 6)))
                return lax.dynamic_update_slice(out, tile, (i * 4, j * 6))
            return lax.fori_loop(0, 4, column, out)
        return lax.fori_loop(0, 8, row, jnp.zeros((x.shape[0], w.shape[1])))
    return k.smap(local, (P('data', None), P()), P('data', None))(x, w)


@case('grid_accumulated', {'data': 2}, [A((64, 40), ('data', None)), A((40, 24))], P('data', None),
      'tiles and blocks by one loop: row, column and block are digits of the step (160 steps); tiles are added to in place', seq=lambda k, x, w: x @ w)
def grid_accumulated(k, x, w):
    def local(x, w):
        def step(t, out):
            i, j, b = t // 20, (t // 5) % 4, t % 5
            tile = lax.dynamic_slice(out, (i * 4, j * 6), (4, 6)) + lax.dynamic_slice(x, (i * 4, b * 8), (4, 8)) @ lax.dynamic_slice(w, (b * 8, j * 6), (8, 6))
            return lax.dynamic_update_slice(out, tile, (i * 4, j * 6))
        return lax.fori_loop(0, 8 * 4 * 5, step, jnp.zeros((x.shape[0], w.shape[1])))
    return k.smap(local, (P('data', None), P()), P('data', None))(x, w)


@case('grid_written', {'data': 2}, [A((256, 40), ('data', None)), A((40, 48))], P('data', None),
      'tiles of a product by one loop over a grid of 32 by 8', seq=lambda k, x, w: x @ w)
def grid_written(k, x, w):
    def local(x, w):
        def step(t, out):
            i, j = t // 8, t % 8
            tile = rows(x, i, 4) @ lax.dynamic_slice_in_dim(w, j * 6, 6, axis=1)
            return lax.dynamic_update_slice(out, tile, (i * 4, j * 6))
        return lax.fori_loop(0, 32 * 8, step, jnp.zeros((x.shape[0], w.shape[1])))
    return k.smap(local, (P('data', None), P()), P('data', None))(x, w)


# ------------------------------------------------- online softmax

def flash(q, k, v, n, causal=False):
    """Attention, n keys in each step, rescaled to the largest score so far."""
    def body(t, s):
        m, l, o = s
        z = q @ rows(k, t, n).T
        if causal:
            z = jnp.where(t * n + jnp.arange(n) <= jnp.arange(q.shape[0])[:, None], z, -jnp.inf)
        m2 = jnp.maximum(m, z.max(1))
        a, p = jnp.exp(m - m2), jnp.exp(z - m2[:, None])
        return m2, a * l + p.sum(1), a[:, None] * o + p @ rows(v, t, n)
    r = q.shape[0]
    _, l, o = lax.fori_loop(0, k.shape[0] // n, body, (jnp.full(r, -jnp.inf), jnp.zeros(r), jnp.zeros((r, v.shape[1]))))
    return o / l[:, None]


def attention(q, k, v, causal=False):
    z = q @ k.T
    if causal:
        z = jnp.where(jnp.arange(k.shape[0]) <= jnp.arange(q.shape[0])[:, None], z, -jnp.inf)
    return jax.nn.softmax(z, axis=1) @ v


@case('flash_blocks', {'data': 2}, [A((8, 6), ('data', None)), A((400, 6)), A((400, 4))], P('data', None),
      'attention to 400 keys, in 100 blocks after (online softmax in a loop), at once before', seq=lambda c, q, k, v: attention(q, k, v))
def flash_blocks(c, q, k, v):
    return c.smap(lambda q, k, v: flash(q, k, v, 4), (P('data', None), P(), P()), P('data', None))(q, k, v)


@case('flash_causal', {'heads': 2}, [A((2, 160, 6), ('heads', None, None)), A((2, 160, 6), ('heads', None, None)), A((2, 160, 4), ('heads', None, None))],
      P('heads', None, None), 'causal attention, one head on each rank, in 80 blocks of two keys after, at once before',
      seq=lambda c, q, k, v: jax.vmap(lambda q, k, v: attention(q, k, v, True))(q, k, v))
def flash_causal(c, q, k, v):
    return c.smap(lambda q, k, v: flash(q[0], k[0], v[0], 2, True)[None], (P('heads', None, None),) * 3, P('heads', None, None))(q, k, v)


# ------------------------------------------------- layer by layer on one side

UNROLLED = [A((4, 8), ('data', None))] + WEIGHTS


def layer_by_layer(x, w1, w2):
    for i in range(w1.shape[0]):
        x = layer(x, w1[i], w2[i])
    return x


@case('unrolled_after', DM24, UNROLLED, P('data', None), 'stacked layers: a scan before, one after the other after', seq=lambda k, *a: layers(*a))
def unrolled_after(k, *a):
    return layer_by_layer(*a)


@case('unrolled_before', DM24, UNROLLED, P('data', None), 'stacked layers: one after the other before, a scan after', seq=lambda k, *a: layer_by_layer(*a))
def unrolled_before(k, *a):
    return layers(*a)


@case('unrolled_inside', DM24, [A((3, 4, 8), (None, 'data', None))] + WEIGHTS, P(None, 'data', None), 'layers mapped over microbatches: a scan in a scan before; layers one after the other in the scan after',
      seq=lambda k, xs, *w: lax.map(lambda x: layers(x, *w), xs))
def unrolled_inside(k, xs, *w):
    return lax.map(lambda x: layer_by_layer(x, *w), xs)


# ------------------------------------------------- stages in a pipeline

@case('pipeline_loop', {'stage': 4}, [A((6, 2, 8)), A((4, 8, 8), ('stage', None, None))], P(),
      'four stages, one on each rank; six microbatches pass through them in a loop of nine ticks (collective-permute); stages one after the other before',
      seq=lambda k, x, w: mapped_stages(x, w))
def pipeline_loop(k, x, w):
    def local(x, w):
        stage = lax.axis_index('stage')

        def tick(t, s):
            got, out = s
            h = jnp.tanh(jnp.where(stage == 0, lax.dynamic_index_in_dim(x, jnp.minimum(t, 5), keepdims=False), got) @ w[0])
            done = jnp.where((stage == 3) & (t >= 3), h, lax.dynamic_index_in_dim(out, jnp.maximum(t - 3, 0), keepdims=False))
            out = lax.dynamic_update_index_in_dim(out, done, jnp.maximum(t - 3, 0), 0)
            return lax.ppermute(h, 'stage', [(0, 1), (1, 2), (2, 3)]), out
        out = lax.fori_loop(0, 9, tick, (jnp.zeros_like(x[0]), jnp.zeros_like(x)))[1]
        return lax.psum(jnp.where(stage == 3, out, 0), 'stage')
    return k.smap(local, (P(), P('stage', None, None)), P())(x, w)


def mapped_stages(x, w):
    for i in range(4):
        x = jnp.tanh(x @ w[i])
    return x


# ------------------------------------------------- gradients summed, or at once

@case('accumulated_before', {'data': 2}, [A((48, 6), ('data', None)), A((48, 4), ('data', None)), A((6, 4))], (P(), P()),
      'loss and gradient of a linear layer: summed over six microbatches of eight rows before; over all rows at once, cut over data, after',
      seq=lambda k, x, t, w: microbatches(x, t, w, 6))
def accumulated_before(k, x, t, w):
    return microbatches(x, t, w, 1)


@case('accumulated_otherwise', {'data': 2}, [A((48, 6), ('data', None)), A((48, 4), ('data', None)), A((6, 4))], (P(), P()),
      'loss and gradient summed over six microbatches before; over three on each of two ranks, and then over ranks, after (shard_map)',
      seq=lambda k, x, t, w: microbatches(x, t, w, 6))
def accumulated_otherwise(k, x, t, w):
    return k.smap(lambda x, t, w: tuple(lax.psum(v, 'data') for v in microbatches(x, t, w, 3)), (P('data', None), P('data', None), P()), (P(), P()))(x, t, w)


def microbatches(x, t, w, n):
    """Loss and gradient of a linear layer, over n microbatches."""
    def one(w, x, t):
        d = x @ w - t
        return jnp.sum(d * d)
    if n == 1:
        return jax.value_and_grad(one)(w, x, t)

    def body(carry, xt):
        return jax.tree.map(jnp.add, carry, jax.value_and_grad(one)(w, *xt)), None
    cut = [v.reshape(n, -1, v.shape[1]) for v in (x, t)]
    return lax.scan(body, (jnp.float32(0), jnp.zeros_like(w)), tuple(cut))[0]
