"""Writes tests/oracle/aten_nn.txt: layers of networks, their gradients, losses, optimizers, as gen_aten.py does.

    venv/bin/python tests/oracle/gen_aten_nn.py > tests/oracle/aten_nn.txt

SHARDPROOF_ATEN_NN=file compares with other inputs.
"""
import torch
from aten_cases import A, C, annotation, draw, emit, report, seed

seed(23)

# ---- convolutions ----
for t, shapes in ((False, ('f32[1, 2, 4, 4]', 'f32[3, 2, 2, 2]', 'f32[3]')), (True, ('f32[1, 3, 3, 2]', 'f32[3, 2, 2, 3]', 'f32[2]'))):
    A('convolution.default', 'a, b, c, [2, 1], [1, 0], [1, 2], %s, [%d, 0], 1' % (t, t), *shapes)
A('convolution.default', 'a, b, None, [3], [1], [2], True, [2], 2', 'f32[2, 4, 3]', 'f32[4, 3, 2]')
A('convolution.default', 'a, b, c, [1, 1, 2], [0, 0, 1], [1, 1, 1], True, [0, 0, 1], 1', 'f32[1, 2, 2, 2, 2]', 'f32[2, 2, 2, 1, 2]', 'f32[2]')
C('torch.conv_transpose1d(a, b, c, 2, 1, 1)', 'f32[2, 2, 4]', 'f32[2, 3, 3]', 'f32[3]')
A('conv_transpose2d.input', 'a, b, None, [2, 2], [0, 0], [0, 0], 2, [1, 1]', 'f32[1, 4, 2, 3]', 'f32[4, 1, 2, 2]')
back = 'convolution_backward.default'
A(back, 'a, b, c, [3], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]', 'f32[2, 3, 3, 3]', 'f32[2, 2, 4, 4]', 'f32[3, 2, 2, 2]')
A(back, 'a, b, c, [2], [2, 1], [1, 2], [1, 2], False, [0, 0], 2, [True, True, False]', 'f32[1, 2, 3, 6]', 'f32[1, 4, 4, 4]', 'f32[2, 2, 2, 2]')
A(back, 'a, b, c, None, [3], [1], [1], False, [0], 4, [False, True, False]', 'f32[2, 4, 2]', 'f32[2, 4, 5]', 'f32[4, 1, 2]', skip=(0, 2))
A(back, 'a, b, c, [3], [2], [1], [1], True, [1], 1, [True, True, True]', 'f32[2, 3, 8]', 'f32[2, 2, 4]', 'f32[2, 3, 3]')
A(back, 'a, b, c, [6], [1, 3], [0, 1], [2, 1], True, [0, 0], 2, [True, True, True]', 'f32[1, 6, 5, 3]', 'f32[1, 4, 3, 2]', 'f32[4, 3, 2, 2]')

report()
