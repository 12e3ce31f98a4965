"""Writes tests/oracle/aten.txt: calls of PyTorch operators, their inputs, and the results that PyTorch computes.

    python3 -m venv venv && venv/bin/pip install torch==2.9.1 numpy
    venv/bin/python tests/oracle/gen_aten.py > tests/oracle/aten.txt

SEED=n in the environment draws other inputs (compare with SHARDPROOF_ATEN=file). aten_cases.py says what a case is;
layers of networks and what trains them are in gen_aten_nn.py. Collectives are computed here from the inputs of all
ranks (by hand).
"""
import re
import torch
from aten_cases import A, C, annotation, draw, emit, report, seed
from torch import inf

seed(11)

# ---- elementwise, two operands ----
for f in 'add sub mul div maximum minimum'.split():
    o = f + ('.Tensor' if f not in ('maximum', 'minimum') else '.default')
    A(o, 'a, b', 'f32[2, 3]', 'f32[2, 3]+')
    A(o, 'a, b', 'f32[2, 1, 3]', 'f32[4, 1]+', name=o + '_broadcast')
    A(o, 'a, b', 'i64[2, 3]', 'i64[3]<1:9', name=o + '_ints')
A('add.Tensor', 'a, b, alpha = 3', 'f32[2, 3]', 'f32[3]')
A('add.Tensor', 'a, b, alpha = 0.5', 'f32[2, 3]', 'f32[]')
A('add.Tensor', 'a, 1', 'f32[2]')
A('add.Tensor', 'a, 2.5', 'i64[3]')
A('add.Tensor', 'a, b', 'i64[3]', 'f32[]')
A('add.Tensor', 'a, b', 'b8[4]', 'b8[4]')
A('add.Tensor', 'a, b', 'b8[4]', 'i64[4]')
A('add.Tensor', 'a, b', 'i32[4]', 'i64[4]')
A('add.Scalar', 'a, 4', 'i64[3]')
A('sub.Tensor', 'a, b, alpha = 2', 'f32[2, 3]', 'f32[2, 3]')
A('sub.Tensor', 'a, 7', 'i64[3]')
A('rsub.Scalar', 'a, 1.0', 'f32[3]')
A('rsub.Scalar', 'a, 5, 2', 'f32[3]')
A('rsub.Tensor', 'a, b, alpha = 2', 'f32[3]', 'f32[3]')
A('mul.Tensor', 'a, b', 'b8[3]', 'f32[3]')
A('mul.Tensor', 'a, b', 'b8[3]', 'i64[3]')
A('mul.Scalar', 'a, 0.25', 'f32[3]')
A('div.Tensor', 'a, b', 'i64[4]', 'i64[4]<1:6')
A('div.Tensor', 'a, 4', 'i64[4]')
A('div.Scalar', 'a, 8', 'f32[4]')
for mode in ('trunc', 'floor'):
    A('div.Tensor_mode', "a, 3, rounding_mode = '%s'" % mode, 'i64[9]')
    A('div.Tensor_mode', "a, -3, rounding_mode = '%s'" % mode, 'i64[9]')
    A('div.Tensor_mode', "a, b, rounding_mode = '%s'" % mode, 'i64[9]', 'i64[9]=-3,-2,-1,1,2,3,4,-7,5')
    A('div.Tensor_mode', "a, b, rounding_mode = '%s'" % mode, 'f32[9]', 'f32[9]=-3,-2,-1,1,2,3,4,-7,5')
A('floor_divide.default', 'a, 4', 'i64[9]')
A('floor_divide.default', 'a, -4', 'i64[9]')
A('floor_divide.default', 'a, 1.5', 'f32[9]')
A('remainder.Scalar', 'a, 5', 'i64[9]')
A('remainder.Scalar', 'a, -5', 'i64[9]')
A('remainder.Scalar', 'a, 1.75', 'f32[9]')
A('remainder.Tensor', 'a, b', 'i64[9]', 'i64[9]=-3,-2,-1,1,2,3,4,-7,5')
A('remainder.Tensor', 'a, b', 'f32[9]', 'f32[9]=-3,-2,-1,1,2,3,4,-7,5')
A('fmod.Scalar', 'a, 5', 'i64[9]')
A('fmod.Tensor', 'a, b', 'i64[9]', 'i64[9]=-3,-2,-1,1,2,3,4,-7,5')
A('fmod.Tensor', 'a, b', 'f32[9]', 'f32[9]=-3,-2,-1,1,2,3,4,-7,5')
for e in ('2', '3', '-1', '0.5', '-0.5', '1.5', '0'):
    A('pow.Tensor_Scalar', 'a, ' + e, 'f32[5]+')
A('pow.Tensor_Scalar', 'a, 2', 'f32[5]')
A('pow.Tensor_Scalar', 'a, 3', 'i64[5]')
A('pow.Tensor_Tensor', 'a, b', 'f32[5]+', 'f32[5]')
A('pow.Scalar', '10000.0, a', 'f32[5]=0,0.25,0.5,0.75,1')
A('atan2.default', 'a, b', 'f32[5]', 'f32[5]')
for f in 'and or xor'.split():
    A('bitwise_%s.Tensor' % f, 'a, b', 'b8[6]', 'b8[6]')
    A('bitwise_%s.Tensor' % f, 'a, b', 'i64[6]', 'i64[6]')
    A('bitwise_%s.Scalar' % f, 'a, 6', 'i64[6]')
    A('logical_%s.default' % f, 'a, b', 'f32[6]=0,1,0,-1,2,0', 'f32[6]=0,0,3,-1,0,1')
A('bitwise_left_shift.Tensor_Scalar', 'a, 3', 'i64[5]')
A('bitwise_right_shift.Tensor_Scalar', 'a, 2', 'i64[5]')
A('bitwise_not.default', 'a', 'i64[5]')
A('bitwise_not.default', 'a', 'b8[5]')
A('logical_not.default', 'a', 'f32[4]=0,1,0,-2')
for f in 'eq ne lt le gt ge'.split():
    A(f + '.Tensor', 'a, b', 'f32[8]<3', 'f32[8]')
    A(f + '.Tensor', 'a, b', 'i64[2, 4]<4', 'i64[4]<4')
    A(f + '.Tensor', 'a, b', 'b8[6]', 'b8[6]')
    A(f + '.Scalar', 'a, 1', 'i64[6]<3')
    A(f + '.Scalar', 'a, 1.5', 'i64[6]<4')
    A(f + '.Scalar', 'a, 0', 'f32[6]')
