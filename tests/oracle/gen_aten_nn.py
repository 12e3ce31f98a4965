"""Writes tests/oracle/aten_nn.txt: layers of networks, their gradients, losses, optimizers, as gen_aten.py does.

    venv/bin/python tests/oracle/gen_aten_nn.py > tests/oracle/aten_nn.txt

SHARDPROOF_ATEN_NN=file compares with other inputs.
"""
import torch
from aten_cases import A, C, annotation, draw, emit, report, seed
from torch import inf

seed(23)

# ---- convolutions ----
for t, shapes in ((False, ('f32[1, 2, 4, 4]', 'f32[3, 2, 2, 2]', 'f32[3]')), (True, ('f32[1, 3, 3, 2]', 'f32[3, 2, 2, 3]', 'f32[2]'))):
    A('convolution.default', 'a, b, c, [2, 1], [1, 0], [1, 2], %s, [%d, 0], 1' % (t, t), *shapes)
A('convolution.default', 'a, b, None, [3], [1], [2], True, [2], 2', 'f32[2, 4, 3]', 'f32[4, 3, 2]')
A('convolution.default', 'a, b, c, [1, 1, 2], [0, 0, 1], [1, 1, 1], True, [0, 0, 1], 1', 'f32[1, 2, 2, 2, 2]', 'f32[2, 2, 2, 1, 2]', 'f32[2]')
C('torch.conv_transpose1d(a, b, c, 2, 1, 1)', 'f32[2, 2, 4]', 'f32[2, 3, 3]', 'f32[3]')
A('conv_transpose2d.input', 'a, b, None, [2, 2], [0, 0], [0, 0], 2, [1, 1]', 'f32[1, 4, 2, 3]', 'f32[4, 1, 2, 2]')
back = 'convolution_backward.default'
A(back, 'a, b, c, [3], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]', 'f32[2, 3, 3, 3]', 'f32[2, 2, 4, 4]', 'f32[3, 2, 2, 2]')
A(back, 'a, b, c, [2], [2, 1], [1, 2], [1, 2], False, [0, 0], 2, [True, True, False]', 'f32[1, 2, 3, 6]', 'f32[1, 4, 4, 4]', 'f32[2, 2, 2, 2]')
A(back, 'a, b, c, None, [3], [1], [1], False, [0], 4, [False, True, False]', 'f32[2, 4, 2]', 'f32[2, 4, 5]', 'f32[4, 1, 2]', skip=(0, 2))
A(back, 'a, b, c, [3], [2], [1], [1], True, [1], 1, [True, True, True]', 'f32[2, 3, 8]', 'f32[2, 2, 4]', 'f32[2, 3, 3]')
A(back, 'a, b, c, [6], [1, 3], [0, 1], [2, 1], True, [0, 0], 2, [True, True, True]', 'f32[1, 6, 5, 3]', 'f32[1, 4, 3, 2]', 'f32[4, 3, 2, 2]')

# ---- pools ----
for w in ("[2, 2]", "[3, 2], [2, 2], [1, 1]", "[2, 3], [1, 1], [0, 1], [2, 1]", "[3, 3], [2, 2], [1, 1], [1, 1], True", "[2, 2], [3, 3], [0, 0], [1, 1], True"):
    A('max_pool2d_with_indices.default', 'a, ' + w, 'f32[1, 2, 5, 6]')
    A('max_pool2d_with_indices.default', 'a, ' + w, 'f32[2, 4, 5]<3')
A('max_pool3d_with_indices.default', 'a, [2, 1, 2], [1, 1, 1], [1, 0, 1]', 'f32[1, 3, 2, 3]')
C('torch.nn.functional.max_pool2d(a, 3, 2, 1, 1, ceil_mode = True, return_indices = False)', 'f32[1, 2, 6, 5]')
A('max_pool2d.default', 'a, 2', 'i64[2, 4, 5]')
C('torch.max_pool1d(a, 3, 1, 1)', 'f32[2, 6]')


