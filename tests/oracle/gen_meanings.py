"""Writes tests/oracle/meanings.txt: custom operators that have a ready-made meaning (shard-specs/*.yaml), and results.

    python3 tests/oracle/gen_meanings.py > tests/oracle/meanings.txt

The results are computed here from what the libraries document, in plain loops over nested lists: gradients by differences,
rotary embeddings by complex rotation. tests/test_meaning.c compares. Format: tests/support_oracle.h.
"""
import cmath, itertools, math, random

random.seed(5)


def draw(*shape):
    return [round(random.uniform(-3, 3) * 8) / 8 for _ in range(math.prod(shape))]


def numbers(v):
    return ' '.join('%.9g' % x for x in v)


def emit(name, text, ins, outs):
    print('case', name, 1)
    for line in text.strip('\n').split('\n'):
        print('|', line)
    for i, v in enumerate(ins):
        print('in', i, 0, numbers(v))
    for i, v in enumerate(outs):
        print('out', i, 0, numbers(v))


def graph(params, body, results):
    sig = ', '.join('%s: "%s"' % p for p in params)
    lines = ['class m(torch.nn.Module):', '    def forward(self, %s):' % sig]
    lines += ['        ' + b for b in body] + ['        return (%s,)' % ', '.join(results)]
    return '\n'.join(lines)


# ---- apex ----
def layer_norm(x, w, b, rows, n, eps):
    y, means, rstds = [], [], []
    for r in range(rows):
        row = x[r * n:(r + 1) * n]
        mean = sum(row) / n
        rstd = 1 / math.sqrt(sum((v - mean) ** 2 for v in row) / n + eps)
        y += [(v - mean) * rstd * w[k] + b[k] for k, v in enumerate(row)]
        means.append(mean)
        rstds.append(rstd)
    return y, means, rstds


def gradient(f, at, h=1e-5):
    out = []
    for k in range(len(at)):
        up, down = list(at), list(at)
        up[k] += h
        down[k] -= h
        out.append((f(up) - f(down)) / (2 * h))
    return out


def apex(shape, norm, eps):
    rows, n = math.prod(shape), math.prod(norm)
    x, w, b, g = draw(rows, n), draw(n), draw(n), draw(rows, n)
    y, mean, rstd = layer_norm(x, w, b, rows, n, eps)
    full = ', '.join(map(str, shape + norm))
    wide = ', '.join(map(str, norm))
    tag = '_'.join(map(str, shape + norm))
    emit('apex_fwd_' + tag, graph(
        [('x', 'f32[%s]' % full), ('w', 'f32[%s]' % wide), ('b', 'f32[%s]' % wide)],
        ['f = torch.ops.apex.fused_layer_norm_affine_fwd.default(x, w, b, [%s], %r)' % (wide, eps),
         'y: "f32[%s]" = f[0]' % full, 'm: "f32[%d]" = f[1]' % rows, 'r: "f32[%d]" = f[2]' % rows], ['y', 'm', 'r']),
        [x, w, b], [y, mean, rstd])

    def loss(x_, w_, b_):
        return sum(p * q for p, q in zip(g, layer_norm(x_, w_, b_, rows, n, eps)[0]))
    emit('apex_bwd_' + tag, graph(
        [('g', 'f32[%s]' % full), ('m', 'f32[%d]' % rows), ('r', 'f32[%d]' % rows), ('x', 'f32[%s]' % full),
         ('w', 'f32[%s]' % wide), ('b', 'f32[%s]' % wide)],
        ['f = torch.ops.apex.fused_layer_norm_affine_bwd.default(g, m, r, x, [%s], w, b, %r)' % (wide, eps),
         'dx: "f32[%s]" = f[0]' % full, 'dw: "f32[%s]" = f[1]' % wide, 'db: "f32[%s]" = f[2]' % wide], ['dx', 'dw', 'db']),
        [g, mean, rstd, x, w, b],
        [gradient(lambda v: loss(v, w, b), x), gradient(lambda v: loss(x, v, b), w), gradient(lambda v: loss(x, w, v), b)])


apex([3], [4], 1e-05)
apex([2, 3], [5], 0.125)
apex([2, 2], [2, 3], 1e-05)


# ---- vllm ----
def auto(op, args, annotated):
    return ['f = torch.ops.higher_order.auto_functionalized(torch.ops.%s.default, %s)' % (op, args)] + \
        ['%s: "%s" = f[%d]' % (n, t, i) for n, t, i in annotated]


