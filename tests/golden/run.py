#!/usr/bin/env python3
"""Run command-line cases: tests/golden/run.py --bin SHARDPROOF CASE...

A case is a folder with `cmd`, the arguments of one run (shell words; {root} is
this repository, the program is put in front), and `expect`, one line a fact:

    status N       the exit code (must be there)
    first WORD     the first word of the first line of stdout, no colon
    out TEXT       a line of stdout contains TEXT
    err TEXT       a line of stderr contains TEXT
    ! TEXT         neither contains TEXT
    empty out|err  nothing was printed there
    json FILE      FILE was written and fits docs/report.schema.json
    bisection FILE FILE was written and fits docs/bisect.schema.json, the report in it the former
    sarif FILE     FILE was written and has what SARIF 2.1.0 requires
    text FILE TEXT a line of FILE contains TEXT
    value PATH = JSON    ... and in the last such file, PATH (a.b.0.c) is JSON
    absent FILE    FILE was not written
    files PATTERN  at least one file matches (obligations/*.smt2)
    link FILE      FILE is still a symbolic link
    seconds N      it took no longer

Lines starting with # are comments. The command runs in a copy of the folder.
"""
import argparse
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))


def schema_of(name):
    with open(os.path.join(ROOT, 'docs', name), encoding='utf-8') as f:
        return json.load(f)


def bisection_problem(data):
    problem = schema_problem(data, schema_of('bisect.schema.json'))
    if not problem and data['report'] is not None:
        problem = schema_problem(data['report'])
    return problem


def schema_problem(data, schema=None):
    try:
        import jsonschema
    except ImportError:
        print('  python3-jsonschema is missing: JSON is not compared with its schema')
        return None
    try:
        jsonschema.validate(data, schema or schema_of('report.schema.json'))
    except jsonschema.ValidationError as e:
        return '%s at %s' % (e.message, '/'.join(map(str, e.path)))
    return None


# The required parts of SARIF 2.1.0 that we write (the whole schema is not
# ours to copy).
TEXT = {'type': 'object', 'required': ['text'], 'properties': {'text': {'type': 'string', 'minLength': 1}}}
PLACE = {'type': 'object', 'properties': {
    'physicalLocation': {'type': 'object', 'required': ['artifactLocation'], 'additionalProperties': False, 'properties': {
        'artifactLocation': {'type': 'object', 'required': ['uri'], 'properties': {
            'uri': {'type': 'string', 'pattern': "^(file:///)?[A-Za-z0-9/._~%-]+$"}}},
        'region': {'type': 'object', 'properties': {'startLine': {'type': 'integer', 'minimum': 1}}}}},
    'logicalLocations': {'type': 'array', 'uniqueItems': True, 'items': {
        'type': 'object', 'properties': {'name': {'type': 'string'}, 'fullyQualifiedName': {'type': 'string'}}}},
    'message': TEXT}}
SARIF = {
    'type': 'object', 'required': ['version', 'runs', '$schema'], 'additionalProperties': False,
    'properties': {
        '$schema': {'type': 'string'}, 'version': {'const': '2.1.0'},
        'runs': {'type': 'array', 'minItems': 1, 'maxItems': 1, 'items': {
            'type': 'object', 'required': ['tool', 'results'], 'additionalProperties': False, 'properties': {
                'tool': {'type': 'object', 'required': ['driver'], 'properties': {'driver': {
                    'type': 'object', 'required': ['name'], 'properties': {'rules': {'type': 'array', 'items': {
                        'type': 'object', 'required': ['id'], 'properties': {'shortDescription': TEXT}}}}}}},
                'invocations': {'type': 'array', 'items': {
                    'type': 'object', 'required': ['executionSuccessful'], 'properties': {
                        'exitCode': {'type': 'integer'}, 'toolExecutionNotifications': {'type': 'array', 'items': {
                            'type': 'object', 'required': ['message'], 'properties': {
                                'message': TEXT, 'locations': {'type': 'array', 'items': PLACE}}}}}}},
                'results': {'type': 'array', 'items': {
                    'type': 'object', 'required': ['message', 'ruleId', 'level', 'locations'], 'properties': {
                        'message': TEXT, 'level': {'enum': ['none', 'note', 'warning', 'error']},
                        'ruleIndex': {'type': 'integer', 'minimum': 0},
                        'locations': {'type': 'array', 'minItems': 1, 'items': PLACE},
                        'relatedLocations': {'type': 'array', 'uniqueItems': True, 'items': PLACE}}}}}}}}}


