"""Writes tests/oracle/ops.txt: small HLO programs, their inputs, and the results that XLA's CPU backend computes.

    python3 -m venv venv && venv/bin/pip install jax      (0.10 or newer; tried with 0.10.2)
    venv/bin/python tests/oracle/gen_ops.py > tests/oracle/ops.txt

SEED=n and TRIALS=n (a factor) in the environment make other, larger sets (compare with SHARDPROOF_OPS=file); the checked
in set is made without. What the CPU backend lacks is computed by numpy here (by_hand).

tests/test_ops.c reads the programs with our reader, evaluates the element expressions of the operator table at every
index of every rank, and compares. So readers, operator table and simplifier are held against XLA itself. Programs of
several devices are written with replicas (the CPU backend runs those as they are).

Format, a case:  case NAME DEVICES / hlo lines, each after "| " / in PARAM RANK values / out RESULT RANK values
"""
import os, sys, itertools
N_DEV = 8
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=%d' % N_DEV
os.environ['JAX_PLATFORMS'] = 'cpu'
import numpy as np
import jax
jax.config.update('jax_enable_x64', True)
from jaxlib import _hlo, _jax, xla_client as xc
from jax.sharding import Mesh, NamedSharding, PartitionSpec

DT = {'pred': np.bool_, 's8': np.int8, 's16': np.int16, 's32': np.int32, 's64': np.int64, 'u8': np.uint8,
      'u16': np.uint16, 'u32': np.uint32, 'u64': np.uint64, 'f32': np.float32, 'f64': np.float64}
SEED, TRIALS = int(os.environ.get('SEED', 0)), int(os.environ.get('TRIALS', 1))
rng = np.random.default_rng(7 + SEED)
failed, written = [], 0


def parse(ty):
    d, s = ty.rstrip(']').split('[')
    return d, tuple(int(x) for x in s.split(',') if x)


def ty(d, shape):
    return '%s[%s]' % (d, ','.join(map(str, shape)))


def draw(t, lo=None, hi=None):
    d, s = parse(t)
    if d == 'pred':
        return rng.integers(0, 2, size=s).astype(bool)
    if d[0] == 'f':
        lo, hi = (-4, 4) if lo is None else (lo, hi)
        return (np.round(rng.uniform(lo, hi, size=s) * 8) / 8).astype(DT[d])
    i = np.iinfo(DT[d])
    if lo is None:
        lo, hi = (i.min, i.max + 1) if i.bits <= 16 else (-50, 51) if d[0] == 's' else (0, 100)
    return rng.integers(lo, hi, size=s, dtype=np.int64 if d != 'u64' else np.uint64).astype(DT[d])


def run(text, n, args):
    sh = _jax.mlir.hlo_to_stablehlo(_hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())
    co = xc.CompileOptions()
    co.num_replicas, co.num_partitions = n, 1
    b = co.executable_build_options
    b.num_replicas, b.num_partitions = n, 1
    devs = jax.devices()[:n]
    b.device_assignment = xc.DeviceAssignment.create(np.arange(n).reshape(n, 1))
    ex = devs[0].client.compile_and_load(sh, _jax.DeviceList(tuple(devs)), co)
    rep = NamedSharding(Mesh(np.array(devs), ('d',)), PartitionSpec())
    arrs = [jax.make_array_from_single_device_arrays(per[0].shape, rep, [jax.device_put(v, d) for v, d in zip(per, devs)])
            for per in args]
    return [[np.asarray(o) for o in out] for out in ex.execute_sharded(arrs).disassemble_into_single_device_arrays()]


def values(v):
    v = np.asarray(v).reshape(-1)
    if v.dtype == np.bool_:
        return ' '.join('1' if x else '0' for x in v)
    if v.dtype.kind in 'iu':
        return ' '.join(str(int(x)) for x in v)
    return ' '.join('%.8g' % float(x) for x in v)


def case(name, params, body, regions='', n=1, by_hand=None):
    """by_hand: from the inputs (by parameter, by device) to the results (by result, by device); params: types or (type, array) or (type, lo, hi); body: entry lines, parameters are p0, p1, ..."""
    global written
    types, args = [], []
    for p in params:
        if isinstance(p, str):
            types.append(p); args.append([draw(p) for _ in range(n)])
        elif len(p) == 2:
            types.append(p[0])
            a = np.asarray(p[1], dtype=DT[parse(p[0])[0]]).reshape(parse(p[0])[1])
            args.append([a] * n)
        else:
            types.append(p[0]); args.append([draw(*p) for _ in range(n)])
    lines = ['HloModule m' + (', replica_count=%d' % n if n > 1 else '')]
    lines += [l for l in regions.split('\n') if l.strip()]
    lines += ['ENTRY main {'] + ['  p%d = %s parameter(%d)' % (i, t, i) for i, t in enumerate(types)]
    lines += ['  ' + l.strip() for l in body.strip().split('\n')] + ['}']
    text = '\n'.join(lines) + '\n'
    if os.environ.get("TRACE"):
        sys.stderr.write("run %s\n" % name)
    try:
        outs = by_hand(args) if by_hand else run(text, n, args)
    except Exception as e:
        failed.append((name, str(e).split('\n')[0][:200]))
        return
    print('case %s %d' % (name, n))
    for l in lines:
        print('| ' + l)
    for i, per in enumerate(args):
        for r, a in enumerate(per):
            print('in %d %d %s' % (i, r, values(a)))
    for i, per in enumerate(outs):
        for r, a in enumerate(per):
            print('out %d %d %s' % (i, r, values(a)))
    written += 1


def region(name, op, t='f32'):
    return '%s {\n  a = %s[] parameter(0)\n  b = %s[] parameter(1)\n  ROOT r = %s[] %s(a, b)\n}' % (name, t, t, t, op)


def region_select(name, direction, t='f32'):
    return ('%s {\n  a = %s[] parameter(0)\n  b = %s[] parameter(1)\n  ROOT r = pred[] compare(a, b), direction=%s\n}'
            % (name, t, t, direction))


def ints(v):
    return '{%s}' % ','.join(map(str, v))


