# group "0": along tp, ranks [0, 1]
# attention_wq_weight: {tp: Shard(0)}
# attention_wk_weight: {tp: Shard(0)}
# attention_wv_weight: {tp: Shard(0)}
# attention_wo_weight: {tp: Shard(1)}
# feed_forward_gate_weight: {tp: Shard(0)}
# feed_forward_up_weight: {tp: Shard(0)}
# feed_forward_down_weight: {tp: Shard(1)}
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
    def forward(self, norm1_weight: "f32[16]", x: "f32[2, 8, 16]", attention_wq_weight: "f32[8, 16]", attention_wk_weight: "f32[8, 16]", attention_wv_weight: "f32[8, 16]", attention_wo_weight: "f32[16, 8]", norm2_weight: "f32[16]", feed_forward_gate_weight: "f32[16, 16]", feed_forward_up_weight: "f32[16, 16]", feed_forward_down_weight: "f32[16, 16]", grad_out0: "f32[2, 8, 16]"):
         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        pow_1: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(x, 2)
        mean: "f32[2, 8, 1]" = torch.ops.aten.mean.dim(pow_1, [2], True);  pow_1 = None
        add: "f32[2, 8, 1]" = torch.ops.aten.add.Scalar(mean, 9.999999747378752e-06);  mean = None
        rsqrt: "f32[2, 8, 1]" = torch.ops.aten.rsqrt.default(add);  add = None
        detach: "f32[2, 8, 1]" = torch.ops.aten.detach.default(rsqrt)
        detach_1: "f32[2, 8, 1]" = torch.ops.aten.detach.default(detach);  detach = None
        mul: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(x, rsqrt)
        mul_1: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul, norm1_weight)

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_1, [2, 8, 16])

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        t_1: "f32[16, 8]" = torch.ops.aten.t.default(attention_wq_weight);  attention_wq_weight = None
        view_2: "f32[16, 16]" = torch.ops.aten.view.default(view, [16, 16]);  view = None
        mm_1: "f32[16, 8]" = torch.ops.aten.mm.default(view_2, t_1)
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
        mm_3: "f32[16, 8]" = torch.ops.aten.mm.default(view_7, t_3)
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
        mm_5: "f32[16, 8]" = torch.ops.aten.mm.default(view_12, t_5)
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
        bmm: "f32[4, 8, 8]" = torch.ops.aten.bmm.default(_unsafe_view_6, _unsafe_view_7)
        view_15: "f32[2, 2, 8, 8]" = torch.ops.aten.view.default(bmm, [2, 2, 8, 8]);  bmm = None
        div: "f32[2, 2, 8, 8]" = torch.ops.aten.div.Tensor(view_15, 2.0);  view_15 = None

         # File: capture.py:34 in forward, code: later = torch.ones(length, length, dtype=torch.bool).triu(1)
        ones: "b8[8, 8]" = torch.ops.aten.ones.default([8, 8], dtype = torch.bool, device = device(type='cpu'), pin_memory = False)
        triu: "b8[8, 8]" = torch.ops.aten.triu.default(ones, 1);  ones = None

         # File: capture.py:35 in forward, code: weights = torch.softmax(scores.masked_fill(later, float('-inf')), -1)
        masked_fill: "f32[2, 2, 8, 8]" = torch.ops.aten.masked_fill.Scalar(div, triu, -inf);  div = None
        _softmax: "f32[2, 2, 8, 8]" = torch.ops.aten._softmax.default(masked_fill, -1, False);  masked_fill = None
        detach_2: "f32[2, 2, 8, 8]" = torch.ops.aten.detach.default(_softmax)
        detach_3: "f32[2, 2, 8, 8]" = torch.ops.aten.detach.default(detach_2);  detach_2 = None

         # File: capture.py:36 in forward, code: return self.wo((weights @ v).transpose(1, 2).reshape(batch, length, -1))
        expand_2: "f32[2, 2, 8, 8]" = torch.ops.aten.expand.default(_softmax, [2, 2, 8, 8]);  _softmax = None
        view_16: "f32[4, 8, 8]" = torch.ops.aten.view.default(expand_2, [4, 8, 8]);  expand_2 = None
        expand_3: "f32[2, 2, 8, 4]" = torch.ops.aten.expand.default(transpose_2, [2, 2, 8, 4]);  transpose_2 = None
        clone_2: "f32[2, 2, 8, 4]" = torch.ops.aten.clone.default(expand_3, memory_format = torch.contiguous_format);  expand_3 = None
        _unsafe_view_8: "f32[4, 8, 4]" = torch.ops.aten._unsafe_view.default(clone_2, [4, 8, 4]);  clone_2 = None
        bmm_1: "f32[4, 8, 4]" = torch.ops.aten.bmm.default(view_16, _unsafe_view_8)
        view_17: "f32[2, 2, 8, 4]" = torch.ops.aten.view.default(bmm_1, [2, 2, 8, 4]);  bmm_1 = None
        transpose_4: "f32[2, 8, 2, 4]" = torch.ops.aten.transpose.int(view_17, 1, 2);  view_17 = None
        clone_3: "f32[2, 8, 2, 4]" = torch.ops.aten.clone.default(transpose_4, memory_format = torch.contiguous_format);  transpose_4 = None
        _unsafe_view_9: "f32[2, 8, 8]" = torch.ops.aten._unsafe_view.default(clone_3, [2, 8, 8]);  clone_3 = None

         # File: torch/distributed/tensor/parallel/style.py:230 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_18: "f32[2, 8, 8]" = torch.ops.aten.view.default(_unsafe_view_9, [2, 8, 8]);  _unsafe_view_9 = None

         # File: capture.py:36 in forward, code: return self.wo((weights @ v).transpose(1, 2).reshape(batch, length, -1))
        t_7: "f32[8, 16]" = torch.ops.aten.t.default(attention_wo_weight);  attention_wo_weight = None
        view_20: "f32[16, 8]" = torch.ops.aten.view.default(view_18, [16, 8]);  view_18 = None
        mm_7: "f32[16, 16]" = torch.ops.aten.mm.default(view_20, t_7)
        _unsafe_view_11: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_7, [2, 8, 16]);  mm_7 = None

         # File: torch/distributed/tensor/parallel/style.py:285 in _prepare_output_fn, code: outputs = outputs.redistribute(placements=output_layouts, async_op=True)
        all_reduce: "f32[2, 8, 16]" = torch.ops._c10d_functional.all_reduce.default(_unsafe_view_11, 'sum', '0');  _unsafe_view_11 = None
        wait_tensor: "f32[2, 8, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

         # File: torch/distributed/tensor/parallel/style.py:287 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_21: "f32[2, 8, 16]" = torch.ops.aten.view.default(wait_tensor, [2, 8, 16]);  wait_tensor = None

         # File: capture.py:59 in forward, code: x = x + self.attention(self.norm1(x))
        add_1: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(x, view_21);  view_21 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        pow_2: "f32[2, 8, 16]" = torch.ops.aten.pow.Tensor_Scalar(add_1, 2)
        mean_1: "f32[2, 8, 1]" = torch.ops.aten.mean.dim(pow_2, [2], True);  pow_2 = None
        add_2: "f32[2, 8, 1]" = torch.ops.aten.add.Scalar(mean_1, 9.999999747378752e-06);  mean_1 = None
        rsqrt_1: "f32[2, 8, 1]" = torch.ops.aten.rsqrt.default(add_2);  add_2 = None
        detach_4: "f32[2, 8, 1]" = torch.ops.aten.detach.default(rsqrt_1)
        detach_5: "f32[2, 8, 1]" = torch.ops.aten.detach.default(detach_4);  detach_4 = None
        mul_2: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_1, rsqrt_1)
        mul_3: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul_2, norm2_weight)

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_22: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_3, [2, 8, 16])

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        t_9: "f32[16, 16]" = torch.ops.aten.t.default(feed_forward_gate_weight);  feed_forward_gate_weight = None
        view_24: "f32[16, 16]" = torch.ops.aten.view.default(view_22, [16, 16]);  view_22 = None
        mm_9: "f32[16, 16]" = torch.ops.aten.mm.default(view_24, t_9)
        _unsafe_view_13: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_9, [2, 8, 16]);  mm_9 = None

         # File: torch/distributed/tensor/parallel/style.py:146 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_25: "f32[2, 8, 16]" = torch.ops.aten.view.default(_unsafe_view_13, [2, 8, 16]);  _unsafe_view_13 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        silu: "f32[2, 8, 16]" = torch.ops.aten.silu.default(view_25)

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_26: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_3, [2, 8, 16]);  mul_3 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        t_11: "f32[16, 16]" = torch.ops.aten.t.default(feed_forward_up_weight);  feed_forward_up_weight = None
        view_28: "f32[16, 16]" = torch.ops.aten.view.default(view_26, [16, 16]);  view_26 = None
        mm_11: "f32[16, 16]" = torch.ops.aten.mm.default(view_28, t_11)
        _unsafe_view_15: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_11, [2, 8, 16]);  mm_11 = None

         # File: torch/distributed/tensor/parallel/style.py:146 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_29: "f32[2, 8, 16]" = torch.ops.aten.view.default(_unsafe_view_15, [2, 8, 16]);  _unsafe_view_15 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        mul_4: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(silu, view_29)

         # File: torch/distributed/tensor/parallel/style.py:230 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        view_30: "f32[2, 8, 16]" = torch.ops.aten.view.default(mul_4, [2, 8, 16]);  mul_4 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        t_13: "f32[16, 16]" = torch.ops.aten.t.default(feed_forward_down_weight);  feed_forward_down_weight = None
        view_32: "f32[16, 16]" = torch.ops.aten.view.default(view_30, [16, 16]);  view_30 = None
        mm_13: "f32[16, 16]" = torch.ops.aten.mm.default(view_32, t_13)
        _unsafe_view_17: "f32[2, 8, 16]" = torch.ops.aten._unsafe_view.default(mm_13, [2, 8, 16]);  mm_13 = None

         # File: torch/distributed/tensor/parallel/style.py:285 in _prepare_output_fn, code: outputs = outputs.redistribute(placements=output_layouts, async_op=True)
        all_reduce_1: "f32[2, 8, 16]" = torch.ops._c10d_functional.all_reduce.default(_unsafe_view_17, 'sum', '0');  _unsafe_view_17 = None
        wait_tensor_1: "f32[2, 8, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1);  all_reduce_1 = None

         # File: torch/distributed/tensor/parallel/style.py:287 in _prepare_output_fn, code: return outputs.to_local() if use_local_output else outputs
        view_33: "f32[2, 8, 16]" = torch.ops.aten.view.default(wait_tensor_1, [2, 8, 16]);  wait_tensor_1 = None

         # File: capture.py:60 in forward, code: return x + self.feed_forward(self.norm2(x))
        add_3: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(add_1, view_33);  view_33 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        view_35: "f32[16, 16]" = torch.ops.aten.view.default(grad_out0, [16, 16])
        t_15: "f32[16, 16]" = torch.ops.aten.t.default(view_35)
        mm_15: "f32[16, 16]" = torch.ops.aten.mm.default(t_15, view_32);  t_15 = view_32 = None
        t_17: "f32[16, 16]" = torch.ops.aten.t.default(mm_15);  mm_15 = None
        t_19: "f32[16, 16]" = torch.ops.aten.t.default(t_13);  t_13 = None
        mm_17: "f32[16, 16]" = torch.ops.aten.mm.default(view_35, t_19);  view_35 = t_19 = None
        view_37: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_17, [2, 8, 16]);  mm_17 = None
        t_21: "f32[16, 16]" = torch.ops.aten.t.default(t_17);  t_17 = None
        mul_5: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(view_37, silu);  silu = None
        mul_6: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(view_37, view_29);  view_37 = view_29 = None
        view_39: "f32[16, 16]" = torch.ops.aten.view.default(mul_5, [16, 16]);  mul_5 = None
        t_23: "f32[16, 16]" = torch.ops.aten.t.default(view_39)
        mm_19: "f32[16, 16]" = torch.ops.aten.mm.default(t_23, view_28);  t_23 = view_28 = None
        t_25: "f32[16, 16]" = torch.ops.aten.t.default(mm_19);  mm_19 = None
        t_27: "f32[16, 16]" = torch.ops.aten.t.default(t_11);  t_11 = None
        mm_21: "f32[16, 16]" = torch.ops.aten.mm.default(view_39, t_27);  view_39 = t_27 = None
        view_41: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_21, [2, 8, 16]);  mm_21 = None
        t_29: "f32[16, 16]" = torch.ops.aten.t.default(t_25);  t_25 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        all_reduce_2: "f32[2, 8, 16]" = torch.ops._c10d_functional.all_reduce.default(view_41, 'sum', '0');  view_41 = None
        wait_tensor_2: "f32[2, 8, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_2);  all_reduce_2 = None

         # File: capture.py:47 in forward, code: return self.down(F.silu(self.gate(x)) * self.up(x))
        sigmoid: "f32[2, 8, 16]" = torch.ops.aten.sigmoid.default(view_25)
        empty_like: "f32[2, 8, 16]" = torch.ops.aten.empty_like.default(sigmoid, memory_format = torch.preserve_format)
        fill: "f32[2, 8, 16]" = torch.ops.aten.fill.Scalar(empty_like, 1);  empty_like = None
        sub: "f32[2, 8, 16]" = torch.ops.aten.sub.Tensor(fill, sigmoid);  fill = None
        mul_7: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(view_25, sub);  view_25 = sub = None
        add_4: "f32[2, 8, 16]" = torch.ops.aten.add.Scalar(mul_7, 1);  mul_7 = None
        mul_8: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(sigmoid, add_4);  sigmoid = add_4 = None
        mul_9: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(mul_6, mul_8);  mul_6 = mul_8 = None
        view_43: "f32[16, 16]" = torch.ops.aten.view.default(mul_9, [16, 16]);  mul_9 = None
        t_31: "f32[16, 16]" = torch.ops.aten.t.default(view_43)
        mm_23: "f32[16, 16]" = torch.ops.aten.mm.default(t_31, view_24);  t_31 = view_24 = None
        t_33: "f32[16, 16]" = torch.ops.aten.t.default(mm_23);  mm_23 = None
        t_35: "f32[16, 16]" = torch.ops.aten.t.default(t_9);  t_9 = None
        mm_25: "f32[16, 16]" = torch.ops.aten.mm.default(view_43, t_35);  view_43 = t_35 = None
        view_45: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_25, [2, 8, 16]);  mm_25 = None
        t_37: "f32[16, 16]" = torch.ops.aten.t.default(t_33);  t_33 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        all_reduce_3: "f32[2, 8, 16]" = torch.ops._c10d_functional.all_reduce.default(view_45, 'sum', '0');  view_45 = None
        wait_tensor_3: "f32[2, 8, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_3);  all_reduce_3 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        add_5: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(wait_tensor_2, wait_tensor_3);  wait_tensor_2 = wait_tensor_3 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        mul_10: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_5, mul_2);  mul_2 = None
        mul_11: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_5, norm2_weight);  add_5 = norm2_weight = None
        sum_1: "f32[1, 1, 16]" = torch.ops.aten.sum.dim_IntList(mul_10, [0, 1], True);  mul_10 = None
        view_46: "f32[16]" = torch.ops.aten.view.default(sum_1, [16]);  sum_1 = None
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
        view_48: "f32[16, 16]" = torch.ops.aten.view.default(add_7, [16, 16])
        t_39: "f32[16, 16]" = torch.ops.aten.t.default(view_48)
        mm_27: "f32[16, 8]" = torch.ops.aten.mm.default(t_39, view_20);  t_39 = view_20 = None
        t_41: "f32[8, 16]" = torch.ops.aten.t.default(mm_27);  mm_27 = None
        t_43: "f32[16, 8]" = torch.ops.aten.t.default(t_7);  t_7 = None
        mm_29: "f32[16, 8]" = torch.ops.aten.mm.default(view_48, t_43);  view_48 = t_43 = None
        view_50: "f32[2, 8, 8]" = torch.ops.aten.view.default(mm_29, [2, 8, 8]);  mm_29 = None
        t_45: "f32[16, 8]" = torch.ops.aten.t.default(t_41);  t_41 = None
        view_51: "f32[2, 8, 2, 4]" = torch.ops.aten.view.default(view_50, [2, 8, 2, 4]);  view_50 = None
        transpose_5: "f32[2, 2, 8, 4]" = torch.ops.aten.transpose.int(view_51, 1, 2);  view_51 = None
        clone_4: "f32[2, 2, 8, 4]" = torch.ops.aten.clone.default(transpose_5, memory_format = torch.contiguous_format);  transpose_5 = None
        _unsafe_view_18: "f32[4, 8, 4]" = torch.ops.aten._unsafe_view.default(clone_4, [4, 8, 4]);  clone_4 = None
        transpose_6: "f32[4, 8, 8]" = torch.ops.aten.transpose.int(view_16, 1, 2);  view_16 = None
        bmm_2: "f32[4, 8, 4]" = torch.ops.aten.bmm.default(transpose_6, _unsafe_view_18);  transpose_6 = None
        transpose_7: "f32[4, 4, 8]" = torch.ops.aten.transpose.int(_unsafe_view_8, 1, 2);  _unsafe_view_8 = None
        bmm_3: "f32[4, 8, 8]" = torch.ops.aten.bmm.default(_unsafe_view_18, transpose_7);  _unsafe_view_18 = transpose_7 = None
        view_52: "f32[2, 2, 8, 4]" = torch.ops.aten.view.default(bmm_2, [2, 2, 8, 4]);  bmm_2 = None
        view_53: "f32[2, 2, 8, 8]" = torch.ops.aten.view.default(bmm_3, [2, 2, 8, 8]);  bmm_3 = None

         # File: capture.py:35 in forward, code: weights = torch.softmax(scores.masked_fill(later, float('-inf')), -1)
        detach_8: "f32[2, 2, 8, 8]" = torch.ops.aten.detach.default(detach_3);  detach_3 = None
        detach_9: "f32[2, 2, 8, 8]" = torch.ops.aten.detach.default(detach_8);  detach_8 = None
        _softmax_backward_data: "f32[2, 2, 8, 8]" = torch.ops.aten._softmax_backward_data.default(view_53, detach_9, -1, torch.float32);  view_53 = detach_9 = None
        masked_fill_1: "f32[2, 2, 8, 8]" = torch.ops.aten.masked_fill.Scalar(_softmax_backward_data, triu, 0);  _softmax_backward_data = triu = None

         # File: capture.py:33 in forward, code: scores = q @ k.transpose(-1, -2) / self.head**0.5
        div_2: "f32[2, 2, 8, 8]" = torch.ops.aten.div.Tensor(masked_fill_1, 2.0);  masked_fill_1 = None
        view_54: "f32[4, 8, 8]" = torch.ops.aten.view.default(div_2, [4, 8, 8]);  div_2 = None
        transpose_8: "f32[4, 4, 8]" = torch.ops.aten.transpose.int(_unsafe_view_6, 1, 2);  _unsafe_view_6 = None
        bmm_4: "f32[4, 4, 8]" = torch.ops.aten.bmm.default(transpose_8, view_54);  transpose_8 = None
        transpose_9: "f32[4, 8, 4]" = torch.ops.aten.transpose.int(_unsafe_view_7, 1, 2);  _unsafe_view_7 = None
        bmm_5: "f32[4, 8, 4]" = torch.ops.aten.bmm.default(view_54, transpose_9);  view_54 = transpose_9 = None
        view_55: "f32[2, 2, 4, 8]" = torch.ops.aten.view.default(bmm_4, [2, 2, 4, 8]);  bmm_4 = None
        view_56: "f32[2, 2, 8, 4]" = torch.ops.aten.view.default(bmm_5, [2, 2, 8, 4]);  bmm_5 = None
        transpose_10: "f32[2, 2, 8, 4]" = torch.ops.aten.transpose.int(view_55, -1, -2);  view_55 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        transpose_11: "f32[2, 8, 2, 4]" = torch.ops.aten.transpose.int(view_52, 1, 2);  view_52 = None
        clone_5: "f32[2, 8, 2, 4]" = torch.ops.aten.clone.default(transpose_11, memory_format = torch.contiguous_format);  transpose_11 = None
        _unsafe_view_19: "f32[2, 8, 8]" = torch.ops.aten._unsafe_view.default(clone_5, [2, 8, 8]);  clone_5 = None
        view_58: "f32[16, 8]" = torch.ops.aten.view.default(_unsafe_view_19, [16, 8]);  _unsafe_view_19 = None
        t_47: "f32[8, 16]" = torch.ops.aten.t.default(view_58)
        mm_31: "f32[8, 16]" = torch.ops.aten.mm.default(t_47, view_12);  t_47 = view_12 = None
        t_49: "f32[16, 8]" = torch.ops.aten.t.default(mm_31);  mm_31 = None
        t_51: "f32[8, 16]" = torch.ops.aten.t.default(t_5);  t_5 = None
        mm_33: "f32[16, 16]" = torch.ops.aten.mm.default(view_58, t_51);  view_58 = t_51 = None
        view_60: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_33, [2, 8, 16]);  mm_33 = None
        t_53: "f32[8, 16]" = torch.ops.aten.t.default(t_49);  t_49 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        all_reduce_4: "f32[2, 8, 16]" = torch.ops._c10d_functional.all_reduce.default(view_60, 'sum', '0');  view_60 = None
        wait_tensor_4: "f32[2, 8, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_4);  all_reduce_4 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        transpose_12: "f32[2, 8, 2, 4]" = torch.ops.aten.transpose.int(transpose_10, 1, 2);  transpose_10 = None
        view_61: "f32[2, 8, 8]" = torch.ops.aten.view.default(transpose_12, [2, 8, 8]);  transpose_12 = None
        clone_7: "f32[2, 8, 8]" = torch.ops.aten.clone.default(view_61, memory_format = torch.contiguous_format);  view_61 = None
        _unsafe_view_21: "f32[16, 8]" = torch.ops.aten._unsafe_view.default(clone_7, [16, 8]);  clone_7 = None
        t_55: "f32[8, 16]" = torch.ops.aten.t.default(_unsafe_view_21)
        mm_35: "f32[8, 16]" = torch.ops.aten.mm.default(t_55, view_7);  t_55 = view_7 = None
        t_57: "f32[16, 8]" = torch.ops.aten.t.default(mm_35);  mm_35 = None
        t_59: "f32[8, 16]" = torch.ops.aten.t.default(t_3);  t_3 = None
        mm_37: "f32[16, 16]" = torch.ops.aten.mm.default(_unsafe_view_21, t_59);  _unsafe_view_21 = t_59 = None
        view_63: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_37, [2, 8, 16]);  mm_37 = None
        t_61: "f32[8, 16]" = torch.ops.aten.t.default(t_57);  t_57 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        all_reduce_5: "f32[2, 8, 16]" = torch.ops._c10d_functional.all_reduce.default(view_63, 'sum', '0');  view_63 = None
        wait_tensor_5: "f32[2, 8, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_5);  all_reduce_5 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        add_8: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(wait_tensor_4, wait_tensor_5);  wait_tensor_4 = wait_tensor_5 = None

         # File: capture.py:32 in <genexpr>, code: q, k, v = (w(x).view(batch, length, -1, self.head).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        transpose_13: "f32[2, 8, 2, 4]" = torch.ops.aten.transpose.int(view_56, 1, 2);  view_56 = None
        clone_8: "f32[2, 8, 2, 4]" = torch.ops.aten.clone.default(transpose_13, memory_format = torch.contiguous_format);  transpose_13 = None
        _unsafe_view_22: "f32[2, 8, 8]" = torch.ops.aten._unsafe_view.default(clone_8, [2, 8, 8]);  clone_8 = None
        view_65: "f32[16, 8]" = torch.ops.aten.view.default(_unsafe_view_22, [16, 8]);  _unsafe_view_22 = None
        t_63: "f32[8, 16]" = torch.ops.aten.t.default(view_65)
        mm_39: "f32[8, 16]" = torch.ops.aten.mm.default(t_63, view_2);  t_63 = view_2 = None
        t_65: "f32[16, 8]" = torch.ops.aten.t.default(mm_39);  mm_39 = None
        t_67: "f32[8, 16]" = torch.ops.aten.t.default(t_1);  t_1 = None
        mm_41: "f32[16, 16]" = torch.ops.aten.mm.default(view_65, t_67);  view_65 = t_67 = None
        view_67: "f32[2, 8, 16]" = torch.ops.aten.view.default(mm_41, [2, 8, 16]);  mm_41 = None
        t_69: "f32[8, 16]" = torch.ops.aten.t.default(t_65);  t_65 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        all_reduce_6: "f32[2, 8, 16]" = torch.ops._c10d_functional.all_reduce.default(view_67, 'sum', '0');  view_67 = None
        wait_tensor_6: "f32[2, 8, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_6);  all_reduce_6 = None

         # File: torch/distributed/tensor/parallel/style.py:107 in _prepare_input_fn, code: input_tensor = DTensor.from_local(
        add_9: "f32[2, 8, 16]" = torch.ops.aten.add.Tensor(add_8, wait_tensor_6);  add_8 = wait_tensor_6 = None

         # File: torch/nn/functional.py:2920 in rms_norm, code: return torch.rms_norm(input, normalized_shape, weight, eps)
        mul_18: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_9, mul);  mul = None
        mul_19: "f32[2, 8, 16]" = torch.ops.aten.mul.Tensor(add_9, norm1_weight);  add_9 = norm1_weight = None
        sum_3: "f32[1, 1, 16]" = torch.ops.aten.sum.dim_IntList(mul_18, [0, 1], True);  mul_18 = None
        view_68: "f32[16]" = torch.ops.aten.view.default(sum_3, [16]);  sum_3 = None
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
        return [add_3, view_68, t_69, t_61, t_53, t_45, view_46, t_37, t_29, t_21, add_11]