def max_gradient(shape, *how):
    x = draw(shape)
    y, i = torch.ops.aten.max_pool2d_with_indices.default(x, *how)
    g = torch.randn(y.shape)
    expr = 'torch.ops.aten.max_pool2d_with_indices_backward.default(g, x, %s, i)' % ', '.join(map(str, how))
    r = eval(expr, dict(globals(), g=g, x=x, i=i))
    emit('max_gradient_%s' % (how,), dict(g=g, x=x, i=i), ['r: %s = %s' % (annotation(r), expr), 'return (r,)'], [[r]])


max_gradient('f32[1, 2, 5, 4]', [3, 2], [2, 1], [1, 0], [1, 1], False)
max_gradient('f32[2, 5, 5]<3', [3, 3], [2, 2], [1, 1], [1, 1], True)
for w in ('[2, 2]', '[3, 2], [2, 1], [1, 0]', '[3, 2], [2, 2], [1, 1], False, False', '[3, 3], [2, 2], [1, 1], True', '[3, 3], [2, 2], [1, 1], True, False',
          '[2, 2], [3, 3], [0, 0], True, True', '[3, 2], [1, 2], [1, 1], True, True, 5', '[2, 2], [], [1, 1], False, False, -3'):
    A('avg_pool2d.default', 'a, ' + w, 'f32[1, 2, 5, 6]')
A('avg_pool1d.default', 'a, [3], [2], [1], True, False', 'f32[2, 3, 6]')
A('avg_pool3d.default', 'a, [2, 2, 1], [1, 2, 1], [1, 0, 0]', 'f32[1, 3, 4, 2]')
C('torch._C._nn.avg_pool2d(a, 2, 2)', 'f32[1, 2, 4, 4]')
for w, g in (('[3, 2], [2, 1], [1, 0], False, True, None', 'f32[1, 2, 3, 4]'), ('[3, 2], [2, 2], [1, 1], False, False, None', 'f32[1, 2, 3, 3]'),
             ('[3, 3], [2, 2], [1, 1], True, False, None', 'f32[1, 2, 4, 3]'), ('[3, 3], [2, 2], [1, 1], True, True, None', 'f32[1, 2, 4, 3]'),
             ('[2, 2], [3, 3], [0, 0], True, True, 3', 'f32[1, 2, 2, 2]')):
    A('avg_pool2d_backward.default', 'b, a, ' + w, 'f32[1, 2, %d, 5]' % (6 if 'True,' in w[24:] and '[3, 3], [2' in w else 5), g)
for o in ('[1, 1]', '[2, 3]', '[3, 4]', '[7, 5]'):
    A('adaptive_avg_pool2d.default', 'a, ' + o, 'f32[1, 2, 4, 6]')
    A('adaptive_max_pool2d.default', 'a, ' + o, 'f32[2, 4, 6]')
    A('_adaptive_avg_pool2d_backward.default', 'b, a', 'f32[1, 2, 4, 6]', 'f32[1, 2, %s' % o[1:], name='adaptive_backward' + o)
A('_adaptive_avg_pool3d.default', 'a, [2, 1, 2]', 'f32[1, 3, 2, 4]')
A('adaptive_avg_pool1d.default', 'a, [3]', 'f32[2, 7]')


def results(name, expr, params, skip=()):
    """One call with several results, of given inputs."""
    r = eval(expr, dict(globals(), **params))
    r = [(k, x) for k, x in enumerate(r) if k not in skip and x is not None]
    emit(name, params, ['r = ' + expr] + ['r_%d: %s = r[%d]' % (k, annotation(x), k) for k, x in r] +
         ['return (%s,)' % ', '.join('r_%d' % k for k, _ in r)], [[x for _, x in r]])


