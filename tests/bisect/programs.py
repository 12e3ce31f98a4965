#!/usr/bin/env python3
"""Make the dumps in this folder: tests/bisect/programs.py NAME FOLDER (needs jax).

Compiles the program for some CPU devices, keeps those dumps that differ from the
one before, and takes machine paths out. The broken twins were then edited by hand:
README.md says where.
"""
import glob
import os
import re
import shutil
import sys
import tempfile

name, out = sys.argv[1:]
dump = tempfile.mkdtemp()
os.environ['XLA_FLAGS'] = ('--xla_force_host_platform_device_count=4 --xla_dump_to=%s --xla_dump_hlo_pass_re=.* '
                           '--xla_dump_hlo_as_text' % dump)
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def mlp(x, v, w):
    return jnp.tanh(x @ v) @ w


def window(x, i):
    return jax.lax.dynamic_slice(x, (0, i), (2, 12))


def turn(x, w):
    return jnp.tanh(x.reshape(4, 2, 8).transpose(2, 1, 0).reshape(16, 4)) @ w


# program: (function, devices, parameters with their shardings, sharding of the result)
PROGRAMS = {
    'mlp': (mlp, 4, [((8, 16), 'f4', P()), ((16, 32), 'f4', P(None, 'm')), ((32, 16), 'f4', P('m'))], P()),
    'turn': (turn, 2, [((8, 8), 'f4', P()), ((4, 6), 'f4', P(None, 'm'))], P(None, 'm')),
    'window': (window, 4, [((2, 16), 'i4', P(None, 'm')), ((), 'i4', P())], P(None, 'm')),
}

f, n, parameters, result = PROGRAMS[name]
mesh = Mesh(np.array(jax.devices()[:n]), ('m',))
jax.jit(f, in_shardings=[NamedSharding(mesh, p[2]) for p in parameters], out_shardings=NamedSharding(mesh, result)).lower(
    *[jax.ShapeDtypeStruct(p[0], p[1]) for p in parameters]).compile()

os.makedirs(out, exist_ok=True)
last = None
files = sorted(glob.glob(dump + '/module_*.jit_%s.[0-9]*.txt' % name))
for path in files + glob.glob(dump + '/module_*.jit_%s.cpu_after_optimizations.txt' % name):
    with open(path, encoding='utf-8') as source:
        text = re.sub(r'"[^"]*/([^"/]+\.py)"', r'"\1"', source.read())
    if text != last:
        with open(os.path.join(out, os.path.basename(path)), 'w', encoding='utf-8') as copy:
            copy.write(text)
    last = text
shutil.rmtree(dump)