A('where.self', 'a, b, c', 'b8[2, 3]', 'f32[3]', 'f32[2, 1]')
A('where.self', 'a, b, c', 'b8[4]', 'f32[]', 'f32[4]')
A('where.self', 'a, b, c', 'b8[4]', 'i64[]', 'f32[4]')
A('where.ScalarOther', 'a, b, 2.0', 'b8[4]', 'f32[4]')
A('masked_fill.Scalar', 'a, b, -inf', 'f32[2, 3]', 'b8[3]')
A('masked_fill.Scalar', 'a, b, 0', 'i64[2, 3]', 'b8[2, 1]')
A('masked_fill.Tensor', 'a, b, c', 'f32[2, 3]', 'b8[3]', 'f32[]')
A('clamp.default', 'a, -1, 2', 'f32[7]')
A('clamp.default', 'a, None, 2.5', 'f32[7]')
A('clamp.default', 'a, 0', 'i64[7]')
A('clamp.default', 'a, 3, 1', 'f32[7]')
A('clamp.Tensor', 'a, b, c', 'f32[2, 3]', 'f32[3]', 'f32[]')
A('clamp_min.default', 'a, 0.5', 'f32[5]')
A('clamp_max.default', 'a, 1', 'f32[5]')
A('hardtanh.default', 'a', 'f32[5]')
A('hardtanh.default', 'a, -2, 1.5', 'f32[5]')
A('addcmul.default', 'a, b, c, value = 0.5', 'f32[2, 3]', 'f32[3]', 'f32[2, 1]')
A('addcdiv.default', 'a, b, c', 'f32[3]', 'f32[3]', 'f32[3]+')
A('lerp.Scalar', 'a, b, 0.25', 'f32[3]', 'f32[3]')
A('lerp.Tensor', 'a, b, c', 'f32[3]', 'f32[3]', 'f32[3]')
for e in ('a + b', 'a - b', 'a * b', 'a / b', 'a ** 2', '1.0 / b', '2.0 ** a', 'a // b', 'a % b', '1 - a', '-a', 'a < b', 'a >= b',
          'a == b', 'a != 1.0'):
    C(e, 'f32[2, 3]', 'f32[3]+')
for e in ('a & b', 'a | b', 'a ^ b', '~a'):
    C(e, 'b8[5]', 'b8[5]')
C('torch.add(a, b, alpha = 2)', 'f32[3]', 'f32[3]')
C('a.masked_fill(b, -inf)', 'f32[2, 2]', 'b8[2, 2]')
C('torch.where(a, b, 0.0)', 'b8[3]', 'f32[3]')
C('b.where(a, c)', 'b8[3]', 'f32[3]', 'f32[3]')

# ---- elementwise, one operand ----
for f in 'exp sin cos tan tanh asinh atan erf erfc expm1 exp2 sinh cosh sigmoid abs neg sign floor ceil trunc round square'.split():
    A(f + '.default', 'a', 'f32[6]')
for f in 'log sqrt rsqrt reciprocal log1p log2 log10'.split():
    A(f + '.default', 'a', 'f32[6]+')
for f in 'asin acos atanh'.split():
    A(f + '.default', 'a', 'f32[4]=-0.5,0,0.25,0.75')
A('acosh.default', 'a', 'f32[3]=1,2,3.5')
for f in 'exp sigmoid sqrt'.split():
    A(f + '.default', 'a', 'i64[4]<5')
for f in 'abs neg sign floor ceil square'.split():
    A(f + '.default', 'a', 'i64[6]')
A('isinf.default', 'a', 'f32[4]=inf,1,-inf,0')
A('isnan.default', 'a', 'f32[3]')
for mode in ('none', 'tanh'):
    A('gelu.default', "a, approximate = '%s'" % mode, 'f32[6]')
    A('gelu_backward.default', "a, b, approximate = '%s'" % mode, 'f32[6]', 'f32[6]')
A('gelu.default', 'a', 'f32[6]')
A('gelu_backward.default', 'a, b', 'f32[6]', 'f32[6]')
for f in 'silu relu relu6 hardsigmoid hardswish mish'.split():
    A(f + '.default', 'a', 'f32[7]')
A('relu.default', 'a', 'i64[5]')
for f in 'silu_backward sigmoid_backward tanh_backward'.split():
    A(f + '.default', 'a, b', 'f32[6]', 'f32[6]')
A('threshold.default', 'a, 0.5, -1.0', 'f32[6]')
A('threshold_backward.default', 'a, b, 0', 'f32[6]', 'f32[6]=0,1,-1,2,0,-3')
A('leaky_relu.default', 'a, 0.1', 'f32[6]')
A('leaky_relu_backward.default', 'a, b, 0.1, False', 'f32[6]', 'f32[6]=0,1,-1,2,0,-3')
A('hardtanh_backward.default', 'a, b, -1, 2', 'f32[6]', 'f32[6]=-1,1,-3,2,0,3')
A('elu.default', 'a', 'f32[6]')
A('elu.default', 'a, 1.5, 0.5, 2', 'f32[6]')
A('softplus.default', 'a', 'f32[6]')
A('softplus.default', 'a, 2.0, 3.0', 'f32[6]')
A('softplus_backward.default', 'a, b, 2.0, 3.0', 'f32[6]', 'f32[6]')
A('glu.default', 'a', 'f32[2, 6]')
A('glu.default', 'a, 0', 'f32[4, 3]')
C('torch.nn.functional.logsigmoid(a)', 'f32[5]')
C('torch.nn.functional.silu(a)', 'f32[5]')
C('torch._C._nn.gelu(a)', 'f32[5]')
C("torch._C._nn.gelu(a, approximate = 'tanh')", 'f32[5]')

# ---- casts ----
for d in ('float32', 'float64', 'int64', 'bool'):
    for s in ('f32', 'i64', 'b8'):
        if not (s == 'f32' and d == 'int64'):
            A('_to_copy.default', 'a, dtype = torch.%s' % d, s + '[4]')
A('_to_copy.default', 'a, dtype = torch.int64', 'f32[6]=1.5,-1.5,0,2,-2.75,3')
A('_to_copy.default', "a, device = device(type='cpu')", 'f32[3]')
A('_to_copy.default', 'a, dtype = torch.int8', 'u8[5]<256')
A('clone.default', 'a, memory_format = torch.contiguous_format', 'f32[3]')
for f in 'detach alias lift_fresh_copy clone'.split():
    A(f + '.default', 'a', 'i64[3]')
A('copy.default', 'a, b', 'f32[2, 3]', 'f32[3]')
A('copy.default', 'a, b', 'f32[2, 3]', 'i64[1]')
for m in 'float double long bool'.split():
    C('a.%s()' % m, 'i64[4]<3')