# ---- batch norms ----
BN = ('f32[3, 2, 4]', 'f32[2]', 'f32[2]', 'f32[2]', 'f32[2]+')
A('native_batch_norm.default', 'a, b, c, d, e, True, 0.1, 1e-05', *BN)
A('native_batch_norm.default', 'a, b, c, d, e, False, 0.1, 1e-05', *BN, skip=(1, 2))
A('native_batch_norm.default', 'a, None, None, None, None, True, 0.1, 0.01', 'f32[2, 3, 2, 2]')
A('_native_batch_norm_legit.default', 'a, b, c, d, e, True, 0.25, 1e-05', *BN)
A('_native_batch_norm_legit.no_stats', 'a, b, c, True, 0.1, 1e-05', *BN[:3])
A('_native_batch_norm_legit_functional.default', 'a, b, c, d, e, True, 0.25, 1e-05', *BN)
A('_native_batch_norm_legit_functional.default', 'a, b, c, d, e, False, 0.25, 1e-05', *BN, skip=(1, 2))
A('_batch_norm_with_update_functional.default', 'a, b, c, d, e, 0.25, 1e-05', *BN, skip=(3,))
A('_batch_norm_with_update.default', 'a, b, c, d, e, 0.25, 1e-05', *BN, skip=(3,))
A('_batch_norm_no_update.default', 'a, b, c, d, e, 0.25, 1e-05', *BN, skip=(1, 2, 3))
C('torch.nn.functional.batch_norm(a, d, e, b, c, True, 0.1, 1e-05)', *BN)
C('torch.nn.functional.batch_norm(a, d, e, b, None)', *BN)
A('batch_norm.default', 'a, b, c, d, e, True, 0.1, 1e-05, True', *BN)


def batch_norm_gradient(op, shape, weight, train, args):
    x, w, m, v = draw(shape), draw('f32[2]'), draw('f32[2]'), draw('f32[2]+')
    _, mean, rstd = torch.ops.aten.native_batch_norm.default(x, None, None, None, None, True, 0.1, 1e-5)
    p = dict(g=torch.randn(x.shape), x=x, w=w, m=m, v=v, mean=mean, rstd=rstd)
    if 'reserve' in args:
        p['reserve'] = torch.empty(0, dtype=torch.uint8)
    results('batch_norm_gradient', 'torch.ops.aten.%s(%s)' % (op, args), p)


for train in (True, False):
    batch_norm_gradient('native_batch_norm_backward.default', 'f32[3, 2, 4]', True, train, 'g, x, w, m, v, mean, rstd, %s, 1e-05, [True, True, True]' % train)
batch_norm_gradient('native_batch_norm_backward.default', 'f32[2, 2, 2, 3]', False, True, 'g, x, None, None, None, mean, rstd, True, 1e-05, [True, True, True]')
batch_norm_gradient('batch_norm_backward.default', 'f32[3, 2]', True, True, 'g, x, w, m, v, mean, rstd, True, 1e-05, [True, True, True], reserve')

# ---- group norms ----
C('torch.nn.functional.group_norm(a, 2, b, c, 0.001)', 'f32[2, 4, 3]', 'f32[4]', 'f32[4]')
C('torch.group_norm(a, 3)', 'f32[2, 6]')
x, w = draw('f32[2, 4, 3, 2]'), draw('f32[4]')
_, mean, rstd = torch.ops.aten.native_group_norm.default(x, None, None, 2, 4, 6, 2, 1e-5)
results('group_norm_gradient', 'torch.ops.aten.native_group_norm_backward.default(g, x, mean, rstd, w, 2, 4, 6, 2, [True, True, True])',
        dict(g=torch.randn(x.shape), x=x, mean=mean, rstd=rstd, w=w))

# ---- losses ----
XT = ('f32[2, 4]', 'f32[2, 4]')
P = 'f32[2, 4]=0.1,0.5,0.9,0.25,0,1,0.625,0.3'
for red in (0, 1, 2):
    g = 'f32[2, 4]' if red == 0 else 'f32[]'
    A('l1_loss.default', 'a, b, %d' % red, *XT)
    A('smooth_l1_loss.default', 'a, b, %d, 0.75' % red, *XT)
    A('smooth_l1_loss_backward.default', 'c, a, b, %d, 0.75' % red, *XT, g)
    A('huber_loss.default', 'a, b, %d, 2.0' % red, *XT)
    A('huber_loss_backward.default', 'c, a, b, %d, 2.0' % red, *XT, g)
    A('binary_cross_entropy.default', 'a, b, None, %d' % red, P, P.replace('0.1', '0.75'))
    A('binary_cross_entropy_backward.default', 'c, a, b, None, %d' % red, P.replace('=0.1', '=0.2').replace('0,1', '0.5,0.75'), P, g)
    A('binary_cross_entropy_with_logits.default', 'a, b, c, d, %d' % red, 'f32[2, 4]', P, 'f32[4]+', 'f32[4]+')
    A('kl_div.default', 'a, b, %d' % red, 'f32[2, 4]', P)
