"""Broken twins of the pairs in cases/: python mutate.py [--cases DIR] [--only NAME ...]

A twin is a case whose after.hlo.txt has one wrong line. Its verdict is not
assumed: before is run on one device and the twin on N CPU devices.
"""
import argparse
import os
import re
import shutil
import sys

os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import yaml

import hlotools as H

SUM_LEFT_OUT = (r'all-reduce\((%[\w.\-#]+)\).*?(, metadata|$)', r'copy(\1)\2')

# case, name of the twin, kind, what is wrong; the line (a regular expression
# that only it matches), what in it, and what instead
TWINS = [
    ('micro_layers', 'no_allreduce', 'missing all-reduce', 'the inner loop keeps the partial product of its rank',
     r'%all-reduce = ', *SUM_LEFT_OUT),
    ('micro_layers', 'first_microbatch', 'wrong slice offset', 'every step of the outer loop takes microbatch 0',
     r'%dynamic-slice\.5 = ', r'#3, %param\.2#0', '#3, %constant.5.clone'),
    ('micro_layers', 'three_layers', 'off-by-one trip count', 'the inner loop makes three steps instead of four',
     r'%constant\.9\.clone = ', r'constant\(4\)', 'constant(3)'),
    ('micro_layers_grad', 'residuals_swapped', 'wrong carried tensor', 'tanh and its derivative reach the backward loop in swapped order',
     r'%tuple\.11 = .*f32\[4,2,8\]', r'%while\.38#3, (.*)%while\.38#4', r'%while.38#4, \1%while.38#3'),
    ('micro_layers_grad', 'no_allreduce', 'missing all-reduce', 'a weight gradient is not summed over data, inside the loops',
     r'%all-reduce\.3 = ', *SUM_LEFT_OUT),
    ('micro_layers_grad', 'first_layer_first', 'wrong slice offset', 'the backward loop takes one weight from the first layer on',
     r'%dynamic-slice\.8 = ', r'#6, %sub\.10', '#6, %param.2#0'),
    ('rnn_sharded', 'gathered_over_data', 'wrong replica groups', 'the hidden state is gathered from the wrong ranks',
     r'%all-gather = ', r"replica_groups=mesh\S+ \{'axis_1'\}", 'replica_groups={{0,1,2,3},{4,5,7,6}}'),
    ('rnn_sharded', 'no_allreduce', 'missing all-reduce', 'the read-out of a step is a partial sum',
     r'%all-reduce = ', *SUM_LEFT_OUT),
    ('rnn_sharded', 'stale_state', 'wrong carried tensor', 'the body returns the hidden state that it was given',
     r'ROOT %tuple\.4 = ', r'%sharding_constraint\.4', '%param#1'),
    ('rnn_sharded', 'four_steps', 'off-by-one trip count', 'four time steps instead of five',
     r'%constant\.3\.clone = ', r'constant\(5\)', 'constant(4)'),
    ('rnn_scatter', 'wrong_slice', 'wrong slice offset', 'ranks keep the slice of their neighbour',
     r'%constant\.20 = ', r'\{0, 4, 8, 12, 0, 4, 8, 12\}', '{4, 8, 12, 0, 4, 8, 12, 0}'),
    ('remat_grad', 'wrong_layer', 'wrong slice offset', 'a layer is computed again with the weight of another',
     r'%dynamic-slice\.6 = ', r'#5, %sub\.7', '#5, %param.2#0'),
    ('remat_grad', 'no_allreduce', 'missing all-reduce', 'the gradient for the layer before is a partial sum',
     r'%all-reduce\.1 = ', *SUM_LEFT_OUT),
    ('remat_grad', 'three_layers', 'off-by-one trip count', 'the backward loop leaves out the first layer',
     r'%constant\.34\.clone = ', r'constant\(4\)', 'constant(3)'),
    # summed after the loop
    ('psum_after_loop', 'not_summed', 'missing all-reduce', 'the gradients stay those of the rank',
     r' all-reduce\(', *SUM_LEFT_OUT),
    ('psum_after_loop', 'summed_over_model', 'wrong replica groups', 'summed over ranks that hold the same',
     r' all-reduce\(', r"replica_groups=mesh\S+ \{'data'\}", 'replica_groups={{0,1},{2,3}}'),
    ('psum_after_loop', 'added_twice', 'wrong accumulation', 'each step adds the carried sum again',
     r'%add\.7 = ', r'%mul\.2', '%param#1'),
    ('scatter_after_loop', 'rows_swapped', 'wrong replica groups', 'each rank keeps the rows of the other',
     r' reduce-scatter\(', r"replica_groups=mesh\S+ \{'data'\}", 'replica_groups={{2,0},{3,1}}'),
    ('ddp_layers', 'not_summed', 'missing all-reduce', 'one of two gradients stays that of the rank',
     r'%psum\.20 = .* all-reduce\(', *SUM_LEFT_OUT),
    ('ddp_layers', 'stale_gradient', 'wrong carried tensor', 'one gradient is that of the last microbatch alone',
     r'%add\.28 = ', r'%param\.4#2', '%while.39#2'),
    # as many steps as it takes
    ('steps_given', 'one_more', 'off-by-one trip count', 'the bound is included', r'ROOT %lt\.2 = ', 'direction=LT', 'direction=LE'),
    ('converges', 'stops_early', 'wrong condition', 'it stops at a larger change', r'constant\(0\.01\)', r'constant\(0\.01\)', 'constant(0.3)'),
    # a loop on one side only
    ('blocked_matmul', 'one_block_less', 'off-by-one trip count', 'the last block is left out', r'%constant\.4\.clone = ', r'constant\(128\)', 'constant(127)'),
    ('blocked_matmul', 'from_second_block', 'wrong initial value', 'the loop starts at the second block', r'%constant\.5\.clone = ', r'constant\(0\)', 'constant(1)'),
    ('blocked_matmul', 'same_block', 'wrong slice offset', 'every step takes the first block of one factor', r'%dynamic_slice\.4 = ', r'%select_n\.4', '%constant.1.clone'),
    ('blocked_reduce', 'one_more', 'off-by-one trip count', 'the first step begins beyond the end: its slice is clamped', r'%constant\.8\.clone = ', r'constant\(75\)', 'constant(76)'),
    ('blocked_reduce', 'lost_sum', 'wrong initial value', 'sums begin at 1', r'%constant\.9\.clone = ', r'constant\(0\)', 'constant(1)'),
    ('blocked_rows', 'last_rows', 'off-by-one trip count', 'the last rows are not written', r'%constant\.4\.clone = ', r'constant\(65\)', 'constant(64)'),
    ('blocked_rows', 'first_rows', 'wrong slice offset', 'all blocks are computed from the first', r'%dynamic_slice\.2 = ', r'%select_n\.4', '%constant.2.clone'),
    ('mapped_before', 'no_allreduce', 'missing all-reduce', 'the second layer is a partial sum', r'%all-reduce = ', *SUM_LEFT_OUT),
    ('blocked_tiles', 'one_column_of_tiles', 'wrong slice offset', 'each step takes the first columns', r'%dynamic_slice\.5 = ', r'%select_n\.15', '%constant.15.clone'),
    ('blocked_tiles', 'four_blocks', 'off-by-one trip count', 'the innermost loop leaves out a block', r'%constant\.2\.clone = ', r'constant\(5\)', 'constant(4)'),
    ('grid_accumulated', 'one_step_less', 'off-by-one trip count', 'the last block of the last tile is left out', r'%constant\.39\.clone = ', r'constant\(160\)', 'constant(159)'),
    ('grid_accumulated', 'first_block', 'wrong slice offset', 'blocks of one factor are always the first', r'%dynamic_slice\.7 = ', r'%select_n\.47', '%constant.10.clone'),
    ('grid_written', 'short_rows', 'wrong stride', 'columns are counted in steps of five, not six', r'%constant\.14\.clone = ', r'constant\(6\)', 'constant(5)'),
    ('flash_blocks', 'not_rescaled', 'missing factor', 'the denominator is not rescaled to the new maximum', r'%add\.15 = ', r'%mul\.15', '%param#3'),
    ('flash_blocks', 'one_block_less', 'off-by-one trip count', 'the last keys are left out', r'%constant\.16\.clone = ', r'constant\(100\)', 'constant(99)'),
    ('flash_blocks', 'old_values', 'wrong slice offset', 'values are those of the first block', r'%dynamic_slice\.5 = ', r'%select_n\.4', '%constant.1.clone'),
    ('flash_causal', 'without_itself', 'wrong condition', 'a query does not see its own key', r'direction=LE', 'direction=LE', 'direction=LT'),
    ('unrolled_after', 'layer_twice', 'wrong slice offset', 'a weight of the second layer is used in the third', r'%slice\.20 = ', r'\[2:3\]', '[1:2]'),
    ('unrolled_before', 'no_allreduce', 'missing all-reduce', 'layers add the partial product of their rank', r'%all-reduce = ', *SUM_LEFT_OUT),
    ('unrolled_inside', 'no_allreduce', 'missing all-reduce', 'the third layer adds the partial product of its rank', r'%all-reduce\.2 = ', *SUM_LEFT_OUT),
    ('accumulated_before', 'no_allreduce', 'missing all-reduce', 'the gradient is that of the rank', r'%all-reduce\.1 = ', *SUM_LEFT_OUT),
    ('accumulated_otherwise', 'two_microbatches', 'off-by-one trip count', 'the last microbatch of each rank is left out', r'constant\(3\)', r'constant\(3\)', 'constant(2)'),
    ('pipeline_loop', 'late', 'wrong slice offset', 'results are kept from the fifth tick on, one place too far to the front', r'%constant\.14\.clone = ', r'constant\(3\)', 'constant(4)'),
    ('pipeline_loop', 'back', 'wrong target', 'the third stage sends to the first', r'%ppermute\.2 = ', r'\{2,3\}', '{2,0}'),
]


