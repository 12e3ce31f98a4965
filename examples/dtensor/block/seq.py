# out.0: output 0 of the model
# out.1: gradient of norm1_weight
# out.2: gradient of attention_wq_weight
# out.3: gradient of attention_wk_weight
# out.4: gradient of attention_wv_weight
# out.5: gradient of attention_wo_weight
# out.6: gradient of norm2_weight
# out.7: gradient of feed_forward_gate_weight
# out.8: gradient of feed_forward_up_weight
# out.9: gradient of feed_forward_down_weight
# out.10: gradient of x
class GraphModule(torch.nn.Module):
    def forward(self, norm1_weight: "f32[16]", x: "f32[2, 8, 16]", attention_wq_weight: "f32[16, 16]", attention_wk_weight: "f32[16, 16]", attention_wv_weight: "f32[16, 16]", attention_wo_weight: "f32[16, 16]", norm2_weight: "f32[16]", feed_forward_gate_weight: "f32[32, 16]", feed_forward_up_weight: "f32[32, 16]", feed_forward_down_weight: "f32[16, 32]", grad_out0: "f32[2, 8, 16]"):
         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        pow_1: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(x, 2)
        mean: "f32[2, 8, 1]" = torch.ops.aten.mean.dim(pow_1, [2], True);  pow_1 = None
        add: "f32[2, 8, 1]" = torch.ops.aten.add.Scalar(mean, 9.999999747378752e-06);  mean = None
        rsqrt: "f32[2, 8, 1]" = torch.ops.aten.rsqrt.default(add);  add = None
        detach: "f32[2, 8, 1]" = torch.ops.aten.detach.default(rsqrt)
        detach_1: "f32[2, 8, 1]" = torch.ops.aten.detach.default(detach);  detach = None
        mul: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(x, rsqrt)
        mul_1: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul, norm1_weight)

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        t: "f32[16, 16]" = torch.ops.aten.t.default(attention_wq_weight);  attention_wq_weight = None
        view: "f32[16, 16]" = torch.ops.aten.view.default(mul_1, [16, 16])
        mm: "f32[16, 16]" = torch.ops.aten.mm.default(view, t)
        _unsafe_view: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm, [2, 8, 16]);  mm = None
        view_1: "f32[2, 8, 4, 4]" = torch.ops.aten.view.default(_unsafe_view, [2, 8, -1, 4]);  _unsafe_view = None
        transpose: "f32[2, 4, 8, 4]" = torch.ops.aten.transpose.int(view_1, 1, 2);  view_1 = None
        t_1: "f32[16, 16]" = torch.ops.aten.t.default(attention_wk_weight);  attention_wk_weight = None
        view_2: "f32[16, 16]" = torch.ops.aten.view.default(mul_1, [16, 16])
        mm_1: "f32[16, 16]" = torch.ops.aten.mm.default(view_2, t_1)
        _unsafe_view_1: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_1, [2, 8, 16]);  mm_1 = None
        view_3: "f32[2, 8, 4, 4]" = torch.ops.aten.view.default(_unsafe_view_1, [2, 8, -1, 4]);  _unsafe_view_1 = None
        transpose_1: "f32[2, 4, 8, 4]" = torch.ops.aten.transpose.int(view_3, 1, 2);  view_3 = None
        t_2: "f32[16, 16]" = torch.ops.aten.t.default(attention_wv_weight);  attention_wv_weight = None
        view_4: "f32[16, 16]" = torch.ops.aten.view.default(mul_1, [16, 16]);  mul_1 = None
        mm_2: "f32[16, 16]" = torch.ops.aten.mm.default(view_4, t_2)
        _unsafe_view_2: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_2, [2, 8, 16]);  mm_2 = None
        view_5: "f32[2, 8, 4, 4]" = torch.ops.aten.view.default(_unsafe_view_2, [2, 8, -1, 4]);  _unsafe_view_2 = None
        transpose_2: "f32[2, 4, 8, 4]" = torch.ops.aten.transpose.int(view_5, 1, 2);  view_5 = None

         # File: capture.py:33 in forward, code: scores = q @ k.transpose(-1, -2) / self.head**0.5
        transpose_3: "f32[2, 4, 4, 8]" = torch.ops.aten.transpose.int(transpose_1, -1, -2);  transpose_1 = None
        expand: "f32[2, 4, 8, 4]" = torch.ops.aten.expand.default(transpose, [2, 4, 8, 4]);  transpose = None
        clone: "f32[2, 4, 8, 4]" = torch.ops.aten.clone.default(expand, memory_format = torch.contiguous_format);  expand = None
        _unsafe_view_3: "f32[8, 8, 4]" = torch.ops.aten._unsafe_view.default(clone, [8, 8, 4]);  clone = None
        expand_1: "f32[2, 4, 4, 8]" = torch.ops.aten.expand.default(transpose_3, [2, 4, 4, 8]);  transpose_3 = None
        clone_1: "f32[2, 4, 4, 8]" = torch.ops.aten.clone.default(expand_1, memory_format = torch.contiguous_format);  expand_1 = None
        _unsafe_view_4: "f32[8, 4, 8]" = torch.ops.aten._unsafe_view.default(clone_1, [8, 4, 8]);  clone_1 = None
        bmm: "f32[8, 8, 8]" = torch.ops.aten.bmm.default(_unsafe_view_3, _unsafe_view_4)
        view_6: "f32[2, 4, 8, 8]" = torch.ops.aten.view.default(bmm, [2, 4, 8, 8]);  bmm = None
        div: "f32[2, 4, 8, 8]" = torch.ops.aten.div.Tensor(view_6, 2.0);  view_6 = None

         # File: capture.py:34 in forward, code: later = torch.ones(length, length, dtype=torch.bool).triu(1)
        ones: "b8[8, 8]" = torch.ops.aten.ones.default([8, 8], dtype = torch.bool, device = device(type='cpu'), pin_memory = False)
        triu: "b8[8, 8]" = torch.ops.aten.triu.default(ones, 1);  ones = None

         # File: capture.py:35 in forward, code: weights = torch.softmax(scores.masked_fill(later, float('-inf')), -1)
        masked_fill: "f32[2, 4, 8, 8]" = torch.ops.aten.masked_fill.Scalar(div, triu, -inf);  div = None
        _softmax: "f32[2, 4, 8, 8]" = torch.ops.aten._softmax.default(masked_fill, -1, False);  masked_fill = None
        detach_2: "f32[2, 4, 8, 8]" = torch.ops.aten.detach.default(_softmax)
        detach_3: "f32[2, 4, 8, 8]" = torch.ops.aten.detach.default(detach_2);  detach_2 = None

         # File: capture.py:36 in forward, code: return self.wo((weights @ v).transpose(1, 2).reshape(batch, length, -1))
        expand_2: "f32[2, 4, 8, 8]" = torch.ops.aten.expand.default(_softmax, [2, 4, 8, 8]);  _softmax = None
        view_7: "f32[8, 8, 8]" = torch.ops.aten.view.default(expand_2, [8, 8, 8]);  expand_2 = None
        expand_3: "f32[2, 4, 8, 4]" = torch.ops.aten.expand.default(transpose_2, [2, 4, 8, 4]);  transpose_2 = None
        clone_2: "f32[2, 4, 8, 4]" = torch.ops.aten.clone.default(expand_3, memory_format = torch.contiguous_format);  expand_3 = None
        _unsafe_view_5: "f32[8, 8, 4]" = torch.ops.aten._unsafe_view.default(clone_2, [8, 8, 4]);  clone_2 = None
        bmm_1: "f32[8, 8, 4]" = torch.ops.aten.bmm.default(view_7, _unsafe_view_5)
        view_8: "f32[2, 4, 8, 4]" = torch.ops.aten.view.default(bmm_1, [2, 4, 8, 4]);  bmm_1 = None
        transpose_4: "f32[2, 8, 4, 4]" = torch.ops.aten.transpose.int(view_8, 1, 2);  view_8 = None
        clone_3: "f32[2, 8, 4, 4]" = torch.ops.aten.clone.default(transpose_4, memory_format = torch.contiguous_format);  transpose_4 = None
        _unsafe_view_6: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(clone_3, [2, 8, 16]);  clone_3 = None
        t_3: "f32[16, 16]" = torch.ops.aten.t.default(attention_wo_weight);  attention_wo_weight = None
        view_9: "f32[16, 16]" = torch.ops.aten.view.default(_unsafe_view_6, [16, 16]);  _unsafe_view_6 = None
        mm_3: "f32[16, 16]" = torch.ops.aten.mm.default(view_9, t_3)
        _unsafe_view_7: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_3, [2, 8, 16]);  mm_3 = None

         # File: capture.py:59 in forward, code: x = x + self.attention(self.norm1(x))
        add_1: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(x, _unsafe_view_7);  _unsafe_view_7 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        pow_2: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(add_1, 2)
        mean_1: "f32[2, 8, 1]" = torch.ops.aten.mean.dim(pow_2, [2], True);  pow_2 = None
        add_2: "f32[2, 8, 1]" = torch.ops.aten.add.Scalar(mean_1, 9.999999747378752e-06);  mean_1 = None
        rsqrt_1: "f32[2, 8, 1]" = torch.ops.aten.rsqrt.default(add_2);  add_2 = None
        detach_4: "f32[2, 8, 1]" = torch.ops.aten.detach.default(rsqrt_1)
        detach_5: "f32[2, 8, 1]" = torch.ops.aten.detach.default(detach_4);  detach_4 = None
        mul_2: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_1, rsqrt_1)
        mul_3: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul_2, norm2_weight)

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        t_4: "f32[16, 32]" = torch.ops.aten.t.default(feed_forward_gate_weight);  feed_forward_gate_weight = None
        view_10: "f32[16, 16]" = torch.ops.aten.view.default(mul_3, [16, 16])
        mm_4: "f32[16, 32]" = torch.ops.aten.mm.default(view_10, t_4)
        _unsafe_view_8: "f32[2, 8, 32]" = torch.ops.aten._unsafe_view.default(mm_4, [2, 8, 32]);  mm_4 = None
        silu: "f32[2, 8, 32]" = torch.ops.aten.silu.default(_unsafe_view_8)
        t_5: "f32[16, 32]" = torch.ops.aten.t.default(feed_forward_up_weight);  feed_forward_up_weight = None
        view_11: "f32[16, 16]" = torch.ops.aten.view.default(mul_3, [16, 16]);  mul_3 = None
        mm_5: "f32[16, 32]" = torch.ops.aten.mm.default(view_11, t_5)
        _unsafe_view_9: "f32[2, 8, 32]" = torch.ops.aten._unsafe_view.default(mm_5, [2, 8, 32]);  mm_5 = None
        mul_4: "f32[2, 8, 32]" = torch.ops.aten.mul.Tensor(silu, _unsafe_view_9)
        t_6: "f32[32, 16]" = torch.ops.aten.t.default(feed_forward_down_weight);  feed_forward_down_weight = None
        view_12: "f32[16, 32]" = torch.ops.aten.view.default(mul_4, [16, 32]);  mul_4 = None
        mm_6: "f32[16, 16]" = torch.ops.aten.mm.default(view_12, t_6)
        _unsafe_view_10: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_6, [2, 8, 16]);  mm_6 = None

         # File: capture.py:60 in forward, code: return x + self.feed_forward(self.norm2(x))
        add_3: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(add_1, _unsafe_view_10);  _unsafe_view_10 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        view_13: "f32[16, 16]" = torch.ops.aten.view.default(grad_out0, [16, 16])
        t_7: "f32[16, 16]" = torch.ops.aten.t.default(view_13)
        mm_7: "f32[16, 32]" = torch.ops.aten.mm.default(t_7, view_12);  t_7 = view_12 = None
        t_8: "f32[32, 16]" = torch.ops.aten.t.default(mm_7);  mm_7 = None
        t_9: "f32[16, 32]" = torch.ops.aten.t.default(t_6);  t_6 = None
        mm_8: "f32[16, 32]" = torch.ops.aten.mm.default(view_13, t_9);  view_13 = t_9 = None
        view_14: "f32[2, 8, 32]" = torch.ops.aten.view.default(mm_8, [2, 8, 32]);  mm_8 = None
        t_10: "f32[16, 32]" = torch.ops.aten.t.default(t_8);  t_8 = None
        mul_5: "f32[2, 8, 32]" = torch.ops.aten.mul.Tensor(view_14, silu);  silu = None
        mul_6: "f32[2, 8, 32]" = torch.ops.aten.mul.Tensor(view_14, _unsafe_view_9);  view_14 = _unsafe_view_9 = None
        view_15: "f32[16, 32]" = torch.ops.aten.view.default(mul_5, [16, 32]);  mul_5 = None
        t_11: "f32[32, 16]" = torch.ops.aten.t.default(view_15)
        mm_9: "f32[32, 16]" = torch.ops.aten.mm.default(t_11, view_11);  t_11 = view_11 = None
        t_12: "f32[16, 32]" = torch.ops.aten.t.default(mm_9);  mm_9 = None
        t_13: "f32[32, 16]" = torch.ops.aten.t.default(t_5);  t_5 = None
        mm_10: "f32[16, 16]" = torch.ops.aten.mm.default(view_15, t_13);  view_15 = t_13 = None
        view_16: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_10, [2, 8, 16]);  mm_10 = None
        t_14: "f32[32, 16]" = torch.ops.aten.t.default(t_12);  t_12 = None
        sigmoid: "f32[2, 8, 32]" = torch.ops.aten.sigmoid.default(_unsafe_view_8)
        empty_like: "f32[2, 8, 32]" = torch.ops.aten.empty_like.default(sigmoid, memory_format = torch.preserve_format)
        fill: "f32[2, 8, 32]" = torch.ops.aten.fill.Scalar(empty_like, 1);  empty_like = None
        sub: "f32[2, 8, 32]" = torch.ops.aten.sub.Tensor(fill, sigmoid);  fill = None
        mul_7: "f32[2, 8, 32]" = torch.ops.aten.mul.Tensor(_unsafe_view_8, sub);  _unsafe_view_8 = sub = None
        add_4: "f32[2, 8, 32]" = torch.ops.aten.add.Scalar(mul_7, 1);  mul_7 = None
        mul_8: "f32[2, 8, 32]" = torch.ops.aten.mul.Tensor(sigmoid, add_4);  sigmoid = add_4 = None
        mul_9: "f32[2, 8, 32]" = torch.ops.aten.mul.Tensor(mul_6, mul_8);  mul_6 = mul_8 = None
        view_17: "f32[16, 32]" = torch.ops.aten.view.default(mul_9, [16, 32]);  mul_9 = None
        t_15: "f32[32, 16]" = torch.ops.aten.t.default(view_17)
        mm_11: "f32[32, 16]" = torch.ops.aten.mm.default(t_15, view_10);  t_15 = view_10 = None
        t_16: "f32[16, 32]" = torch.ops.aten.t.default(mm_11);  mm_11 = None
        t_17: "f32[32, 16]" = torch.ops.aten.t.default(t_4);  t_4 = None
        mm_12: "f32[16, 16]" = torch.ops.aten.mm.default(view_17, t_17);  view_17 = t_17 = None
        view_18: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_12, [2, 8, 16]);  mm_12 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        add_5: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(view_16, view_18);  view_16 = view_18 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        t_18: "f32[32, 16]" = torch.ops.aten.t.default(t_16);  t_16 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        mul_10: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_5, mul_2);  mul_2 = None
        mul_11: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_5, norm2_weight);  add_5 = norm2_weight = None
        sum_1: "f32[1, 1, 16]" = torch.ops.aten.sum.dim_IntList(mul_10, [0, 1], True);  mul_10 = None
        view_19: "f32[16]" = torch.ops.aten.view.default(sum_1, [16]);  sum_1 = None
        mul_12: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul_11, add_1)
        mul_13: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul_11, rsqrt_1);  mul_11 = rsqrt_1 = None
        sum_2: "f32[2, 8, 1]" = torch.ops.aten.sum.dim_IntList(mul_12, [2], True);  mul_12 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        add_6: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(grad_out0, mul_13);  grad_out0 = mul_13 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        detach_6: "f32[2, 8, 1]" = torch.ops.aten.detach.default(detach_5);  detach_5 = None
        detach_7: "f32[2, 8, 1]" = torch.ops.aten.detach.default(detach_6);  detach_6 = None
        pow_3: "f32[2, 8, 1]" = torch.ops.aten.pow.Tensor_Scalar(detach_7, 3);  detach_7 = None
        mul_14: "f32[2, 8, 1]" = torch.ops.aten.mul.Scalar(sum_2, -0.5);  sum_2 = None
        mul_15: "f32[2, 8, 1]" = torch.ops.aten.mul.Tensor(mul_14, pow_3);  mul_14 = pow_3 = None
        expand_4: "f32[2, 8, 16]" = torch.ops.aten.expand.default(mul_15, [2, 8, 16]);  mul_15 = None
        div_1: "f32[2, 8, 16]" = torch.ops.aten.div.Scalar(expand_4, 16);  expand_4 = None
        pow_4: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(add_1, 1.0);  add_1 = None
        mul_16: "f32[2, 8, 16]" = torch.ops.aten.mul.Scalar(pow_4, 2.0);  pow_4 = None
        mul_17: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(div_1, mul_16);  div_1 = mul_16 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        add_7: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(add_6, mul_17);  add_6 = mul_17 = None

         # File: capture.py:36 in forward, code: return self.wo((weights @ v).transpose(1, 2).reshape(batch, length, -1))
        view_20: "f32[16, 16]" = torch.ops.aten.view.default(add_7, [16, 16])
        t_19: "f32[16, 16]" = torch.ops.aten.t.default(view_20)
        mm_13: "f32[16, 16]" = torch.ops.aten.mm.default(t_19, view_9);  t_19 = view_9 = None
        t_20: "f32[16, 16]" = torch.ops.aten.t.default(mm_13);  mm_13 = None
        t_21: "f32[16, 16]" = torch.ops.aten.t.default(t_3);  t_3 = None
        mm_14: "f32[16, 16]" = torch.ops.aten.mm.default(view_20, t_21);  view_20 = t_21 = None
        view_21: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_14, [2, 8, 16]);  mm_14 = None
        t_22: "f32[16, 16]" = torch.ops.aten.t.default(t_20);  t_20 = None
        view_22: "f32[2, 8, 4, 4]" = torch.ops.aten.view.default(view_21, [2, 8, 4, 4]);  view_21 = None
        transpose_5: "f32[2, 4, 8, 4]" = torch.ops.aten.transpose.int(view_22, 1, 2);  view_22 = None
        clone_4: "f32[2, 4, 8, 4]" = torch.ops.aten.clone.default(transpose_5, memory_format = torch.contiguous_format);  transpose_5 = None
        _unsafe_view_11: "f32[8, 8, 4]" = torch.ops.aten._unsafe_view.default(clone_4, [8, 8, 4]);  clone_4 = None
        transpose_6: "f32[8, 8, 8]" = torch.ops.aten.transpose.int(view_7, 1, 2);  view_7 = None
        bmm_2: "f32[8, 8, 4]" = torch.ops.aten.bmm.default(transpose_6, _unsafe_view_11);  transpose_6 = None
        transpose_7: "f32[8, 4, 8]" = torch.ops.aten.transpose.int(_unsafe_view_5, 1, 2);  _unsafe_view_5 = None
        bmm_3: "f32[8, 8, 8]" = torch.ops.aten.bmm.default(_unsafe_view_11, transpose_7);  _unsafe_view_11 = transpose_7 = None
        view_23: "f32[2, 4, 8, 4]" = torch.ops.aten.view.default(bmm_2, [2, 4, 8, 4]);  bmm_2 = None
        view_24: "f32[2, 4, 8, 8]" = torch.ops.aten.view.default(bmm_3, [2, 4, 8, 8]);  bmm_3 = None

         # File: capture.py:35 in forward, code: weights = torch.softmax(scores.masked_fill(later, float('-inf')), -1)
        detach_8: "f32[2, 4, 8, 8]" = torch.ops.aten.detach.default(detach_3);  detach_3 = None
        detach_9: "f32[2, 4, 8, 8]" = torch.ops.aten.detach.default(detach_8);  detach_8 = None
        _softmax_backward_data: "f32[2, 4, 8, 8]" = torch.ops.aten._softmax_backward_data.default(view_24, detach_9, -1, torch.float32);  view_24 = detach_9 = None
        masked_fill_1: "f32[2, 4, 8, 8]" = torch.ops.aten.masked_fill.Scalar(_softmax_backward_data, triu, 0);  _softmax_backward_data = triu = None

         # File: capture.py:33 in forward, code: scores = q @ k.transpose(-1, -2) / self.head**0.5
        div_2: "f32[2, 4, 8, 8]" = torch.ops.aten.div.Tensor(masked_fill_1, 2.0);  masked_fill_1 = None
        view_25: "f32[8, 8, 8]" = torch.ops.aten.view.default(div_2, [8, 8, 8]);  div_2 = None
        transpose_8: "f32[8, 4, 8]" = torch.ops.aten.transpose.int(_unsafe_view_3, 1, 2);  _unsafe_view_3 = None
        bmm_4: "f32[8, 4, 8]" = torch.ops.aten.bmm.default(transpose_8, view_25);  transpose_8 = None
        transpose_9: "f32[8, 8, 4]" = torch.ops.aten.transpose.int(_unsafe_view_4, 1, 2);  _unsafe_view_4 = None
        bmm_5: "f32[8, 8, 4]" = torch.ops.aten.bmm.default(view_25, transpose_9);  view_25 = transpose_9 = None
        view_26: "f32[2, 4, 4, 8]" = torch.ops.aten.view.default(bmm_4, [2, 4, 4, 8]);  bmm_4 = None
        view_27: "f32[2, 4, 8, 4]" = torch.ops.aten.view.default(bmm_5, [2, 4, 8, 4]);  bmm_5 = None
        transpose_10: "f32[2, 4, 8, 4]" = torch.ops.aten.transpose.int(view_26, -1, -2);  view_26 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        transpose_11: "f32[2, 8, 4, 4]" = torch.ops.aten.transpose.int(view_23, 1, 2);  view_23 = None
        clone_5: "f32[2, 8, 4, 4]" = torch.ops.aten.clone.default(transpose_11, memory_format = torch.contiguous_format);  transpose_11 = None
        _unsafe_view_12: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(clone_5, [2, 8, 16]);  clone_5 = None
        view_28: "f32[16, 16]" = torch.ops.aten.view.default(_unsafe_view_12, [16, 16]);  _unsafe_view_12 = None
        t_23: "f32[16, 16]" = torch.ops.aten.t.default(view_28)
        mm_15: "f32[16, 16]" = torch.ops.aten.mm.default(t_23, view_4);  t_23 = view_4 = None
        t_24: "f32[16, 16]" = torch.ops.aten.t.default(mm_15);  mm_15 = None
        t_25: "f32[16, 16]" = torch.ops.aten.t.default(t_2);  t_2 = None
        mm_16: "f32[16, 16]" = torch.ops.aten.mm.default(view_28, t_25);  view_28 = t_25 = None
        view_29: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_16, [2, 8, 16]);  mm_16 = None
        t_26: "f32[16, 16]" = torch.ops.aten.t.default(t_24);  t_24 = None
        transpose_12: "f32[2, 8, 4, 4]" = torch.ops.aten.transpose.int(transpose_10, 1, 2);  transpose_10 = None
        view_30: "f32[2, 8, 16]" = torch.ops.aten.view.default(transpose_12, [2, 8, 16]);  transpose_12 = None
        clone_6: "f32[2, 8, 16]" = torch.ops.aten.clone.default(view_30, memory_format = torch.contiguous_format);  view_30 = None
        _unsafe_view_13: "f32[16, 16]" = torch.ops.aten._unsafe_view.default(clone_6, [16, 16]);  clone_6 = None
        t_27: "f32[16, 16]" = torch.ops.aten.t.default(_unsafe_view_13)
        mm_17: "f32[16, 16]" = torch.ops.aten.mm.default(t_27, view_2);  t_27 = view_2 = None
        t_28: "f32[16, 16]" = torch.ops.aten.t.default(mm_17);  mm_17 = None
        t_29: "f32[16, 16]" = torch.ops.aten.t.default(t_1);  t_1 = None
        mm_18: "f32[16, 16]" = torch.ops.aten.mm.default(_unsafe_view_13, t_29);  _unsafe_view_13 = t_29 = None
        view_31: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_18, [2, 8, 16]);  mm_18 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        add_8: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(view_29, view_31);  view_29 = view_31 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        t_30: "f32[16, 16]" = torch.ops.aten.t.default(t_28);  t_28 = None
        transpose_13: "f32[2, 8, 4, 4]" = torch.ops.aten.transpose.int(view_27, 1, 2);  view_27 = None
        clone_7: "f32[2, 8, 4, 4]" = torch.ops.aten.clone.default(transpose_13, memory_format = torch.contiguous_format);  transpose_13 = None
        _unsafe_view_14: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(clone_7, [2, 8, 16]);  clone_7 = None
        view_32: "f32[16, 16]" = torch.ops.aten.view.default(_unsafe_view_14, [16, 16]);  _unsafe_view_14 = None
        t_31: "f32[16, 16]" = torch.ops.aten.t.default(view_32)
        mm_19: "f32[16, 16]" = torch.ops.aten.mm.default(t_31, view);  t_31 = view = None
        t_32: "f32[16, 16]" = torch.ops.aten.t.default(mm_19);  mm_19 = None
        t_33: "f32[16, 16]" = torch.ops.aten.t.default(t);  t = None
        mm_20: "f32[16, 16]" = torch.ops.aten.mm.default(view_32, t_33);  view_32 = t_33 = None
        view_33: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_20, [2, 8, 16]);  mm_20 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        add_9: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(add_8, view_33);  add_8 = view_33 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        t_34: "f32[16, 16]" = torch.ops.aten.t.default(t_32);  t_32 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        mul_18: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_9, mul);  mul = None
        mul_19: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_9, norm1_weight);  add_9 = norm1_weight = None
        sum_3: "f32[1, 1, 16]" = torch.ops.aten.sum.dim_IntList(mul_18, [0, 1], True);  mul_18 = None
        view_34: "f32[16]" = torch.ops.aten.view.default(sum_3, [16]);  sum_3 = None
        mul_20: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul_19, x)
        mul_21: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul_19, rsqrt);  mul_19 = rsqrt = None
        sum_4: "f32[2, 8, 1]" = torch.ops.aten.sum.dim_IntList(mul_20, [2], True);  mul_20 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        add_10: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(add_7, mul_21);  add_7 = mul_21 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        detach_10: "f32[2, 8, 1]" = torch.ops.aten.detach.default(detach_1);  detach_1 = None
        detach_11: "f32[2, 8, 1]" = torch.ops.aten.detach.default(detach_10);  detach_10 = None
        pow_5: "f32[2, 8, 1]" = torch.ops.aten.pow.Tensor_Scalar(detach_11, 3);  detach_11 = None
        mul_22: "f32[2, 8, 1]" = torch.ops.aten.mul.Scalar(sum_4, -0.5);  sum_4 = None
        mul_23: "f32[2, 8, 1]" = torch.ops.aten.mul.Tensor(mul_22, pow_5);  mul_22 = pow_5 = None
        expand_5: "f32[2, 8, 16]" = torch.ops.aten.expand.default(mul_23, [2, 8, 16]);  mul_23 = None
        div_3: "f32[2, 8, 16]" = torch.ops.aten.div.Scalar(expand_5, 16);  expand_5 = None
        pow_6: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(x, 1.0);  x = None
        mul_24: "f32[2, 8, 16]" = torch.ops.aten.mul.Scalar(pow_6, 2.0);  pow_6 = None
        mul_25: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(div_3, mul_24);  div_3 = mul_24 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        add_11: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(add_10, mul_25);  add_10 = mul_25 = None
        return [add_3, view_34, t_34, t_30, t_26, t_22, view_19, t_18, t_14, t_10, add_11]