A('binary_cross_entropy.default', 'a, b, c', P, P, 'f32[2, 4]+')
A('binary_cross_entropy_with_logits.default', 'a, b', 'f32[2, 4]', P)
A('kl_div.default', 'a, b, log_target = True', *XT)
C('torch.nn.functional.mse_loss(a, b)', *XT)
C("torch.nn.functional.smooth_l1_loss(a, b, reduction = 'sum', beta = 2.0)", *XT)
C("torch.nn.functional.l1_loss(a, b, reduction = 'none')", *XT)
C('torch.nn.functional.binary_cross_entropy_with_logits(a, b, pos_weight = c)', 'f32[2, 4]', P, 'f32[4]+')


# ---- lists of tensors ----
def L(op, args, *specs):
    """_foreach: results are a list."""
    params = {chr(97 + i): draw(x) for i, x in enumerate(specs)}
    results(op, 'torch.ops.aten._foreach_%s(%s)' % (op, args), params)


TWO, MORE = ('f32[2, 3]', 'f32[4]'), ('f32[2, 3]+', 'f32[4]+')
for f in 'add sub mul div maximum minimum clamp_min clamp_max'.split():
    L(f + '.List', '[a, b], [c, d]', *TWO, *MORE)
    L(f + '.Scalar', '[a, b], 1.5', *TWO)
L('add.List', '[a, b], [c, d], alpha = 3', *TWO, *MORE)
L('add.Tensor', '[a, b], c, alpha = 2', *TWO, 'f32[]')
L('mul.Tensor', '[a, b], c', *TWO, 'f32[]')
L('div.Tensor', '[a, b], c', *TWO, 'f32[]+')
L('pow.Scalar', '[a, b], 2', *TWO)
L('pow.List', '[a, b], [c, d]', *MORE, *TWO)
for f in 'sqrt reciprocal log rsqrt'.split():
    L(f + '.default', '[a, b]', *MORE)
for f in 'abs exp sign neg'.split():
    L(f + '.default', '[a, b]', *TWO)
L('lerp.Scalar', '[a, b], [c, d], 0.25', *TWO, *MORE)
L('lerp.List', '[a, b], [c, d], [e, f]', *TWO, *MORE, *TWO)
L('addcmul.Scalar', '[a, b], [c, d], [e, f], 0.5', *TWO, *MORE, *TWO)
L('addcdiv.Scalar', '[a, b], [c, d], [e, f], -2', *TWO, *TWO, *MORE)
L('copy.default', '[a, b], [c, d]', *TWO, *MORE)
for o in ('', ', 1', ', inf'):
    L('norm.Scalar', '[a, b]' + o, *TWO)


# ---- a step of Adam; results are lists of lists ----
def adam(op, amsgrad, maximize, decay, inplace):
    names = ['p', 'g', 'm', 'v', 'x'][:5 if amsgrad else 4]
    params = {n + str(k): draw(('f32[2, 3]', 'f32[4]')[k] + ('+' if n in 'vx' else '')) for n in names for k in (0, 1)}
    params.update(s0=torch.tensor(3.), s1=torch.tensor(7.))
    args = ', '.join('[%s0, %s1]' % (n, n) for n in names) + (', ' if amsgrad else ', [], ') + '[s0, s1]'
    more = 'lr = 0.1, beta1 = 0.9, beta2 = 0.99, weight_decay = %s, eps = 1e-05, amsgrad = %s, maximize = %s' % (decay, amsgrad, maximize)
    call = 'torch.ops.aten.%s(%s, %s)' % (op + ('_' if inplace else '') + '.default', args, more)
    env = dict(globals(), **{n: x.clone() for n, x in params.items()})
    r = eval(call, env)
    flat = [env[n + str(k)] for n in names for k in (0, 1)] if inplace else [x for xs in r for x in xs]
    lines = ['r = ' + call]
    if not inplace:
        lines += ['r_%d = r[%d]' % (i, i) for i in range(len(names))]
        lines += ['r_%d_%d: %s = r_%d[%d]' % (i, k, annotation(r[i][k]), i, k) for i in range(len(names)) for k in (0, 1)]
    out = ['%s%d' % (n, k) if inplace else 'r_%d_%d' % (i, k) for i, n in enumerate(names) for k in (0, 1)]
    emit('%s_%s_%s_%s' % (op, amsgrad, decay, inplace), params, lines + ['return (%s,)' % ', '.join(out)], [flat])


