#!/usr/bin/env python3
"""Random small kernels against an interpreter of its own.

    tests/kernels_random.py --bin SHARDPROOF [--seeds FROM TO]

A kernel is made as a tree, from which both its text and its values come; so
neither the reader nor the lowering nor the evaluator of shardproof is used
twice. REFINES must agree with the values on a few inputs; VIOLATION must not
be said of programs that agree on all of them. Exit status 1 where one does.
"""
import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile

# ---- formulas: tuples ----


def text(e):
    kind = e[0]
    if kind == 'num':
        return str(e[1])
    if kind == 'var':
        return e[1]
    if kind == 'axis':
        return '@' + e[1]
    if kind == 'read':
        at = ', '.join('%s = %s' % (a, text(x)) for a, x in e[2])
        return e[1] + ('@(%s)' % at if at else '') + (
            '[%s]' % ', '.join(map(text, e[3])) if e[3] else '')
    if kind == 'bin':
        return '(%s %s %s)' % (text(e[2]), e[1], text(e[3]))
    if kind == 'max':
        return 'max(%s, %s)' % (text(e[1]), text(e[2]))
    if kind == 'if':
        return '(if %s < %s then %s else %s)' % tuple(map(text, e[1:]))
    op, var, n, body = e[1:]
    return '(%s(%s < %d) %s)' % (op, var, n, text(body))


def value(e, env, rank, world):
    kind = e[0]
    if kind == 'num':
        return e[1]
    if kind == 'var':
        return env[e[1]]
    if kind == 'axis':
        return rank[e[1]]
    if kind == 'read':
        there = dict(rank)
        for a, x in e[2]:
            there[a] = value(x, env, rank, world)
        idx = tuple(value(x, env, rank, world) for x in e[3])
        return world.read(e[1], there, idx)
    if kind == 'bin':
        x, y = value(e[2], env, rank, world), value(e[3], env, rank, world)
        return {'+': x + y, '-': x - y, '*': x * y,
                'div': x // y if e[1] == 'div' else 0,
                'mod': x % y if e[1] == 'mod' else 0}[e[1]]
    if kind == 'max':
        return max(value(e[1], env, rank, world), value(e[2], env, rank, world))
    if kind == 'if':
        less = value(e[1], env, rank, world) < value(e[2], env, rank, world)
        return value(e[3 if less else 4], env, rank, world)
    op, var, n, body = e[1:]
    values = [value(body, dict(env, **{var: k}), rank, world) for k in range(n)]
    return {'sum': sum, 'max': max, 'min': min}[op](values)


def num(k):
    return ('num', k)


def add(a, b):
    return ('bin', '+', a, b)


def mul(a, b):
    return ('bin', '*', a, b)


def div(a, k):
    return ('bin', 'div', a, num(k))


def mod(a, k):
    return ('bin', 'mod', a, num(k))


# ---- tensors ----


class World:
    """Values of all tensors: on each rank of a mesh, or on none."""

    def __init__(self, axes, inputs):
        self.axes, self.inputs, self.now = axes, inputs, {}

    def ranks(self):
        names = list(self.axes)
        for at in itertools.product(*(range(self.axes[a]) for a in names)):
            yield dict(zip(names, at))

    def read(self, name, rank, idx):
        if name in self.now:
            return self.now[name][tuple(rank[a] for a in self.axes)][idx]
        return self.inputs[name][idx]

    def define(self, name, variables, body):
        new = {}
        for rank in self.ranks():
            cells = {}
            for idx in itertools.product(*(range(n) for _, n in variables)):
                env = dict(zip((v for v, _ in variables), idx))
                cells[idx] = value(body, env, rank, self)
            new[tuple(rank.values())] = cells
        self.now[name] = new


# ---- placements, as in docs/kernels.md, by their index formulas ----


def cut(rng, axes, shape):
    """(text, shape, index formulas of local variables) of a random placement."""
    left, parts = list(axes), []
    local, maps = list(shape), [lambda j: j for _ in shape]
    rng.shuffle(left)
    while left and rng.random() < 0.7:
        d = rng.randrange(len(shape))
        over = [left.pop()]
        if left and rng.random() < 0.3:
            over.append(left.pop())
        n, at = 1, num(0)
        for a in over:
            at = add(mul(at, num(axes[a])), ('axis', a))
            n *= axes[a]
        block = rng.choice([0, 0, 1, 2])
        if local[d] % (n * (block or 1)) or local[d] == 0:
            continue
        local[d] //= n
        size, outer = local[d], maps[d]
        if block:
            def level(j, at=at, n=n, block=block, outer=outer):
                k = mul(add(mul(div(j, block), num(n)), at), num(block))
                return outer(add(k, mod(j, block)))
        else:
            def level(j, at=at, size=size, outer=outer):
                return outer(add(mul(at, num(size)), j))
        maps[d] = level
        parts.append('shard(%d%s) over %s' %
                     (d, ', %d' % block if block else '', ', '.join(over)))
    return ', '.join(parts) or 'replicated', local, maps