C('a.to(torch.float64)', 'i64[3]')
C('a.to(dtype = torch.int64)', 'b8[3]')
C('a.type_as(b)', 'b8[3]', 'f32[1]')

# ---- views ----
A('view.default', 'a, [3, 4]', 'f32[2, 6]')
A('view.default', 'a, [-1, 2, 2]', 'f32[2, 6]')
A('view.default', 'a, [6]', 'f32[1, 2, 1, 3]')
A('view.default', 'a, []', 'f32[1, 1]')
A('_unsafe_view.default', 'a, [4, 3, 2]', 'f32[2, 3, 4]')
A('reshape.default', 'a, [-1]', 'f32[2, 3]')
C('a.view(2, -1)', 'f32[4, 3]')
C('a.reshape(3, 4)', 'f32[12]')
C('a.flatten()', 'f32[2, 3]')
C('a.flatten(-2)', 'f32[2, 3, 4]')
C('a.flatten(0, 1)', 'f32[2, 3, 4]')
C('a.unflatten(1, [2, -1])', 'f32[2, 6]')
C('a.view_as(b)', 'f32[6]', 'f32[2, 3]')
for d in (0, 1, -1, 2):
    A('unsqueeze.default', 'a, %d' % d, 'f32[2, 3]')
A('squeeze.dim', 'a, 1', 'f32[2, 1, 3]')
A('squeeze.dim', 'a, -1', 'f32[2, 1, 3]')
A('squeeze.default', 'a', 'f32[1, 2, 1, 3]')
A('squeeze.dims', 'a, [0, -2]', 'f32[1, 2, 1, 3]')
A('squeeze.dims', 'a, []', 'f32[1, 2]')
A('expand.default', 'a, [4, 2, 3]', 'f32[2, 1]')
A('expand.default', 'a, [-1, 5, -1]', 'f32[2, 1, 3]')
C('a.expand(3, 2)', 'f32[2]')
C('a.expand_as(b)', 'f32[1]', 'f32[2, 2]')
A('permute.default', 'a, [2, 0, 1]', 'f32[2, 3, 4]')
A('permute.default', 'a, [-1, 0, -2]', 'f32[2, 3, 4]')
A('transpose.int', 'a, -1, -3', 'f32[2, 3, 4]')
A('t.default', 'a', 'f32[2, 3]')
A('t.default', 'a', 'f32[3]')
C('a.transpose(0, 1)', 'f32[2, 3]')
C('a.permute(1, 0)', 'f32[2, 3]')
C('a.t()', 'f32[2, 3]')
C('a.T', 'f32[2, 3]')
C('a.mT', 'f32[2, 3, 4]')
A('flip.default', 'a, [0, -1]', 'f32[2, 3, 4]')
A('flip.default', 'a, []', 'f32[2]')
A('roll.default', 'a, [1], [1]', 'f32[2, 5]')
A('roll.default', 'a, [-2, 7], [0, -1]', 'f32[3, 4]')
A('roll.default', 'a, [4]', 'f32[2, 5]')
A('repeat.default', 'a, [2, 3]', 'f32[2, 3]')
A('repeat.default', 'a, [2, 1, 2]', 'f32[2, 3]')
C('a.repeat(2, 1)', 'f32[2, 3]')
C('torch.tile(a, [2])', 'f32[2, 3]')
A('repeat_interleave.self_int', 'a, 3, 1', 'f32[2, 3]')
A('repeat_interleave.self_int', 'a, 2', 'f32[2, 3]')
C('a.repeat_interleave(2, 0)', 'f32[2, 3]')
for s in ('0, 1, 3', '0, 1, 9223372036854775807', '1, -2, 9223372036854775807', '1, 0, -1', '0, 0, 9223372036854775807, 2',
          '-1, 1, 4, 3', '1, 3, 2', '0, -100, 100'):
    A('slice.Tensor', 'a, ' + s, 'f32[4, 5]')
A('slice.Tensor', 'a', 'f32[3]')
A('select.int', 'a, 0, 1', 'f32[2, 3]')
A('select.int', 'a, -1, -2', 'f32[2, 3]')
C('a.narrow(1, 1, 2)', 'f32[2, 4]')
A('slice_scatter.default', 'a, b, 1, 1, 3', 'f32[2, 4]', 'f32[2, 2]')
A('slice_scatter.default', 'a, b, 0, 0, 9223372036854775807, 2', 'f32[5, 2]', 'f32[3, 2]')
A('slice_scatter.default', 'a, b', 'f32[3]', 'f32[3]')
A('select_scatter.default', 'a, b, 1, -1', 'f32[2, 4]', 'f32[2]')
A('slice_backward.default', 'a, [2, 6], 1, 1, 5, 2', 'f32[2, 2]')
A('slice_backward.default', 'a, [4, 2], 0, 2, 9223372036854775807, 1', 'f32[2, 2]')
A('select_backward.default', 'a, [3, 2], 0, 1', 'f32[2]')
for e in ('a[1]', 'a[-1]', 'a[(0, 1)]', 'a[(slice(None, None, None), None)]', 'a[(Ellipsis, slice(0, None, 2))]',
          'a[(slice(1, None, None), Ellipsis, -1)]', 'a[(None, Ellipsis, 0, None)]', 'a[slice(None, -1, None)]', 'a[None]',
          'a[(Ellipsis, slice(-3, -1, None), slice(1, 9, 3))]'):
    C(e, 'f32[2, 3, 4]')
C('a[b]', 'f32[4, 3]', 'i64[2, 2]<-4:4')

# ---- joins, splits, padding ----
A('cat.default', '[a, b, c], 1', 'f32[2, 1]', 'f32[2, 3]', 'f32[2, 2]')
A('cat.default', '[a, b], -1', 'f32[2, 2]', 'f32[2, 2]')
A('cat.default', '[a, b]', 'f32[0]', 'f32[2, 2]')
A('stack.default', '[a, b, c], 1', 'f32[2, 2]', 'f32[2, 2]', 'f32[2, 2]')
A('stack.default', '[a, b], -1', 'f32[3]', 'f32[3]')
A('split.Tensor', 'a, 2, -1', 'f32[2, 5]')
A('split.Tensor', 'a, 3', 'f32[5]')
A('split_with_sizes.default', 'a, [1, 3, 2], 1', 'f32[2, 6]')
C('torch.split(a, [2, 3], dim = -1)', 'f32[2, 5]')
C('torch.chunk(a, 3, dim = 1)', 'f32[2, 7]')
C('a.chunk(2, -1)', 'f32[2, 4]')
A('unbind.int', 'a, 1', 'f32[2, 3]')
A('constant_pad_nd.default', 'a, [1, 2], 3.0', 'f32[2, 2]')
A('constant_pad_nd.default', 'a, [-1, 1, 2, 0]', 'f32[2, 3]')
C('torch.nn.functional.pad(a, (1, 1, 0, 2))', 'f32[2, 2]')