adam('_fused_adamw', False, False, 0.01, False)
adam('_fused_adamw', False, True, 0.01, True)
adam('_fused_adamw', True, False, 0.0, False)
adam('_fused_adam', False, False, 0.25, True)
adam('_fused_adam', True, True, 0.25, False)

# ---- products in groups, and of scaled floats ----
A('_grouped_mm.default', 'a, b, c', 'bf16[6, 8]<3', 'bf16[3, 8, 8]<3', 'i32[3]=2,2,6')
A('_grouped_mm.default', 'a, b, c', 'bf16[3, 8, 8]<3', 'bf16[8, 8]<3', 'i32[3]=1,6,8')
A('_grouped_mm.default', 'a, b, c', 'bf16[8, 8]<3', 'bf16[8, 8]<3', 'i32[3]=1,6,8')
A('_grouped_mm.default', 'a, b', 'bf16[2, 8, 8]<3', 'bf16[2, 8, 8]<3')
SCALED = 'torch._scaled_mm(a, b, c, d%s, out_dtype = torch.float32)'
for bias in ('', ', bias = e'):
    C(SCALED % bias, 'f8e4m3fn[3, 16]', 'f8e4m3fn[16, 16]', 'f32[]+', 'f32[]+', 'f32[16]')
a, b, c, d = (draw(x) for x in ('f8e4m3fn[3, 4]', 'f8e4m3fn[4, 5]', 'f32[3, 1]+', 'f32[1, 5]+'))
r = a.float() @ b.float() * c * d  # scales of rows: not on CPUs
emit('scaled_mm_rows', dict(a=a, b=b, c=c, d=d), ['r: %s = %s' % (annotation(r), SCALED % ''), 'return (r,)'], [[r]])

# ---- complex numbers ----
A('view_as_complex.default', 'a', 'f32[3, 4, 2]')
A('view_as_real.default', 'a', 'c64[3, 2]')
C('a * b', 'c64[3, 2]', 'c64[2]')
A('mul.Tensor', 'a, b', 'c64[2, 3]', 'c64[2, 1, 3]')
A('mul.Tensor', 'a, b', 'c64[2, 3]', 'f32[4, 1, 3]', name='complex_times_real')
A('mul.Tensor', 'a, b', 'f32[4, 1, 3]', 'c64[2, 3]', name='real_times_complex')
A('mul.Tensor', 'a, 2.5', 'c64[2, 3]')
for f in 'add sub'.split():
    A(f + '.Tensor', 'a, b', 'c64[2, 3]', 'c64[2, 1, 3]')
A('add.Tensor', 'a, b, alpha = 3', 'c64[2, 3]', 'c64[3]')
for f in '_conj conj_physical abs real imag neg clone'.split():
    A(f + '.default', 'a', 'c64[2, 3]')
A('polar.default', 'a, b', 'f32[2, 3]+', 'f32[2, 3]')
A('complex.default', 'a, b', 'f32[2, 3]', 'f32[3]')
A('view.default', 'a, [1, 2, 1, -1]', 'c64[2, 3]')
A('view.default', 'a, [3]', 'c64[3]')
A('expand.default', 'a, [4, -1, 3]', 'c64[2, 3]')
for d in (0, 2, -1, -2):
    A('unsqueeze.default', 'a, %d' % d, 'c64[2, 3]')
    if d < 2:
        A('select.int', 'a, %d, 1' % d, 'c64[2, 3]')
        A('slice.Tensor', 'a, %d, 1, 2' % d, 'c64[2, 3]')
        A('cat.default', '[a, b], %d' % d, 'c64[2, 3]', 'c64[2, 3]')
        A('split.Tensor', 'a, 1, %d' % d, 'c64[2, 2]')
    A('stack.default', '[a, b], %d' % d, 'c64[2, 3]', 'c64[2, 3]')