def rms(rows, n, x, w, eps):
    y = []
    for r in range(rows):
        row = x[r * n:(r + 1) * n]
        s = 1 / math.sqrt(sum(v * v for v in row) / n + eps)
        y += [v * s * w[k] for k, v in enumerate(row)]
    return y


x, w, out = draw(3, 4), draw(4), draw(3, 4)
emit('vllm_rms_norm', graph(
    [('o', 'f32[3, 4]'), ('x', 'f32[3, 4]'), ('w', 'f32[4]')],
    auto('_C.rms_norm', 'result = o, input = x, weight = w, epsilon = 1e-06', [('y', 'f32[3, 4]', 1)]), ['y']),
    [out, x, w], [rms(3, 4, x, w, 1e-6)])
x, res = draw(2, 2, 4), draw(2, 2, 4)
both = [p + q for p, q in zip(x, res)]
emit('vllm_fused_add_rms_norm', graph(
    [('x', 'f32[2, 2, 4]'), ('s', 'f32[2, 2, 4]'), ('w', 'f32[4]')],
    auto('_C.fused_add_rms_norm', 'input = x, residual = s, weight = w, epsilon = 0.01',
         [('y', 'f32[2, 2, 4]', 1), ('z', 'f32[2, 2, 4]', 2)]), ['y', 'z']),
    [x, res, w], [rms(4, 4, both, w, 0.01), both])
x = draw(3, 8)
for name, f in (('silu', lambda v: v / (1 + math.exp(-v))),
                ('gelu', lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))))):
    emit('vllm_%s_and_mul' % name, graph(
        [('o', 'f32[3, 4]'), ('x', 'f32[3, 8]')],
        auto('_C.%s_and_mul' % name, 'out = o, input = x', [('y', 'f32[3, 4]', 1)]), ['y']),
        [out, x], [[f(x[r * 8 + k]) * x[r * 8 + 4 + k] for r in range(3) for k in range(4)]])


def rotate(x, heads, size, rot, cache, positions, neox):
    """Pairs of columns as complex numbers, turned."""
    y = list(x)
    half = rot // 2
    for t, h, p in itertools.product(range(len(positions)), range(heads), range(half)):
        base = (t * heads + h) * size
        i, j = (base + p, base + p + half) if neox else (base + 2 * p, base + 2 * p + 1)
        turn = complex(cache[positions[t] * rot + p], cache[positions[t] * rot + half + p])
        z = complex(x[i], x[j]) * turn
        y[i], y[j] = z.real, z.imag
    return y


for neox, size, rot in ((True, 4, 4), (False, 4, 4), (True, 6, 4), (False, 6, 4)):
    positions, q, k = [2, 0, 4], draw(3, 2, size), draw(3, 1, size)
    cache = []
    for p in range(5):
        turns = [cmath.exp(1j * p / (i + 1)) for i in range(rot // 2)]
        cache += [round(t.real * 64) / 64 for t in turns] + [round(t.imag * 64) / 64 for t in turns]
    emit('vllm_rotary_%s_%d_%d' % ('neox' if neox else 'gptj', size, rot), graph(
        [('p', 'i64[3]'), ('q', 'f32[3, %d]' % (2 * size)), ('k', 'f32[3, %d]' % size), ('c', 'f32[5, %d]' % rot)],
        auto('_C.rotary_embedding',
             'positions = p, query = q, key = k, head_size = %d, cos_sin_cache = c, is_neox = %s' % (size, neox),
             [('y', 'f32[3, %d]' % (2 * size), 1), ('z', 'f32[3, %d]' % size, 2)]), ['y', 'z']),
        [positions, q, k, cache],
        [rotate(q, 2, size, rot, cache, positions, neox), rotate(k, 1, size, rot, cache, positions, neox)])

# ---- neuron ----
x, w = draw(3, 2, 2), draw(3)
columns = []
for c in range(4):
    col = [x[h * 4 + c] for h in range(3)]
    columns.append(1 / math.sqrt(sum(v * v for v in col) / 3 + 0.25))
emit('neuron_rms_norm', '''
HloModule m
ENTRY e {
  x = f32[3,2,2] parameter(0)
  w = f32[3] parameter(1)
  eps = f32[] constant(0.25)
  t = f32[3,2,2] custom-call(x), custom_call_target="AwsNeuronTransferWithStaticRing"
  ROOT y = f32[3,2,2] custom-call(t, w, eps), custom_call_target="AwsNeuronRmsNorm", backend_config="0"
}''', [x, w], [[x[h * 4 + c] * columns[c] * w[h] for h in range(3) for c in range(4)]])