# ---- random kernels ----


class Kernel:
    def __init__(self, rng):
        self.rng = rng
        self.axes = {a: rng.choice([2, 3]) for a in
                     rng.choice([['g'], ['g', 'h']])}
        self.shape = [rng.choice([6, 12]) for _ in range(rng.choice([1, 2]))]
        self.seq, self.par, self.shapes = [], [], {}
        self.lines = []

    def formula(self, depth, leaves):
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(leaves)
        kind = rng.choice(['+', '-', '*', 'max', 'num', 'if'])
        a = self.formula(depth - 1, leaves)
        b = self.formula(depth - 1, leaves)
        if kind == 'if': # on the position in the whole tensor
            at = num(rng.randrange(3))
            for v, _ in self.indices(self.shape):
                at = add(at, mul(num(rng.randrange(1, 3)), ('var', v)))
            m = rng.randrange(2, 9)
            return ('if', mod(at, m), num(rng.randrange(1, m)), a, b)
        if kind == 'num':
            return add(a, num(rng.randrange(1, 4)))
        return ('max', a, b) if kind == 'max' else ('bin', kind, a, b)

    def indices(self, shape):
        return [('i%d' % d, n) for d, n in enumerate(shape)]

    def statement(self, name, variables, body, right=None):
        self.par.append((name, variables, body))
        self.shapes[name] = [n for _, n in variables]
        left = name + ('[%s]' % ', '.join('%s < %d' % v for v in variables)
                       if variables and not right else '')
        self.lines.append('  %s = %s' % (left, right or text(body)))

    def place(self, name, source, placement):
        spelled, local, maps = placement
        variables = self.indices(local)
        idx = [m(('var', v)) for m, (v, _) in zip(maps, variables)]
        self.statement(name, variables, ('read', source, (), idx),
                       '%s %s' % (source, spelled))

    def plain(self, name, at=()):
        return ('read', name, at, [('var', v) for v, _ in
                                   self.indices(self.shapes[name])])

    def collective(self, name, source):
        rng, shape = self.rng, list(self.shapes[source])
        over = rng.choice([[a] for a in self.axes] + [list(self.axes)])
        n = 1
        for a in over:
            n *= self.axes[a]
        where = ' over ' + ', '.join(over)

        def coordinates(q):
            out, stride = [], 1
            for a in reversed(over):
                out.append((a, mod(div(q, stride), self.axes[a])))
                stride *= self.axes[a]
            return tuple(out)
        position = num(0)
        for a in over:
            position = add(mul(position, num(self.axes[a])), ('axis', a))
        d = rng.randrange(len(shape))
        variables = self.indices(shape)
        idx = [('var', v) for v, _ in variables]
        kind = rng.choice(['all_reduce', 'all_gather', 'reduce_scatter',
                           'shift', 'broadcast', 'all_to_all'])
        q = ('var', 'q')
        op = rng.choice(['sum', 'max'])
        if kind == 'all_reduce':
            body = ('red', op, 'q', n, ('read', source, coordinates(q), idx))
            right = '%s(%s, %s)' % (kind, op, source)
        elif kind == 'all_gather':
            size = shape[d]
            if size * n > 40:
                return False
            shape[d] *= n
            i = idx[d]
            idx[d] = mod(i, size)
            body = ('read', source, coordinates(div(i, size)), idx)
            right = '%s(%s, %d)' % (kind, source, d)
        elif kind == 'reduce_scatter':
            if shape[d] % n:
                return False
            shape[d] //= n
            idx[d] = add(idx[d], mul(position, num(shape[d])))
            body = ('red', op, 'q', n, ('read', source, coordinates(q), idx))
            right = '%s(%s, %s, %d)' % (kind, op, source, d)
        elif kind == 'shift':
            k = rng.randrange(1, 3)
            body = ('read', source,
                    coordinates(mod(add(position, num(2 * n - k)), n)), idx)
            right = '%s(%s, %d)' % (kind, source, k)
        elif kind == 'broadcast':
            k = rng.randrange(n)
            body = ('read', source, coordinates(num(k)), idx)
            right = '%s(%s, %d)' % (kind, source, k)
        else:
            join = rng.randrange(len(shape))
            if shape[d] % n:
                return False
            part = shape[d] = shape[d] // n
            size = shape[join]
            j = idx[join]
            shape[join] *= n
            idx[join] = mod(j, size)
            idx[d] = add(idx[d], mul(position, num(part)))
            body = ('read', source, coordinates(div(j, size)), idx)
            right = '%s(%s, %d, %d)' % (kind, source, d, join)
        self.statement(name, self.indices(shape), body, right + where)
        return True

    def make(self):
        rng, dims = self.rng, len(self.shape)
        variables = self.indices(self.shape)
        here = [('var', v) for v, _ in variables]
        a, b = ('read', 'A', (), here), ('read', 'B', (), here)
        f = self.formula(2, [a, b])
        seq_lines = []

        def define(name, vs, body):
            self.seq.append((name, vs, body))
            seq_lines.append('  %s[%s] = %s' % (
                name, ', '.join('%s < %d' % v for v in vs), text(body)))
        define('C', variables, f)
        define('R', variables[:1],
               ('red', 'sum', 'k', self.shape[-1],
                ('read', 'C', (), here[:-1] + [('var', 'k')])) if dims == 2
               else ('read', 'C', (), here))
        placed = cut(rng, self.axes, self.shape)
        self.place('a', 'A', placed)
        self.place('b', 'B', placed if rng.random() < 0.8
                   else cut(rng, self.axes, self.shape))
        if self.shapes['a'] != self.shapes['b']:
            return None
        swap = {'A': 'a', 'B': 'b'}

        whole = {v: m(('var', v)) for m, (v, _) in
                 zip(placed[2], self.indices(placed[1]))}

        def renamed(e):
            if e[0] == 'read':
                return ('read', swap[e[1]], e[2], e[3])
            if e[0] == 'var':
                return whole[e[1]]
            return tuple(renamed(x) if isinstance(x, tuple) else x for x in e)
        self.statement('c', self.indices(self.shapes['a']), renamed(f))
        last = 'c'
        if dims == 2 and rng.random() < 0.5:
            n = self.shapes['c'][1]
            self.statement('r', self.indices(self.shapes['c'])[:1],
                           ('red', 'sum', 'k', n,
                            ('read', 'c', (), [('var', 'i0'), ('var', 'k')])))
            last = 'r'
        for k in range(rng.randrange(3)):
            if self.collective('t%d' % k, last):
                last = 't%d' % k
        self.promise(last, placed)
        if not self.wanted:
            return None
        mesh = ', '.join('%s[%d]' % x for x in self.axes.items())
        return '\n'.join(
            ['mesh ' + mesh,
             'input A%s, B%s' % (self.shape, self.shape),
             'sequential {'] + seq_lines + ['}', 'parallel {'] + self.lines +
            ['}', self.prove, ''])

    def promise(self, name, placed):
        """Placements that leave the right shape; else an index map."""
        rng = self.rng
        shapes = {'C': self.shape, 'R': self.shape[:1]}
        local = self.shapes[name]
        source = rng.choice([s for s in shapes
                             if len(shapes[s]) == len(local)] or ['C'])
        variables = self.indices(local)
        self.wanted = None
        for attempt in range(20):
            p = placed if attempt == 0 else cut(rng, self.axes, shapes[source])
            if p[1] == local and len(p[1]) == len(shapes[source]):
                idx = [m(('var', v)) for m, (v, _) in zip(p[2], variables)]
                self.wanted = (name, variables, ('read', source, (), idx))
                self.prove = 'prove %s is %s %s' % (name, source, p[0])
                return
        if len(shapes[source]) != len(local):
            return
        idx = []
        for d, (v, n) in enumerate(variables):
            a = rng.choice(list(self.axes))
            k = rng.choice([1, n])
            e = add(mul(num(k), ('axis', a)), ('var', v))
            idx.append(mod(rng.choice([e, ('var', v)]), shapes[source][d]))
        self.wanted = (name, variables, ('read', source, (), idx))
        self.prove = 'prove only %s[%s] is %s' % (
            name, ', '.join(v for v, _ in variables), text(self.wanted[2]))

    def agrees(self, rng):
        inputs = {}
        for name in 'AB':
            inputs[name] = {idx: rng.randrange(-9, 10) for idx in
                            itertools.product(*(range(n) for n in self.shape))}
        seq, par = World({}, inputs), World(self.axes, inputs)
        for s in self.seq:
            seq.define(*s)
        for s in self.par:
            par.define(*s)
        name, variables, want = self.wanted

        class Both:
            def read(self, tensor, rank, idx):
                return seq.now[tensor][()][idx]
        for rank in par.ranks():
            for idx in itertools.product(*(range(n) for _, n in variables)):
                env = dict(zip((v for v, _ in variables), idx))
                if value(want, env, rank, Both()) != par.read(name, rank, idx):
                    return False
        return True