# ---------------------------------------------------------------- elementwise
def elementwise():
    pos = ('f32[6]', [0.1, 0.5, 1, 2, 3.25, 7])
    unit = ('f32[6]', [-0.9, -0.5, 0, 0.25, 0.5, 0.95])
    halves = ('f32[8]', [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 1.3, -1.7])
    for op in 'exponential exponential-minus-one cosine sine tan tanh logistic erf cbrt'.split():
        case(op, ['f32[6]'], 'ROOT r = f32[6] %s(p0)' % op)
    for op in 'log sqrt rsqrt log-plus-one'.split():
        case(op, [pos], 'ROOT r = f32[6] %s(p0)' % op)
    for op in 'acos asin atanh asinh sinh cosh'.split():
        f = getattr(np, op.replace('asinh', 'arcsinh').replace('atanh', 'arctanh').replace('acos', 'arccos')
                    if op != 'asin' else 'arcsin')
        case(op, [unit], 'ROOT r = f32[6] %s(p0)' % op, by_hand=lambda a, f=f: [[f(a[0][0].astype(float))]])
    case('acosh', [('f32[3]', [1, 1.5, 4])], 'ROOT r = f32[3] acosh(p0)', by_hand=lambda a: [[np.arccosh(a[0][0].astype(float))]])
    for op in 'floor ceil round-nearest-afz round-nearest-even sign abs negate'.split():
        case(op, [halves], 'ROOT r = f32[8] %s(p0)' % op)
    for op in 'floor ceil round-nearest-afz round-nearest-even'.split():
        case(op + '_of_integers', [('s32[5]', -9, 9)], 'c = f32[5] convert(p0)\nROOT r = f32[5] %s(c)' % op)
    case('is-finite', ['f32[4]'], 'ROOT r = pred[4] is-finite(p0)')
    for t in 's8 u8 s32 u32'.split():
        for op in 'negate abs sign not popcnt count-leading-zeros'.split():
            if t[0] == 'u' and op in ('abs', 'sign'):
                continue
            v = {'s8': [-128, -127, -1, 0, 5, 127], 'u8': [0, 1, 5, 127, 128, 255],
                 's32': [-2**31, -77, -1, 0, 5, 2**31 - 1], 'u32': [0, 1, 77, 2**31, 2**32 - 2, 2**32 - 1]}[t]
            case('%s_%s' % (op, t), [('%s[6]' % t, v)], 'ROOT r = %s[6] %s(p0)' % (t, op))
    case('not_pred', ['pred[5]'], 'ROOT r = pred[5] not(p0)')
    for op in 'add subtract multiply maximum minimum atan2 remainder'.split():
        case(op, ['f32[2,3]', 'f32[2,3]'], 'ROOT r = f32[2,3] %s(p0, p1)' % op)
    case('divide', ['f32[6]', pos], 'ROOT r = f32[6] divide(p0, p1)')
    case('power', [pos, 'f32[6]'], 'ROOT r = f32[6] power(p0, p1)')
    for k in (0, 1, 2, 3, -1, 0.5, 1.5):
        case('power_constant_%g' % k, [pos], 'c = f32[] constant(%g)\nb = f32[6] broadcast(c), dimensions={}\n'
             'ROOT r = f32[6] power(p0, b)' % k)
    case('power_constant_negative_base', ['f32[6]'], 'c = f32[] constant(3)\nb = f32[6] broadcast(c), dimensions={}\n'
         'ROOT r = f32[6] power(p0, b)')
    for op in 'and or xor maximum minimum multiply add'.split():
        case(op + '_pred', ['pred[8]', 'pred[8]'], 'ROOT r = pred[8] %s(p0, p1)' % op)
    edge = {'s8': [-128, -127, -100, -7, -1, 0, 1, 3, 100, 127], 'u8': [0, 1, 2, 7, 100, 127, 128, 200, 254, 255],
            's32': [-2**31, -1000, -7, -1, 0, 1, 3, 8, 12345, 2**31 - 1],
            'u32': [0, 1, 2, 7, 1000, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1],
            's64': [-10**9, -1000, -7, -1, 0, 1, 3, 8, 12345, 10**9]}
    for t, v in edge.items():
        a = np.array([x for x in v for _ in range(len(v))]); b = np.array(v * len(v))
        ops = 'add subtract multiply divide remainder maximum minimum and or xor'.split()
        for op in ops:
            m = '%s[%d]' % (t, len(a))
            if (op, t) == ('multiply', 'u32'):  # the evaluator has 64 bits
                a, b = np.minimum(a, 2**31 - 1), np.minimum(b, 2**31 - 1)
            case('%s_%s' % (op, t), [(m, a), (m, b)], 'ROOT r = %s %s(p0, p1)' % (m, op))
        for op in 'shift-left shift-right-arithmetic shift-right-logical'.split():
            if t == 's64' and op != 'shift-right-arithmetic':
                continue
            k = [0, 1, 3, 7, 8, 31, 32, 33]
            a2 = np.array([x for x in v for _ in k]); m = '%s[%d]' % (t, len(a2))
            k2 = np.array(k * len(v))
            case('%s_%s' % (op, t), [(m, a2), (m, k2)], 'ROOT r = %s %s(p0, p1)' % (m, op))
        # constants to the right are understood as arithmetic
        m = '%s[%d]' % (t, len(v))
        consts = [0, 1, 2, 3, 7, 100] + ([-1, -2, -3, -100] if t[0] == 's' else [])
        for op in 'divide remainder multiply'.split():
            for c in consts:
                case('%s_%s_by_%s' % (op, t, c), [(m, v)], 'c = %s[] constant(%d)\nb = %s broadcast(c), dimensions={}\n'
                     'ROOT r = %s %s(p0, b)' % (t, c, m, m, op))
        masks = [0, 1, 3, 7, 12, 5, 127] + ([-1, -2, -8] if t[0] == 's' else [2**int(t[1:]) - 1, 2**int(t[1:]) - 8])
        for op in 'and or xor'.split():
            for c in masks:
                case('%s_%s_with_%s' % (op, t, c), [(m, v)], 'c = %s[] constant(%d)\nb = %s broadcast(c), dimensions={}\n'
                     'ROOT r = %s %s(b, p0)' % (t, c, m, m, op))
        for op in 'shift-left shift-right-arithmetic shift-right-logical'.split():
            if t == 's64' and op == 'shift-left':
                continue
            for c in (0, 1, 3, int(t[1:]) - 1, int(t[1:])):
                case('%s_%s_by_%d' % (op, t, c), [(m, v)], 'c = %s[] constant(%d)\nb = %s broadcast(c), dimensions={}\n'
                     'ROOT r = %s %s(p0, b)' % (t, c, m, m, op))
        if t != 's64':
            v = [x for x in v if abs(x) < (1000 if t == 's32' else 10**6)]  # no overflow of an unknown interval
            m = '%s[%d]' % (t, len(v))
            for c in (0, 1, 2, 3):
                case('power_%s_%d' % (t, c), [(m, v)], 'c = %s[] constant(%d)\nb = %s broadcast(c), dimensions={}\n'
                     'ROOT r = %s power(p0, b)' % (t, c, m, m))
    # functions of an iota are tabulated
    for t in ('s32', 'u32', 's8'):
        for op in 'and or xor divide remainder shift-left shift-right-logical shift-right-arithmetic power'.split():
            case('%s_%s_iota' % (op, t), [], 'i = %s[12] iota(), iota_dimension=0\nc = %s[] constant(%d)\n'
                 'b = %s[12] broadcast(c), dimensions={}\ns = %s[12] subtract(i, b)\nROOT r = %s[12] %s(s, i)'
                 % (t, t, 0 if op == 'power' or t[0] == 'u' else 5, t, t, t, op))
        for op in 'popcnt count-leading-zeros'.split():
            case('%s_%s_iota' % (op, t), [], 'i = %s[9] iota(), iota_dimension=0\nROOT r = %s[9] %s(i)' % (t, t, op))
    for t, big in (('u32', 2**32 - 1), ('s32', -2**31), ('s32', 2**31 - 1), ('s8', 127), ('u8', 200)):
        for op in 'add subtract multiply shift-left'.split():
            case('%s_constants_%s_%d' % (op, t, big), [], 'a = %s[] constant(%d)\nb = %s[] constant(%d)\nROOT r = %s[] %s(a, b)'
                 % (t, big, t, 3 if op == 'shift-left' else big, t, op))
    case('unsigned_decrement_wraps', [('u32[3]', [0, 1, 2])], 'c = u32[] constant(1)\nb = u32[3] broadcast(c), dimensions={}\n'
         's = u32[3] subtract(p0, b)\nd = u32[] constant(4)\ne = u32[3] broadcast(d), dimensions={}\n'
         'ROOT r = u32[3] remainder(s, e)')