# ---- creation ----
A('arange.default', '5')
A('arange.default', "6, dtype = torch.float32, device = device(type='cpu'), pin_memory = False")
A('arange.default', '2.5')
A('arange.start', '3, 8')
A('arange.start_step', '1, 10, 3')
A('arange.start_step', '9, 0, -2')
A('arange.start_step', '0.5, 2.0, 0.25')
C('torch.arange(4)')
C('torch.arange(2, 9, 3)')
C('torch.arange(0, 4, 2, dtype = torch.float32)')
A('full.default', '[2, 2], -inf')
A('full.default', '[2], 3')
A('full.default', '[], True, dtype = torch.bool')
A('full_like.default', 'a, 2.5', 'f32[2]')
A('zeros.default', '[2, 2], dtype = torch.int64, layout = torch.strided')
A('ones.default', '[3]')
A('zeros_like.default', 'a, pin_memory = False', 'b8[3]')
A('ones_like.default', 'a, dtype = torch.float32', 'i64[3]')
A('new_zeros.default', 'a, [2, 2]', 'i64[1]')
A('new_ones.default', 'a, [2]', 'f32[1]')
A('new_full.default', 'a, [2], 7', 'f32[1]')
A('fill.Scalar', 'a, 4', 'f32[2]')
A('fill.Tensor', 'a, b', 'f32[2]', 'f32[]')
A('scalar_tensor.default', '0.5, dtype = torch.float32, layout = torch.strided')
A('scalar_tensor.default', '2, dtype = torch.int64')
A('linspace.default', '0, 1, 5')
A('eye.default', '3')
A('eye.m', '2, 3')
C('torch.ones(2, 3, dtype = torch.bool)')
C('torch.zeros([2])')
for f in ('triu', 'tril'):
    for d in ('', ', 1', ', -2'):
        A(f + '.default', 'a' + d, 'f32[2, 4, 3]')
C('a.triu(1)', 'b8[3, 3]')

# ---- reductions ----
for f in 'sum mean amax amin any all'.split():
    o = {'sum': 'sum.dim_IntList', 'mean': 'mean.dim', 'any': 'any.dims', 'all': 'all.dims'}.get(f, f + '.default')
    for d in ('[1]', '[-1], True', '[0, 2]', '[0, -1], True', '[]'):
        A(o, 'a, ' + d, 'f32[2, 3, 2]')
    A(o, 'a, [0]', 'i64[3, 2]<0:4', name=o + '_ints')
    A(o, 'a, [1]', 'b8[3, 2]', name=o + '_bools')
for f in 'sum mean prod max min any all argmax argmin'.split():
    A(f + '.default', 'a', 'f32[2, 3]')
A('sum.default', 'a', 'b8[5]')
A('sum.default', 'a, dtype = torch.float32', 'i64[5]')
A('sum.dim_IntList', 'a, [0], dtype = torch.float64', 'f32[2, 2]')
A('mean.default', 'a, dtype = torch.float32', 'i64[5]')
A('prod.dim_int', 'a, 1, True', 'f32[2, 3]')
A('any.dim', 'a, -1, True', 'b8[2, 3]')
A('sum.dim_IntList', 'a, [0]', 'f32[0, 2]', name='sum_of_nothing')
A('prod.dim_int', 'a, 0', 'f32[0, 2]', name='prod_of_nothing')
A('sum.default', 'a', 'f32[]')
for f in ('max.dim', 'min.dim'):
    A(f, 'a, 1', 'f32[2, 4]<0:3')
    A(f, 'a, -2, True', 'f32[3, 4]')
    A(f, 'a, 0', 'i64[5, 2]<3')
for f in ('argmax', 'argmin'):
    A(f + '.default', 'a, 1', 'i64[3, 5]<3')
    A(f + '.default', 'a, 0, True', 'f32[3, 2]')
A('logsumexp.default', 'a, [1]', 'f32[2, 3]')
A('logsumexp.default', 'a, [0, 1], True', 'f32[2, 3]')
A('count_nonzero.default', 'a', 'i64[6]<3')
A('var.correction', 'a, [1], correction = 0', 'f32[2, 4]')
A('var.correction', 'a, [0, 1], keepdim = True', 'f32[2, 4]')
A('var.dim', 'a, [1], False', 'f32[2, 4]')
A('var.default', 'a', 'f32[2, 4]')
A('var_mean.correction', 'a, [-1], correction = 0, keepdim = True', 'f32[2, 4]')
A('std.correction', 'a, [1], correction = 1', 'f32[2, 4]')
A('std.dim', 'a, [0]', 'f32[3, 2]')
for p in ('2', '1', 'inf', '-inf', '3', '0.5'):
    A('linalg_vector_norm.default', 'a, ' + p, 'f32[2, 3]+')
A('linalg_vector_norm.default', 'a, 2, [1], True', 'f32[2, 3]')
A('cumsum.default', 'a, 1', 'f32[2, 4]')
A('cumsum.default', 'a, -2', 'i64[3, 2]')
A('cumsum.default', 'a, 0', 'b8[5]')
A('cumprod.default', 'a, 0', 'f32[4]')
C('a.sum(-1, keepdim = True)', 'f32[2, 3]')
C('a.mean(0)', 'f32[2, 3]')
C('torch.sum(a)', 'f32[2, 3]')