class Pieces(Kernel):
    """A sum over blocks, which ranks share out by a formula: right where each
    block is taken once."""

    def make(self):
        rng = self.rng
        blocks, size = rng.choice([2, 4, 6, 8]), rng.choice([1, 2, 3])
        self.shape = [blocks * size]
        here = [('var', 'i0')]
        product = mul(('read', 'A', (), here), ('read', 'B', (), here))
        n = self.shape[0]
        self.seq = [('C', [], ('red', rng.choice(['sum', 'max']), 'i0', n,
                               product))]
        op = self.seq[0][2][1]
        steps = rng.choice([1, 2, 2, 3, 4])
        step = [rng.choice([1, steps, steps, blocks // 2, 2]) for _ in
                self.axes]
        stride = rng.choice([1, 1, 2])
        for s in range(steps):
            block = num(s * stride)
            for k, a in zip(step, self.axes):
                block = add(block, mul(num(k), ('axis', a)))
            i = add(mul(mod(block, blocks), num(size)), ('var', 'k'))
            self.statement('p%d' % s, [], ('red', op, 'k', size, mul(
                ('read', 'A', (), [i]), ('read', 'B', (), [i]))))
        total = ('read', 'p0', (), [])
        for s in range(1, steps):
            more = ('read', 'p%d' % s, (), [])
            total = add(total, more) if op == 'sum' else ('max', total, more)
        self.statement('t', [], total)
        over = rng.choice([[a] for a in self.axes] + 3 * [list(self.axes)])
        body = ('read', 't', tuple((a, ('var', 'q' + a)) for a in over), [])
        for a in over:
            body = ('red', op, 'q' + a, self.axes[a], body)
        self.statement('c', [], body, 'all_reduce(%s, t) over %s' %
                       (op, ', '.join(over)))
        self.wanted = ('c', [], ('read', 'C', (), []))
        mesh = ', '.join('%s[%d]' % x for x in self.axes.items())
        return '\n'.join(
            ['mesh ' + mesh, 'input A[%d], B[%d]' % (n, n),
             'sequential { C = %s }' % text(self.seq[0][2]), 'parallel {'] +
            self.lines + ['}', 'prove c is C replicated', ''])


def check(binary, seed, path):
    rng = random.Random(seed)
    kernel = (Kernel if seed % 2 else Pieces)(rng)
    source = kernel.make()
    if not source:
        return 'none'
    with open(path, 'w') as f:
        f.write(source)
    command = [binary, 'check', '-q', path]
    if seed % 4 >= 2:  # proof alone: what a run shows is not proved for long
        command[2:2] = ['--run-budget', '0']
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    verdict = done.stdout.split(':')[0]
    same = all(kernel.agrees(random.Random(1000 * seed + k)) for k in range(40 if kernel.seq[0][1] == [] else 3))
    if verdict not in ('REFINES', 'VIOLATION', 'UNPROVEN') or \
            verdict == ('VIOLATION' if same else 'REFINES'):
        print('seed %d: %s, but the values %s\n%s%s%s' %
              (seed, verdict, 'agree' if same else 'differ', source,
               done.stdout, done.stderr))
        return 'wrong'
    return verdict + (' (equal)' if same else ' (different)')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--seeds', type=int, nargs=2, default=(0, 60))
    args = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(*args.seeds):
            what = check(args.bin, seed, os.path.join(folder, 'k.sp'))
            counts[what] = counts.get(what, 0) + 1
    print(', '.join('%s %d' % x for x in sorted(counts.items())))
    return 1 if counts.get('wrong') or not counts.get('REFINES (equal)') else 0


if __name__ == '__main__':
    sys.exit(main())
