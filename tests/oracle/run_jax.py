#!/usr/bin/env python3
"""Compare `shardproof run` with XLA itself: run_jax.py --bin SHARDPROOF CASE...

Not part of the test suite: needs jax (0.6 or newer), numpy, PyYAML, and the large
set of cases ($SHARDPROOF_CASES), whose hlotools.py runs HLO text. A CASE is a
folder below $SHARDPROOF_CASES/xla; none means all that a run covers. Both modules
of a pair are run on the same random inputs by XLA's CPU backend (in the types of
the module) and by us (in double precision); results must agree within rounding.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
CASES = os.path.join(os.environ.get('SHARDPROOF_CASES', ''), 'xla')
sys.path.insert(0, CASES)


def ours(binary, program, inputs, sequential):
    """Results of all ranks, each an array with the rank as first dimension."""
    import numpy as np
    with tempfile.TemporaryDirectory() as folder:
        args = [binary, 'run', program, '--output', folder]
        args += ['--sequential'] if sequential else []
        for i, per_rank in enumerate(inputs):
            path = os.path.join(folder, 'in%d.npy' % i)
            np.save(path, np.stack(per_rank))
            args += ['--input', '%d=%s' % (i, path)]
        p = subprocess.run(args, capture_output=True, text=True)
        if p.returncode:
            raise RuntimeError(p.stderr.strip())
        n = len(glob.glob(os.path.join(folder, '[0-9]*.npy')))
        return [np.load(os.path.join(folder, '%d.npy' % k)) for k in range(n)]


def worst_error(got, want):
    """got[k][rank], want[k][rank]: the largest error, relative to the result."""
    import numpy as np
    worst = 0.0
    for g, w in zip(got, want):
        w = np.stack([np.asarray(x).astype(np.float64) for x in w])
        g = g.astype(np.float64)
        assert g.shape == w.shape, (g.shape, w.shape)
        finite = np.isfinite(w)
        same = (g == w) | (np.isnan(g) & np.isnan(w))
        if not w.size or same.all():
            continue
        scale = max(1e-30, np.abs(w[finite]).max()) if finite.any() else 1.0
        e = np.where(same, 0.0, np.abs(g - w) / scale)
        worst = max(worst, float(np.where(np.isnan(e), np.inf, e).max()))
    return worst


def for_older(text):
    """The notation of jax 0.12 as jax 0.6 to 0.10 read it: operands %x#1 become
    get-tuple-element instructions, attributes of today are left out."""
    import hlotools as H
    text = text.replace('order=TOTAL', 'type=TOTALORDER')
    text = re.sub(r'( topk\(.*), is_stable=\w+', r'\1', text)
    out = []
    for block in re.split(r'(?m)^(?=\S)', text):
        types = dict(re.findall(r'(?m)^\s+(?:ROOT )?%([\w.\-]+) = \((.*?)\) [a-z][a-z0-9\-]*\(', block))
        types.update(re.findall(r'%([\w.\-]+) = \(((?:[^()]|\([^()]*\))*)\) parameter', block))
        made = set()
        for line in block.split('\n'):
            for name, k in re.findall(r'%([\w.\-]+)#(\d+)', line):
                if (name, k) not in made:
                    made.add((name, k))
                    kinds = H.split_top(re.sub(r'/\*.*?\*/', '', types[name]))
                    out.append('  %%%s.elt%s = %s get-tuple-element(%%%s), index=%s\n' % (name, k, kinds[int(k)], name, k))
            out.append(re.sub(r'%([\w.\-]+)#(\d+)', r'%\1.elt\2', line) + '\n')
        if out and out[-1] == '\n':
            out.pop()
    return ''.join(out)


def compile_text(text, ranks):
    import hlotools as H
    try:
        return H.compile_text(text, ranks)
    except Exception:
        return H.compile_text(for_older(text), ranks)


def compare(binary, folder, seeds):
    import numpy as np
    import yaml
    import hlotools as H
    facts = yaml.safe_load(open(os.path.join(folder, 'expect.yaml')))
    if 'not run' in facts.get('checked', {}).get('how', ''):
        return None
    before = os.path.join(folder, facts.get('before', 'before.hlo.txt'))
    after = os.path.join(folder, 'after.hlo.txt')
    b, a = open(before).read(), open(after).read()
    n = H.partitions(a)
    params, _ = H.signature(b)
    sequential = compile_text(H.as_sequential(b), 1)
    distributed = compile_text(H.as_replicas(a), n)
    worst = [0.0, 0.0]
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        values = [H.draw(s, t, shape, rng, seed % 2 == 1)
                  for s, (t, shape, _) in zip(facts['inputs'], params)]
        parts = [[x[0] for x in H.blocks(v, s, n)]
                 for v, (_, _, s) in zip(values, params)]
        # junk that XLA's arithmetic may turn into NaN would hide the rest
        parts = [[np.where(x == x, x, np.asarray(0.25, x.dtype)).astype(x.dtype)
                  for x in p] for p in parts]
        for k, (program, ex, ins, ranks) in enumerate((
                (before, sequential, [[v] for v in values], 1),
                (after, distributed, parts, n))):
            want = H.execute(ex, ranks, ins)
            got = ours(binary, program, ins, k == 0)
            worst[k] = max(worst[k], worst_error(got, want))
    low = bool(re.search(r'\b(bf16|f16)\[', b + a))
    return worst, 4e-2 if low else 2e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--seeds', type=int, default=2)
    parser.add_argument('cases', nargs='*')
    args = parser.parse_args()
    cases = args.cases or sorted(
        os.path.relpath(os.path.dirname(f), CASES)
        for f in glob.glob(CASES + '/**/expect.yaml', recursive=True))
    bad = 0
    for case in cases:
        try:
            result = compare(args.bin, os.path.join(CASES, case), args.seeds)
        except Exception as e:  # one case must not end the others
            print('%-45s ERROR %s' % (case, str(e)[:300]), flush=True)
            bad += 1
            continue
        if result is None:
            continue
        (before, after), limit = result
        ok = max(before, after) <= limit
        bad += not ok
        print('%-45s %s before %.2g after %.2g' %
              (case, 'ok   ' if ok else 'WRONG', before, after), flush=True)
    print('%d of %d cases differ or could not be run' % (bad, len(cases)))
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