# ---- products ----
A('mm.default', 'a, b', 'f32[2, 3]', 'f32[3, 4]')
A('mm.default', 'a, b', 'i64[2, 3]', 'i64[3, 2]')
A('mm.default', 'a, b', 'f32[2, 0]', 'f32[0, 3]')
A('bmm.default', 'a, b', 'f32[2, 2, 3]', 'f32[2, 3, 2]')
A('addmm.default', 'a, b, c', 'f32[3]', 'f32[2, 4]', 'f32[4, 3]')
A('addmm.default', 'a, b, c, beta = 0.5, alpha = 2.0', 'f32[2, 3]', 'f32[2, 4]', 'f32[4, 3]')
A('addmm.default', 'a, b, c, beta = 0', 'f32[1, 3]=inf,nan,1', 'f32[2, 4]', 'f32[4, 3]')
A('baddbmm.default', 'a, b, c, beta = 0.0, alpha = 0.25', 'f32[2, 2, 2]=nan,inf,0,1,2,3,nan,4', 'f32[2, 2, 3]', 'f32[2, 3, 2]')
A('baddbmm.default', 'a, b, c, beta = 2, alpha = 0.5', 'f32[2, 1, 2]', 'f32[2, 2, 3]', 'f32[2, 3, 2]')
A('addmv.default', 'a, b, c', 'f32[2]', 'f32[2, 3]', 'f32[3]')
A('mv.default', 'a, b', 'f32[2, 3]', 'f32[3]')
A('dot.default', 'a, b', 'f32[3]', 'f32[3]')
for s in (('[3]', '[3]'), ('[2, 3]', '[3]'), ('[3]', '[3, 2]'), ('[2, 3]', '[3, 2]'), ('[2, 2, 3]', '[3, 2]'), ('[2, 3]', '[4, 3, 2]'),
          ('[2, 1, 2, 3]', '[3, 3, 2]'), ('[3]', '[2, 3, 2]'), ('[2, 2, 3]', '[3]')):
    C('torch.matmul(a, b)', 'f32' + s[0], 'f32' + s[1], name='matmul%s%s' % s)
C('a @ b', 'f32[2, 3]', 'f32[3, 2]')
C('torch._C._nn.linear(a, b, c)', 'f32[2, 2, 3]', 'f32[4, 3]', 'f32[4]')
C('torch._C._nn.linear(a, b)', 'f32[3]', 'f32[4, 3]')
A('linear.default', 'a, b', 'f32[2, 3]', 'f32[4, 3]')
C('torch.outer(a, b)', 'f32[2]', 'f32[3]')
for e, s in (("'ij,jk->ik'", ('[2, 3]', '[3, 2]')), ("'bij,bkj->bik'", ('[2, 2, 3]', '[2, 4, 3]')), ("'ij,kj'", ('[2, 3]', '[2, 3]')),
             ("'ij,ij->'", ('[2, 3]', '[2, 3]')), ("'b h q d, b h k d -> b h q k'", ('[1, 2, 2, 3]', '[1, 2, 3, 3]')),
             ("'i,j->ji'", ('[2]', '[3]')), ("'...ij,jk->...ik'", ('[2, 2, 3]', '[3, 2]'))):
    C('torch.einsum(%s, a, b)' % e, 'f32' + s[0], 'f32' + s[1])
C("torch.einsum('ij,ij->i', a, a)", 'f32[2, 3]')
C("torch.einsum('ii->i', a)", 'f32[3, 3]')
C("torch.einsum('ij->j', a)", 'f32[2, 3]')

# ---- softmax ----
for f in ('_softmax', '_log_softmax'):
    A(f + '.default', 'a, -1, False', 'f32[2, 4]')
    A(f + '.default', 'a, 0, False', 'f32[3, 2]')
    A(f + '.default', 'a, 1, False', 'f32[2, 3]=1,-inf,2,-inf,0.5,-1', name=f + '_masked')
    A(f + '_backward_data.default', 'a, b, 1, torch.float32', 'f32[2, 3]', 'f32[2, 3]')
A('softmax.int', 'a, 1', 'f32[2, 3]')
A('softmax.int', 'a, 0, torch.float64', 'f32[3]')
A('_safe_softmax.default', 'a, -1', 'f32[2, 3]')
C('torch.softmax(a, -1)', 'f32[2, 3]')
C('torch.nn.functional.softmax(a, dim = -1)', 'f32[2, 3]')
C('torch.nn.functional.log_softmax(a, dim = 0)', 'f32[2, 3]')

# ---- norms ----
A('native_layer_norm.default', 'a, [4], b, c, 1e-05', 'f32[2, 3, 4]', 'f32[4]', 'f32[4]')
A('native_layer_norm.default', 'a, [3, 2], None, None, 0.1', 'f32[2, 3, 2]')
A('native_layer_norm.default', 'a, [3, 2], b, None, 0.1', 'f32[2, 3, 2]', 'f32[3, 2]')
for m in ('[True, True, True]', '[True, False, True]', '[False, True, True]'):
    A('native_layer_norm_backward.default', 'a, b, [3], c, d, e, f, ' + m, 'f32[2, 3]', 'f32[2, 3]', 'f32[2, 1]', 'f32[2, 1]+', 'f32[3]', 'f32[3]')
A('native_layer_norm_backward.default', 'a, b, [2, 2], c, d, None, None, [True, False, False]', 'f32[3, 2, 2]', 'f32[3, 2, 2]', 'f32[3, 1, 1]',
  'f32[3, 1, 1]+')
C('torch.nn.functional.layer_norm(a, (3,), b, c, 1e-05)', 'f32[2, 3]', 'f32[3]', 'f32[3]')
A('rms_norm.default', 'a, [4], b, 1e-06', 'f32[2, 4]', 'f32[4]')
A('rms_norm.default', 'a, [4]', 'f32[2, 4]')
A('_fused_rms_norm.default', 'a, [4], b, 1e-06', 'f32[2, 4]', 'f32[4]')


def rms_gradients():
    # the operator has no CPU kernel: by autograd
    x, w, g = draw('f32[2, 3]').requires_grad_(), draw('f32[3]').requires_grad_(), draw('f32[2, 3]')
    rstd = torch.rsqrt((x * x).mean(-1, keepdim=True) + 0.1)
    dx, dw = torch.autograd.grad(x * rstd * w, (x, w), g)
    expr = 'torch.ops.aten._fused_rms_norm_backward.default(g, x, [3], rstd, w, [True, True])'
    emit('fused_rms_norm_backward', dict(g=g, x=x, rstd=rstd, w=w), ['r = ' + expr, 'r_0: "f32[2, 3]" = r[0]', 'r_1: "f32[3]" = r[1]',
         'return (r_0, r_1)'], [[dx, dw]])


rms_gradients()
A('native_group_norm.default', 'a, b, c, 2, 4, 3, 2, 1e-05', 'f32[2, 4, 3]', 'f32[4]', 'f32[4]')
A('native_group_norm.default', 'a, None, None, 1, 4, 4, 4, 1e-05', 'f32[1, 4, 2, 2]')
A('_native_batch_norm_legit_no_training.default', 'a, b, c, d, e, 0.1, 1e-05', 'f32[2, 3, 2]', 'f32[3]', 'f32[3]', 'f32[3]', 'f32[3]+')

