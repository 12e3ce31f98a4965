"""Make the pairs: python gen.py [--out DIR] [--programs FILE] [--variant shardy|gspmd|v2] [--only NAME ...] [--no-check]

Needs `pip install jax pyyaml`. Every program of programs.py is lowered for host devices, the modules that XLA dumps around
its SPMD partitioner are copied to <out>/<case>[.<variant>]/, and the pair is run on random inputs (before on one device,
after on N). Variants: shardy (jax's default), gspmd (jax_use_shardy_partitioner off), v2 (Shardy, but sharding
annotations in the older devices=[...] form: --xla_enable_hlo_sharding_v3=false), jax<version> (run under that older jax).
"""
import argparse, glob, os, re, shutil, sys, tempfile, importlib.util

ap = argparse.ArgumentParser()
ap.add_argument('--out', default=os.path.dirname(os.path.abspath(__file__)))
ap.add_argument('--programs', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs.py'))
ap.add_argument('--variant', default='shardy')
ap.add_argument('--only', nargs='*')
ap.add_argument('--no-check', action='store_true')
ap.add_argument('--after-glob', help='take as after the first later dump whose name matches, instead of the one right after the partitioner')
ap.add_argument('--suffix', help='name of the case directory after the dot, instead of the variant')
ap.add_argument('--max-pb', type=int, default=300000, help='no .pb above this many bytes')
opt = ap.parse_args()

dump = tempfile.mkdtemp(prefix='xladump')
os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = ('--xla_force_host_platform_device_count=8 --xla_dump_to=%s --xla_dump_hlo_as_text --xla_dump_hlo_as_proto '
                           '--xla_dump_hlo_pass_re=%s' % (dump, '.*' if opt.after_glob else 'spmd|shardy|sharding')) + \
    (' --xla_enable_hlo_sharding_v3=false' if opt.variant == 'v2' else '')
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import jax, jax.numpy as jnp, numpy as np, yaml
from jax.sharding import NamedSharding, PartitionSpec as P, Mesh
OLD = not hasattr(jax, 'shard_map')          # a jax before 0.6: pairs are written, but not run (use check.py with a newer one)
import hlotools as H
if opt.variant == 'gspmd':
    jax.config.update('jax_use_shardy_partitioner', False)

spec = importlib.util.spec_from_file_location('programs', opt.programs)
programs = importlib.util.module_from_spec(spec)
sys.modules['programs'] = programs
spec.loader.exec_module(programs)


def rel(path):
    """a machine path -> a relative name"""
    m = re.search(r'site-packages/(.*)$', path)
    return m.group(1) if m else os.path.basename(path)


def clean_text(t):
    t = re.sub(r'^(\d+) "(/[^"]*)"$', lambda m: '%s "%s"' % (m.group(1), rel(m.group(2))), t, flags=re.M)
    return re.sub(r'source_file="(/[^"]*)"', lambda m: 'source_file="%s"' % rel(m.group(1)), t)


def varint(b, i):
    s = v = 0
    while True:
        c = b[i]; v |= (c & 127) << s; i += 1; s += 7
        if c < 128:
            return v, i


def enc(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128); v >>= 7
    out.append(v)
    return bytes(out)


def rewrite(b, paths):
    """apply functions to length-delimited fields of a serialized message; paths: field number -> paths or function"""
    out, i = bytearray(), 0
    while i < len(b):
        s = i
        tag, i = varint(b, i)
        w = tag & 7
        if w == 0: _, i = varint(b, i)
        elif w == 1: i += 8
        elif w == 5: i += 4
        else:
            n, i = varint(b, i)
            p = paths.get(tag >> 3)
            if p is not None:
                v = b[i:i + n]
                v = rewrite(v, p) if isinstance(p, dict) else p(v)
                out += enc(tag) + enc(len(v)) + v
                i += n
                continue
            i += n
        out += b[s:i]
    return bytes(out)


_f = lambda v: rel(v.decode()).encode()
# the dumped file is an HloProto: .hlo_module=1 .computations=3 .instructions=2 .metadata=7 .source_file=3,
# and .hlo_module=1 .stack_frame_index=17 .file_names=1
PB = {1: {3: {2: {7: {3: _f}}}, 17: {1: _f}}}

seen = [0]


def lower(fn, args, mesh, ins, outs):
    """compile fn; returns the directory prefix of its dump"""
    sh = lambda s: NamedSharding(mesh, s)
    j = jax.jit(fn, in_shardings=tuple(map(sh, ins)), out_shardings=jax.tree.map(sh, outs, is_leaf=lambda v: isinstance(v, P)))
    jax.clear_caches()
    low = j.lower(*args)
    for f in glob.glob(dump + '/*'):
        shutil.rmtree(f) if os.path.isdir(f) else os.remove(f)
    low.compile(compiler_options={'xla_backend_optimization_level': 0, 'xla_llvm_disable_expensive_passes': True})
    return {k: one(p) for k, p in (('first', '*.spmd-partitioner.after_*.before_shardy-xla*.txt' if opt.variant in ('shardy', 'v2') else '*.spmd-partitioner.after_*.before_sharding-propagation*.txt'),
                                   ('before', '*.spmd-partitioner.after_*.before_spmd-partitioning*.txt'), ('after', opt.after_glob or '*.spmd-partitioner.after_spmd-partitioning.*.txt'))}


def lower_text(c, first):
    """partition HLO text whose entry shardings are replaced by c['text_shardings'] (GSPMD)"""
    from jaxlib import _hlo, _jax, xla_client as xc
    n = int(np.prod(list(c['mesh'].values())))
    ps, root = c['text_shardings']
    lines = H.strip_shardings(first['text']).split('\n')
    i = next(k for k, l in enumerate(lines) if l.startswith('ENTRY '))
    for k in range(i, len(lines)):
        m = re.search(r'parameter\((\d+)\)', lines[k])
        if m:
            lines[k] = lines[k].replace(m.group(0), '%s, sharding=%s' % (m.group(0), ps[int(m.group(1))]))
        elif lines[k].lstrip().startswith('ROOT'):
            lines[k] = re.sub(r'(, metadata=.*)?$', lambda m: ', sharding=%s%s' % (root, m.group(1) or ''), lines[k], count=1)
            break
    sh = _jax.mlir.hlo_to_stablehlo(_hlo.hlo_module_from_text('\n'.join(lines)).as_serialized_hlo_module_proto())
    for f in glob.glob(dump + '/*'):
        shutil.rmtree(f) if os.path.isdir(f) else os.remove(f)
    co = xc.CompileOptions()
    co.num_replicas, co.num_partitions = 1, n
    b = co.executable_build_options
    b.num_replicas, b.num_partitions, b.use_spmd_partitioning, b.use_shardy_partitioner = 1, n, True, False
    b.device_assignment = xc.DeviceAssignment.create(np.arange(n).reshape(1, n))
    devs = jax.devices()[:n]
    devs[0].client.compile_and_load(sh, _jax.DeviceList(tuple(devs)), co)
    return {k: one(p) for k, p in (('before', '*.spmd-partitioner.after_*.before_spmd-partitioning*.txt'), ('after', '*.spmd-partitioner.after_spmd-partitioning.*.txt'))}


def one(p):
    r = sorted(glob.glob(os.path.join(dump, p)))
    if not r:
        return None
    f = r[0] if p == opt.after_glob else r[-1]
    t = clean_text(open(f).read())
    pb = rewrite(open(f[:-4] + '.hlo.pb', 'rb').read(), PB) if os.path.exists(f[:-4] + '.hlo.pb') else None
    return dict(text=t, pb=pb, name=re.sub(r'^module_\d+\.', '', os.path.basename(f)))


def norm(t):
    return [l for l in H.opcodes(t)]


def arg_yaml(a, i, sig):
    d = dict(param=i, type='%s[%s]' % (sig[0], ','.join(map(str, sig[1]))), sharding=sig[2] or 'none', draw=a['draw'])
    d.update({k: a[k] for k in ('lo', 'hi', 'scale', 'value') if k in a})
    return d


def write(d, name, m, with_pb):
    open(os.path.join(d, name + '.hlo.txt'), 'w').write(m['text'])
    if with_pb and m['pb'] is not None and len(m['pb']) <= opt.max_pb:
        open(os.path.join(d, name + '.hlo.pb'), 'wb').write(m['pb'])
        return True
    return False


def build(c, shardy_after=None):
    names = list(c['mesh'])
    sizes = [c['mesh'][a] for a in names]
    n = int(np.prod(sizes))
    kind = dict(axis_types=(jax.sharding.AxisType.Explicit,) * len(names)) if c.get('explicit') else {}
    mesh = Mesh(np.array(jax.devices()[:n]).reshape(sizes), names, **kind)
    k = programs.Ctx(mesh)
    args = [jax.ShapeDtypeStruct(a['shape'], a['dtype']) for a in c['args']]
    ins = [a['spec'] for a in c['args']]

    def named(f):
        def g(*a):
            return f(k, *a)
        g.__name__ = c['name']
        return g
    if kind:
        eargs = [jax.ShapeDtypeStruct(a['shape'], a['dtype'], sharding=NamedSharding(mesh, a['spec'])) for a in c['args']]
        with jax.set_mesh(mesh):
            dist = lower(named(c['fn']), eargs, mesh, ins, c['outs'])
        mesh = Mesh(np.array(jax.devices()[:n]).reshape(sizes), names)
    else:
        dist = lower(named(c['fn']), args, mesh, ins, c['outs'])
    if c.get('text_shardings'):
        dist = lower_text(c, dist['first'])
    before, manual = dist['before'], None
    if c['seq'] is not None:
        manual = before
        before = lower(named(c['seq']), args, mesh, ins, c['outs'])['before']
    after = dist['after']
    if shardy_after is not None and norm(after['text']) == norm(shardy_after) and opt.variant == 'gspmd' and c['name'] not in BOTH:
        return None
    d = os.path.join(opt.out, c['name'] + ('.' + opt.suffix if opt.suffix else '' if opt.variant == 'shardy' else '.' + opt.variant))
    shutil.rmtree(d, ignore_errors=True)
    os.makedirs(d)
    pb = write(d, 'before', before, True)
    pb = write(d, 'after', after, pb) and pb
    if manual is not None:
        write(d, 'manual', manual, False)
    if c['name'] in FIRST and dist['first']:
        write(d, 'unpropagated', dist['first'], False)
    sig = H.signature(before['text'])
    y = dict(case=c['name'], verdict='refines', what=c['about'], group=c['group'], jax=jax.__version__, partitioner='gspmd' if c.get('text_shardings') else opt.variant,
             mesh=c['mesh'], devices=n, specification='separate sequential program' if c['seq'] else 'the same program before partitioning', **({'note': c['note']} if c.get('note') else {}),
             before_pass=before['name'], after_pass=after['name'], instructions_before=len(H.opcodes(before['text'])), instructions_after=len(H.opcodes(after['text'])),
             inputs=[arg_yaml(a, i, s) for i, (a, s) in enumerate(zip(c['args'], sig[0]))],
             results=[dict(result=i, type='%s[%s]' % (s[0], ','.join(map(str, s[1]))), sharding=s[2] or 'none') for i, s in enumerate(sig[1])])
    if c['run'] and not opt.no_check and not OLD:
        pair = H.Pair(before['text'], after['text'])
        worst, bad = pair.check(c['args'])
        y['checked'] = dict(how='before on 1 device, after on %d CPU devices, 5 random inputs (2 of them with many ties)' % n, max_scaled_error=float('%.3g' % worst))
        if worst > pair.tol():
            y['verdict'] = 'violation'
            y['example'] = bad
    elif not c['run']:
        y['checked'] = dict(how='not run (too large); the same program with small dimensions is checked')
    yaml.safe_dump(y, open(os.path.join(d, 'expect.yaml'), 'w'), sort_keys=False, width=140)
    return y


FIRST = {'llama_block_sp', 'matmul_contract_mixed', 'attention_tp', 'uneven_softmax', 'reshard_all_to_all', 'smap_ring_allreduce'}
BOTH = {'attention_tp', 'llama_block_fwd', 'vocab_embedding', 'matmul_contract_mixed', 'uneven_softmax', 'conv_halo'}
V2 = {'matmul_contract_mixed', 'attention_tp', 'llama_block_fwd', 'mlp_train_2d', 'vocab_embedding_grad', 'llama4_scan', 'conv_halo', 'reshard_axes_swap', 'smap_ring_attention_loop', 'uneven_reduce'}

if __name__ == '__main__':
    for name, c in programs.CASES.items():
        if opt.only and name not in opt.only:
            continue
        if c.get('text_shardings') and opt.variant != 'shardy':
            continue
        if (opt.variant == 'v2' or opt.variant.startswith('jax')) and not opt.only and name not in V2 and not (opt.variant != 'v2' and name in ('topk_sharded', 'cond_sharded', 'sort_sharded', 'smap_moe_all_to_all')):
            continue
        sa = None
        if opt.variant != 'shardy':
            p = os.path.join(opt.out, name, 'after.hlo.txt')
            sa = open(p).read() if os.path.exists(p) and not opt.only else None
        try:
            y = build(c, sa)
        except Exception as e:
            print('%-32s FAILED %s: %s' % (name, type(e).__name__, str(e).replace('\n', ' ')[:300]), flush=True)
            continue
        if y is None:
            print('%-32s same as shardy' % name, flush=True)
        else:
            print('%-32s %-9s %5d -> %5d  %s' % (name, y['verdict'], y['instructions_before'], y['instructions_after'], y.get('checked', {}).get('max_scaled_error', '')), y.get('example', ''), flush=True)
    shutil.rmtree(dump, ignore_errors=True)