def comparing():
    for t in 'f32 s32 u32 s8 pred'.split():
        m = '%s[12]' % t
        pa = (m, [0, 1] * 6) if t == 'pred' else (m, 0, 4)
        pb = (m, [0, 0, 1, 1] * 3) if t == 'pred' else (m, 0, 4)
        for d in 'EQ NE LT LE GT GE'.split():
            case('compare_%s_%s' % (d, t), [pa, pb], 'ROOT r = pred[12] compare(p0, p1), direction=%s' % d)
    case('compare_total', ['f32[6]', 'f32[6]'], 'ROOT r = pred[6] compare(p0, p1), direction=LT, type=TOTALORDER')
    case('compare_unsigned_top', [('u32[3]', [2**31, 1, 2**32 - 1]), ('u32[3]', [1, 2**31, 2**31])],
         'ROOT r = pred[3] compare(p0, p1), direction=LT')
    case('select', ['pred[2,3]', 'f32[2,3]', 'f32[2,3]'], 'ROOT r = f32[2,3] select(p0, p1, p2)')
    case('select_scalar', [('pred[]', True), 's32[3]', 's32[3]'], 'ROOT r = s32[3] select(p0, p1, p2)')
    case('clamp', ['f32[2,3]', 'f32[2,3]', 'f32[2,3]'], 'ROOT r = f32[2,3] clamp(p0, p1, p2)')
    case('clamp_scalars', [('s32[]', -5), 's32[9]', ('s32[]', 7)], 'ROOT r = s32[9] clamp(p0, p1, p2)')
    case('clamp_crossed', [('f32[]', 3), 'f32[9]', ('f32[]', -3)], 'ROOT r = f32[9] clamp(p0, p1, p2)')
    edge = {'pred': [0, 1, 1, 0, 1, 0], 's8': [-128, -1, 0, 1, 7, 127], 'u8': [0, 1, 127, 128, 200, 255],
            's32': [-2**31, -300, -1, 0, 300, 2**31 - 1], 'u32': [0, 1, 300, 2**31 - 1, 2**31, 2**32 - 1],
            's64': [-2**40, -300, -1, 0, 300, 2**40], 'f32': [-3.75, -0.5, 0, 0.5, 1, 100.25],
            'f64': [-3.75, -0.5, 0, 0.5, 1, 100.25]}
    for a in edge:
        for b in edge:
            if a[0] == 'f' and b[0] == 'u':
                continue
            v = edge[a] if a != 's64' or b not in ('s8', 's32') else [-100, -7, -1, 0, 1, 100]
            case('convert_%s_%s' % (a, b), [('%s[6]' % a, v)], 'ROOT r = %s[6] convert(p0)' % b)
    case('convert_there_and_back', [('s32[5]', -9, 9)], 'a = f32[5] convert(p0)\nc = f32[] constant(2)\n'
         'b = f32[5] broadcast(c), dimensions={}\nd = f32[5] multiply(a, b)\nROOT r = s32[5] convert(d)')
    case('convert_bf16_chain', [('f32[4]', [1, -2, 0.5, 8])], 'a = bf16[4] convert(p0)\nROOT r = f32[4] convert(a)')
    for v in (-1.5, -0.25, 0.99, 2.5):
        case('convert_constant_%g' % v, [], 'c = f32[] constant(%g)\nROOT r = s32[] convert(c)' % v)
    case('bitcast-convert', ['f32[3]'], 'ROOT r = f32[3] bitcast-convert(p0)')
    case('reduce-precision', [('f32[3]', [1, 2, -4])], 'ROOT r = f32[3] reduce-precision(p0), exponent_bits=8, mantissa_bits=7')