A('slice.Tensor', 'a, 0, 1, 9223372036854775807', 'c64[4, 3]')
A('squeeze.dim', 'a, -1', 'c64[2, 1]')
A('transpose.int', 'a, -1, 0', 'c64[2, 3, 4]')
A('permute.default', 'a, [2, -3, 1]', 'c64[2, 3, 4]')
A('index.Tensor', 'a, [b]', 'c64[4, 3]', 'i64[2]<-4:4')

# ---- lists of tensors with lists of numbers ----
for f in 'add sub mul div maximum minimum'.split():
    L(f + '.ScalarList', '[a, b], [1.5, -2]', *TWO)
L('pow.ScalarList', '[a, b], [2, 0.5]', *MORE)
L('addcmul.ScalarList', '[a, b], [c, d], [e, f], [0.5, 1e-02]', *TWO, *MORE, *TWO)
L('addcdiv.ScalarList', '[a, b], [c, d], [e, f], [-2, 4]', *TWO, *TWO, *MORE)

# ---- other sizes ----
for e in ('', '_exact'):
    p = '_' if e else ''
    A(p + 'upsample_nearest%s2d.vec' % e, 'a, None, [2.0, 3.0]', 'f32[1, 2, 3, 2]')
    A(p + 'upsample_nearest%s2d.vec' % e, 'a, [5, 2], None', 'f32[1, 2, 3, 4]')
    A(p + 'upsample_nearest%s1d.default' % e, 'a, [6], 2.0', 'f32[1, 2, 3]')
    A(p + 'upsample_nearest%s3d.default' % e, 'a, [2, 4, 3]', 'f32[1, 1, 2, 2, 2]')
    A(p + 'upsample_nearest%s2d_backward.default' % e, 'a, [6, 4], [1, 2, 3, 2], 2.0, 2.0', 'f32[1, 2, 6, 4]')
    A(p + 'upsample_nearest%s2d_backward.default' % e, 'a, [5, 2], [1, 2, 3, 4]', 'f32[1, 2, 5, 2]')
for c in ('False', 'True'):
    A('upsample_bilinear2d.vec', 'a, None, %s, [2.0, 2.0]' % c, 'f32[1, 2, 3, 2]')
    A('upsample_bilinear2d.vec', 'a, [5, 3], %s, None' % c, 'f32[1, 2, 3, 4]')
    A('upsample_bilinear2d.default', 'a, [1, 8], %s, None, 2.0' % c, 'f32[1, 2, 3, 4]')
    A('upsample_linear1d.vec', 'a, [7], %s, None' % c, 'f32[2, 2, 3]')
    A('upsample_trilinear3d.vec', 'a, [3, 1, 4], %s, None' % c, 'f32[1, 1, 2, 3, 2]')
for f in ('reflection', 'replication'):
    A(f + '_pad1d.default', 'a, [2, 1]', 'f32[2, 4]')
    A(f + '_pad2d.default', 'a, [2, 1, 0, 1]', 'f32[1, 2, 3, 4]')
    A(f + '_pad3d.default', 'a, [1, 0, 1, 1, 0, 1]', 'f32[1, 2, 2, 3]')
    A(f + '_pad1d_backward.default', 'b, a, [2, 1]', 'f32[2, 4]', 'f32[2, 7]')
    A(f + '_pad2d_backward.default', 'b, a, [2, 1, 0, 1]', 'f32[1, 2, 3, 4]', 'f32[1, 2, 4, 7]')

# ---- what depends on elements before ----
for f in 'cummax cummin'.split():
    A(f + '.default', 'a, 1', 'f32[2, 6]<4')
    A(f + '.default', 'a, -2', 'i64[5, 2]<4')
A('logcumsumexp.default', 'a, 0', 'f32[4, 2]')
for r in ('', ', right = True'):
    A('bucketize.Tensor', 'a, b' + r, 'f32[2, 3]<6', 'f32[4]=0,1,1,4')
    A('bucketize.Tensor', 'a, b, out_int32 = True' + r, 'i64[5]<6', 'i64[3]=1,2,4')
    A('searchsorted.Tensor', 'a, b' + r, 'f32[2, 4]=0,1,2,3,1,1,2,5', 'f32[2, 3]<6')
    A('searchsorted.Tensor', 'a, b' + r, 'f32[4]=0,1,2,2', 'f32[2, 3]<6')
