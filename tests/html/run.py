#!/usr/bin/env python3
"""The page of `check --html`, opened and used in headless Chromium.

    tests/html/run.py --bin SHARDPROOF [--keep DIR] [NAME...]

Each page is opened at two widths; tests/html/probe.js looks at it and presses
everything. Then its picture is taken. --keep leaves pages and pictures in DIR.
Exit status 77 where Chromium is missing.
"""
import argparse
import html
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
SKIP = 77
WIDTHS = (1400, 500)
CHROMIUM = next((p for p in map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome')) if p), None)


def pair(folder):
    return [os.path.join(ROOT, folder, name) for name in ('before.hlo.txt', 'after.hlo.txt')]


# ---- what a page must show ----

def facts_of_a_violation(page, operator):
    seen = page['seen']
    yield 'verdict', seen['verdict'] == 'VIOLATION' and 'instead of' in seen['sentence'] and 'difference is certain' in seen['meaning']
    yield 'one fault, marked', seen['faults'].count('FAULT') == 1 and operator in seen['faults'][0]
    yield 'heat maps', seen['maps'] == 3
    yield 'values', 'expected' in seen['witness'] and 'got' in seen['witness']
    yield 'the fault is in the legend', any('the fault' in x for x in seen['legend'])


def facts_of_a_dropped_reduction(page):
    yield from facts_of_a_violation(page, 'dot')
    yield 'explanation', 'an all-reduce is missing' in page['seen']['sentence']


def facts_of_a_wrong_offset(page):
    yield from facts_of_a_violation(page, 'constant.2')
    yield 'explanation', '{0, 8, 16, 24, 0, 8, 16, 24}' in page['seen']['sentence']


def facts_of_a_right_pair(page):
    seen = page['seen']
    yield 'verdict', seen['verdict'] == 'REFINES' and 'proved by the solver' in seen['meaning']
    yield 'no fault', not seen['faults'] and not seen['stopped'] and seen['maps'] == 0
    yield 'results', 'proved' in seen['results']
    yield 'mesh axes', len(seen['axes']) == 2
    yield 'Graphviz or a word about it', shutil.which('dot') or 'Graphviz' in seen['before']['note']


def facts_without_graphviz(page):
    yield 'a word about it', all('Graphviz (the program dot) was not found' in page['seen'][s]['note'] for s in ('before', 'after'))
    yield 'verdict', page['seen']['verdict'] == 'VIOLATION'


def facts_of_odd_graphviz(page):
    yield 'a word about it', all('did not say where all boxes go' in page['seen'][s]['note'] for s in ('before', 'after'))


def facts_of_an_open_pair(page):
    seen = page['seen']
    yield 'verdict', seen['verdict'] == 'UNPROVEN' and 'look there first' in seen['meaning']
    yield 'where it stopped', seen['stopped'] and not seen['faults']


def facts_of_hostile_text(page):
    yield from facts_of_a_right_pair({'seen': dict(page['seen'], axes=[1, 2])})
    yield 'op_name is text', HOSTILE in page['used']['details']
    yield 'nothing of it ran', page['seen']['verdict'] == 'REFINES'


def facts_of_an_error(page):
    yield 'verdict', page['seen']['verdict'] == 'ERROR' and page['seen']['sentence']
    yield 'nothing else', not page['seen']['before'] and not page['seen']['legend']


HOSTILE = '</script><script>document.querySelector("h1").textContent = 1</script><!--<script>&quot;\u2028'

# name: files, further arguments, facts, exit code, environment
CASES = {
    'drop_allreduce_matmul_row': (pair('tests/cases/xla/drop_allreduce_matmul_row'), [], facts_of_a_dropped_reduction, 1, {}),
    'offset_stride_embedding': (pair('tests/cases/xla/offset_stride_embedding'), [], facts_of_a_wrong_offset, 1, {}),
    'llama_block_fwd': (pair('examples/llama_block'), [], facts_of_a_right_pair, 0, {}),
    'open': (pair('tests/cases/xla/drop_allreduce_matmul_row'), ['--run-budget', '0'], facts_of_an_open_pair, 2, {}),
    'no_graphviz': (pair('tests/cases/xla/offset_stride_embedding'), [], facts_without_graphviz, 1, {'PATH': '/nowhere'}),
    'odd_graphviz': (pair('examples/llama_block'), [], facts_of_odd_graphviz, 0, {}),
    'hostile': (None, [], facts_of_hostile_text, 0, {}),
    'error': (None, [], facts_of_an_error, 4, {}),
}
PICTURES = ('drop_allreduce_matmul_row', 'offset_stride_embedding', 'llama_block_fwd')


def made_up_files(name, folder):
    """A right pair whose op_name tries to be script, and a file that is no module."""
    files = pair('tests/cases/xla/matmul_row')
    for path in files:
        with open(path, encoding='utf-8') as f:
            text = f.read()
        word = HOSTILE.replace('"', '\\"')
        text = re.sub('op_name="[^"]*"', lambda m: 'op_name="%s"' % word, text) if name == 'hostile' else '<script>no module'
        with open(os.path.join(folder, os.path.basename(path)), 'w', encoding='utf-8') as f:
            f.write(text)
    return [os.path.join(folder, os.path.basename(path)) for path in files]


def odd_graphviz(folder):
    """A folder with a program dot that answers in another language."""
    path = os.path.join(folder, 'dot')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('#!/bin/sh\necho "graph 1 5"; echo "node 0 <script> 1"; echo "edge 0 1 4 1"\n')
    os.chmod(path, 0o755)
    return folder


def facts_of_any_page(page):
    seen, used = page['seen'], page['used']
    yield 'no script errors', page['errors'] == []
    yield 'not too wide', seen['overflow'] <= 0 and used.get('overflow', 0) <= 0
    if seen['verdict'] == 'ERROR':
        return
    for side in ('before', 'after'):
        yield 'graph of ' + side, seen[side]['boxes'] >= 3 and seen[side]['wires'] >= 2 and seen[side]['visible'] >= 2
        yield 'all views of ' + side, all(used[v][side]['visible'] >= 1 for v in ('start', 'near'))
    yield 'the legend', all(any(x.startswith(k) for x in seen['legend']) for k in ('Replicate', 'Shard', 'Partial', 'index map', 'formula', 'no relation'))
    yield 'search', used['slash'] and used['hits'] > 0 and 'param' in used['afterSearch'][0]
    yield 'keys', len(used['afterKeys']) == 1
    yield 'pressing the legend', used['lit'] >= 0


# ---- Chromium ----

def chromium(folder, width, height, *args):
    command = [CHROMIUM, '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run', '--virtual-time-budget=10000',
               '--user-data-dir=' + os.path.join(folder, 'profile'), '--window-size=%d,%d' % (width, height), *args]
    return subprocess.run(command, capture_output=True, timeout=120).stdout.decode('utf-8', 'replace')


def open_page(folder, path, width):
    with open(path, encoding='utf-8') as f:
        text = f.read()
    with open(os.path.join(ROOT, 'tests/html/probe.js'), encoding='utf-8') as f:
        probe = f.read()
    probed = os.path.join(folder, 'probed.html')
    with open(probed, 'w', encoding='utf-8') as f:
        f.write(text.replace('<title>', '<script>%s</script><title>' % probe, 1))
    dom = chromium(folder, width, 900, '--dump-dom', 'file://' + probed)
    found = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
    return json.loads(html.unescape(found.group(1))) if found else None


def pixel_rows(path):
    """The rows of a PNG of 8-bit RGB or RGBA, as bytes."""
    with open(path, 'rb') as f:
        data = f.read()
    at, packed, size, wide = 8, b'', None, 0
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        if kind == b'IHDR':
            size, wide = struct.unpack('>II', body[:8]), {2: 3, 6: 4}[body[9]]
        elif kind == b'IDAT':
            packed += body
        at += 12 + n
    raw, stride = zlib.decompress(packed), size[0] * wide + 1
    above, rows = bytes(stride - 1), []
    for y in range(size[1]):
        how, line = raw[y * stride], bytearray(raw[y * stride + 1:(y + 1) * stride])
        for x in range(len(line) if how else 0):
            a, b, c = (line[x - wide], above[x], above[x - wide]) if x >= wide else (0, above[x], 0)
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2] if how == 4 else 0
            line[x] = (line[x] + (0, a, b, (a + b) // 2, nearest)[how]) & 255
        above = bytes(line)
        rows.append(above)
    return rows, wide


def facts_of_a_picture(path):
    """Not blank: many colours, and something in most places from top to bottom."""
    rows, wide = pixel_rows(path)
    colours = set()
    busy = 0
    for row in rows[::3]:
        here = {row[i:i + 3] for i in range(0, len(row), wide * 2)}
        colours |= here
        busy += len(here) > 2
    yield 'colours (%d)' % len(colours), len(colours) > 100
    yield 'rows with something in them (%d of %d)' % (busy, len(rows) // 3), busy > len(rows) // 3 * 0.6


# ---- running ----

def check(name, binary, folder, keep):
    files, arguments, facts, code, environment = CASES[name]
    here = os.path.join(folder, name)
    os.makedirs(here)
    if name == 'odd_graphviz':
        environment = {'PATH': odd_graphviz(here)}
    path = os.path.join(keep or here, name + '.html')
    done = subprocess.run([os.path.abspath(binary), 'check', '-q', *arguments, '--html', path, *(files or made_up_files(name, here))],
                          env={**os.environ, **environment}, capture_output=True, timeout=120)
    wrong = [] if done.returncode == code else ['exit code %d: %s' % (done.returncode, done.stderr.decode()[:300])]
    with open(path, encoding='utf-8') as f:
        page = f.read()
    if page.count('</script') != 2 or page.count('<script') != 2 or re.search(r'(src|href)=|https?://(?!www\.w3\.org)', page):
        wrong.append('the page has a script that is not ours, or names another place')
    for width in WIDTHS if CHROMIUM else ():
        found = open_page(here, path, width)
        if not found:
            wrong.append('at %d: no probe' % width)
            continue
        for what, ok in [*facts_of_any_page(found), *facts(found)]:
            if not ok:
                wrong.append('at %d: %s: %s' % (width, what, json.dumps(found)[:1500]))
        if name in PICTURES:
            picture = os.path.join(keep or here, '%s-%d.png' % (name, width))
            chromium(here, width, 1000, '--screenshot=' + picture, 'file://' + path)
            wrong += ['at %d: picture: %s' % (width, what) for what, ok in facts_of_a_picture(picture) if not ok]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--keep')
    parser.add_argument('names', nargs='*')
    o = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in o.names or CASES:
            wrong = check(name, o.bin, folder, o.keep and os.path.abspath(o.keep))
            print('%s  %s' % ('BAD' if wrong else 'ok ', name), flush=True)
            for line in wrong:
                print('     ' + line)
            bad += bool(wrong)
    if not CHROMIUM:
        print('html: the pages were written, but not opened: chromium is missing')
        return 1 if bad else SKIP
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
