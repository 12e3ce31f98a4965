# group "0": along tp, ranks [0, 1]
# attention_wq_weight: {tp: Shard(0)}
# attention_wk_weight: {tp: Shard(0)}
# attention_wv_weight: {tp: Shard(0)}
# attention_wo_weight: {tp: Shard(1)}
# feed_forward_gate_weight: {tp: Shard(0)}
# feed_forward_up_weight: {tp: Shard(0)}
# feed_forward_down_weight: {tp: Shard(1)}
# out.0: output 0 of the model
class GraphModule(torch.nn.Module):
    def forward(self, norm1_weight: "f32[16]", x: "f32[2, 8, 16]", attention_wq_weight: "f32[8, 16]", attention_wk_weight: "f32[8, 16]", attention_wv_weight: "f32[8, 16]", attention_wo_weight: "f32[16, 8]", norm2_weight: "f32[16]", feed_forward_gate_weight: "f32[16, 16]", feed_forward_up_weight: "f32[16, 16]", feed_forward_down_weight: "f32[16, 16]"):
         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        pow_1: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(x, 2)
        mean: "f32[2, 8, 1]" = torch.ops.aten.mean.dim(pow_1, [2], True);  pow_1 = None
        add: "f32[2, 8, 1]" = torch.ops.aten.add.Scalar(mean, 9.999999747378752e-06);  mean = None
        rsqrt: "f32[2, 8, 1]" = torch.ops.aten.rsqrt.default(add);  add = None
        mul: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(x, rsqrt);  rsqrt = None
        mul_1: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul, norm1_weight);  mul = norm1_weight = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_1, [2, 8, 16])

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        t_1: "f32[16, 8]" = torch.ops.aten.t.default(attention_wq_weight);  attention_wq_weight = None
        view_2: "f32[16, 16]" = torch.ops.aten.view.default(view, [16, 16]);  view = None
        mm_1: "f32[16, 8]" = torch.ops.aten.mm.default(view_2, t_1);  view_2 = t_1 = None
        _unsafe_view_1: "f32[2, 8, 8]" = torch.ops.aten._unsafe_view.default(mm_1, [2, 8, 8]);  mm_1 = None

         # File: torch/distributed/tensor/parallel/style.py:146 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_3: "f32[2, 8, 8]" = torch.ops.aten.view.default(_unsafe_view_1, [2, 8, 8]);  _unsafe_view_1 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        view_4: "f32[2, 8, 2, 4]" = torch.ops.aten.view.default(view_3, [2, 8, -1, 4]);  view_3 = None
        transpose: "f32[2, 2, 8, 4]" = torch.ops.aten.transpose.int(view_4, 1, 2);  view_4 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_5: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_1, [2, 8, 16])

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        t_3: "f32[16, 8]" = torch.ops.aten.t.default(attention_wk_weight);  attention_wk_weight = None
        view_7: "f32[16, 16]" = torch.ops.aten.view.default(view_5, [16, 16]);  view_5 = None
        mm_3: "f32[16, 8]" = torch.ops.aten.mm.default(view_7, t_3);  view_7 = t_3 = None
        _unsafe_view_3: "f32[2, 8, 8]" = torch.ops.aten._unsafe_view.default(mm_3, [2, 8, 8]);  mm_3 = None

         # File: torch/distributed/tensor/parallel/style.py:146 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_8: "f32[2, 8, 8]" = torch.ops.aten.view.default(_unsafe_view_3, [2, 8, 8]);  _unsafe_view_3 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        view_9: "f32[2, 8, 2, 4]" = torch.ops.aten.view.default(view_8, [2, 8, -1, 4]);  view_8 = None
        transpose_1: "f32[2, 2, 8, 4]" = torch.ops.aten.transpose.int(view_9, 1, 2);  view_9 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_10: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_1, [2, 8, 16]);  mul_1 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        t_5: "f32[16, 8]" = torch.ops.aten.t.default(attention_wv_weight);  attention_wv_weight = None
        view_12: "f32[16, 16]" = torch.ops.aten.view.default(view_10, [16, 16]);  view_10 = None
        mm_5: "f32[16, 8]" = torch.ops.aten.mm.default(view_12, t_5);  view_12 = t_5 = None
        _unsafe_view_5: "f32[2, 8, 8]" = torch.ops.aten._unsafe_view.default(mm_5, [2, 8, 8]);  mm_5 = None

         # File: torch/distributed/tensor/parallel/style.py:146 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_13: "f32[2, 8, 8]" = torch.ops.aten.view.default(_unsafe_view_5, [2, 8, 8]);  _unsafe_view_5 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        view_14: "f32[2, 8, 2, 4]" = torch.ops.aten.view.default(view_13, [2, 8, -1, 4]);  view_13 = None
        transpose_2: "f32[2, 2, 8, 4]" = torch.ops.aten.transpose.int(view_14, 1, 2);  view_14 = None

         # File: capture.py:33 in forward, code: scores = q @ k.transpose(-1, -2) / self.head**0.5
        transpose_3: "f32[2, 2, 4, 8]" = torch.ops.aten.transpose.int(transpose_1, -1, -2);  transpose_1 = None
        expand: "f32[2, 2, 8, 4]" = torch.ops.aten.expand.default(transpose, [2, 2, 8, 4]);  transpose = None
        clone: "f32[2, 2, 8, 4]" = torch.ops.aten.clone.default(expand, memory_format = torch.contiguous_format);  expand = None
        _unsafe_view_6: "f32[4, 8, 4]" = torch.ops.aten._unsafe_view.default(clone, [4, 8, 4]);  clone = None
        expand_1: "f32[2, 2, 4, 8]" = torch.ops.aten.expand.default(transpose_3, [2, 2, 4, 8]);  transpose_3 = None
        clone_1: "f32[2, 2, 4, 8]" = torch.ops.aten.clone.default(expand_1, memory_format = torch.contiguous_format);  expand_1 = None
        _unsafe_view_7: "f32[4, 4, 8]" = torch.ops.aten._unsafe_view.default(clone_1, [4, 4, 8]);  clone_1 = None
        bmm: "f32[4, 8, 8]" = torch.ops.aten.bmm.default(_unsafe_view_6, _unsafe_view_7);  _unsafe_view_6 = _unsafe_view_7 = None
        view_15: "f32[2, 2, 8, 8]" = torch.ops.aten.view.default(bmm, [2, 2, 8, 8]);  bmm = None
        div: "f32[2, 2, 8, 8]" = torch.ops.aten.div.Tensor(view_15, 2.0);  view_15 = None

         # File: capture.py:34 in forward, code: later = torch.ones(length, length, dtype=torch.bool).triu(1)
        ones: "b8[8, 8]" = torch.ops.aten.ones.default([8, 8], dtype = torch.bool, device = device(type='cpu'), pin_memory = False)
        triu: "b8[8, 8]" = torch.ops.aten.triu.default(ones, 1);  ones = None

         # File: capture.py:35 in forward, code: weights = torch.softmax(scores.masked_fill(later, float('-inf')), -1)
        masked_fill: "f32[2, 2, 8, 8]" = torch.ops.aten.masked_fill.Scalar(div, triu, -inf);  div = triu = None
        _softmax: "f32[2, 2, 8, 8]" = torch.ops.aten._softmax.default(masked_fill, -1, False);  masked_fill = None

         # File: capture.py:36 in forward, code: return self.wo((weights @ v).transpose(1, 2).reshape(batch, length, -1))
        expand_2: "f32[2, 2, 8, 8]" = torch.ops.aten.expand.default(_softmax, [2, 2, 8, 8]);  _softmax = None
        view_16: "f32[4, 8, 8]" = torch.ops.aten.view.default(expand_2, [4, 8, 8]);  expand_2 = None
        expand_3: "f32[2, 2, 8, 4]" = torch.ops.aten.expand.default(transpose_2, [2, 2, 8, 4]);  transpose_2 = None
        clone_2: "f32[2, 2, 8, 4]" = torch.ops.aten.clone.default(expand_3, memory_format = torch.contiguous_format);  expand_3 = None
        _unsafe_view_8: "f32[4, 8, 4]" = torch.ops.aten._unsafe_view.default(clone_2, [4, 8, 4]);  clone_2 = None
        bmm_1: "f32[4, 8, 4]" = torch.ops.aten.bmm.default(view_16, _unsafe_view_8);  view_16 = _unsafe_view_8 = None
        view_17: "f32[2, 2, 8, 4]" = torch.ops.aten.view.default(bmm_1, [2, 2, 8, 4]);  bmm_1 = None
        transpose_4: "f32[2, 8, 2, 4]" = torch.ops.aten.transpose.int(view_17, 1, 2);  view_17 = None
        clone_3: "f32[2, 8, 2, 4]" = torch.ops.aten.clone.default(transpose_4, memory_format = torch.contiguous_format);  transpose_4 = None
        _unsafe_view_9: "f32[2, 8, 8]" = torch.ops.aten._unsafe_view.default(clone_3, [2, 8, 8]);  clone_3 = None

         # File: torch/distributed/tensor/parallel/style.py:230 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_18: "f32[2, 8, 8]" = torch.ops.aten.view.default(_unsafe_view_9, [2, 8, 8]);  _unsafe_view_9 = None

         # File: capture.py:36 in forward, code: return self.wo((weights @ v).transpose(1, 2).reshape(batch, length, -1))
        t_7: "f32[8, 16]" = torch.ops.aten.t.default(attention_wo_weight);  attention_wo_weight = None
        view_20: "f32[16, 8]" = torch.ops.aten.view.default(view_18, [16, 8]);  view_18 = None
        mm_7: "f32[16, 16]" = torch.ops.aten.mm.default(view_20, t_7);  view_20 = t_7 = None
        _unsafe_view_11: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_7, [2, 8, 16]);  mm_7 = None

         # File: torch/distributed/tensor/parallel/style.py:285 in _prepare_output_fn, code: outputs = outputs.redistribute(placements=output_layouts, async_op=True)
        all_reduce: "f32[2, 8, 16]" = torch.ops._c10d_functional.all_reduce.default(_unsafe_view_11, 'sum', '0');  _unsafe_view_11 = None
        wait_tensor: "f32[2, 8, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

         # File: torch/distributed/tensor/parallel/style.py:287 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_21: "f32[2, 8, 16]" = torch.ops.aten.view.default(wait_tensor, [2, 8, 16]);  wait_tensor = None

         # File: capture.py:59 in forward, code: x = x + self.attention(self.norm1(x))
        add_1: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(x, view_21);  x = view_21 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        pow_2: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(add_1, 2)
        mean_1: "f32[2, 8, 1]" = torch.ops.aten.mean.dim(pow_2, [2], True);  pow_2 = None
        add_2: "f32[2, 8, 1]" = torch.ops.aten.add.Scalar(mean_1, 9.999999747378752e-06);  mean_1 = None
        rsqrt_1: "f32[2, 8, 1]" = torch.ops.aten.rsqrt.default(add_2);  add_2 = None
        mul_2: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_1, rsqrt_1);  rsqrt_1 = None
        mul_3: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul_2, norm2_weight);  mul_2 = norm2_weight = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_22: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_3, [2, 8, 16])

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        t_9: "f32[16, 16]" = torch.ops.aten.t.default(feed_forward_gate_weight);  feed_forward_gate_weight = None
        view_24: "f32[16, 16]" = torch.ops.aten.view.default(view_22, [16, 16]);  view_22 = None
        mm_9: "f32[16, 16]" = torch.ops.aten.mm.default(view_24, t_9);  view_24 = t_9 = None
        _unsafe_view_13: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_9, [2, 8, 16]);  mm_9 = None

         # File: torch/distributed/tensor/parallel/style.py:146 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_25: "f32[2, 8, 16]" = torch.ops.aten.view.default(_unsafe_view_13, [2, 8, 16]);  _unsafe_view_13 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        silu: "f32[2, 8, 16]" = torch.ops.aten.silu.default(view_25);  view_25 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_26: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_3, [2, 8, 16]);  mul_3 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        t_11: "f32[16, 16]" = torch.ops.aten.t.default(feed_forward_up_weight);  feed_forward_up_weight = None
        view_28: "f32[16, 16]" = torch.ops.aten.view.default(view_26, [16, 16]);  view_26 = None
        mm_11: "f32[16, 16]" = torch.ops.aten.mm.default(view_28, t_11);  view_28 = t_11 = None
        _unsafe_view_15: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_11, [2, 8, 16]);  mm_11 = None

         # File: torch/distributed/tensor/parallel/style.py:146 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_29: "f32[2, 8, 16]" = torch.ops.aten.view.default(_unsafe_view_15, [2, 8, 16]);  _unsafe_view_15 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        mul_4: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(silu, view_29);  silu = view_29 = None

         # File: torch/distributed/tensor/parallel/style.py:230 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_30: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_4, [2, 8, 16]);  mul_4 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        t_13: "f32[16, 16]" = torch.ops.aten.t.default(feed_forward_down_weight);  feed_forward_down_weight = None
        view_32: "f32[16, 16]" = torch.ops.aten.view.default(view_30, [16, 16]);  view_30 = None
        mm_13: "f32[16, 16]" = torch.ops.aten.mm.default(view_32, t_13);  view_32 = t_13 = None
        _unsafe_view_17: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_13, [2, 8, 16]);  mm_13 = None

         # File: torch/distributed/tensor/parallel/style.py:287 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_33: "f32[2, 8, 16]" = torch.ops.aten.view.default(_unsafe_view_17, [2, 8, 16]);  _unsafe_view_17 = None

         # File: capture.py:60 in forward, code: return x + self.feed_forward(self.norm2(x))
        add_3: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(add_1, view_33);  add_1 = view_33 = None
        return [add_3]