# ---- reading and writing at indices ----
A('embedding.default', 'a, b', 'f32[5, 3]', 'i64[2, 2]<5')
A('embedding.default', 'a, b, 1', 'f32[5, 3]', 'i64[4]<5')
A('embedding_dense_backward.default', 'a, b, 5, -1, False', 'f32[2, 3, 2]', 'i64[2, 3]<5')
A('embedding_dense_backward.default', 'a, b, 4, 2, False', 'f32[6, 2]', 'i64[6]<4')
C('torch.nn.functional.embedding(b, a)', 'f32[5, 3]', 'i64[3]<5')
A('index_select.default', 'a, 1, b', 'f32[2, 4]', 'i64[3]<4')
A('index_select.default', 'a, -2, b', 'f32[4, 2]', 'i64[5]<4')
A('gather.default', 'a, 1, b', 'f32[2, 4]', 'i64[2, 3]<4')
A('gather.default', 'a, -1, b', 'f32[3, 4]', 'i64[2, 1]<4')
A('gather.default', 'a, 0, b', 'f32[3, 4]', 'i64[2, 3]<3')
A('index.Tensor', 'a, [b]', 'f32[4, 3]', 'i64[2]<-4:4')
A('index.Tensor', 'a, [b, c]', 'f32[4, 3]', 'i64[5]<4', 'i64[5]<-3:3')
A('index.Tensor', 'a, [None, b]', 'f32[2, 4, 3]', 'i64[2, 2]<4')
A('index.Tensor', 'a, [b, None, c]', 'f32[2, 4, 3]', 'i64[5]<2', 'i64[5]<3')
A('index.Tensor', 'a, [None, b, c]', 'f32[2, 4, 3]', 'i64[2, 1]<4', 'i64[3]<3')
A('index.Tensor', 'a, [None, None, b]', 'f32[2, 2, 4]', 'i64[]<4')
A('index_put.default', 'a, [b], c', 'f32[2, 3]', 'b8[2, 3]', 'f32[]')
A('index_put.default', 'a, [b], c', 'f32[4, 3]', 'b8[4]', 'f32[3]')
A('index_put.default', 'a, [b], c', 'f32[4, 3]', 'b8[4]', 'f32[1, 3]')
A('index_put.default', 'a, [b], c, True', 'f32[2, 3]', 'b8[2, 3]', 'f32[1]')
A('index_put.default', 'a, [None, b], c', 'f32[2, 4, 3]', 'b8[4]', 'f32[2, 1, 3]')
A('index_put.default', 'a, [b], c', 'f32[4, 2]', 'i64[3]=2,0,3', 'f32[3, 2]')
A('index_put.default', 'a, [b], c', 'f32[4, 2]', 'i64[3]=-1,0,1', 'f32[2]')
A('index_put.default', 'a, [b], c, True', 'f32[4, 2]', 'i64[5]<4', 'f32[5, 2]')
A('index_put.default', 'a, [b, c], d', 'f32[4, 5]', 'i64[4]=0,1,2,3', 'i64[4]<5', 'f32[4]')
A('index_put.default', 'a, [b, c], d, True', 'f32[4, 3]', 'i64[6]<4', 'i64[6]<-3:3', 'f32[6]')
A('index_put.default', 'a, [None, b], c, True', 'f32[2, 4, 2]', 'i64[3]<4', 'f32[2, 3, 2]')
A('index_put.default', 'a, [b, None, c], d, True', 'f32[2, 2, 3]', 'i64[4]<2', 'i64[4]<3', 'f32[4, 2]')
A('scatter.src', 'a, 1, b, c', 'f32[2, 4]', 'i64[2, 3]=0,2,3,1,0,2', 'f32[2, 3]')
A('scatter.src', 'a, 0, b, c', 'f32[4, 3]', 'i64[2, 2]=0,1,3,2', 'f32[3, 3]')
A('scatter.value', 'a, 1, b, 2.5', 'f32[2, 4]', 'i64[2, 3]<4')
A('scatter_add.default', 'a, 1, b, c', 'f32[2, 3]', 'i64[2, 5]<3', 'f32[2, 5]')
A('scatter_add.default', 'a, 0, b, c', 'f32[4, 3]', 'i64[5, 2]<4', 'f32[6, 3]')
for r in ('sum', 'prod', 'amax', 'amin'):
    A('scatter_reduce.two', "a, 1, b, c, '%s'" % r, 'f32[2, 3]', 'i64[2, 5]<3', 'f32[2, 5]')
A('index_add.default', 'a, 1, b, c', 'f32[2, 4]', 'i64[5]<4', 'f32[2, 5]')
A('index_add.default', 'a, 0, b, c, alpha = 2', 'f32[4, 2]', 'i64[3]<4', 'f32[3, 2]')
A('index_copy.default', 'a, 0, b, c', 'f32[4, 2]', 'i64[3]=3,1,0', 'f32[3, 2]')
A('index_fill.int_Scalar', 'a, 1, b, 2', 'f32[2, 4]', 'i64[2]<4')
C('torch.nn.functional.one_hot(a, 4)', 'i64[2, 2]<4')

# ---- losses, dropout ----
for red in (0, 1, 2):
    A('nll_loss_forward.default', 'a, b, None, %d, -100' % red, 'f32[4, 3]', 'i64[4]<3', skip=(1,) if red == 0 else ())
    A('nll_loss_forward.default', 'a, b, c, %d, 1' % red, 'f32[4, 3]', 'i64[4]=0,1,2,0', 'f32[3]+', skip=(1,) if red == 0 else ())
    A('nll_loss_backward.default', 'd, a, b, None, %d, -100, c' % red, 'f32[4, 3]', 'i64[4]<3', 'f32[]=4', 'f32[4]' if red == 0 else 'f32[]')
    A('nll_loss_backward.default', 'e, a, b, c, %d, 1, d' % red, 'f32[4, 3]', 'i64[4]=0,1,2,0', 'f32[3]+', 'f32[]=2.5',
      'f32[4]' if red == 0 else 'f32[]')
    A('mse_loss.default', 'a, b, %d' % red, 'f32[2, 3]', 'f32[2, 3]')
    A('mse_loss_backward.default', 'c, a, b, %d' % red, 'f32[2, 3]', 'f32[2, 3]', 'f32[2, 3]' if red == 0 else 'f32[]')
A('nll_loss_forward.default', 'a, b, None, 1, -100', 'f32[3]', 'i64[]<3')
C('torch.nn.functional.cross_entropy(a, b)', 'f32[4, 3]', 'i64[4]=0,-100,2,1')
C("torch.nn.functional.cross_entropy(a, b, reduction = 'sum')", 'f32[4, 3]', 'i64[4]<3')
A('cross_entropy_loss.default', 'a, b, None, 0', 'f32[4, 3]', 'i64[4]<3')
A('native_dropout.default', 'a, 0.0, True', 'f32[4]', skip=(1,))
A('native_dropout_backward.default', 'a, b, 2.0', 'f32[4]', 'b8[4]')
C('torch.nn.functional.dropout(a, 0.5, False)', 'f32[4]')

