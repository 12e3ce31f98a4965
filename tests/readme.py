#!/usr/bin/env python3
"""The example in README.md must be what the program prints, numbers aside.

    tests/readme.py --bin SHARDPROOF

Runs the first `$ shardproof ...` of README.md in examples/llama_block.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))


def example():
    """(arguments, lines printed) of the first example."""
    with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as f:
        lines = f.read().split('\n')
    at = next(i for i, line in enumerate(lines) if line.startswith('    $ shardproof '))
    shown = []
    for line in lines[at + 1:]:
        if line and not line.startswith('    '):
            break
        shown.append(line[4:])
    return shlex.split(lines[at])[2:], '\n'.join(shown).strip()


def without_numbers(text):
    return re.sub(r'\d+(\.\d+)?', 'N', text.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    binary = os.path.abspath(parser.parse_args().bin)
    arguments, shown = example()
    p = subprocess.run([binary] + arguments, cwd=os.path.join(ROOT, 'examples/llama_block'), capture_output=True,
                       text=True)
    if p.returncode != 0 or without_numbers(p.stdout) != without_numbers(shown):
        print('README.md shows:\n%s\n\nthe program prints:\n%s%s' % (shown, p.stdout, p.stderr))
        return 1
    print('README.md shows what the program prints')
    return 0


if __name__ == '__main__':
    sys.exit(main())
