#!/usr/bin/env python3
"""Run the pairs of a folder: tests/cases/run.py --bin SHARDPROOF FOLDER...

A pair of modules is run from text, from protobuf, and mixed; a folder with
spec.yaml by that. What refines must be REFINES; a violation must be VIOLATION or UNPROVEN: REFINES there is the worst
thing that this program can do. Fails, too, when no case ran.
"""
import argparse
import os
import subprocess
import sys

import yaml

VERDICTS = {0: 'REFINES', 1: 'VIOLATION', 2: 'UNPROVEN'}


def files(case, which):
    names = [which + '.hlo.txt', which + '.hlo.pb', which + '.module.pb']
    paths = [os.path.join(case, n) for n in names]
    return [p for p in paths if os.path.exists(p)]


def run(command, limit):
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return 'over %d s' % limit, ''
    said = p.stdout.split('\n')[0]
    got = VERDICTS.get(p.returncode, 'exit code %d' % p.returncode)
    if got in VERDICTS.values() and said.split(':')[0] != got:
        got = 'exit code and first word differ'
    return got, said or p.stderr.strip().split('\n')[0]


def runs(case):
    """(how, does it refine, arguments of check) for each run of a case."""
    spec, pair = os.path.join(case, 'spec.yaml'), os.path.join(case, 'expect.yaml')
    if os.path.exists(spec):
        with open(spec, encoding='utf-8') as f:
            yield 'spec', yaml.safe_load(f)['expect'] == 'refines', ['--spec', spec]
    if os.path.exists(pair):
        with open(pair, encoding='utf-8') as f:
            expect = yaml.safe_load(f)
        assume = []
        for row in expect.get('inputs') or []:
            if row.get('draw') == 'int':
                assume += ['--assume', '%d=%d:%d' % (row['param'], row['lo'], row['hi'])]
        for before in files(case, 'before'):
            for after in files(case, 'after'):
                how = before.rsplit('.', 1)[1] + ' ' + after.rsplit('.', 1)[1]
                yield how, expect['verdict'] == 'refines', [before, after] + assume


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--limit', type=int, default=120)
    parser.add_argument('folders', nargs='+')
    o = parser.parse_args()
    ran = bad = 0
    for folder in o.folders:
        for name in sorted(os.listdir(folder)):
            for how, refines, arguments in runs(os.path.join(folder, name)):
                got, said = run([o.bin, 'check'] + arguments, o.limit)
                ran += 1
                ok = got in (['REFINES'] if refines else ['VIOLATION', 'UNPROVEN'])
                bad += not ok
                print('%-6s %-28s %-9s %s%s' % ('ok' if ok else 'WRONG', name, how, got, '' if ok else '  | ' + said[:200]),
                      flush=True)
    print('%d runs, %d wrong' % (ran, bad))
    return 1 if bad or not ran else 0


if __name__ == '__main__':
    sys.exit(main())