def edit(text, line, what, instead):
    lines = text.split('\n')
    hits = [i for i, l in enumerate(lines) if re.search(line, l)]
    assert len(hits) == 1, (line, len(hits))
    new = re.sub(what, instead, lines[hits[0]], count=1)
    assert new != lines[hits[0]], (line, what)
    lines[hits[0]] = new
    return '\n'.join(lines), re.search(r'%([\w.\-]+) = ', new).group(1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--cases', default=os.path.join(HERE, 'cases'))
    ap.add_argument('--only', nargs='*')
    o = ap.parse_args()
    for base, name, kind, what, *change in TWINS:
        case = '%s.%s' % (base, name)
        if o.only and case not in o.only:
            continue
        src = os.path.join(o.cases, base)
        with open(os.path.join(src, 'expect.yaml'), encoding='utf-8') as f:
            y = yaml.safe_load(f)
        before, after = (open(os.path.join(src, f + '.hlo.txt'), encoding='utf-8').read() for f in ('before', 'after'))
        twin, where = edit(after, *change)
        pair = H.Pair(before, twin)
        worst, example = pair.check(y['inputs'])
        verdict = 'violation' if worst > pair.tol() else 'refines'
        d = os.path.join(o.cases, case)
        shutil.rmtree(d, ignore_errors=True)
        os.makedirs(d)
        shutil.copy(os.path.join(src, 'before.hlo.txt'), d)
        with open(os.path.join(d, 'after.hlo.txt'), 'w', encoding='utf-8') as f:
            f.write(twin)
        r = dict(case=case, verdict=verdict, base=base, mutation=kind, what=what, where=[where], mesh=y['mesh'], devices=y['devices'],
                 jax=y['jax'], inputs=y['inputs'], results=y['results'],
                 checked=dict(how='before on 1 device, the twin on %d CPU devices, 5 random inputs (2 of them with many ties)' % pair.n,
                              max_scaled_error=float('%.3g' % worst)))
        if verdict == 'violation':
            r['example'] = example
        with open(os.path.join(d, 'expect.yaml'), 'w', encoding='utf-8') as f:
            yaml.safe_dump(r, f, sort_keys=False, width=140)
        print('%-36s %-9s %9.3g %s' % (case, verdict, worst, where), flush=True)


if __name__ == '__main__':
    main()
