#!/usr/bin/env python3
"""Bisecting the large set's mutants: tests/bisect/mutants.py --bin SHARDPROOF

Each mutant becomes a compilation of three dumps: before the partitioner, after it
as XLA made it, and the mutant, as if a later pass had made it. That pass must be
named where the mutant is wrong, and never where it is right. So for openxla/xla
49122, which is a later pass's. Skipped (77) where SHARDPROOF_CASES is no set.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

NAMES = ('0001.spmd-partitioner.after_shardy-xla.before_spmd-partitioning', '0002.spmd-partitioner.after_spmd-partitioning.before_later',
         '0003.later.after_late.before_end')


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def assumptions(expect):
    ranges = re.findall(r'^- param: (\d+)\n(?:  .*\n)*?  lo: (-?\d+)\n  hi: (-?\d+)', expect, re.M)
    return [word for number, lo, hi in ranges for word in ('--assume', '%s=%s:%s' % (number, lo, hi))]


def run(binary, before, after, late, options):
    folder = tempfile.mkdtemp()
    for name, path in zip(NAMES, (before, after, late)):
        shutil.copy(path, '%s/module_0000.f.%s.txt' % (folder, name))
    p = subprocess.run([binary, 'bisect', '-q'] + options + [folder], capture_output=True, text=True, check=False)
    shutil.rmtree(folder)
    return p.stdout.strip() or p.stderr.strip()


def right(said, verdict):
    if verdict == 'violation':
        return said.startswith('VIOLATION: late (in later) broke')
    return said.split(':')[0] in ('REFINES', 'UNPROVEN')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    binary = os.path.abspath(parser.parse_args().bin)
    cases = os.path.join(os.environ.get('SHARDPROOF_CASES', ''), 'xla')
    if not os.path.isdir(cases + '/mutants'):
        print('bisect: skipped: there is no set of cases at %s' % cases)
        return 77
    todo = []
    for mutant in sorted(os.listdir(cases + '/mutants')):
        folder = '%s/mutants/%s' % (cases, mutant)
        expect = read(folder + '/expect.yaml')
        base = re.search(r'^base: (\S+)', expect, re.M).group(1)
        verdict = re.search(r'^verdict: (\w+)', expect, re.M).group(1)
        todo.append((mutant, folder + '/before.hlo.txt', '%s/%s/after.hlo.txt' % (cases, base), folder + '/after.hlo.txt',
                     verdict, assumptions(expect)))
    bug = cases + '/public-bugs/xla49122_ds_clamp.jax0.1'
    todo.append(('xla49122', bug + '2.0.1/before.hlo.txt', bug + '2.0.1/after.hlo.txt', bug + '0.2-algsimp/after.hlo.txt', 'violation',
                 []))
    todo.append(('xla49122 in range', bug + '2.0.1/before.hlo.txt', bug + '2.0.1/after.hlo.txt', bug + '0.2-algsimp/after.hlo.txt',
                 'refines', ['--assume', '1=0:3']))
    wrong = 0
    for name, before, after, late, verdict, options in todo:
        said = run(binary, before, after, late, options)
        ok = right(said, verdict)
        wrong += not ok
        print('%s %-40s %s' % ('ok   ' if ok else 'WRONG', name, said[:100] if not ok else said.split(':')[0]))
    print('%d cases, %d wrong' % (len(todo), wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
