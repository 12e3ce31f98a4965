#!/usr/bin/env python3
"""Is the same proved where equal layers are proved once? tests/each_layer.py --bin SHARDPROOF [--large] [WHAT...]

Each case is checked with and without --each-layer: the verdicts must be the same, and where the program refines the relations of all tensors. (Where it
does not, tensors may lack a relation because one of an earlier layer does.) WHAT: a case, a folder of cases, or a list of cases (relative to
the parent of the list's folder); --large: the large set at SHARDPROOF_CASES, or exit code 77 where there is none.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cases'))
from run import runs  # noqa: E402

LARGE = ['torch', 'entangle', 'xla/sets/core.txt', 'xla/sets/rings.txt', 'xla/sets/mutants-core.txt']


def cases(what):
    if os.path.isfile(what):
        root = os.path.dirname(os.path.dirname(os.path.abspath(what)))
        with open(what, encoding='utf-8') as f:
            return [os.path.join(root, line.strip()) for line in f if line.strip()]
    if any(os.path.exists(os.path.join(what, n)) for n in ('spec.yaml', 'expect.yaml')):
        return [what]
    return [os.path.join(what, n) for n in sorted(os.listdir(what)) if os.path.isdir(os.path.join(what, n))]


def check(binary, arguments, limit):
    with tempfile.NamedTemporaryFile(suffix='.json') as f:
        subprocess.run([binary, 'check', '-q', '--explain', '--json', f.name] + arguments, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=limit, stdin=subprocess.DEVNULL, check=False)
        return json.load(open(f.name, encoding='utf-8'))


def compare(binary, arguments, limit):
    """(what differs or None, tensors, how many of them are like one of an earlier layer)"""
    try:
        once, each = check(binary, arguments, limit), check(binary, arguments + ['--each-layer'], limit)
    except (subprocess.TimeoutExpired, ValueError) as e:
        return 'no report: %.80s' % e, 0, 0
    tensors = once.get('tensors', [])
    like = sum(1 for t in tensors if t.get('like'))
    if once['verdict'] != each['verdict']:
        return '%s, with --each-layer %s' % (once['verdict'], each['verdict']), len(tensors), like
    for t, u in zip(tensors, each.get('tensors', [])):
        if once['verdict'] == 'REFINES' and t['relation'] != u['relation']:
            return '%s: %.90s, with --each-layer %.90s' % (t['name'], t['relation'], u['relation']), len(tensors), like
    return None, len(tensors), like


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--limit', type=int, default=120)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--large', action='store_true')
    parser.add_argument('what', nargs='*')
    o = parser.parse_args()
    what = list(o.what)
    if o.large:
        root = os.environ.get('SHARDPROOF_CASES', '')
        if not os.path.isdir(root):
            print('each_layer: skipped: there is no large set of cases')
            return 77
        what += [os.path.join(root, w) for w in LARGE]
    work = []
    for w in what:
        for case in cases(w):
            work += [(case, arguments) for _, _, arguments in list(runs(case))[:1]]
    ran = bad = tensors = like = 0
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for (case, _), (differs, n, k) in zip(work, pool.map(lambda x: compare(o.bin, x[1], o.limit), work)):
            ran, tensors, like, bad = ran + 1, tensors + n, like + k, bad + bool(differs)
            if differs:
                print('WRONG  %s: %s' % (case, differs), flush=True)
    print('%d cases, %d tensors, %d like one of an earlier layer, %d cases differ' % (ran, tensors, like, bad))
    return 1 if bad or not ran else 0


if __name__ == '__main__':
    sys.exit(main())
