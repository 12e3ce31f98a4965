#!/usr/bin/env python3
"""Exercises of examples/course: the skeleton does not pass, the solution has
the full score, and what is no answer has none.

    tests/course.py --bin SHARDPROOF
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
COURSE = os.path.join(ROOT, 'examples', 'course')


def grade(binary, exercise, answer):
    p = subprocess.run([binary, 'check', '--grade', exercise, answer], capture_output=True, text=True, timeout=120)
    result = json.loads(p.stdout)
    full = result['score'] == result['of']
    if full != (p.returncode == 0) or full != (result['verdict'] == 'REFINES') or full != (result['reason'] is None):
        raise AssertionError('%s: score, verdict, reason and exit code disagree: %s' % (answer, p.stdout))
    return result


def cheats(solution):
    """(what, text, what the reason says) of files that must have no score."""
    def first_answer(text):
        """The solution with text in place of its first answer."""
        begin = solution.index('\n', solution.index('#: answer')) + 1
        return solution[:begin] + text + '\n' + solution[solution.index('#: end'):]

    sequential = solution.index('sequential {') + len('sequential {')
    name = solution[sequential:].split('[')[0].strip()
    promise = solution.rindex('\nprove ') + 1
    end = solution.rindex('#: end')
    yield 'the sequential program changed', solution.replace('sum(', 'max(', 1), 'the exercise has'
    yield 'the promise weakened', solution[:promise] + solution[promise:].replace('prove ', 'prove only ', 1) \
        if 'prove only' not in solution[promise:] else solution[:promise], 'exercise'
    yield 'an assumption', 'input Extra: int\nassume 0 <= Extra < 0\n' + solution, 'the exercise has'
    yield 'an assumption at the end', solution + '\nassume 0 <= 1\n', 'the end of the file'
    yield 'an expectation', solution + '\nexpect violation\n', 'the end of the file'
    yield 'no places', solution.replace('#: answer', '# answer').replace('#: end', '# end').replace(
        '#: reads', '#').replace('#: without', '#'), '#: answer'
    yield 'a place more', solution + '\n#: answer\nassume 0 <= 1\n#: end\n', '#: answer'
    yield 'a place with no end', solution[:end] + solution[end:].replace('#: end', '', 1), 'no end'
    yield 'a place widened', solution.replace('sequential {', '#: answer\nsequential {', 1), ''
    yield 'a block closed', first_answer('} assume 0 <= 1 {'), ''
    yield 'an assumption inside', first_answer('assume 0 <= 1'), 'may not stand in an answer'
    yield 'a function', first_answer('func gelu(x) = 0'), 'may not stand in an answer'
    yield 'a bracket left open', first_answer('('), ''
    yield 'another mesh', solution.replace('mesh g[', 'mesh h[2], g[', 1), 'the exercise has'
    yield 'the sequential tensor', first_answer('%s = %s' % (name.lower(), name)), ''
    yield 'not even words', '\x01\x02 %% "', ''
    yield 'nothing', '', ''
    yield 'cut off', solution[:len(solution) // 2], ''
    for word in ('mesh', 'input', 'only', 'prove', 'expect', 'sequential', 'parallel'):
        yield 'the word ' + word, first_answer(word), 'may not stand in an answer'
    if 'gelu' in solution:
        return
    inputs = solution.split('input ')[1].split('[')[0]
    yield 'an input read', first_answer('stolen[i < 1] = %s[0, 0]' % inputs), 'may not read it'


def check_exercise(binary, name, folder):
    """Lines that say what is wrong."""
    exercise = os.path.join(COURSE, name, 'exercise.sp')
    solution = os.path.join(COURSE, 'solutions', name + '.sp')
    skeleton = grade(binary, exercise, exercise)
    if skeleton['score'] == skeleton['of']:
        yield 'the skeleton passes'
    solved = grade(binary, exercise, solution)
    if solved['score'] != solved['of']:
        yield 'the solution has %d: %s' % (solved['score'], solved['reason'])
    with open(solution, encoding='utf-8') as f:
        text = f.read()
    for what, cheat, why in cheats(text):
        path = os.path.join(folder, 'answer.sp')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(cheat)
        result = grade(binary, exercise, path)
        if cheat == text:
            yield '%s: the test changed nothing' % what
        elif result['score'] != 0:
            yield '%s: has score %d' % (what, result['score'])
        elif why not in result['reason']:
            yield '%s: the reason does not say "%s": %s' % (what, why, result['reason'])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    binary = os.path.abspath(parser.parse_args().bin)
    bad = 0
    names = sorted(n for n in os.listdir(COURSE) if os.path.exists(os.path.join(COURSE, n, 'exercise.sp')))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            problems = list(check_exercise(binary, name, folder))
            for line in problems:
                print('%s: %s' % (name, line))
            bad += len(problems)
    print('%d exercises, %d problems' % (len(names), bad))
    return 1 if bad or not names else 0


if __name__ == '__main__':
    sys.exit(main())
