"""Lists the operators of the core ATen opset that have no row: compares PyTorch's own tags with `shardproof ops`.

    venv/bin/python tests/oracle/core_aten.py build/release/shardproof

docs/operators.md says why each is missing.
"""
import re, subprocess, sys
import torch

rows = set(re.findall(r'(?:aten|complex)\.[\w.]+', subprocess.run([sys.argv[1], 'ops'], capture_output=True, text=True, check=True).stdout))
for schema in torch._C._jit_get_all_schemas():
    name = schema.name.split('::')[1]
    overload = schema.overload_name or 'default'
    if schema.name.startswith('aten::') and hasattr(torch.ops.aten, name) and overload in getattr(torch.ops.aten, name).overloads():
        operator = getattr(getattr(torch.ops.aten, name), overload)
        if torch.Tag.core in operator.tags and 'aten.%s.%s' % (name, overload) not in rows:
            print('aten.%s.%s' % (name, overload))