A('searchsorted.Tensor', "a, b, side = 'right'", 'i64[4]=0,1,2,2', 'i64[3]=0,2,3')
A('masked_scatter.default', 'a, b, c', 'f32[3, 4]', 'b8[3, 4]', 'f32[12]')
A('masked_scatter.default', 'a, b, c', 'i64[3, 4]', 'b8[3, 1]', 'i64[4, 3]')

# ---- diagonals, pixels ----
for o in (0, 1, -1, 3):
    A('diagonal.default', 'a, %d' % o, 'f32[3, 4]')
    A('diagonal.default', 'a, %d, -1, 0' % o, 'f32[3, 2, 4]')
    A('diag_embed.default', 'a, %d' % o, 'f32[2, 3]')
    A('diagonal_backward.default', 'a, [3, 4], %d, 0, 1' % o, 'f32[%d]' % {0: 3, 1: 3, -1: 2, 3: 1}[o])
A('diag_embed.default', 'a, 1, 0, 2', 'f32[2, 3]')
A('diagonal_scatter.default', 'a, b, 1', 'f32[3, 4]', 'f32[3]')
A('diagonal_scatter.default', 'a, b, -1, 2, 0', 'f32[3, 2, 4]', 'f32[2, 3]')
A('pixel_shuffle.default', 'a, 2', 'f32[1, 8, 2, 3]')
A('pixel_unshuffle.default', 'a, 2', 'f32[2, 4, 6]')

# ---- classes of each pixel ----
for red in (0, 1, 2):
    A('nll_loss2d_forward.default', 'a, b, None, %d, -100' % red, 'f32[2, 3, 2, 2]', 'i64[2, 2, 2]<3', skip=(1,) if red == 0 else ())
    A('nll_loss2d_forward.default', 'a, b, c, %d, 1' % red, 'f32[2, 3, 2, 2]', 'i64[2, 2, 2]<3', 'f32[3]+', skip=(1,) if red == 0 else ())
    A('nll_loss2d_backward.default', 'd, a, b, None, %d, 1, c' % red, 'f32[2, 3, 2, 2]', 'i64[2, 2, 2]<3', 'f32[]=4', 'f32[2, 2, 2]' if red == 0 else 'f32[]')
C('torch.nn.functional.cross_entropy(a, b)', 'f32[2, 3, 4]', 'i64[2, 4]<3')

# ---- bags, normalized weights ----
for o in ('0', '1'):
    A('_embedding_bag.default', 'a, b, c, False, ' + o, 'f32[5, 3]', 'i64[6]<5', 'i64[4]=0,2,2,5', skip=(1, 2, 3))
    A('_embedding_bag.default', 'a, b, c, False, %s, False, None, True, 2' % o, 'f32[5, 3]', 'i64[6]<5', 'i64[4]=0,2,3,6', skip=(1, 2, 3))
A('_embedding_bag_forward_only.default', 'a, b, c, False, 0, False, d', 'f32[5, 3]', 'i64[6]<5', 'i64[3]=0,2,3', 'f32[6]', skip=(1, 2, 3))
for d, g in ((0, 'f32[3, 1, 1]'), (2, 'f32[1, 1, 4]')):
    A('_weight_norm_interface.default', 'a, b, %d' % d, 'f32[3, 2, 4]', g)
    A('_weight_norm_interface_backward.default', 'a, b, c, d, %d' % d, 'f32[3, 2, 4]', 'f32[3, 2, 4]', g, g + '+')


# ---- collectives of c10d on lists: four ranks, in an order of their own; computed here ----
def lists(name, call, f):
    """ins, outs by position: f(position, member's [a, b, c, d] by position) -> list of results, written into e0, e1, ..."""
    order = [2, 0, 3, 1]
    ins = [[draw('f32[2]') for _ in range(4)] for _ in range(4)]
    by = [ins[r] for r in order]
    outs = [f(order.index(r), by) for r in range(4)]
    lines = ['g = self._torchbind_obj0']
    lines += ['e%d: %s = torch.ops.aten.empty.memory_format([%d])' % (k, annotation(x), len(x)) for k, x in enumerate(outs[0])]
    lines += ['written = torch.ops.c10d.' + call, 'return (%s,)' % ', '.join('e%d' % k for k in range(len(outs[0])))]
    emit('c10d_' + name, dict(zip('abcd', ins[0])), lines, outs, 4, ['_torchbind_obj0 2,0,3,1'], ins)