# ---------------------------------------------------------------- layout
def layout():
    case('iota', [], 'ROOT r = s32[3,4] iota(), iota_dimension=1')
    case('iota_f32', [], 'ROOT r = f32[3,4] iota(), iota_dimension=0')
    case('iota_u8', [], 'ROOT r = u8[5] iota(), iota_dimension=0')
    case('constant_s32', [], 'ROOT r = s32[2,3] constant({{1,-2,3},{7,0,5}})')
    case('constant_line', [], 'ROOT r = u32[6] constant({0,4,8,12,16,20})')
    case('constant_pred', [], 'ROOT r = pred[4] constant({true,false,false,true})')
    case('constant_f32', [], 'ROOT r = f32[2,2] constant({{0.5,-1.25},{3,0.1}})')
    case('constant_inf', [], 'ROOT r = f32[4] constant({0.5,-inf,inf,2})')
    case('constant_splat', [], 'ROOT r = f32[2,2] constant({{2.5,2.5},{2.5,2.5}})')
    case('constant_scalar', [], 'ROOT r = s64[] constant(-12345678901)')
    case('broadcast', ['f32[3,2]'], 'ROOT r = f32[3,4,2] broadcast(p0), dimensions={0,2}')
    case('broadcast_scalar', ['f32[]'], 'ROOT r = f32[2,2] broadcast(p0), dimensions={}')
    case('broadcast_permuted', ['f32[3,2]'], 'ROOT r = f32[2,3] broadcast(p0), dimensions={1,0}')
    for a, b in [((2, 3, 4), (6, 4)), ((6, 4), (2, 3, 2, 2)), ((4, 6), (3, 8)), ((1, 6, 1), (2, 1, 3)), ((5,), (1, 5, 1)),
                 ((1,), ()), ((), (1, 1)), ((2, 2, 3), (3, 4)), ((2, 6, 5), (4, 3, 5))]:
        case('reshape_%s_%s' % ('x'.join(map(str, a)), 'x'.join(map(str, b))), [ty('f32', a)],
             'ROOT r = %s reshape(p0)' % ty('f32', b))
    case('bitcast', ['f32[1,5]'], 'ROOT r = f32[5] bitcast(p0)', by_hand=lambda a: [[a[0][0].reshape(5)]])
    case('copy', ['f32[2,3]'], 'ROOT r = f32[2,3] copy(p0)')
    for perm in itertools.permutations(range(3)):
        s = (2, 3, 4)
        case('transpose_%d%d%d' % perm, [ty('f32', s)], 'ROOT r = %s transpose(p0), dimensions=%s'
             % (ty('f32', [s[k] for k in perm]), ints(perm)))
    case('slice', ['f32[6,9]'], 'ROOT r = f32[3,3] slice(p0), slice={[1:6:2],[2:9:3]}')
    case('slice_empty', ['f32[6]'], 'ROOT r = f32[0] slice(p0), slice={[2:2]}')
    case('reverse', ['f32[3,4]'], 'ROOT r = f32[3,4] reverse(p0), dimensions={1}')
    case('reverse_both', ['s32[3,4]'], 'ROOT r = s32[3,4] reverse(p0), dimensions={0,1}')
    case('concatenate', ['f32[2,2]', 'f32[2,0]', 'f32[2,3]', 'f32[2,1]'],
         'ROOT r = f32[2,6] concatenate(p0, p1, p2, p3), dimensions={1}')
    case('concatenate_many', ['s32[%d]' % (k % 3) for k in range(40)], 'ROOT r = s32[%d] concatenate(%s), dimensions={0}'
         % (sum(k % 3 for k in range(40)), ', '.join('p%d' % k for k in range(40))))
    case('concatenate_pred', ['pred[2]', 'pred[3]'], 'ROOT r = pred[5] concatenate(p0, p1), dimensions={0}')
    pads = ['1_2x0_3', '-1_2x0_0', '0_-2x1_-1', '1_1_2x0_0_1', '-2_1_1x2_-3_2', '0_0x0_0', '-1_-1_1x0_0']
    for q in pads:
        s, o = (4, 3), []
        for k, z in enumerate(q.split('x')):
            lo, hi, it = ([int(v) for v in z.split('_')] + [0])[:3]
            o.append(max(0, s[k] + (s[k] - 1) * it + lo + hi))
        case('pad_' + q, [ty('f32', s), 'f32[]'], 'ROOT r = %s pad(p0, p1), padding=%s' % (ty('f32', o), q))


def dynamic():
    for a, b in [(0, 0), (2, 1), (-3, 9), (100, -100), (3, 2)]:
        case('dynamic-slice_%d_%d' % (a, b), ['f32[6,5]', ('s32[]', a), ('s32[]', b)],
             'ROOT r = f32[3,2] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={3,2}')
        case('dynamic-update-slice_%d_%d' % (a, b), ['f32[6,5]', 'f32[2,3]', ('s32[]', a), ('s32[]', b)],
             'ROOT r = f32[6,5] dynamic-update-slice(p0, p1, p2, p3)')
    for a in (0, 2, 7, 2**31 + 5, 2**32 - 1):
        case('dynamic-slice_u32_%d' % a, ['f32[6]', ('u32[]', a)],
             'ROOT r = f32[2] dynamic-slice(p0, p1), dynamic_slice_sizes={2}')
        case('dynamic-update-slice_u32_%d' % a, ['f32[6]', 'f32[2]', ('u32[]', a)],
             'ROOT r = f32[6] dynamic-update-slice(p0, p1, p2)')
    case('dynamic-slice_whole', ['f32[3,4]', ('s32[]', 5), ('s32[]', 1)],
         'ROOT r = f32[3,1] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={3,1}')
    case('dynamic-update-slice_whole', ['f32[3]', 'f32[3]', ('s32[]', 5)],
         'ROOT r = f32[3] dynamic-update-slice(p0, p1, p2)')


def insert(positions, inside, outside):
    """a list with `inside` at the given positions and `outside` elsewhere, in order"""
    a, b, out = list(inside), list(outside), []
    for k in range(len(a) + len(b)):
        out.append(a.pop(0) if k in positions else b.pop(0))
    return out


def gathers():
    r = np.random.default_rng(11 + SEED)
    for trial in range(36 * TRIALS):
        rank = int(r.integers(1, 5))
        op = [int(x) for x in r.integers(1, 5, size=rank)]
        kinds = r.choice(['window', 'collapsed', 'batch'], p=[.5, .3, .2], size=rank)
        batch = [d for d in range(rank) if kinds[d] == 'batch']
        coll = [d for d in range(rank) if kinds[d] == 'collapsed']
        win = [d for d in range(rank) if kinds[d] == 'window']
        sizes = [int(r.integers(1, op[d] + 1)) if d in win else 1 for d in range(rank)]
        cand = [d for d in range(rank) if d not in batch]
        m = [int(x) for x in r.permutation(cand)[:int(r.integers(0, len(cand) + 1))]] if cand else []
        m = m or cand[:1]
        if not m:
            continue
        extra = [int(x) for x in r.integers(1, 4, size=int(r.integers(0, 3)))]
        dims = [('b', op[d], d) for d in batch] + [('e', e, -1) for e in extra]
        dims = [dims[i] for i in r.permutation(len(dims))]
        shape = [z for _, z, _ in dims]
        ivd = int(r.integers(0, len(shape) + 1))
        implicit = len(m) == 1 and r.integers(0, 2) == 0
        if implicit:
            ivd, idx = len(shape), shape
        else:
            idx = shape[:ivd] + [len(m)] + shape[ivd:]
        pos = {d: i + (0 if implicit or i < ivd else 1) for i, (k, _, d) in enumerate(dims) if k == 'b'}
        n_out = len(shape) + len(win)
        off = sorted(int(x) for x in r.permutation(n_out)[:len(win)])
        out = insert(off, [sizes[d] for d in win], shape)
        attrs = ('offset_dims=%s, collapsed_slice_dims=%s, start_index_map=%s, ' % (ints(off), ints(coll), ints(m))
                 + ('operand_batching_dims=%s, start_indices_batching_dims=%s, ' % (ints(batch), ints(pos[d] for d in batch))
                    if batch else '')
                 + 'index_vector_dim=%d, slice_sizes=%s' % (ivd, ints(sizes)))
        t = ['s32', 'u32', 's8'][trial % 3]
        case('gather_%d' % trial, [ty('f32', op), (ty(t, idx), -2 if t[0] == 's' else 0, 6)],
             'ROOT r = %s gather(p0, p1), %s' % (ty('f32', out), attrs))