def lookup(data, path):
    for key in path.split('.'):
        data = data[int(key)] if isinstance(data, list) else data[key]
    return data


class Case:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.wrong, self.data = binary, folder, [], None

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8') as f:
            return f.read()

    def fail(self, line, said):
        self.wrong.append('%s\n      got: %s' % (line, said))

    def judge(self, line, here):
        word, _, rest = line.partition(' ')
        first = self.out.split('\n')[0]
        if word == 'status':
            if self.status != int(rest):
                self.fail(line, 'status %d; %s' % (self.status, (self.err or first)[:400]))
        elif word == 'first':
            if first.split(' ')[0].rstrip(':') != rest:
                self.fail(line, first)
        elif word in ('out', 'err'):
            if rest not in (self.out if word == 'out' else self.err):
                self.fail(line, (self.out if word == 'out' else self.err)[:2000])
        elif word == '!':
            if rest in self.out or rest in self.err:
                self.fail(line, 'it is there')
        elif word == 'empty':
            text = self.out if rest == 'out' else self.err
            if text:
                self.fail(line, text[:400])
        elif word == 'text':
            name, _, text = rest.partition(' ')
            try:
                with open(os.path.join(here, name), encoding='utf-8') as f:
                    got = f.read()
            except (OSError, ValueError) as e:
                got = str(e)
            if not any(text in l for l in got.split('\n')):
                self.fail(line, got[:2000])
        elif word in ('json', 'sarif', 'bisection'):
            try:
                with open(os.path.join(here, rest), encoding='utf-8') as f:
                    self.data = json.load(f)
            except (OSError, ValueError) as e:
                self.fail(line, e)
                return
            if word == 'bisection':
                problem = bisection_problem(self.data)
            else:
                problem = schema_problem(self.data, SARIF if word == 'sarif' else None)
            if problem:
                self.fail(line, problem)
        elif word == 'value':
            path, _, text = rest.partition(' = ')
            try:
                got = lookup(self.data, path)
            except (KeyError, IndexError, TypeError, ValueError) as e:
                self.fail(line, repr(e))
                return
            if got != json.loads(text):
                self.fail(line, json.dumps(got))
        elif word == 'absent':
            if os.path.exists(os.path.join(here, rest)):
                self.fail(line, 'it was written')
        elif word == 'files':
            if not glob.glob(os.path.join(here, rest)):
                self.fail(line, 'none')
        elif word == 'link':
            if not os.path.islink(os.path.join(here, rest)):
                self.fail(line, 'it is not')
        elif word == 'seconds':
            if self.seconds > float(rest):
                self.fail(line, '%.2f' % self.seconds)
        else:
            self.fail(line, 'no such kind of fact')

    def run(self):
        words = shlex.split(self.read('cmd').replace('{root}', ROOT), comments=True)
        env = dict(os.environ, NO_COLOR='1')
        with tempfile.TemporaryDirectory() as top:
            here = os.path.join(top, 'case')
            shutil.copytree(self.folder, here, symlinks=True)
            start = time.time()
            p = subprocess.run([self.binary] + words, cwd=here, env=env, capture_output=True, timeout=300,
                               stdin=subprocess.DEVNULL)
            self.seconds = time.time() - start
            self.status = p.returncode
            self.out, self.err = p.stdout.decode('utf-8'), p.stderr.decode('utf-8')
            facts = [f for f in self.read('expect').split('\n') if f.strip() and not f.startswith('#')]
            if not any(f.startswith('status ') for f in facts):
                self.fail('status', 'not stated')
            if 'Sanitizer' in self.err or 'runtime error:' in self.err:
                self.fail('no sanitizer report', self.err[:4000])
            for fact in facts:
                self.judge(fact, here)
        return not self.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('cases', nargs='+')
    o = parser.parse_args()
    bad = 0
    for folder in o.cases:
        case = Case(os.path.abspath(o.bin), folder)
        ok = case.run()
        bad += not ok
        print('%s %s' % ('ok   ' if ok else 'WRONG', folder))
        for line in case.wrong:
            print('    expected: ' + line)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
