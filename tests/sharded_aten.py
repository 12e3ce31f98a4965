"""Operators of networks as they are sharded: by batch, channel, group; each pair must be proved, and its broken twins not.

    tests/sharded_aten.py --bin build/release/shardproof [NAME...]

A case is the sequential graph and that of every rank (two ranks; group '0' holds both), inputs and outputs with their
placements. A twin is a replacement in the ranks' graph or in the placements, after which the pair is wrong: what it computes
differs for almost all inputs. Graphs are written briefly: "y[4, 2]: conv2d.default(x, w)" stands for
y: "f32[4, 2]" = torch.ops.aten.conv2d.default(x, w); "sum(y)" is an all-reduce that is waited for.
"""
import argparse, os, re, subprocess, sys, tempfile

CASES = []


def case(name, sequential, rank, inputs, outputs, *twins):
    """inputs: 'x[4, 2] -> [2, 2] Shard(0)', several with ';'. outputs: placements with ';'. twins: (old, new)"""
    CASES.append((name, sequential, rank, inputs, outputs, twins))


def annotation(shape):
    return '"%s"' % (shape if shape[0] != '[' else 'f32' + shape)


def graph(params, body):
    lines = ['class m(torch.nn.Module):', '    def forward(self, %s):' % params]
    for line in body.strip().split('\n'):
        line = line.strip()
        if line.startswith('return'):
            lines.append('        return (%s,)' % line[6:].strip())
            continue
        m = re.match(r'(\w+?)((?:[fibuc]\d+(?:e\d+m\d+fn)?)?\[[\d, ]*\])?: (.*)$', line)
        name, shape, call = m[1], m[2], m[3]
        a = ': ' + annotation(shape) if shape else ''
        reduce = re.match(r'(sum|avg|max)\((\w+)\)$', call)
        if reduce:
            lines.append("        %s_%s = torch.ops._c10d_functional.all_reduce.default(%s, '%s', '0')" % (name, reduce[1], reduce[2], reduce[1]))
            lines[-1] = lines[-1].replace(' = ', a + ' = ', 1)
            call = 'torch.ops._c10d_functional.wait_tensor.default(%s_%s)' % (name, reduce[1])
        elif not re.match(r'\w+\[\d+\]$', call):
            call = ('torch.ops.' if call.startswith('_c10d') else 'torch.ops.aten.') + call
        lines.append('        %s%s = %s' % (name, a, call))
    return '\n'.join(lines) + '\n'


