"""Write the graph of a PyTorch model as text: once for one device, once for each rank of a mesh.

    from fxdump import capture
    capture(build, {'dp': 2, 'tp': 4}, 'graphs')

makes graphs/seq.py, graphs/rank0_0.py, graphs/rank0_1.py, ... for `shardproof check --spec`. It needs torch (tried with 2.9.1) and nothing else: no
GPU, and no second machine, since the process group is a fake one whose collectives do nothing. Copy this file into your project, and write build:

    def build(mesh):            # a DeviceMesh with the axes dp and tp; None for the sequential program
        ...
        return model, (x,)      # what is captured is model(x)

The graph is that of torch.compile after AOTAutograd, so it holds what runs on the device: aten operators and functional collectives. It is forward and
backward in one where a parameter or an argument asks for a gradient, else forward only. Inputs have the names that the model gives its parameters.
"""
import itertools
import math
import multiprocessing
import os
import re
import sys

import torch
import torch.distributed as dist
from functorch.compile import default_partition, make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._dtype_abbrs import dtype_abbrs


# ---- one graph ----

def plain(name):
    """A name that Python takes."""
    return re.sub(r'\W', '_', name)


def input_names(model, dynamo, example_inputs):
    """Parameters and buffers are called as in the model, arguments as in its forward."""
    known = {id(t): name for name, t in itertools.chain(model.named_parameters(), model.named_buffers())}
    placeholders = [n.name for n in dynamo.graph.nodes if n.op == 'placeholder']
    return [plain(known.get(id(t)) or re.sub('^l_|_$', '', name)) for name, t in zip(placeholders, example_inputs)]


def rename_inputs(graph, names):
    """In order; inputs beyond the names are the gradients of what the model returns."""
    placeholders = [n for n in graph.nodes if n.op == 'placeholder']
    names = names + ['grad_out%d' % i for i in range(len(placeholders) - len(names))]
    for node in graph.nodes:
        if node.name in names:
            node.name += '_'
    for node, name in zip(placeholders, names):
        node.name = node.target = name


def arrange_results(graph, names, n_outputs, model_names):
    """What the model returns, then a gradient for each parameter, in the model's order, then those of its arguments. Returns a comment for each."""
    output = next(n for n in graph.nodes if n.op == 'output')
    values = list(output.args[0])
    gradient = dict(zip(names, values[n_outputs:]))
    order = sorted(gradient, key=lambda name: model_names.index(name) if name in model_names else len(model_names))
    order = [name for name in order if gradient[name] is not None]
    output.args = (values[:n_outputs] + [gradient[name] for name in order],)
    what = ['output %d of the model' % i for i in range(n_outputs)] + ['gradient of ' + name for name in order]
    return ''.join('# out.%d: %s\n' % row for row in enumerate(what))


def constant_comments(graph_module):
    """The text names constants but does not hold their values; these are as `constants` in a spec wants them."""
    rows = []
    for node in graph_module.graph.nodes:
        value = getattr(graph_module, node.target) if node.op == 'get_attr' else None
        if isinstance(value, torch.Tensor) and not isinstance(value, FakeTensor):
            with unset_fake_temporarily():
                numbers = value.int() if value.dtype == torch.bool else value
                rows.append('# %s: {dtype: %s, shape: %s, value: %s}\n' % (
                    node.target, dtype_abbrs[value.dtype], list(value.shape), numbers.tolist()))
    return ''.join(rows)


def copy_of(graph_module):
    """With a graph of its own, which may be changed, and the same constants."""
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(graph_module.graph, {}))
    return torch.fx.GraphModule(graph_module, graph)


def text_of(graph_module, names, n_outputs, model_names):
    gm = copy_of(graph_module)
    rename_inputs(gm.graph, names)
    head = arrange_results(gm.graph, names, n_outputs, model_names) + constant_comments(gm)
    gm.recompile()
    text = head + gm.print_readable(print_output=False)
    text = re.sub(r'# File: \S*/site-packages/', '# File: ', text).replace('# File: %s/' % os.getcwd(), '# File: ')
    return '\n'.join(line.rstrip() for line in text.strip().split('\n')) + '\n'


def graph_text(model, args):
    """The graph of model(*args)."""
    texts = []
    model_names = [plain(name) for name, _ in model.named_parameters()]

    def backend(dynamo, example_inputs):
        names = input_names(model, dynamo, example_inputs)

        def joint(gm, inputs, *, num_fwd_outputs, **options):
            texts.append(text_of(gm, names, num_fwd_outputs, model_names))
            return default_partition(gm, inputs, num_fwd_outputs=num_fwd_outputs, **options)

        def inference(gm, inputs):
            n_outputs = len(next(n for n in gm.graph.nodes if n.op == 'output').args[0])
            texts.append(text_of(gm, names, n_outputs, model_names))
            return make_boxed_func(gm)

        def as_it_is(gm, inputs):
            return make_boxed_func(gm)

        return aot_autograd(fw_compiler=as_it_is, inference_compiler=inference, partition_fn=joint)(dynamo, example_inputs)

    torch.compile(model, backend=backend, fullgraph=True, dynamic=False)(*args)
    if len(texts) != 1:
        raise RuntimeError('the model became %d graphs, not one' % len(texts))
    return texts[0]


# ---- all ranks ----

def group_comments(mesh):
    """The graph names process groups; these say which ranks they are."""
    groups = [(axis, mesh.get_group(axis)) for axis in mesh.mesh_dim_names]
    return ''.join('# group "%s": along %s, ranks %s\n' % (group.group_name, axis, dist.get_process_group_ranks(group))
                   for axis, group in groups)


def placement_comments(model):
    """What DTensor knows of the parameters, as a spec says it."""
    rows = []
    for name, p in model.named_parameters():
        if isinstance(p, DTensor):
            cut = ['%s: Shard(%d)' % (axis, q.dim) for axis, q in zip(p.device_mesh.mesh_dim_names, p.placements) if q.is_shard()]
            rows.append('# %s: %s\n' % (plain(name), '{%s}' % ', '.join(cut) if cut else 'Replicate'))
    return ''.join(rows)


def write_graph(build, axes, rank, path):
    """In a process of its own: what PyTorch keeps of one rank must not be seen by the next."""
    torch.manual_seed(0)
    mesh, head = None, ''
    if rank is not None:
        dist.init_process_group('fake', rank=rank, world_size=math.prod(axes.values()), store=FakeStore())
        mesh = init_device_mesh('cpu', tuple(axes.values()), mesh_dim_names=tuple(axes))
        head = group_comments(mesh)
    model, args = build(mesh)
    head += placement_comments(model)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(head + graph_text(model, args))


def capture(build, axes, folder):
    """seq.py and a file for each rank, numbered by its place in the mesh. Returns their paths."""
    os.makedirs(folder, exist_ok=True)
    places = list(itertools.product(*[range(n) for n in axes.values()]))
    jobs = [(None, 'seq.py')] + [(r, 'rank%s.py' % '_'.join(map(str, place))) for r, place in enumerate(places)]
    paths = []
    for rank, name in jobs:
        path = os.path.join(folder, name)
        child = multiprocessing.get_context('fork').Process(target=write_graph, args=(build, axes, rank, path))
        child.start()
        child.join()
        if child.exitcode != 0:
            sys.exit('%s was not captured' % path)
        paths.append(path)
        print(path)
    return paths