# ---- attention ----
QKV = ('f32[2, 2, 3, 4]', 'f32[2, 2, 5, 4]', 'f32[2, 2, 5, 4]')
SQUARE = ('f32[1, 2, 4, 4]',) * 3
flash = '_scaled_dot_product_flash_attention_for_cpu'
A(flash + '.default', 'a, b, c', *QKV)
A(flash + '.default', 'a, b, c, 0.0, True', *SQUARE)
A(flash + '.default', 'a, b, c, 0.0, True', *QKV, name=flash + '_more_keys')
A(flash + '.default', 'a, b, c, attn_mask = d, scale = 0.5', *QKV, 'f32[3, 5]')
C('torch._C._nn.scaled_dot_product_attention(a, b, c)', *QKV)
C('torch._C._nn.scaled_dot_product_attention(a, b, c, is_causal = True)', 'f32[1, 2, 4, 3]', 'f32[1, 2, 4, 3]', 'f32[1, 2, 4, 2]')
C('torch._C._nn.scaled_dot_product_attention(a, b, c, attn_mask = d)', *QKV, 'b8[2, 1, 3, 5]=1,1,0,1,0,1,0,0,0,0,0,1,1,1,1,1,1,1,1,1,0,1,0,1,0,1,0,0,0,0')
C('torch._C._nn.scaled_dot_product_attention(a, b, c, enable_gqa = True, scale = 1.5)', 'f32[1, 4, 2, 3]', 'f32[1, 2, 3, 3]', 'f32[1, 2, 3, 3]')


def attention_gradients(causal, scale):
    q, k, v = (draw('f32[1, 2, 3, 4]') for _ in range(3))
    out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, causal, scale=scale)
    g = draw('f32[1, 2, 3, 4]')
    p = dict(g=g, q=q, k=k, v=v, out=out.contiguous(), lse=lse.contiguous())
    expr = 'torch.ops.aten.%s_backward.default(g, q, k, v, out, lse, 0.0, %s, scale = %s)' % (flash, causal, scale)
    r = eval(expr, dict(globals(), **p))
    lines = ['r = ' + expr] + ['r_%d: %s = r[%d]' % (i, annotation(x), i) for i, x in enumerate(r)]
    emit('attention_gradients_%s_%s' % (causal, scale), p, lines + ['return (r_0, r_1, r_2)'], [list(r)])


attention_gradients(False, None)
attention_gradients(True, 0.75)

# ---- convolution ----
A('convolution.default', 'a, b, c, [1, 1], [0, 0], [1, 1], False, [0, 0], 1', 'f32[1, 2, 4, 4]', 'f32[3, 2, 2, 2]', 'f32[3]')
A('convolution.default', 'a, b, None, [2, 1], [1, 2], [1, 2], False, [0, 0], 2', 'f32[1, 4, 4, 4]', 'f32[2, 2, 2, 2]')
A('convolution.default', 'a, b, c, [2], [1], [1], False, [0], 1', 'f32[2, 2, 5]', 'f32[3, 2, 3]', 'f32[3]')

# ---- collectives: computed here ----
GROUPS = {'0': [[0, 1, 2, 3]], '12': [[0, 1], [2, 3]], '7': [[1, 3], [2, 0]], 'one': [[0], [1], [2], [3]]}


def group_line(name):
    return '%s %s' % (name, '/'.join(','.join(map(str, g)) for g in GROUPS[name]))


def D(name, group, expr, spec, f):
    """f(rank's position, inputs of its group in order) -> the rank's result"""
    xs = [draw(spec) for _ in range(4)]
    outs = [None] * 4
    for g in GROUPS[group]:
        for i, r in enumerate(g):
            outs[r] = f(i, [xs[m] for m in g])
    text = expr.replace('GROUP', "'%s'" % group).replace('SIZE', str(len(GROUPS[group][0])))
    emit('%s_%s' % (name, group), {'a': xs[0]}, ['c: %s = %s' % (annotation(outs[0]), text),
         'r: %s = torch.ops._c10d_functional.wait_tensor.default(c)' % annotation(outs[0]), 'return (r,)'],
         [[x] for x in outs], 4, [group_line(group)], [[x] for x in xs])


