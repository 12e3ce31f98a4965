#!/usr/bin/env python3
"""The reproducers of all violations in the large set, run with jax.

    tests/repro.py --bin SHARDPROOF [NAME...]

Each `repro.py` must show the difference in XLA itself. Needs SHARDPROOF_CASES,
a python with jax (this one, or SHARDPROOF_JAX_PYTHON); exit status 77 without.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

SKIP = 77


def violations(root):
    import yaml
    for path in sorted(glob.glob(root + '/mutants/*/expect.yaml') + glob.glob(root + '/public-bugs/*/expect.yaml')):
        with open(path, encoding='utf-8') as f:
            expect = yaml.safe_load(f)
        if expect['verdict'] == 'violation':
            ranges = [(i['param'], i['lo'], i['hi']) for i in expect.get('inputs') or [] if i.get('draw') == 'int']
            yield os.path.dirname(path), ranges


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('names', nargs='*')
    o = parser.parse_args()
    python = os.environ.get('SHARDPROOF_JAX_PYTHON', sys.executable)
    root = os.path.join(os.environ.get('SHARDPROOF_CASES', ''), 'xla')
    if not os.path.isdir(root) or subprocess.run([python, '-c', 'import jax'], capture_output=True).returncode:
        print('repro: no large set of cases, or no jax (SHARDPROOF_JAX_PYTHON): skipped')
        return SKIP
    bad = ran = 0
    for case, ranges in violations(root):
        name = os.path.basename(case)
        if o.names and name not in o.names:
            continue
        with tempfile.TemporaryDirectory() as here:
            assume = [w for p, lo, hi in ranges for w in ('--assume', '%d=%d:%d' % (p, lo, hi))]
            files = [os.path.join(case, 'before.hlo.txt'), os.path.join(case, 'after.hlo.txt')]
            check = subprocess.run([os.path.abspath(o.bin), 'check', '-q', '--repro', here] + assume + files,
                                   capture_output=True, text=True)
            if check.returncode != 1:
                print('%-48s %s' % (name, check.stdout.strip()))
                bad += 1
                continue
            p = subprocess.run([python, os.path.join(here, 'repro.py')], capture_output=True, text=True)
            ran += 1
            bad += p.returncode != 0
            print('%-48s %s' % (name, (p.stdout.strip() or p.stderr.strip()).split('\n')[-1]), flush=True)
    print('%d reproducers run, %d wrong' % (ran, bad))
    return 1 if bad or not ran else 0


if __name__ == '__main__':
    sys.exit(main())