def run(binary, sequential, rank, inputs, outputs, limit):
    seq_params, rank_params, spec = [], [], []
    for x in inputs.split(';'):
        m = re.match(r'\s*(\w+?)((?:[fibuc]\d+(?:e\d+m\d+fn)?)?)(\[[\d, ]*\])(?: -> (\[[\d, ]*\]))? (.*)$', x)
        t = m[2] or 'f32'
        seq_params.append('%s: "%s%s"' % (m[1], t, m[3]))
        rank_params.append('%s: "%s%s"' % (m[1], t, m[4] or m[3]))
        spec.append('  %s: %s' % (m[1], m[5] if m[5] == 'Replicate' else '{tp: %s}' % m[5]))
    with tempfile.TemporaryDirectory() as d:
        with open(os.path.join(d, 'seq.py'), 'w') as f:
            f.write(graph(', '.join(seq_params), sequential))
        with open(os.path.join(d, 'rank.py'), 'w') as f:
            f.write(graph(', '.join(rank_params), rank))
        with open(os.path.join(d, 'spec.yaml'), 'w') as f:
            f.write('sequential: seq.py\ndistributed: rank.py\nmesh: {tp: 2}\ngroups:\n  distributed:\n    "0": tp\ninputs:\n')
            f.write('\n'.join(spec) + '\noutputs:\n')
            for k, p in enumerate(outputs.split(';')):
                p = p.strip()
                f.write('  out.%d: %s\n' % (k, p if p == 'Replicate' else '{tp: %s}' % p))
        try:
            r = subprocess.run([binary, 'check', '--spec', os.path.join(d, 'spec.yaml')], capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return 'TIMEOUT', ''
        said = r.stdout + r.stderr
        return (said.split(':')[0].split('\n')[0].strip() if r.returncode < 3 else 'ERROR'), said


# ---- convolutions ----
CONV = 'conv%s: convolution.default(x, w, b, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)\nreturn conv'
case('convolution_by_batch', CONV % '[4, 6, 5, 3]', CONV % '[2, 6, 5, 3]',
     'x[4, 4, 5, 4] -> [2, 4, 5, 4] Shard(0); w[6, 4, 3, 2] Replicate; b[6] Replicate', 'Shard(0)', ('x, w, b', 'x, w, None'))
case('convolution_by_result', CONV % '[2, 6, 5, 3]', CONV % '[2, 3, 5, 3]',
     'x[2, 4, 5, 4] Replicate; w[6, 4, 3, 2] -> [3, 4, 3, 2] Shard(0); b[6] -> [3] Shard(0)', 'Shard(1)', ('x, w, b', 'x, w, None'))
PART = 'c[2, 6, 5, 3]: convolution.default(x, w, None, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)\n'
case('convolution_by_channel', PART + 'return c', PART + 's[2, 6, 5, 3]: sum(c)\nreturn s',
     'x[2, 4, 5, 4] -> [2, 2, 5, 4] Shard(1); w[6, 4, 3, 2] -> [6, 2, 3, 2] Shard(1)', 'Replicate', ('return s', 'return c'), ('sum(c)', 'avg(c)'))
GROUPS = 'c%s: convolution.default(x, w, None, [2], [1], [1], False, [0], %d)\nreturn c'
case('convolution_by_group', GROUPS % ('[2, 8, 3]', 4), GROUPS % ('[2, 4, 3]', 2),
     'x[2, 4, 6] -> [2, 2, 6] Shard(1); w[8, 1, 3] -> [4, 1, 3] Shard(0)', 'Shard(1)', ('[2], [1], [1]', '[2], [2], [2]'))
UP = 'c%s: convolution.default(x, w, b, [2, 2], [0, 1], [1, 1], True, [0, 0], 1)\nreturn c'
case('transposed_by_result', UP % '[2, 6, 8, 5]', UP % '[2, 3, 8, 5]',
     'x[2, 4, 4, 3] Replicate; w[4, 6, 2, 3] -> [4, 3, 2, 3] Shard(1); b[6] -> [3] Shard(0)', 'Shard(1)', ('x, w, b', 'x, w, None'))
BACK = '''r: convolution_backward.default(g, x, w, [6], [1, 1], [1, 0], [1, 1], False, [0, 0], 1, [True, True, True])
          gx%s: r[0]
          gw[6, 4, 3, 2]: r[1]
          gb[6]: r[2]
          '''
case('convolution_gradients_by_batch', BACK % '[4, 4, 5, 4]' + 'return gx, gw, gb',
     BACK % '[2, 4, 5, 4]' + 'sw[6, 4, 3, 2]: sum(gw)\nsb[6]: sum(gb)\nreturn gx, sw, sb',
     'g[4, 6, 5, 3] -> [2, 6, 5, 3] Shard(0); x[4, 4, 5, 4] -> [2, 4, 5, 4] Shard(0); w[6, 4, 3, 2] Replicate', 'Shard(0); Replicate; Replicate',
     ('sw, sb', 'sw, gb'), ('sw, sb', 'gw, sb'), ('sum(gw)', 'avg(gw)'))
BACK = '''r: convolution_backward.default(g, x, w, None, [1, 1], [1, 0], [1, 1], False, [0, 0], 1, [True, True, False])
          gx[2, 4, 5, 4]: r[0]
          gw%s: r[1]
          '''
case('convolution_gradients_by_result', BACK % '[6, 4, 3, 2]' + 'return gx, gw', BACK % '[3, 4, 3, 2]' + 's[2, 4, 5, 4]: sum(gx)\nreturn s, gw',
     'g[2, 6, 5, 3] -> [2, 3, 5, 3] Shard(1); x[2, 4, 5, 4] Replicate; w[6, 4, 3, 2] -> [3, 4, 3, 2] Shard(0)', 'Replicate; Shard(0)',
     ('return s', 'return gx'), ('sum(gx)', 'max(gx)'))

# ---- pools ----
POOL = """r: max_pool2d_with_indices.default(x, [3, 2], [2, 2], [1, 0])
          y%s: r[0]
          ii64%s: r[1]
          """
case('max_pool_by_batch', POOL % ('[4, 2, 3, 3]', '[4, 2, 3, 3]') + 'return y, i', POOL % ('[2, 2, 3, 3]', '[2, 2, 3, 3]') + 'return y, i',
     'x[4, 2, 5, 6] -> [2, 2, 5, 6] Shard(0)', 'Shard(0); Shard(0)', ('[3, 2], [2, 2], [1, 0]', '[1, 2], [2, 2], [0, 0]'))
POOL = 'y%s: max_pool2d_with_indices_backward.default(g, x, [2, 2], [2, 2], [0, 0], [1, 1], False, i)\nreturn y'
case('max_pool_gradient_by_channel', POOL % '[2, 4, 4, 4]', POOL % '[2, 2, 4, 4]',
     'g[2, 4, 2, 2] -> [2, 2, 2, 2] Shard(1); x[2, 4, 4, 4] -> [2, 2, 4, 4] Shard(1); ii64[2, 4, 2, 2] -> [2, 2, 2, 2] Shard(1)', 'Shard(1)',
     ('return y', 'z[2, 2, 4, 4]: mul.Tensor(y, 2)\nreturn z'))
POOL = 'y%s: avg_pool2d.default(x, [3, 3], [2, 2], [1, 1], False, True)\nreturn y'
case('avg_pool_by_channel', POOL % '[2, 4, 3, 3]', POOL % '[2, 2, 3, 3]', 'x[2, 4, 5, 6] -> [2, 2, 5, 6] Shard(1)', 'Shard(1)', ('False, True', 'False, False'))
POOL = 'y%s: avg_pool2d_backward.default(g, x, [3, 3], [2, 2], [1, 1], True, False, None)\nreturn y'
case('avg_pool_gradient_by_batch', POOL % '[4, 2, 6, 5]', POOL % '[2, 2, 6, 5]',
     'g[4, 2, 4, 3] -> [2, 2, 4, 3] Shard(0); x[4, 2, 6, 5] -> [2, 2, 6, 5] Shard(0)', 'Shard(0)', ('True, False', 'True, True'))
POOL = 'y%s: adaptive_avg_pool2d.default(x, [2, 3])\nreturn y'
case('adaptive_avg_pool_by_batch', POOL % '[4, 2, 2, 3]', POOL % '[2, 2, 2, 3]', 'x[4, 2, 5, 6] -> [2, 2, 5, 6] Shard(0)', 'Shard(0)',
     ('return y', 'z[2, 2, 2, 3]: mul.Tensor(y, 2)\nreturn z'))

# ---- norms ----
NORM = """r: _native_batch_norm_legit_functional.default(x, w, b, m, v, True, 0.1, 1e-05)
          y%s: r[0]
          n%s: r[3]
          u%s: r[4]
          return y, n, u"""
case('batch_norm_by_channel', NORM % ('[4, 6, 3]', '[6]', '[6]'), NORM % ('[4, 3, 3]', '[3]', '[3]'),
     'x[4, 6, 3] -> [4, 3, 3] Shard(1); w[6] -> [3] Shard(0); b[6] -> [3] Shard(0); m[6] -> [3] Shard(0); v[6] -> [3] Shard(0)',
     'Shard(1); Shard(0); Shard(0)', ('0.1, 1e-05', '0.2, 1e-05'), ('x, w, b, m, v', 'x, w, b, v, m'))
NORM = 'r: native_batch_norm.default(x, w, b, m, v, False, 0.1, 1e-05)\ny%s: r[0]\nreturn y'
case('batch_norm_frozen_by_batch', NORM % '[4, 6, 3]', NORM % '[2, 6, 3]',
     'x[4, 6, 3] -> [2, 6, 3] Shard(0); w[6] Replicate; b[6] Replicate; m[6] Replicate; v[6] Replicate', 'Shard(0)', ('False', 'True'))
NORM = """r: native_batch_norm_backward.default(g, x, w, None, None, m, s, True, 1e-05, [True, True, True])
          gx%s: r[0]
          gw%s: r[1]
          return gx, gw"""
case('batch_norm_gradient_by_channel', NORM % ('[4, 6, 3]', '[6]'), NORM % ('[4, 3, 3]', '[3]'),
     'g[4, 6, 3] -> [4, 3, 3] Shard(1); x[4, 6, 3] -> [4, 3, 3] Shard(1); w[6] -> [3] Shard(0); m[6] -> [3] Shard(0); s[6] -> [3] Shard(0)',
     'Shard(1); Shard(0)', ('g, x, w', 'x, g, w'))
NORM = """r: native_batch_norm_backward.default(g, x, w, m, v, None, None, False, 1e-05, [True, True, True])
          gx%s: r[0]
          gw[6]: r[1]
          """
case('batch_norm_frozen_gradient_by_batch', NORM % '[4, 6, 3]' + 'return gx, gw', NORM % '[2, 6, 3]' + 's[6]: sum(gw)\nreturn gx, s',
     'g[4, 6, 3] -> [2, 6, 3] Shard(0); x[4, 6, 3] -> [2, 6, 3] Shard(0); w[6] Replicate; m[6] Replicate; v[6] Replicate', 'Shard(0); Replicate',
     ('return gx, s', 'return gx, gw'), ('sum(gw)', 'avg(gw)'))
NORM = 'r: native_group_norm.default(x, w, b, %d, %d, 3, %d, 1e-05)\ny%s: r[0]\nreturn y'
case('group_norm_by_batch', NORM % (4, 8, 2, '[4, 8, 3]'), NORM % (2, 8, 2, '[2, 8, 3]'), 'x[4, 8, 3] -> [2, 8, 3] Shard(0); w[8] Replicate; b[8] Replicate',
     'Shard(0)', ('2, 8, 3, 2', '2, 8, 3, 4'))
case('group_norm_by_channel', NORM % (4, 8, 4, '[4, 8, 3]'), NORM % (4, 4, 2, '[4, 4, 3]'),
     'x[4, 8, 3] -> [4, 4, 3] Shard(1); w[8] -> [4] Shard(0); b[8] -> [4] Shard(0)', 'Shard(1)', ('4, 4, 3, 2', '4, 4, 3, 1'))
NORM = """r: native_group_norm_backward.default(g, x, m, s, w, %d, 4, 3, 2, [True, True, True])
          gx%s: r[0]
          gw[4]: r[1]
          """
case('group_norm_gradient_by_batch', NORM % (4, '[4, 4, 3]') + 'return gx, gw', NORM % (2, '[2, 4, 3]') + 'a[4]: sum(gw)\nreturn gx, a',
     'g[4, 4, 3] -> [2, 4, 3] Shard(0); x[4, 4, 3] -> [2, 4, 3] Shard(0); m[4, 2] -> [2, 2] Shard(0); s[4, 2] -> [2, 2] Shard(0); w[4] Replicate',
     'Shard(0); Replicate', ('gx, a', 'gx, gw'), ('m, s', 's, m'))

# ---- losses ----
LOSS = 'l[]: smooth_l1_loss.default(x, t, %d, 0.5)\n'
case('smooth_l1_by_batch', LOSS % 1 + 'return l', LOSS % 1 + 's[]: avg(l)\nreturn s', 'x[4, 3] -> [2, 3] Shard(0); t[4, 3] -> [2, 3] Shard(0)', 'Replicate',
     ('avg(l)', 'sum(l)'), ('0.5', '0.25'), ('return s', 'return l'))
LOSS = 'y%s: huber_loss_backward.default(g, x, t, 1, 0.5)\n'
case('huber_gradient_by_batch', LOSS % '[4, 3]' + 'return y', LOSS % '[2, 3]' + 'z[2, 3]: div.Tensor(y, 2)\nreturn z',
     'g[] Replicate; x[4, 3] -> [2, 3] Shard(0); t[4, 3] -> [2, 3] Shard(0)', 'Shard(0)', ('return z', 'return y'), ('1, 0.5', '1, 0.25'))
LOSS = 'l[]: binary_cross_entropy_with_logits.default(x, t, None, p, %d)\n'
case('bce_with_logits_by_batch', LOSS % 2 + 'return l', LOSS % 2 + 's[]: sum(l)\nreturn s',
     'x[4, 3] -> [2, 3] Shard(0); t[4, 3] -> [2, 3] Shard(0); p[3] Replicate', 'Replicate', ('None, p', 'None, None'), ('sum(l)', 'avg(l)'))

# ---- steps of optimizers: each rank has a part of the parameters, of their gradients and averages ----
STEP = """r: _fused_adamw.default([p, q], [g, h], [m, n], [v, w], [], [s, t], lr = 0.1, beta1 = 0.9, beta2 = 0.99, weight_decay = 0.01, eps = 1e-08, amsgrad = False, maximize = False)
          rp: r[0]
          np%s: rp[0]
          nq%s: rp[1]
          rv: r[3]
          nv%s: rv[0]
          return np, nq, nv"""
case('adamw_by_parameter', STEP % ('[4, 6]', '[4]', '[4, 6]'), STEP % ('[2, 6]', '[2]', '[2, 6]'),
     '; '.join('%s[4, 6] -> [2, 6] Shard(0); %s[4] -> [2] Shard(0)' % tuple(x) for x in ('pq', 'gh', 'mn', 'vw')) + '; s[] Replicate; t[] Replicate',
     'Shard(0); Shard(0); Shard(0)', ('[s, t]', '[t, s]'), ('[m, n], [v, w]', '[v, w], [m, n]'), ('0.99', '0.9'))
STEP = """n: _foreach_norm.Scalar([x, y])
          a[]: n[0]
          b[]: n[1]
          a2[]: mul.Tensor(a, a)
          b2[]: mul.Tensor(b, b)
          t[]: add.Tensor(a2, b2)
          """
CLIP = """k[]: sqrt.default(%s)
          c: _foreach_div.Tensor([x, y], k)
          u%s: c[0]
          w%s: c[1]
          return u, w"""
case('clipped_by_norm', STEP + CLIP % ('t', '[4, 3]', '[6]'), STEP + 's[]: sum(t)\n' + CLIP % ('s', '[2, 3]', '[3]'),
     'x[4, 3] -> [2, 3] Shard(0); y[6] -> [3] Shard(0)', 'Shard(0); Shard(0)', ('sqrt.default(s)', 'sqrt.default(t)'), ('sum(t)', 'avg(t)'))

# ---- the norm of the gradients of a model: a norm of norms; on ranks sums of squares, of what is cut over all ranks and of what all have ----
def norm_of_all(n, cut):
    """cut(i): tensor i is cut. The sequential graph, that of a rank, inputs, outputs."""
    names, local = ['g%d' % i for i in range(n)], ['[2, 3]' if cut(i) else '[4, 3]' for i in range(n)]
    total = ['n%d[]: linalg_vector_norm.default(%s, 2)' % x for x in enumerate(names)]
    total += ['v[%d]: stack.default([%s])' % (n, ', '.join('n%d' % i for i in range(n))), 't[]: linalg_vector_norm.default(v, 2)']
    last = 'e[]: add.Tensor(t, 1e-06)\nr[]: reciprocal.default(e)\nc[]: clamp.default(r, None, 1.0)\n'
    last += '\n'.join('y%d%%s: mul.Tensor(g%d, c)' % (i, i) for i in range(3)) + '\nreturn t, y0, y1, y2'
    sums, at = [], {True: None, False: None}
    for i, x in enumerate(names):
        sums += ['q%d%s: mul.Tensor(%s, %s)' % (i, local[i], x, x), 's%d[]: sum.default(q%d)' % (i, i)]
        if at[cut(i)] is not None:
            sums.append('a%d[]: add.Tensor(%s, s%d)' % (i, at[cut(i)], i))
        at[cut(i)] = 's%d' % i if at[cut(i)] is None else 'a%d' % i
    sums += ['all[]: sum(%s)' % at[True]] + (['b[]: add.Tensor(all, %s)' % at[False]] if at[False] else [])
    sums.append('t[]: sqrt.default(%s)' % ('b' if at[False] else 'all'))
    placed = ['%s[4, 3] -> [2, 3] Shard(0)' % x if cut(i) else x + '[4, 3] Replicate' for i, x in enumerate(names)]
    return ('\n'.join(total) + '\n' + last % (('[4, 3]',) * 3), '\n'.join(sums) + '\n' + last % tuple(local[:3]), '; '.join(placed),
            'Replicate; ' + '; '.join('Shard(0)' if cut(i) else 'Replicate' for i in range(3)))


case('norm_of_a_model', *norm_of_all(66, lambda i: i % 3 < 2), ('all[]: sum(', 'all[]: avg('), ('add.Tensor(all, ', 'add.Tensor(a64, '),
     ('s40[]: sum.default(q40)', 's40[]: sum.default(q37)'))

def norms_of_all(n):
    whole, part, inputs, outputs = norm_of_all(n, lambda i: True)
    root = 'w[]: linalg_vector_norm.default(v, 2)\nq[]: mul.Tensor(w, w)\nall[]: sum(q)\nt[]: sqrt.default(all)\n'
    of_rank = whole.replace('t[]: linalg_vector_norm.default(v, 2)\n', root).replace('y0[4, 3]', 'y0[2, 3]').replace('y1[4, 3]', 'y1[2, 3]')
    return whole, of_rank.replace('y2[4, 3]', 'y2[2, 3]'), inputs, outputs


case('norm_of_norms', *norms_of_all(80), ('all[]: sum(', 'all[]: avg('), ('mul.Tensor(w, w)', 'mul.Tensor(w, n0)'), ('sqrt.default(all)', 'sqrt.default(q)'))

# ---- experts ----
EXPERTS = 'y%s: _grouped_mm.default(x, w, o)\n'
case('grouped_by_result', EXPERTS % '[8, 6]' + 'return y', EXPERTS % '[8, 3]' + 'return y',
     'x[8, 4] Replicate; w[3, 4, 6] -> [3, 4, 3] Shard(2); oi32[3] Replicate', 'Shard(1)',
     ('return y', 'p[8, 3]: roll.default(y, [1], [0])\nreturn p'))
case('grouped_by_inner', EXPERTS % '[8, 6]' + 'return y', EXPERTS % '[8, 6]' + 's[8, 6]: sum(y)\nreturn s',
     'x[8, 4] -> [8, 2] Shard(1); w[3, 4, 6] -> [3, 2, 6] Shard(1); oi32[3] Replicate', 'Replicate', ('return s', 'return y'), ('sum(y)', 'max(y)'))
case('grouped_weight_gradient', 'y[3, 4, 6]: _grouped_mm.default(x, g, o)\nreturn y', 'y[3, 2, 6]: _grouped_mm.default(x, g, o)\nreturn y',
     'x[4, 8] -> [2, 8] Shard(0); g[8, 6] Replicate; oi32[3] Replicate', 'Shard(1)', ('return y', 'p[3, 2, 6]: roll.default(y, [1], [0])\nreturn p'))
SCALED = 'y%s: _scaled_mm.default(x, w, a, b)\nreturn y'
case('scaled_by_result', SCALED % '[8, 6]', SCALED % '[8, 3]',
     'xf8e4m3fn[8, 4] Replicate; wf8e4m3fn[4, 6] -> [4, 3] Shard(1); a[8, 1] Replicate; b[1, 6] -> [1, 3] Shard(1)', 'Shard(1)',
     ('return y', 'z[8, 3]: mul.Tensor(y, b)\nreturn z'))

# ---- rotary embeddings as complex numbers ----
ROPE = """p%s: view.default(q, %s)
          c%s: view_as_complex.default(p)
          f%s: view.default(e, %s)
          m%s: mul.Tensor(c, f)
          r%s: view_as_real.default(m)
          y%s: view.default(r, %s)
          return y"""
case('rope_by_head', ROPE % ('[2, 4, 6, 4, 2]', '[2, 4, 6, 4, 2]', 'c64[2, 4, 6, 4]', 'c64[1, 4, 1, 4]', '[1, 4, 1, -1]', 'c64[2, 4, 6, 4]', '[2, 4, 6, 4, 2]',
                             '[2, 4, 6, 8]', '[2, 4, 6, 8]'),
     ROPE % ('[2, 4, 3, 4, 2]', '[2, 4, 3, 4, 2]', 'c64[2, 4, 3, 4]', 'c64[1, 4, 1, 4]', '[1, 4, 1, -1]', 'c64[2, 4, 3, 4]', '[2, 4, 3, 4, 2]',
             '[2, 4, 3, 8]', '[2, 4, 3, 8]'),
     'q[2, 4, 6, 8] -> [2, 4, 3, 8] Shard(2); ec64[4, 4] Replicate', 'Shard(2)',
     ('mul.Tensor(c, f)', 'add.Tensor(c, f)'), ('view_as_real.default(m)', 'view_as_real.default(c)'))
ROPE = """c%s: view_as_complex.default(g)
          f%s: unsqueeze.default(e, -2)
          h%s: _conj.default(f)
          m%s: mul.Tensor(c, h)
          r%s: view_as_real.default(m)
          return r"""
case('rope_gradient_by_position', ROPE % ('c64[4, 3, 2]', 'c64[4, 1, 2]', 'c64[4, 1, 2]', 'c64[4, 3, 2]', '[4, 3, 2, 2]'),
     ROPE % ('c64[2, 3, 2]', 'c64[2, 1, 2]', 'c64[2, 1, 2]', 'c64[2, 3, 2]', '[2, 3, 2, 2]'),
     'g[4, 3, 2, 2] -> [2, 3, 2, 2] Shard(0); ec64[4, 2] -> [2, 2] Shard(0)', 'Shard(0)', ('mul.Tensor(c, h)', 'mul.Tensor(c, f)'))
case('polar_by_position', 'cc64[4, 3]: polar.default(a, b)\ndc64[3, 4]: transpose.int(c, 0, -1)\nr[3, 4, 2]: view_as_real.default(d)\nreturn r',
     'cc64[2, 3]: polar.default(a, b)\ndc64[3, 2]: transpose.int(c, 0, -1)\nr[3, 2, 2]: view_as_real.default(d)\nreturn r',
     'a[4, 3] -> [2, 3] Shard(0); b[4, 3] -> [2, 3] Shard(0)', 'Shard(1)', ('polar.default(a, b)', 'complex.default(a, b)'))

# ---- images of other sizes ----
UP = 'y%s: upsample_nearest2d.vec(x, None, [2.0, 2.0])\nreturn y'
case('upsample_nearest_by_channel', UP % '[2, 4, 6, 4]', UP % '[2, 2, 6, 4]', 'x[2, 4, 3, 2] -> [2, 2, 3, 2] Shard(1)', 'Shard(1)',
     ('return y', 'z[2, 2, 6, 4]: roll.default(y, [1], [2])\nreturn z'))
UP = 'y%s: upsample_bilinear2d.vec(x, None, False, [2.0, 2.0])\nreturn y'
case('upsample_bilinear_by_batch', UP % '[4, 2, 6, 4]', UP % '[2, 2, 6, 4]', 'x[4, 2, 3, 2] -> [2, 2, 3, 2] Shard(0)', 'Shard(0)', ('False', 'True'))
UP = 'y%s: %s_pad2d.default(x, [1, 2, 1, 0])\nreturn y'
case('reflection_pad_by_batch', UP % ('[4, 2, 4, 7]', 'reflection'), UP % ('[2, 2, 4, 7]', 'reflection'), 'x[4, 2, 3, 4] -> [2, 2, 3, 4] Shard(0)',
     'Shard(0)', ('reflection', 'replication'))
UP = 'y%s: upsample_nearest2d_backward.default(g, [6, 4], [%d, 2, 3, 2])\nreturn y'
case('upsample_gradient_by_batch', UP % ('[4, 2, 3, 2]', 4), UP % ('[2, 2, 3, 2]', 2), 'g[4, 2, 6, 4] -> [2, 2, 6, 4] Shard(0)', 'Shard(0)',
     ('return y', 'z[2, 2, 3, 2]: mul.Tensor(y, 2)\nreturn z'))

# ---- what depends on elements before; diagonals; pixels ----
SCAN = 'r: cummax.default(x, 1)\ny%s: r[0]\nii64%s: r[1]\nreturn y, i'
case('cummax_by_row', SCAN % ('[4, 5]', '[4, 5]'), SCAN % ('[2, 5]', '[2, 5]'), 'x[4, 5] -> [2, 5] Shard(0)', 'Shard(0); Shard(0)', ('cummax', 'cummin'))
SCAN = 'yi64%s: bucketize.Tensor(x, b)\nreturn y'
case('bucketize_by_row', SCAN % '[4, 5]', SCAN % '[2, 5]', 'x[4, 5] -> [2, 5] Shard(0); b[3] Replicate', 'Shard(0)', ('(x, b)', '(x, b, right = True)'))
SCAN = 'y%s: diagonal.default(x, 1, 1, 2)\nreturn y'
case('diagonal_by_batch', SCAN % '[4, 2]', SCAN % '[2, 2]', 'x[4, 3, 3] -> [2, 3, 3] Shard(0)', 'Shard(0)', ('(x, 1', '(x, -1'))
SCAN = 'y%s: pixel_shuffle.default(x, 2)\nreturn y'
case('pixel_shuffle_by_channel', SCAN % '[1, 4, 4, 6]', SCAN % '[1, 2, 4, 6]', 'x[1, 16, 2, 3] -> [1, 8, 2, 3] Shard(1)', 'Shard(1)',
     ('return y', 'z[1, 2, 4, 6]: flip.default(y, [1])\nreturn z'))

# ---- classes of pixels, bags, normalized weights ----
PIXELS = 'r: nll_loss2d_forward.default(x, t, None, 2, -100)\nl[]: r[0]\nw[]: r[1]\n'
case('nll_of_pixels_by_batch', PIXELS + 'return l, w', PIXELS + 'a[]: sum(l)\nb[]: sum(w)\nreturn a, b',
     'x[4, 3, 2, 2] -> [2, 3, 2, 2] Shard(0); ti64[4, 2, 2] -> [2, 2, 2] Shard(0)', 'Replicate; Replicate', ('sum(l)', 'avg(l)'), ('2, -100', '2, 0'))
BAG = 'r: _embedding_bag.default(w, i, o, False, 1)\ny%s: r[0]\nreturn y'
case('embedding_bag_by_column', BAG % '[3, 4]', BAG % '[3, 2]', 'w[8, 4] -> [8, 2] Shard(1); ii64[6] Replicate; oi64[3] Replicate', 'Shard(1)',
     ('False, 1', 'False, 0'))
NORM = 'r: _weight_norm_interface.default(v, g, 0)\nw%s: r[0]\nreturn w'
case('weight_norm_by_row', NORM % '[6, 4]', NORM % '[3, 4]', 'v[6, 4] -> [3, 4] Shard(0); g[6, 1] -> [3, 1] Shard(0)', 'Shard(0)',
     ('return w', 'n[3, 1]: r[1]\nu[3, 4]: mul.Tensor(w, n)\nreturn u'))

# ---- more activations ----
ACT = 'y%s: prelu.default(x, w)\nreturn y'
case('prelu_by_channel', ACT % '[2, 4, 3]', ACT % '[2, 2, 3]', 'x[2, 4, 3] -> [2, 2, 3] Shard(1); w[4] -> [2] Shard(0)', 'Shard(1)',
     ('prelu.default(x, w)', 'leaky_relu.default(x, 0.25)'))
ACT = 'r: log_sigmoid_forward.default(x)\ny%s: r[0]\nb%s: r[1]\nd%s: log_sigmoid_backward.default(g, x, b)\nreturn y, d'
case('log_sigmoid_by_batch', ACT % (('[4, 3]',) * 3), ACT % (('[2, 3]',) * 3), 'x[4, 3] -> [2, 3] Shard(0); g[4, 3] -> [2, 3] Shard(0)',
     'Shard(0); Shard(0)', ('(g, x, b)', '(g, b, x)'), ('return y, d', 'return y, b'))

# ---- windows as columns ----
FOLD = 'y%s: im2col.default(x, [2, 2], [1, 1], [1, 1], [1, 1])\nreturn y'
case('im2col_by_batch', FOLD % '[4, 8, 12]', FOLD % '[2, 8, 12]', 'x[4, 2, 2, 3] -> [2, 2, 2, 3] Shard(0)', 'Shard(0)',
     ('return y', 'z[2, 8, 12]: flip.default(y, [1])\nreturn z'))
FOLD = 'y%s: col2im.default(x, [2, 3], [2, 2], [1, 1], [1, 1], [1, 1])\nreturn y'
case('col2im_by_channel', FOLD % '[2, 4, 2, 3]', FOLD % '[2, 2, 2, 3]', 'x[2, 16, 12] -> [2, 8, 12] Shard(1)', 'Shard(1)',
     ('return y', 'z[2, 2, 2, 3]: flip.default(y, [1])\nreturn z'))


def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    a.add_argument('--bin', required=True)
    a.add_argument('--limit', type=float, default=60)
    a.add_argument('-v', action='store_true')
    a.add_argument('names', nargs='*')
    o = a.parse_args()
    bad = n = 0
    for name, seq, rank, inputs, outputs, twins in CASES:
        if o.names and name not in o.names:
            continue
        for k, (old, new) in enumerate((('', ''),) + twins):
            assert not old or old in rank or old in outputs, (name, old)
            r, out = (rank.replace(old, new, 1), outputs) if old in rank else (rank, outputs.replace(old, new, 1))
            verdict, said = run(o.bin, seq, r, inputs, out, o.limit)
            ok = verdict == 'REFINES' if not old else verdict in ('VIOLATION', 'UNPROVEN')
            n += 1
            bad += not ok
            if not ok or o.v:
                print('%-6s %s%s: %s' % ('ok' if ok else 'WRONG', name, ', %s for %s' % (new, old) if old else '', verdict))
            if not ok:
                print(said[:1500])
    print('%d runs, %d wrong' % (n, bad))
    return 1 if bad or not n else 0


if __name__ == '__main__':
    sys.exit(main())