lists('alltoall', 'alltoall_.default([e0, e1, e2, e3], [a, b, c, d], g, False)', lambda p, by: [x[p] for x in by])
for op, g in (('sum', lambda x: x.sum(0)), ('avg', lambda x: x.mean(0)), ('max', lambda x: x.amax(0))):
    lists('reduce_scatter_' + op, "reduce_scatter_.default([e0], [[a, b, c, d]], g, '%s', False)" % op, lambda p, by: [g(torch.stack([x[p] for x in by]))])
lists('allgather_coalesced', 'allgather_into_tensor_coalesced_.default([e0, e1], [a, b], g, False)', lambda p, by: [torch.cat([x[k] for x in by]) for k in (0, 1)])
lists('allgather', 'allgather_.default([[e0, e1, e2, e3]], [b], g, False)', lambda p, by: [x[1] for x in by])

# ---- more activations, more functions ----
X = 'f32[7]=-4,-0.5,-0.25,0,0.5,1,3'
A('log_sigmoid_forward.default', 'a', X)
A('log_sigmoid_backward.default', 'a, b, c', 'f32[7]', X, 'f32[7]+')
for f in 'hardshrink softshrink'.split():
    A(f + '.default', 'a', X)
    A(f + '_backward.default', 'b, a, 0.75', X, 'f32[7]')
A('prelu.default', 'a, b', 'f32[2, 3, 2]', 'f32[3]')
A('prelu.default', 'a, b', 'f32[4]', 'f32[1]')
A('_prelu_kernel.default', 'a, b', 'f32[2, 3, 2]', 'f32[1, 3, 1]')
A('_prelu_kernel_backward.default', 'a, b, c', 'f32[2, 3, 2]', 'f32[2, 3, 2]', 'f32[1, 3, 1]')
A('selu.default', 'a', X)
A('celu.default', 'a, 1.5', X)
C('torch.nn.functional.softsign(a)', X)
A('isposinf.default', 'a', 'f32[4]=inf,1,-inf,0')
A('isneginf.default', 'a', 'f32[4]=inf,1,-inf,0')
A('nan_to_num.default', 'a, 0.0, 5.0, -7.0', 'f32[4]=inf,1,-inf,0')
A('nan_to_num.default', 'a', 'f32[4]=inf,1,-inf,0')
A('frac.default', 'a', X)
for f in 'logaddexp hypot fmax fmin'.split():
    A(f + '.default', 'a, b', 'f32[2, 3]', 'f32[3]')
A('xlogy.Tensor', 'a, b', 'f32[4]=0,1,2,-1', 'f32[4]=0.5,1,2,3')
A('xlogy.Scalar_Other', 'a, 3', X)

# ---- gradients of linear interpolation, windows as columns ----
for c in ('False', 'True'):
    A('upsample_bilinear2d_backward.default', 'a, [6, 4], [1, 2, 3, 2], %s, 2.0, 2.0' % c, 'f32[1, 2, 6, 4]')
    A('upsample_bilinear2d_backward.default', 'a, [5, 2], [1, 2, 3, 4], %s' % c, 'f32[1, 2, 5, 2]')
for w, o, shape in (('[2, 2], [1, 1], [0, 0], [1, 1]', '[3, 4]', 'f32[2, 8, 6]'), ('[3, 2], [1, 2], [1, 0], [2, 1]', '[5, 6]', 'f32[12, 12]')):
    A('im2col.default', 'a, ' + w, 'f32[%s2, %s' % ('2, ' if shape.count(',') == 2 else '', o[1:]))
    A('col2im.default', 'a, %s, %s' % (o, w), shape)
C('torch.nn.functional.unfold(a, 2, padding = 1)', 'f32[1, 2, 3, 3]')

report()
