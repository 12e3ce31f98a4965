#!/usr/bin/env python3
"""The specs in this repository, and of the large set where it is, fit docs/spec.schema.json; broken ones do not."""
import glob
import json
import os
import sys

import yaml

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
BROKEN = ['a: 1', 'sequential: s', 'inputs: {x: {tp: Shrad(0)}}', 'mesh: {as: 2}', 'outputs: {}', 'dropout: never',
          'assume: {x: [1]}', 'assume: {x: [1, 2, 3]}', 'assume: {x: [1, [2]]}', 'inputs: {x: {concat: [a]}}', 'constants: {rank: {a: 0}}', 'groups: {both: {}}']

GOOD = ['assume: {x: [0, 4]}', 'assume: {x: [-100, [0, 4]], y: [[0, 2], [4, 8]]}']


def main():
    try:
        import jsonschema
    except ImportError:
        print('schema: skipped: python3-jsonschema is missing')
        return 77
    with open(os.path.join(ROOT, 'docs/spec.schema.json'), encoding='utf-8') as f:
        validator = jsonschema.Draft7Validator(json.load(f))
    files = glob.glob(os.path.join(ROOT, 'tests/cases/torch/*/spec.yaml'))
    files += glob.glob(os.path.join(os.environ.get('SHARDPROOF_CASES', ''), '*/*/spec.yaml'))
    bad = 0
    for path in files:
        with open(path, encoding='utf-8') as f:
            for error in validator.iter_errors(yaml.safe_load(f)):
                bad += 1
                print('%s: %s' % (path, error.message[:200]))
    good = 'sequential: s\ndistributed: d\nmesh: {tp: 2}\noutputs: {out.0: Replicate}\n'
    for text in GOOD:
        for error in validator.iter_errors({**yaml.safe_load(good), **yaml.safe_load(text)}):
            bad += 1
            print('%s: %s' % (text, error.message[:200]))
    for text in BROKEN:
        spec = yaml.safe_load(good)
        spec.update(yaml.safe_load(text))
        if text == 'sequential: s':
            del spec['outputs']
        if not list(validator.iter_errors(spec)):
            bad += 1
            print('accepted: %s' % text)
    print('%d specs, %d problems' % (len(files), bad))
    return 1 if bad or len(files) < 5 else 0


if __name__ == '__main__':
    sys.exit(main())
