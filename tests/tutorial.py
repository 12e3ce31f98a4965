#!/usr/bin/env python3
"""What docs/tutorial.md shows must be what happens, numbers aside.

    tests/tutorial.py --bin SHARDPROOF [--show]

A block ```sp NAME is a file; ```console has commands (`$ ...`) and what they
print, both streams; `...` stands for any lines, or the rest of one. All run in one new
folder, in order. --show prints what the commands print, for writing.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
PAGE = os.path.join(ROOT, 'docs', 'tutorial.md')


def blocks(page):
    """(line number, info string, lines) of each fenced block."""
    info = None
    for number, line in enumerate(page.split('\n'), 1):
        if info is None and line.startswith('```'):
            info, first, lines = line[3:], number, []
        elif info is not None and line == '```':
            yield first, info, lines
            info = None
        elif info is not None:
            lines.append(line)
    if info is not None:
        raise SystemExit('%s:%d: this block has no end' % (PAGE, first))


def commands(lines):
    """(command, lines shown) of a console block."""
    out = []
    for line in lines:
        if line.startswith('$ '):
            out.append((line[2:], []))
        else:
            out[-1][1].append(line)
    return out


def same_but_numbers(line):
    """Values and names of variables differ between versions; blanks at the end do not count."""
    line = re.sub(r'(?<![\w)\]])-(?=\d)', '', line)
    return re.sub(r'\d+(\.\d+)?(e[-+]?\d+)?', 'N', line).rstrip()


def matches_line(shown, printed):
    return printed == shown or (shown.endswith(' ...') and printed.startswith(shown[:-3]))


def first_difference(shown, printed):
    """The number of the first shown line that nothing printed fits; None: all fits. `...` stands for any lines, at the
    end of a line for its rest."""
    reach = {0}  # numbers of printed lines that what came before can cover
    for at, line in enumerate(shown):
        if line.strip() == '...':
            reach = set(range(min(reach), len(printed) + 1))
        else:
            reach = {i + 1 for i in reach if i < len(printed) and matches_line(line, printed[i])}
        if not reach:
            return at
    return None if len(printed) in reach else len(shown)


def strip(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def run(command, folder):
    env = dict(os.environ, PATH=folder + os.pathsep + os.environ['PATH'])
    p = subprocess.run(['sh', '-c', command], cwd=os.path.join(folder, 'work'), env=env, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, timeout=120)
    return p.stdout.split('\n')


def problems(binary, show, folder):
    os.mkdir(os.path.join(folder, 'work'))
    os.symlink(binary, os.path.join(folder, 'shardproof'))
    with open(PAGE, encoding='utf-8') as f:
        page = f.read()
    for number, info, lines in blocks(page):
        if info.startswith('sp '):
            with open(os.path.join(folder, 'work', info[3:].strip()), 'w', encoding='utf-8') as f:
                f.write('\n'.join(lines) + '\n')
        elif info == 'console':
            for command, shown in commands(lines):
                printed = strip(run(command, folder))
                if show:
                    print('\n'.join(['$ ' + command] + printed))
                shown = strip(shown)
                at = first_difference([same_but_numbers(s) for s in shown], [same_but_numbers(s) for s in printed])
                if at is not None:
                    yield number, command, (shown + ['(the end)'])[at], printed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--show', action='store_true')
    args = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, command, line, printed in problems(os.path.abspath(args.bin), args.show, folder):
            bad += 1
            print('docs/tutorial.md:%d: $ %s\nprints nothing that fits: %s\nbut:\n%s\n' %
                  (number, command, line, '\n'.join(printed)))
    print('docs/tutorial.md shows what happens' if not bad else '%d commands print something else' % bad)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
