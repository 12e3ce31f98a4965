"""What the generators of cases share (gen_aten.py, gen_aten_nn.py): drawing inputs, and printing calls with their results.

A case is a Python expression as it stands in the text of an FX graph; it is evaluated here by PyTorch, and printed with
annotations as a graph. tests/test_aten.c reads that graph with our reader, evaluates the element expressions of the
operator table at every index, and compares.

Format: that of ops.txt (tests/support_oracle.h). Lines "# group NAME 0,1/2,3" before a graph list process groups; <1;2>
in it stands for another number on each rank.
"""
import os, re, sys, warnings
import torch
import torch.nn.functional
from torch import inf, nan

warnings.filterwarnings('ignore')
device = torch.device
DT = {'f32': torch.float32, 'f64': torch.float64, 'f16': torch.float16, 'bf16': torch.bfloat16, 'i64': torch.int64,
      'i32': torch.int32, 'i16': torch.int16, 'i8': torch.int8, 'u8': torch.uint8, 'b8': torch.bool,
      'f8e4m3fn': torch.float8_e4m3fn, 'c64': torch.complex64}
NAME = {t: n for n, t in DT.items()}
written, failed = 0, []


def seed(n):
    torch.manual_seed(int(os.environ.get('SEED', 0)) + n)


def draw(spec):
    """f32[2, 3]; f32[2]+ positive; i64[4]<5 from 0 to 4; i64[4]<-3:5; i64[3]=2,0,1 these values"""
    m = re.match(r'(\w+)\[([^\]]*)\](.*)$', spec)
    t, shape, how = DT[m[1]], [int(x) for x in m[2].split(',') if x.strip()], m[3]
    if how.startswith('='):
        return torch.tensor([float(x) for x in how[1:].split(',')]).reshape(shape).to(t)
    if t == torch.complex64:
        return torch.view_as_complex(draw('f32[%s]' % ', '.join(map(str, shape + [2]))))
    if t == torch.bool:
        return torch.rand(shape) < 0.5
    if t.is_floating_point and not how.startswith('<'):
        x = (torch.rand(shape) * 64).round() / 8 - 4
        return (x.abs() + 0.125 if how == '+' else x).to(t)
    lo, hi = (0, 100) if t == torch.uint8 else (-20, 21)
    if how.startswith('<'):
        r = how[1:].split(':')
        lo, hi = (int(r[0]), int(r[1])) if len(r) > 1 else (0, int(r[0]))
    return torch.randint(lo, hi, shape).to(t)


def annotation(x):
    return '"%s[%s]"' % (NAME[x.dtype], ', '.join(str(d) for d in x.shape))


def numbers(x):
    if x.is_complex():
        x = torch.view_as_real(x.resolve_conj())
    return ' '.join('%.9g' % float(v) for v in x.reshape(-1))


def emit(name, params, lines, outs, ranks=1, groups=(), ins=None):
    """params: name -> tensor (rank 0's); ins, outs: by rank, lists of tensors"""
    global written
    written += 1
    name = re.sub(r'[^\w.]+', '_', name)[:70]
    print('case', name, ranks)
    for g in groups:
        print('| # group', g)
    print('| class m(torch.nn.Module):')
    print('|     def forward(self, %s):' % ', '.join('%s: %s' % (n, annotation(x)) for n, x in params.items()))
    for l in lines:
        print('|         ' + l)
    for r, xs in enumerate(ins or [list(params.values())]):
        for k, x in enumerate(xs):
            print('in', k, r, numbers(x))
    for r, xs in enumerate(outs):
        for k, x in enumerate(xs):
            print('out', k, r, numbers(x))


def C(expr, *specs, name=None, skip=()):
    """One call. skip: elements of a tuple that are not used."""
    params = {chr(97 + i): draw(s) for i, s in enumerate(specs)}
    env = dict(globals(), **{n: x.clone() for n, x in params.items()})
    name = name or re.sub(r'torch\.ops\.|torch\._C\.', '', expr)
    try:
        r = eval(expr, env)
    except Exception as e:
        failed.append((name, str(e).split('\n')[0]))
        return
    if isinstance(r, torch.Tensor):
        emit(name, params, ['r: %s = %s' % (annotation(r), expr), 'return (r,)'], [[r]])
        return
    lines, outs, names = ['r = ' + expr], [], []
    for k, x in enumerate(r):
        if isinstance(x, torch.Tensor) and k not in skip:
            lines.append('r_%d: %s = r[%d]' % (k, annotation(x), k))
            names.append('r_%d' % k)
            outs.append(x)
    lines.append('return (%s,)' % ', '.join(names))
    emit(name, params, lines, [outs])


def A(op, args, *specs, **kw):
    C('torch.ops.aten.%s(%s)' % (op, args), *specs, **kw)


def report():
    print(written, 'cases,', len(failed), 'failed', file=sys.stderr)
    for name, why in failed:
        print('  %s: %s' % (name, why), file=sys.stderr)
