#!/usr/bin/env python3
"""Run the pairs of a folder: tests/cases/run.py --bin SHARDPROOF FOLDER...

Each pair is run from text, from protobuf, and mixed. What refines must be
REFINES; a violation must be VIOLATION or UNPROVEN: REFINES there is the worst
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


def run(binary, case, before, after, expect, limit):
    command = [binary, 'check', before, after]
    for row in expect.get('inputs') or []:
        if row.get('draw') == 'int':
            command += ['--assume', '%d=%d:%d' % (row['param'], row['lo'], row['hi'])]
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return 'over %d s' % limit, ''
    said = p.stdout.split('\n')[0]
    got = VERDICTS.get(p.returncode, 'exit code %d' % p.returncode)
    if got in VERDICTS.values() and said.split(':')[0] != got:
        got = 'exit code and first word differ'
    return got, said or p.stderr.strip().split('\n')[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--limit', type=int, default=120)
    parser.add_argument('folders', nargs='+')
    o = parser.parse_args()
    ran = bad = 0
    for folder in o.folders:
        for name in sorted(os.listdir(folder)):
            case = os.path.join(folder, name)
            if not os.path.exists(os.path.join(case, 'expect.yaml')):
                continue
            with open(os.path.join(case, 'expect.yaml'), encoding='utf-8') as f:
                expect = yaml.safe_load(f)
            refines = expect['verdict'] == 'refines'
            good = ['REFINES'] if refines else ['VIOLATION', 'UNPROVEN']
            for before in files(case, 'before'):
                for after in files(case, 'after'):
                    got, said = run(o.bin, case, before, after, expect, o.limit)
                    ran += 1
                    ok = got in good
                    bad += not ok
                    print('%-6s %-28s %-4s %-4s %s%s' % ('ok' if ok else 'WRONG', name, before.rsplit('.', 1)[1],
                                                         after.rsplit('.', 1)[1], got, '' if ok else '  | ' + said[:200]),
                          flush=True)
    print('%d runs, %d wrong' % (ran, bad))
    return 1 if bad or not ran else 0


if __name__ == '__main__':
    sys.exit(main())