F = 'torch.ops._c10d_functional.'
for g in GROUPS:
    n = len(GROUPS[g][0])
    for op, f in (('sum', lambda x: x.sum(0)), ('avg', lambda x: x.mean(0)), ('max', lambda x: x.amax(0)), ('min', lambda x: x.amin(0)),
                  ('product', lambda x: x.prod(0))):
        D('all_reduce_' + op, g, F + "all_reduce.default(a, '%s', GROUP)" % op, 'f32[2, 3]', lambda i, xs: f(torch.stack(xs)))
    D('all_gather', g, F + 'all_gather_into_tensor.default(a, SIZE, GROUP)', 'f32[2, 3]', lambda i, xs: torch.cat(xs))
    for op, f in (('sum', lambda x: x.sum(0)), ('avg', lambda x: x.mean(0))):
        D('reduce_scatter_' + op, g, F + "reduce_scatter_tensor.default(a, '%s', SIZE, GROUP)" % op, 'f32[4, 2]',
          lambda i, xs: f(torch.stack(xs)).chunk(n)[i])
    D('all_to_all', g, F + 'all_to_all_single.default(a, [%s], [%s], GROUP)' % ((', '.join([str(4 // n)] * n),) * 2), 'f32[4, 2]',
      lambda i, xs: torch.cat([x.chunk(n)[i] for x in xs]))
    D('all_to_all_empty', g, F + 'all_to_all_single.default(a, [], [], GROUP)', 'f32[4, 2]',
      lambda i, xs: torch.cat([x.chunk(n)[i] for x in xs]))
    D('broadcast', g, F + 'broadcast.default(a, %d, GROUP)' % (n - 1), 'f32[3]', lambda i, xs: xs[-1])
D('vllm_all_reduce', '12', "torch.ops.vllm.all_reduce.default(a, GROUP)", 'f32[2]', lambda i, xs: torch.stack(xs).sum(0))
for g in ('0', '7'):
    n = len(GROUPS[g][0])
    D('vllm_all_gather', g, 'torch.ops.vllm.all_gather.default(a, -1, SIZE, GROUP)', 'f32[2, 3]', lambda i, xs: torch.cat(xs, -1))
    D('vllm_reduce_scatter', g, 'torch.ops.vllm.reduce_scatter.default(a, 1, SIZE, GROUP)', 'f32[2, 4]',
      lambda i, xs: torch.stack(xs).sum(0).chunk(n, 1)[i])
    D('shard_dim_alltoall', g, 'torch.ops._dtensor.shard_dim_alltoall.default(a, 0, 1, GROUP)', 'f32[2, 4]',
      lambda i, xs: torch.cat([x.chunk(n, 1)[i] for x in xs], 0))
    D('autograd_all_gather', g, F + 'all_gather_into_tensor.default(a, SIZE, GROUP)'.replace('functional', 'functional_autograd'), 'f32[2]',
      lambda i, xs: torch.cat(xs))


def raw(name, call, out, spec, f, depth=1):
    """An operator of c10d that writes into e; the group is an object."""
    xs = [draw(spec) for _ in range(4)]
    outs = [[f(i, xs)] for i in range(4)]
    lines = ['_torchbind_obj0 = self._torchbind_obj0']
    lines += ['%s: "%s" = torch.ops.aten.empty.memory_format(%s)' % (e, out, out[3:]) for e in re.findall(r'\be\d?\b', call)]
    lines += ['c0 = torch.ops.c10d.' + call]
    lines += ['c%d = c%d[0]' % (k + 1, k) for k in range(depth - 1)] + ['g: "%s" = c%d[0]' % (out, depth - 1), 'return (g,)']
    emit('c10d_' + name, {'a': xs[0]}, lines, outs, 4, ['_torchbind_obj0 0,1,2,3'], [[x] for x in xs])


raw('allgather_base', '_allgather_base_.default(e, a, _torchbind_obj0, False)', 'f32[8, 3]', 'f32[2, 3]', lambda i, xs: torch.cat(xs))
raw('alltoall_base', 'alltoall_base_.default(e, a, _torchbind_obj0, [], [], False)', 'f32[4, 3]', 'f32[4, 3]',
    lambda i, xs: torch.stack([x[i] for x in xs]))
raw('broadcast', 'broadcast_.default([a], _torchbind_obj0, 2, 0, False)', 'f32[2]', 'f32[2]', lambda i, xs: xs[2], 2)
raw('allgather', 'allgather_.default([[e, e1, e2, e3]], [a], _torchbind_obj0, False)', 'f32[2]', 'f32[2]', lambda i, xs: xs[0], 3)
D('all_reduce_without_overload', '0', F + "all_reduce(a, 'sum', GROUP)", 'f32[2]', lambda i, xs: torch.stack(xs).sum(0))
D('permute', '0', F + 'all_to_all_single.default(a, [<0;6;0;0>, <0;0;6;0>, <0;0;0;6>, <6;0;0;0>], [<0;0;0;6>, <6;0;0;0>, <0;6;0;0>, <0;0;6;0>], GROUP)',
  'f32[6]', lambda i, xs: xs[(i + 3) % 4])


def R(name, expr, f, *specs):
    """Other numbers on each rank, no communication. f(rank, *inputs)"""
    ins = [[draw(s) for s in specs] for _ in range(4)]
    outs = [[f(r, *xs)] for r, xs in enumerate(ins)]
    p = {chr(97 + i): x for i, x in enumerate(ins[0])}
    emit(name, p, ['r: %s = %s' % (annotation(outs[0][0]), expr), 'return (r,)'], outs, 4, (), ins)


T = 'torch.ops.aten.'
R('ranked_slice', T + 'slice.Tensor(a, 0, <0;2;4;6>, <2;4;6;9223372036854775807>)', lambda r, a: a[2 * r:2 * r + 2], 'f32[8, 2]')
R('ranked_slice_negative', T + 'slice.Tensor(a, 0, <-8;-6;-4;-2>, <2;4;6;8>)', lambda r, a: a[2 * r:2 * r + 2], 'f32[8]')
R('ranked_select', T + 'select.int(a, 1, <3;1;0;2>)', lambda r, a: a[:, [3, 1, 0, 2][r]], 'f32[2, 4]')
R('ranked_arange', T + 'arange.start(<0;8;16;24>, <8;16;24;32>)', lambda r: torch.arange(8 * r, 8 * r + 8))
R('ranked_ge', T + 'ge.Scalar(a, <0;8;16;24>)', lambda r, a: a >= 8 * r, 'i64[9]<32')
R('ranked_sub', T + 'sub.Tensor(a, <0;8;16;24>)', lambda r, a: a - 8 * r, 'i64[9]<32')
R('ranked_mul', T + 'mul.Tensor(a, <0.5;0.25;2.0;1.5>)', lambda r, a: a * [0.5, 0.25, 2.0, 1.5][r], 'f32[3]')
R('ranked_full', T + 'full.default([2], <1.0;0.5;0.25;0.125>)', lambda r: torch.full([2], 0.5 ** r))
R('ranked_slice_scatter', T + 'slice_scatter.default(a, b, 0, <0;2;4;6>, <2;4;6;8>)',
  lambda r, a, b: torch.slice_scatter(a, b, 0, 2 * r, 2 * r + 2), 'f32[8]', 'f32[2]')
R('ranked_triu', T + 'triu.default(a, <1;0;-1;-2>)', lambda r, a: a.triu(1 - r), 'f32[3, 3]')

# ---- later ones, at the end: inputs of earlier cases stay ----
A('elu_backward.default', 'a, 1.5, 0.5, 2.0, False, b', 'f32[6]', 'f32[6]=0,1,-1,2,0.5,-3')
A('elu_backward.default', 'a, 1.5, 0.5, 2.0, True, b', 'f32[6]', 'f32[6]=0,1,-0.5,2,0.5,-0.25')
for f in 'hardsigmoid_backward hardswish_backward mish_backward'.split():
    A(f + '.default', 'a, b', 'f32[7]', 'f32[7]=-4,-3,-1,0,2,3,5')
A('glu_backward.default', 'a, b, -1', 'f32[2, 3]', 'f32[2, 6]')
A('glu_backward.default', 'a, b, 0', 'f32[2, 3]', 'f32[4, 3]')
A('unfold.default', 'a, 1, 3, 2', 'f32[2, 7]')
A('unfold.default', 'a, -2, 2, 1', 'f32[3, 2]')
A('nll_loss_forward.default', 'a, b, c, 0, -100', 'f32[3]', 'i64[]<3', 'f32[3]+', name='nll_loss_forward_one_row_kept')

report()
