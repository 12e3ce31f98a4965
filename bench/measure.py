"""One timed run of shardproof, and the table of many: shared by bench/run and bench/scale."""
import json
import os
import platform
import subprocess
import tempfile
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
BINARY = os.path.join(ROOT, 'build/release/shardproof')
HEAD = '%-36s %-10s %8s %8s %18s %12s %6s' % ('case', 'verdict', 'wall s', 'CPU s', 'read/rel/Z3/run %', 'distinct/all', 'MB')


def cases_folder():
    return os.environ.get('SHARDPROOF_CASES', os.path.join(ROOT, '../shared/cases'))


def banner(binary, repeat):
    version = subprocess.run([binary, '--version'], capture_output=True, text=True).stdout.strip()
    return '%s on %s, %d cores, best of %d' % (version, platform.machine(), os.cpu_count() or 1, repeat)


def once(command, limit):
    """(wall, CPU, report) of one run; the report is None when it took longer than the limit."""
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, 'report.json')
        start = time.perf_counter()
        p = subprocess.Popen(command + ['--json', path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            pid, _, usage = os.wait4(p.pid, os.WNOHANG)
            wall = time.perf_counter() - start
            if pid:
                p.returncode = 0
                break
            if wall > limit:
                p.kill()
                p.wait()
                return wall, wall, None
            time.sleep(0.002)
        with open(path, encoding='utf-8') as f:
            return wall, usage.ru_utime + usage.ru_stime, json.load(f)


def row(name, command, repeat, limit=120):
    """The fastest of some runs. Relating is what is neither reading nor Z3 nor running both programs."""
    runs = [once(command, limit) for _ in range(repeat)]
    wall, cpu, report = min(runs, key=lambda r: r[0])
    if report is None:
        return dict(case=name, verdict='> %d s' % limit, seconds=wall, cpu_seconds=cpu, read_seconds=0, relate_seconds=0,
                    solver_seconds=0, run_seconds=0, obligations=0, distinct=0, peak_bytes=0)
    s = report['stats']
    return dict(case=name, verdict=report['verdict'] or 'error', seconds=wall, cpu_seconds=min(r[1] for r in runs),
                read_seconds=s['read_seconds'], solver_seconds=s['solver_seconds'],
                relate_seconds=max(0.0, s['seconds'] - s['read_seconds'] - s['solver_seconds'] - s['run_seconds']), run_seconds=s['run_seconds'],
                obligations=s['obligations'], distinct=s['distinct'], peak_bytes=max(r[2]['stats']['peak_bytes'] for r in runs if r[2]))


def show(r):
    parts = [r[k + '_seconds'] for k in ('read', 'relate', 'solver', 'run')]
    total = sum(parts) or 1
    print('%-36s %-10s %8.3f %8.3f %18s %12s %6.0f' % (
        r['case'], r['verdict'], r['seconds'], r['cpu_seconds'], '/'.join('%.0f' % (100 * p / total) for p in parts),
        '%d/%d' % (r['distinct'], r['obligations']), r['peak_bytes'] / 1e6), flush=True)


def save(path, rows):
    if path:
        with open(path, 'w', encoding='utf-8') as f:
            json.dump(rows, f, indent=1)
