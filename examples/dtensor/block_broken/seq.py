# out.0: output 0 of the model
class GraphModule(torch.nn.Module):
    def forward(self, norm1_weight: "f32[16]", x: "f32[2, 8, 16]", attention_wq_weight: "f32[16, 16]", attention_wk_weight: "f32[16, 16]", attention_wv_weight: "f32[16, 16]", attention_wo_weight: "f32[16, 16]", norm2_weight: "f32[16]", feed_forward_gate_weight: "f32[32, 16]", feed_forward_up_weight: "f32[32, 16]", feed_forward_down_weight: "f32[16, 32]"):
         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        pow_1: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(x, 2)
        mean: "f32[2, 8, 1]" = torch.ops.aten.mean.dim(pow_1, [2], True);  pow_1 = None
        add: "f32[2, 8, 1]" = torch.ops.aten.add.Scalar(mean, 9.999999747378752e-06);  mean = None
        rsqrt: "f32[2, 8, 1]" = torch.ops.aten.rsqrt.default(add);  add = None
        mul: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(x, rsqrt);  rsqrt = None
        mul_1: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul, norm1_weight);  mul = norm1_weight = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        t: "f32[16, 16]" = torch.ops.aten.t.default(attention_wq_weight);  attention_wq_weight = None
        view: "f32[16, 16]" = torch.ops.aten.view.default(mul_1, [16, 16])
        mm: "f32[16, 16]" = torch.ops.aten.mm.default(view, t);  view = t = None
        _unsafe_view: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm, [2, 8, 16]);  mm = None
        view_1: "f32[2, 8, 4, 4]" = torch.ops.aten.view.default(_unsafe_view, [2, 8, -1, 4]);  _unsafe_view = None
        transpose: "f32[2, 4, 8, 4]" = torch.ops.aten.transpose.int(view_1, 1, 2);  view_1 = None
        t_1: "f32[16, 16]" = torch.ops.aten.t.default(attention_wk_weight);  attention_wk_weight = None
        view_2: "f32[16, 16]" = torch.ops.aten.view.default(mul_1, [16, 16])
        mm_1: "f32[16, 16]" = torch.ops.aten.mm.default(view_2, t_1);  view_2 = t_1 = None
        _unsafe_view_1: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_1, [2, 8, 16]);  mm_1 = None
        view_3: "f32[2, 8, 4, 4]" = torch.ops.aten.view.default(_unsafe_view_1, [2, 8, -1, 4]);  _unsafe_view_1 = None
        transpose_1: "f32[2, 4, 8, 4]" = torch.ops.aten.transpose.int(view_3, 1, 2);  view_3 = None
        t_2: "f32[16, 16]" = torch.ops.aten.t.default(attention_wv_weight);  attention_wv_weight = None
        view_4: "f32[16, 16]" = torch.ops.aten.view.default(mul_1, [16, 16]);  mul_1 = None
        mm_2: "f32[16, 16]" = torch.ops.aten.mm.default(view_4, t_2);  view_4 = t_2 = None
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
        bmm: "f32[8, 8, 8]" = torch.ops.aten.bmm.default(_unsafe_view_3, _unsafe_view_4);  _unsafe_view_3 = _unsafe_view_4 = None
        view_6: "f32[2, 4, 8, 8]" = torch.ops.aten.view.default(bmm, [2, 4, 8, 8]);  bmm = None
        div: "f32[2, 4, 8, 8]" = torch.ops.aten.div.Tensor(view_6, 2.0);  view_6 = None

         # File: capture.py:34 in forward, code: later = torch.ones(length, length, dtype=torch.bool).triu(1)
        ones: "b8[8, 8]" = torch.ops.aten.ones.default([8, 8], dtype = torch.bool, device = device(type='cpu'), pin_memory = False)
        triu: "b8[8, 8]" = torch.ops.aten.triu.default(ones, 1);  ones = None

         # File: capture.py:35 in forward, code: weights = torch.softmax(scores.masked_fill(later, float('-inf')), -1)
        masked_fill: "f32[2, 4, 8, 8]" = torch.ops.aten.masked_fill.Scalar(div, triu, -inf);  div = triu = None
        _softmax: "f32[2, 4, 8, 8]" = torch.ops.aten._softmax.default(masked_fill, -1, False);  masked_fill = None

         # File: capture.py:36 in forward, code: return self.wo((weights @ v).transpose(1, 2).reshape(batch, length, -1))
        expand_2: "f32[2, 4, 8, 8]" = torch.ops.aten.expand.default(_softmax, [2, 4, 8, 8]);  _softmax = None
        view_7: "f32[8, 8, 8]" = torch.ops.aten.view.default(expand_2, [8, 8, 8]);  expand_2 = None
        expand_3: "f32[2, 4, 8, 4]" = torch.ops.aten.expand.default(transpose_2, [2, 4, 8, 4]);  transpose_2 = None
        clone_2: "f32[2, 4, 8, 4]" = torch.ops.aten.clone.default(expand_3, memory_format = torch.contiguous_format);  expand_3 = None
        _unsafe_view_5: "f32[8, 8, 4]" = torch.ops.aten._unsafe_view.default(clone_2, [8, 8, 4]);  clone_2 = None
        bmm_1: "f32[8, 8, 4]" = torch.ops.aten.bmm.default(view_7, _unsafe_view_5);  view_7 = _unsafe_view_5 = None
        view_8: "f32[2, 4, 8, 4]" = torch.ops.aten.view.default(bmm_1, [2, 4, 8, 4]);  bmm_1 = None
        transpose_4: "f32[2, 8, 4, 4]" = torch.ops.aten.transpose.int(view_8, 1, 2);  view_8 = None
        clone_3: "f32[2, 8, 4, 4]" = torch.ops.aten.clone.default(transpose_4, memory_format = torch.contiguous_format);  transpose_4 = None
        _unsafe_view_6: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(clone_3, [2, 8, 16]);  clone_3 = None
        t_3: "f32[16, 16]" = torch.ops.aten.t.default(attention_wo_weight);  attention_wo_weight = None
        view_9: "f32[16, 16]" = torch.ops.aten.view.default(_unsafe_view_6, [16, 16]);  _unsafe_view_6 = None
        mm_3: "f32[16, 16]" = torch.ops.aten.mm.default(view_9, t_3);  view_9 = t_3 = None
        _unsafe_view_7: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_3, [2, 8, 16]);  mm_3 = None

         # File: capture.py:59 in forward, code: x = x + self.attention(self.norm1(x))
        add_1: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(x, _unsafe_view_7);  x = _unsafe_view_7 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        pow_2: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(add_1, 2)
        mean_1: "f32[2, 8, 1]" = torch.ops.aten.mean.dim(pow_2, [2], True);  pow_2 = None
        add_2: "f32[2, 8, 1]" = torch.ops.aten.add.Scalar(mean_1, 9.999999747378752e-06);  mean_1 = None
        rsqrt_1: "f32[2, 8, 1]" = torch.ops.aten.rsqrt.default(add_2);  add_2 = None
        mul_2: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_1, rsqrt_1);  rsqrt_1 = None
        mul_3: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul_2, norm2_weight);  mul_2 = norm2_weight = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        t_4: "f32[16, 32]" = torch.ops.aten.t.default(feed_forward_gate_weight);  feed_forward_gate_weight = None
        view_10: "f32[16, 16]" = torch.ops.aten.view.default(mul_3, [16, 16])
        mm_4: "f32[16, 32]" = torch.ops.aten.mm.default(view_10, t_4);  view_10 = t_4 = None
        _unsafe_view_8: "f32[2, 8, 32]" = torch.ops.aten._unsafe_view.default(mm_4, [2, 8, 32]);  mm_4 = None
        silu: "f32[2, 8, 32]" = torch.ops.aten.silu.default(_unsafe_view_8);  _unsafe_view_8 = None
        t_5: "f32[16, 32]" = torch.ops.aten.t.default(feed_forward_up_weight);  feed_forward_up_weight = None
        view_11: "f32[16, 16]" = torch.ops.aten.view.default(mul_3, [16, 16]);  mul_3 = None
        mm_5: "f32[16, 32]" = torch.ops.aten.mm.default(view_11, t_5);  view_11 = t_5 = None
        _unsafe_view_9: "f32[2, 8, 32]" = torch.ops.aten._unsafe_view.default(mm_5, [2, 8, 32]);  mm_5 = None
        mul_4: "f32[2, 8, 32]" = torch.ops.aten.mul.Tensor(silu, _unsafe_view_9);  silu = _unsafe_view_9 = None
        t_6: "f32[32, 16]" = torch.ops.aten.t.default(feed_forward_down_weight);  feed_forward_down_weight = None
        view_12: "f32[16, 32]" = torch.ops.aten.view.default(mul_4, [16, 32]);  mul_4 = None
        mm_6: "f32[16, 16]" = torch.ops.aten.mm.default(view_12, t_6);  view_12 = t_6 = None
        _unsafe_view_10: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_6, [2, 8, 16]);  mm_6 = None

         # File: capture.py:60 in forward, code: return x + self.feed_forward(self.norm2(x))
        add_3: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(add_1, _unsafe_view_10);  add_1 = _unsafe_view_10 = None
        return [add_3]