def scatters():
    r = np.random.default_rng(13 + SEED)
    kinds_of = ['add', 'maximum', 'minimum', 'multiply', 'add', 'and', 'or']
    for trial in range(60 * TRIALS):
        rank = int(r.integers(1, 4))
        op = [int(x) for x in r.integers(1, 5, size=rank)]
        kinds = r.choice(['window', 'inserted', 'batch'], p=[.5, .35, .15], size=rank)
        batch = [d for d in range(rank) if kinds[d] == 'batch']
        ins = [d for d in range(rank) if kinds[d] == 'inserted']
        win = [d for d in range(rank) if kinds[d] == 'window']
        sizes = [int(r.integers(1, op[d] + 1)) for d in win]
        cand = [d for d in range(rank) if d not in batch]
        m = [int(x) for x in r.permutation(cand)[:int(r.integers(1, len(cand) + 1))]] if cand else []
        if not m:
            continue
        single = trial % 4 == 0
        extra = [1] * int(r.integers(0, 2)) if single else [int(x) for x in r.integers(1, 4, size=int(r.integers(1, 3)))]
        dims = [('b', op[d], d) for d in batch] + [('e', e, -1) for e in extra]
        dims = [dims[i] for i in r.permutation(len(dims))]
        shape = [z for _, z, _ in dims]
        ivd = int(r.integers(0, len(shape) + 1))
        implicit = len(m) == 1 and r.integers(0, 2) == 0
        if implicit:
            ivd, idx = len(shape), shape
        else:
            idx = shape[:ivd] + [len(m)] + shape[ivd:]
        pos = {d: i + (0 if implicit or i < ivd else 1) for i, (k, _, d) in enumerate(dims) if k == 'b'}
        n_up = len(shape) + len(win)
        uw = sorted(int(x) for x in r.permutation(n_up)[:len(win)])
        up = insert(uw, sizes, shape)
        attrs = ('update_window_dims=%s, inserted_window_dims=%s, scatter_dims_to_operand_dims=%s, '
                 % (ints(uw), ints(ins), ints(m))
                 + ('input_batching_dims=%s, scatter_indices_batching_dims=%s, ' % (ints(batch), ints(pos[d] for d in batch))
                    if batch else '') + 'index_vector_dim=%d' % ivd)
        k = kinds_of[trial % len(kinds_of)]
        t = 'pred' if k in ('and', 'or') else ['f32', 's32'][trial // 7 % 2]
        reg = region('red', k, t)
        if single and trial % 8 == 0:
            reg = 'red {\n  a = %s[] parameter(0)\n  ROOT b = %s[] parameter(1)\n}' % (t, t)
        if single and trial % 16 == 4:
            reg = region('red', 'subtract', 's32'); t = 's32'
        lo, hi = ((None, None) if t == 'pred' else (-3, 4))
        i = ['s32', 'u32', 's8'][trial % 3]
        p = [(ty(t, op), lo, hi), (ty(i, idx), -1 if i[0] == 's' else 0, 5), (ty(t, up), lo, hi)]
        case('scatter_%d' % trial, p, 'ROOT r = %s scatter(p0, p1, p2), %s, to_apply=red' % (ty(t, op), attrs), reg)


# ---------------------------------------------------------------- contraction
def dots():
    r = np.random.default_rng(17 + SEED)
    for trial in range(16 * TRIALS):
        nb, nc, nl, nr = (int(x) for x in (r.integers(0, 3), r.integers(0, 3), r.integers(0, 3), r.integers(0, 3)))
        b, c, l, q = ([int(x) for x in r.integers(1, 4, size=k)] for k in (nb, nc, nl, nr))
        lab = [('b', i, z) for i, z in enumerate(b)] + [('c', i, z) for i, z in enumerate(c)]
        L = lab + [('l', i, z) for i, z in enumerate(l)]; R = lab + [('r', i, z) for i, z in enumerate(q)]
        L = [L[i] for i in r.permutation(len(L))]; R = [R[i] for i in r.permutation(len(R))]
        find = lambda S, k, i: [x[:2] for x in S].index((k, i))
        out = b + [z for k, _, z in L if k == 'l'] + [z for k, _, z in R if k == 'r']
        t = ['f32', 's32', 'f32', 'u8'][trial % 4]
        o = 's32' if t == 's32' else t
        case('dot_%d' % trial, [ty(t, [z for _, _, z in L]), ty(t, [z for _, _, z in R])],
             'ROOT r = %s dot(p0, p1), lhs_batch_dims=%s, lhs_contracting_dims=%s, rhs_batch_dims=%s, rhs_contracting_dims=%s'
             % (ty(o, out), ints(find(L, 'b', i) for i in range(nb)), ints(find(L, 'c', i) for i in range(nc)),
                ints(find(R, 'b', i) for i in range(nb)), ints(find(R, 'c', i) for i in range(nc))))
    case('dot_s8_to_s32', ['s8[2,3]', 's8[3,2]'],
         'ROOT r = s32[2,2] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}')
    case('dot_empty', ['f32[2,0]', 'f32[0,2]'],
         'ROOT r = f32[2,2] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}')


def out_size(n, w):
    base = (n - 1) * w['ld'] + 1 if n else 0
    return max(0, (base + w['lo'] + w['hi'] - ((w['size'] - 1) * w['rd'] + 1)) // w['stride'] + 1)


def window_text(ws):
    j = lambda f: 'x'.join(f(w) for w in ws)
    s = 'size=' + j(lambda w: str(w['size'])) + ' stride=' + j(lambda w: str(w['stride']))
    s += ' pad=' + j(lambda w: '%d_%d' % (w['lo'], w['hi']))
    s += ' lhs_dilate=' + j(lambda w: str(w['ld'])) + ' rhs_dilate=' + j(lambda w: str(w['rd']))
    if any(w.get('rev') for w in ws):
        s += ' rhs_reversal=' + j(lambda w: str(w['rev']))
    return 'window={%s}' % s


def draw_window(r, n, size, dilate=True, neg=True):
    return dict(size=size, stride=int(r.integers(1, 4)), lo=int(r.integers(-1 if neg else 0, 3)),
                hi=int(r.integers(-1 if neg else 0, 3)), ld=int(r.integers(1, 3)) if dilate else 1,
                rd=int(r.integers(1, 3)) if dilate else 1)


def convolutions():
    r = np.random.default_rng(19 + SEED)
    for trial in range(36 * TRIALS):
        ns = int(r.integers(0, 3)) if trial % 9 == 0 else int(r.integers(1, 3))
        fg, bg = [(1, 1), (2, 1), (1, 2), (3, 1)][trial % 4]
        cin = fg * int(r.integers(1, 3)); cout = fg * bg * int(r.integers(1, 3)); nb = bg * int(r.integers(1, 3))
        space = [int(x) for x in r.integers(2, 6, size=ns)]; ker = [int(x) for x in r.integers(1, 4, size=ns)]
        ws = [draw_window(r, n, k) for n, k in zip(space, ker)]
        for w in ws:
            w['rev'] = int(r.integers(0, 2))
        so = [out_size(n, w) for n, w in zip(space, ws)]
        if any(z == 0 for z in so):
            continue
        digits = [str(k) for k in range(ns)]
        def order(a, b):
            l = [a, b] + digits
            return [l[i] for i in r.permutation(len(l))]
        li, lk, lo = order('b', 'f'), order('i', 'o'), order('b', 'f')
        sz = {'b': nb, 'f': cin, **dict(zip(digits, space))}
        kz = {'i': cin // fg, 'o': cout, **dict(zip(digits, ker))}
        oz = {'b': nb // bg, 'f': cout, **dict(zip(digits, so))}
        t = 'f32'
        extra = (', feature_group_count=%d' % fg if fg > 1 else '') + (', batch_group_count=%d' % bg if bg > 1 else '')
        win = window_text(ws) + ', ' if ns else ''
        case('convolution_%d' % trial, [(ty(t, [sz[c] for c in li]), -2, 2), (ty(t, [kz[c] for c in lk]), -2, 2)],
             'ROOT r = %s convolution(p0, p1), %sdim_labels=%s_%s->%s%s'
             % (ty(t, [oz[c] for c in lo]), win, ''.join(li), ''.join(lk), ''.join(lo), extra))


# ---------------------------------------------------------------- reductions
ARG = '''%s {
  v1 = f32[] parameter(0)
  i1 = s32[] parameter(1)
  v2 = f32[] parameter(2)
  i2 = s32[] parameter(3)
  gt = pred[] compare(v1, v2), direction=%s
  ne = pred[] compare(v1, v1), direction=NE
  or0 = pred[] or(gt, ne)
  v = f32[] select(or0, v1, v2)
  eq = pred[] compare(v1, v2), direction=EQ
  lt = pred[] compare(i1, i2), direction=LT
  and0 = pred[] and(eq, lt)
  or1 = pred[] or(or0, and0)
  i = s32[] select(or1, i1, i2)
  ROOT t = (f32[], s32[]) tuple(v, i)
}'''
PAIR = '''pair {
  a = f32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = s32[] parameter(3)
  x = f32[] add(a, c)
  y = s32[] maximum(b, d)
  ROOT t = (f32[], s32[]) tuple(x, y)
}'''


def reduces():
    init = {'add': 0, 'multiply': 1, 'maximum': '-inf', 'minimum': 'inf'}
    for op in init:
        case('reduce_%s' % op, [('f32[3,4,2]', -2, 2)], 'c = f32[] constant(%s)\n'
             'ROOT r = f32[4] reduce(p0, c), dimensions={0,2}, to_apply=red' % init[op], region('red', op))
        case('reduce_%s_init' % op, [('f32[3,4]', -2, 2), 'f32[]'],
             'ROOT r = f32[3] reduce(p0, p1), dimensions={1}, to_apply=red', region('red', op))
        case('reduce_%s_empty' % op, ['f32[3,0]', 'f32[]'],
             'ROOT r = f32[3] reduce(p0, p1), dimensions={1}, to_apply=red', region('red', op))
        for t in ('s32', 'u8', 's8', 'u32'):
            lohi = (-3, 4) if (op, t) == ('multiply', 's8') else (None, None)
            case('reduce_%s_%s' % (op, t), [('%s[3,4]' % t,) + lohi, ('%s[]' % t,) + lohi],
                 'ROOT r = %s[4] reduce(p0, p1), dimensions={0}, to_apply=red' % t, region('red', op, t))
            case('reduce_%s_%s_empty' % (op, t), ['%s[0,2]' % t, '%s[]' % t],
                 'ROOT r = %s[2] reduce(p0, p1), dimensions={0}, to_apply=red' % t, region('red', op, t))
    for op in 'and or maximum minimum add multiply'.split():
        case('reduce_%s_pred' % op, ['pred[4,5]', 'pred[]'],
             'ROOT r = pred[5] reduce(p0, p1), dimensions={0}, to_apply=red', region('red', op, 'pred'))
    # XLA drops an init value that is not neutral where nothing is reduced
    case('reduce_nothing', ['f32[3]', ('f32[]', 0)], 'ROOT r = f32[3] reduce(p0, p1), dimensions={}, to_apply=red',
         region('red', 'add'))
    case('reduce_s32_neutral', ['s32[3,4]'], 'c = s32[] constant(-2147483648)\n'
         'ROOT r = s32[4] reduce(p0, c), dimensions={0}, to_apply=red', region('red', 'maximum', 's32'))
    case('reduce_max_by_select', ['f32[3,4]', 'f32[]'], 'ROOT r = f32[4] reduce(p0, p1), dimensions={0}, to_apply=red',
         'red {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = pred[] compare(b, a), direction=GE\n'
         '  ROOT r = f32[] select(c, b, a)\n}')
    case('reduce_through_convert', ['f32[3,4]', 'f32[]'], 'ROOT r = f32[4] reduce(p0, p1), dimensions={0}, to_apply=red',
         'red {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f64[] convert(a)\n  d = f64[] convert(b)\n'
         '  e = f64[] add(d, c)\n  ROOT r = f32[] convert(e)\n}')
    for name, d, inf in (('argmax', 'GT', '-inf'), ('argmin', 'LT', 'inf')):
        for k in range(2):
            body = ('i = s32[3,6] iota(), iota_dimension=1\nc = f32[] constant(%s)\nz = s32[] constant(0)\n'
                    't = (f32[3], s32[3]) reduce(p0, i, c, z), dimensions={1}, to_apply=arg\n'
                    'v = f32[3] get-tuple-element(t), index=0\nj = s32[3] get-tuple-element(t), index=1\n'
                    'ROOT r = (f32[3], s32[3]) tuple(v, j)' % inf)
            case('%s_%d' % (name, k), [('f32[3,6]', -1, 1) if k else ('f32[3,6]', [1, 2, 2, 0, 2, 1, 0, 0, 0, 0, 0, 0, 5, 4, 3, 3, 4, 5])],
                 body, ARG % ('arg', d))
        case('%s_init' % name, [('f32[3,4]', -1, 1), ('s32[3,4]', 0, 9), ('f32[]', 0.5 if d == 'GT' else -0.5), ('s32[]', 4)],
             't = (f32[3], s32[3]) reduce(p0, p1, p2, p3), dimensions={1}, to_apply=arg\n'
             'v = f32[3] get-tuple-element(t), index=0\nj = s32[3] get-tuple-element(t), index=1\n'
             'ROOT r = (f32[3], s32[3]) tuple(v, j)', ARG % ('arg', d))
    case('reduce_pair', ['f32[3,4]', 's32[3,4]', 'f32[]', 's32[]'],
         't = (f32[4], s32[4]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=pair\n'
         'v = f32[4] get-tuple-element(t), index=0\nj = s32[4] get-tuple-element(t), index=1\n'
         'ROOT r = (f32[4], s32[4]) tuple(v, j)', PAIR)
    case('map', ['f32[2,3]', 'f32[2,3]'], 'ROOT r = f32[2,3] map(p0, p1), dimensions={0,1}, to_apply=f',
         'f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] multiply(a, b)\n  ROOT r = f32[] subtract(c, a)\n}')


def windows():
    r = np.random.default_rng(23 + SEED)
    ops = ['add', 'maximum', 'minimum', 'multiply']
    for trial in range(40 * TRIALS):
        rank = int(r.integers(1, 3))
        s = [int(x) for x in r.integers(1, 6, size=rank)]
        ws = [draw_window(r, n, int(r.integers(1, 4))) for n in s]
        o = [out_size(n, w) for n, w in zip(s, ws)]
        if any(z == 0 for z in o):
            continue
        op = ops[trial % 4]
        t = ['f32', 's32', 'u8', 'f32'][trial // 4 % 4]
        neutral = {'add': '0', 'multiply': '1'}.get(op)
        if neutral is None:
            hi = {'f32': 'inf', 's32': str(2**31 - 1), 'u8': '255'}[t]; lo = {'f32': '-inf', 's32': str(-2**31), 'u8': '0'}[t]
            neutral = lo if op == 'maximum' else hi
        lohi = (-2, 3) if t != 'u8' else (0, 256)
        case('reduce-window_%d' % trial, [(ty(t, s),) + lohi], 'c = %s[] constant(%s)\n'
             'ROOT r = %s reduce-window(p0, c), %s, to_apply=red' % (t, neutral, ty(t, o), window_text(ws)), region('red', op, t))
    case('cumsum', ['f32[2,6]'], 'c = f32[] constant(0)\nROOT r = f32[2,6] reduce-window(p0, c), window={size=1x6 pad=0_0x5_0}, '
         'to_apply=red', region('red', 'add'))
    for trial in range(24 * TRIALS):
        rank = int(r.integers(1, 3))
        s = [int(x) for x in r.integers(2, 6, size=rank)]
        ws = []
        for n in s:
            w = draw_window(r, n, int(r.integers(1, 4)), dilate=False, neg=False)
            w['lo'] = min(w['lo'], w['size'] - 1); w['hi'] = min(w['hi'], w['size'] - 1)
            ws.append(w)
        o = [out_size(n, w) for n, w in zip(s, ws)]
        if any(z == 0 for z in o):
            continue
        d = ['GE', 'GT', 'LE', 'LT'][trial % 4]
        j = lambda f: 'x'.join(f(w) for w in ws)
        win = 'window={size=%s stride=%s pad=%s}' % (j(lambda w: str(w['size'])), j(lambda w: str(w['stride'])),
                                                     j(lambda w: '%d_%d' % (w['lo'], w['hi'])))
        t = ['f32', 's32'][trial // 4 % 2]
        case('select-and-scatter_%d' % trial, [(ty(t, s), -2, 2), (ty(t, o), -2, 3), ('%s[]' % t, 0 if trial % 3 else 1)],
             'ROOT r = %s select-and-scatter(p0, p1, p2), %s, select=sel, scatter=red' % (ty(t, s), win),
             region_select('sel', d, t) + '\n' + region('red', 'add', t))


def batch_norms():
    for f, s in ((1, (2, 3, 2)), (0, (3, 4))):
        c = s[f]; v = 'f32[%d]' % c; a = ty('f32', s)
        gte = lambda k, sh: 'o%d = %s get-tuple-element(t), index=%d\n' % (k, sh, k)
        case('batch-norm-training_%d' % f, [a, v, v], 't = (%s, %s, %s) batch-norm-training(p0, p1, p2), epsilon=0.125, feature_index=%d\n'
             % (a, v, v, f) + gte(0, a) + gte(1, v) + gte(2, v) + 'ROOT r = (%s, %s, %s) tuple(o0, o1, o2)' % (a, v, v))
        case('batch-norm-inference_%d' % f, [a, v, v, v, (v, 0.5, 3)],
             'ROOT r = %s batch-norm-inference(p0, p1, p2, p3, p4), epsilon=0.125, feature_index=%d' % (a, f))
        case('batch-norm-grad_%d' % f, [a, v, v, (v, 0.5, 3), a], 't = (%s, %s, %s) batch-norm-grad(p0, p1, p2, p3, p4), epsilon=0.125, feature_index=%d\n'
             % (a, v, v, f) + gte(0, a) + gte(1, v) + gte(2, v) + 'ROOT r = (%s, %s, %s) tuple(o0, o1, o2)' % (a, v, v))


# ---------------------------------------------------------------- devices
def devices():
    groups = {'all': (4, '{{0,1,2,3}}'), 'none': (4, '{}'), 'pairs': (4, '{{0,2},{1,3}}'), 'odd': (4, '{{3,0},{1,2}}'),
              'ring': (4, '{{2,3,0,1}}'), 'eight': (8, '{{0,1,4,5},{2,3,6,7}}'), 'mixed': (8, '{{5,0,3,6},{7,2,1,4}}'),
              'single': (2, '{{0},{1}}')}
    for g, (n, text) in groups.items():
        w = n if text == '{}' else len(text.split('}')[0].strip('{').split(','))
        for op in ('add', 'maximum', 'minimum', 'multiply'):
            if g not in ('all', 'odd', 'mixed') and op != 'add':
                continue
            case('all-reduce_%s_%s' % (op, g), ['f32[2,3]'], 'ROOT r = f32[2,3] all-reduce(p0), replica_groups=%s, to_apply=red' % text,
                 region('red', op), n)
        case('all-gather_%s' % g, ['f32[2,3]'], 'ROOT r = f32[2,%d] all-gather(p0), replica_groups=%s, dimensions={1}' % (3 * w, text), n=n)
        case('reduce-scatter_%s' % g, ['f32[2,%d]' % (2 * w)], 'ROOT r = f32[2,2] reduce-scatter(p0), replica_groups=%s, dimensions={1}, '
             'to_apply=red' % text, region('red', 'add'), n)
        if g != 'none':
          case('all-to-all_%s' % g, ['f32[%d,3]' % (2 * w)], 'ROOT r = f32[%d,3] all-to-all(p0), replica_groups=%s, dimensions={0}'
               % (2 * w, text), n=n)
        if w == 1:
            continue
        t = ', '.join(['f32[2]'] * w)
        case('all-to-all_tuple_%s' % g, ['f32[2]'] * w, 't = (%s) all-to-all(%s), replica_groups=%s\n' % (t, ', '.join('p%d' % k for k in range(w)), text)
             + ''.join('o%d = f32[2] get-tuple-element(t), index=%d\n' % (k, k) for k in range(w))
             + 'ROOT r = (%s) tuple(%s)' % (t, ', '.join('o%d' % k for k in range(w))), n=n)
        gs = [[int(x) for x in q.split(',')] for q in text.strip('{}').split('},{')] if text != '{}' else [list(range(n))]
        first = {m: q[0] for q in gs for m in q}
        case('collective-broadcast_%s' % g, ['f32[3]'], 'ROOT r = f32[3] collective-broadcast(p0), replica_groups=%s' % text, n=n,
             by_hand=lambda a, first=first, n=n: [[a[0][first[r]] for r in range(n)]])
    case('all-reduce_tuple', ['f32[2]', 'f32[3]'], 't = (f32[2], f32[3]) all-reduce(p0, p1), replica_groups={{0,1}}, to_apply=red\n'
         'a = f32[2] get-tuple-element(t), index=0\nb = f32[3] get-tuple-element(t), index=1\nROOT r = (f32[2], f32[3]) tuple(a, b)',
         region('red', 'add'), 2)
    case('all-reduce_pred', ['pred[6]'], 'ROOT r = pred[6] all-reduce(p0), replica_groups={{0,1,2}}, to_apply=red', region('red', 'or', 'pred'), 3)
    for name, pairs in {'ring': '{{0,1},{1,2},{2,3},{3,0}}', 'line': '{{0,1},{1,2},{2,3}}', 'swap': '{{1,0},{0,1},{3,2},{2,3}}',
                        'some': '{{3,0},{0,2}}', 'one': '{{2,1}}', 'reverse': '{{0,3},{1,2},{2,1},{3,0}}'}.items():
        case('collective-permute_%s' % name, ['f32[3]'], 'ROOT r = f32[3] collective-permute(p0), source_target_pairs=%s' % pairs, n=4)
    case('collective-permute_pred', ['pred[4]'], 'ROOT r = pred[4] collective-permute(p0), source_target_pairs={{0,1}}', n=2)
    case('replica-id', [], 'ROOT r = u32[] replica-id()', n=4)
    case('rank_arithmetic', [], 'a = u32[] replica-id()\nc = u32[] constant(1)\nb = u32[] subtract(a, c)\nd = u32[] constant(3)\n'
         'e = u32[] and(b, d)\nf = u32[] xor(e, a)\ng = s32[] convert(b)\ni = s32[] constant(-3)\nj = s32[] divide(g, i)\n'
         'k = s32[] remainder(g, i)\nl = u32[] shift-left(a, a)\nROOT r = (u32[], u32[], u32[], s32[], s32[], s32[], u32[]) tuple(b, e, f, g, j, k, l)', n=4)
    case('rank_table_slice', ['f32[8]'], 'a = u32[] replica-id()\nt = s32[4] constant({6,0,4,2})\nb = s32[1] dynamic-slice(t, a), dynamic_slice_sizes={1}\n'
         'c = s32[] reshape(b)\nROOT r = f32[2] dynamic-slice(p0, c), dynamic_slice_sizes={2}', n=4)


def control():
    f = ('f {\n  a = f32[2] parameter(0)\n  ROOT r = f32[2] negate(a)\n}\n'
         'g {\n  a = f32[2] parameter(0)\n  ROOT r = f32[2] add(a, a)\n}\n'
         'h {\n  a = f32[2] parameter(0)\n  ROOT r = f32[2] multiply(a, a)\n}')
    for k in (-1, 0, 1, 2, 3):
        case('conditional_%d' % k, [('s32[]', k), 'f32[2]', 'f32[2]', 'f32[2]'],
             'ROOT r = f32[2] conditional(p0, p1, p2, p3), branch_computations={f, g, h}', f)
    for k in (0, 1):
        case('conditional_pred_%d' % k, [('pred[]', k), 'f32[2]', 'f32[2]'],
             'ROOT r = f32[2] conditional(p0, p1, p2), true_computation=f, false_computation=g', f)
    case('opt-barrier', ['f32[2]', 's32[3]'], 't = (f32[2], s32[3]) tuple(p0, p1)\nu = (f32[2], s32[3]) opt-barrier(t)\n'
         'a = f32[2] get-tuple-element(u), index=0\nb = s32[3] get-tuple-element(u), index=1\nROOT r = (f32[2], s32[3]) tuple(b0, b1)'
         .replace('b0', 'a').replace('b1', 'b'))


def exps():
    """log(exp a + exp b), as jax writes it."""
    reg = ('red {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  d = f32[] subtract(%s)\n  n = pred[] compare(d, d), direction=NE\n'
           '  s = f32[] add(a, b)\n  m = f32[] maximum(a, b)\n  e = f32[] abs(d)\n  f = f32[] negate(e)\n  g = f32[] exponential(f)\n'
           '  h = f32[] log-plus-one(g)\n  i = f32[] add(m, h)\n  ROOT r = f32[] select(n, s, i)\n}')
    case('cumlogsumexp', ['f32[2,6]'], 'c = f32[] constant(-inf)\nROOT r = f32[2,6] reduce-window(p0, c), '
         'window={size=1x6 pad=0_0x5_0}, to_apply=red', reg % 'a, b')
    case('reduce_logaddexp', ['f32[3,4]'], 'c = f32[] constant(-inf)\nROOT r = f32[4] reduce(p0, c), dimensions={0}, to_apply=red', reg % 'b, a')


def widths():
    """the bits of integers of one size read as integers of another, and shifts of u64, as jax.random has them."""
    for name, of, to in (('join', 'u32[3,2]', 'u64[3]'), ('join_bytes', 'u8[2,4]', 's32[2]'), ('join_signed', 's16[3,2]', 'u32[3]'),
                         ('split', 'u64[3]', 'u32[3,2]'), ('split_signed', 's32[3]', 's8[3,4]'), ('split_bytes', 's16[4]', 'u8[4,2]')):
        signed = of[0] == 's'
        case('bitcast-convert_%s' % name, [(of, -100 if signed else 0, 100)], 'ROOT r = %s bitcast-convert(p0)' % to)
    case('shift_u64', [], 'a = u64[9] iota(), iota_dimension=0\nc = u64[] constant(1000000007)\nb = u64[9] broadcast(c), dimensions={}\n'
         'd = u64[9] multiply(a, b)\nk = u64[] constant(32)\nh = u64[9] broadcast(k), dimensions={}\ne = u64[9] shift-right-logical(d, h)\n'
         'ROOT r = (u64[9], u32[9], u32[9]) tuple(e, f, g)'.replace('ROOT', 'f = u32[9] convert(e)\ng = u32[9] convert(d)\nROOT'))


for part in (elementwise, comparing, layout, dynamic, gathers, scatters, dots, convolutions, reduces, windows, batch_norms, devices, control, exps, widths):
    part()
sys.stderr.write('%d cases\n' % written)
for f in failed:
    sys.stderr.write('FAILED %s: %s\n' % f)
