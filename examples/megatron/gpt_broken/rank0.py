# group "0": along tp, ranks [0, 1]
# out.0: output 0 of the model
# out.1: gradient of positions
# out.2: gradient of tokens_weight
# out.3: gradient of layers_0_norm1_weight
# out.4: gradient of layers_0_norm1_bias
# out.5: gradient of layers_0_attention_qkv_weight
# out.6: gradient of layers_0_attention_qkv_bias
# out.7: gradient of layers_0_attention_proj_weight
# out.8: gradient of layers_0_attention_proj_bias
# out.9: gradient of layers_0_norm2_weight
# out.10: gradient of layers_0_norm2_bias
# out.11: gradient of layers_0_up_weight
# out.12: gradient of layers_0_up_bias
# out.13: gradient of layers_0_down_weight
# out.14: gradient of layers_0_down_bias
# out.15: gradient of norm_weight
# out.16: gradient of norm_bias
# out.17: gradient of output_weight
class GraphModule(torch.nn.Module):
    def forward(self, ids: "i64[8, 2]", tokens_weight: "f32[32, 16]", positions: "f32[4, 1, 16]", layers_0_norm1_weight: "f32[16]", layers_0_norm1_bias: "f32[16]", layers_0_attention_qkv_weight: "f32[24, 16]", layers_0_attention_qkv_bias: "f32[24]", layers_0_attention_proj_weight: "f32[16, 8]", layers_0_attention_proj_bias: "f32[16]", layers_0_norm2_weight: "f32[16]", layers_0_norm2_bias: "f32[16]", layers_0_up_weight: "f32[32, 16]", layers_0_up_bias: "f32[32]", layers_0_down_weight: "f32[16, 32]", layers_0_down_bias: "f32[16]", norm_weight: "f32[16]", norm_bias: "f32[16]", output_weight: "f32[32, 16]", target: "i64[8, 2]", grad_out0: "f32[]"):
         # File: capture.py:178 in forward, code: other = (ids < first) | (ids >= first + self.rows)
        lt: "b8[8, 2]" = torch.ops.aten.lt.Scalar(ids, 0)
        ge: "b8[8, 2]" = torch.ops.aten.ge.Scalar(ids, 32)
        bitwise_or: "b8[8, 2]" = torch.ops.aten.bitwise_or.Tensor(lt, ge);  lt = ge = None

         # File: capture.py:179 in forward, code: rows = F.embedding((ids - first).masked_fill(other, 0), self.weight)
        sub: "i64[8, 2]" = torch.ops.aten.sub.Tensor(ids, 0);  ids = None
        masked_fill: "i64[8, 2]" = torch.ops.aten.masked_fill.Scalar(sub, bitwise_or, 0);  sub = None
        embedding: "f32[8, 2, 16]" = torch.ops.aten.embedding.default(tokens_weight, masked_fill);  tokens_weight = None

         # File: capture.py:180 in forward, code: return ScatterSequence.apply(rows.masked_fill(other.unsqueeze(-1), 0.0), self.place.group)
        unsqueeze: "b8[8, 2, 1]" = torch.ops.aten.unsqueeze.default(bitwise_or, -1);  bitwise_or = None
        masked_fill_1: "f32[8, 2, 16]" = torch.ops.aten.masked_fill.Scalar(embedding, unsqueeze, 0.0);  embedding = None
        reduce_scatter_tensor: "f32[4, 2, 16]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(masked_fill_1, 'sum', 2, '0');  masked_fill_1 = None
        wait_tensor: "f32[4, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor);  reduce_scatter_tensor = None

         # File: capture.py:209 in forward, code: x = self.tokens(ids) + self.positions
        add: "f32[4, 2, 16]" = torch.ops.aten.add.Tensor(wait_tensor, positions);  wait_tensor = positions = None

         # File: capture.py:128 in forward, code: weight, bias = Whole.apply(weight, self.place.group), Whole.apply(bias, self.place.group)
        view: "f32[16]" = torch.ops.aten.view.default(layers_0_norm1_weight, [16]);  layers_0_norm1_weight = None
        view_1: "f32[16]" = torch.ops.aten.view.default(layers_0_norm1_bias, [16]);  layers_0_norm1_bias = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm = torch.ops.aten.native_layer_norm.default(add, [16], view, view_1, 1e-05)
        getitem: "f32[4, 2, 16]" = native_layer_norm[0]
        getitem_1: "f32[4, 2, 1]" = native_layer_norm[1]
        getitem_2: "f32[4, 2, 1]" = native_layer_norm[2];  native_layer_norm = None

         # File: capture.py:95 in forward, code: x = GatherSequence.apply(x, self.place.group)
        all_gather_into_tensor: "f32[8, 2, 16]" = torch.ops._c10d_functional.all_gather_into_tensor.default(getitem, 2, '0');  getitem = None
        wait_tensor_1: "f32[8, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view_2: "f32[16, 16]" = torch.ops.aten.view.default(wait_tensor_1, [16, 16]);  wait_tensor_1 = None
        t: "f32[16, 24]" = torch.ops.aten.t.default(layers_0_attention_qkv_weight);  layers_0_attention_qkv_weight = None
        addmm: "f32[16, 24]" = torch.ops.aten.addmm.default(layers_0_attention_qkv_bias, view_2, t);  layers_0_attention_qkv_bias = None
        view_3: "f32[8, 2, 24]" = torch.ops.aten.view.default(addmm, [8, 2, 24]);  addmm = None

         # File: capture.py:145 in forward, code: q, k, v = y.view(length, batch, -1, 3 * self.head).permute(1, 2, 0, 3).chunk(3, -1)
        view_4: "f32[8, 2, 4, 6]" = torch.ops.aten.view.default(view_3, [8, 2, -1, 6]);  view_3 = None
        permute: "f32[2, 4, 8, 6]" = torch.ops.aten.permute.default(view_4, [1, 2, 0, 3]);  view_4 = None
        split = torch.ops.aten.split.Tensor(permute, 2, -1);  permute = None
        getitem_3: "f32[2, 4, 8, 2]" = split[0]
        getitem_4: "f32[2, 4, 8, 2]" = split[1]
        getitem_5: "f32[2, 4, 8, 2]" = split[2];  split = None

         # File: capture.py:146 in forward, code: scores = q @ k.transpose(-1, -2) / self.head**0.5
        transpose: "f32[2, 4, 2, 8]" = torch.ops.aten.transpose.int(getitem_4, -1, -2);  getitem_4 = None
        expand: "f32[2, 4, 8, 2]" = torch.ops.aten.expand.default(getitem_3, [2, 4, 8, 2]);  getitem_3 = None
        view_5: "f32[8, 8, 2]" = torch.ops.aten.view.default(expand, [8, 8, 2]);  expand = None
        expand_1: "f32[2, 4, 2, 8]" = torch.ops.aten.expand.default(transpose, [2, 4, 2, 8]);  transpose = None
        view_6: "f32[8, 2, 8]" = torch.ops.aten.view.default(expand_1, [8, 2, 8]);  expand_1 = None
        bmm: "f32[8, 8, 8]" = torch.ops.aten.bmm.default(view_5, view_6)
        view_7: "f32[2, 4, 8, 8]" = torch.ops.aten.view.default(bmm, [2, 4, 8, 8]);  bmm = None
        div: "f32[2, 4, 8, 8]" = torch.ops.aten.div.Tensor(view_7, 1.4142135623730951);  view_7 = None

         # File: capture.py:147 in forward, code: later = torch.ones(length, length, dtype=torch.bool).triu(1)
        ones: "b8[8, 8]" = torch.ops.aten.ones.default([8, 8], dtype = torch.bool, device = device(type='cpu'), pin_memory = False)
        triu: "b8[8, 8]" = torch.ops.aten.triu.default(ones, 1);  ones = None

         # File: capture.py:148 in forward, code: weights = torch.softmax(scores.masked_fill(later, -10000.0), -1)
        masked_fill_2: "f32[2, 4, 8, 8]" = torch.ops.aten.masked_fill.Scalar(div, triu, -10000.0);  div = None
        _softmax: "f32[2, 4, 8, 8]" = torch.ops.aten._softmax.default(masked_fill_2, -1, False);  masked_fill_2 = None
        detach: "f32[2, 4, 8, 8]" = torch.ops.aten.detach.default(_softmax)
        detach_1: "f32[2, 4, 8, 8]" = torch.ops.aten.detach.default(detach);  detach = None

         # File: capture.py:149 in forward, code: return self.proj((weights @ v).permute(2, 0, 1, 3).reshape(length, batch, -1))
        expand_2: "f32[2, 4, 8, 8]" = torch.ops.aten.expand.default(_softmax, [2, 4, 8, 8]);  _softmax = None
        view_8: "f32[8, 8, 8]" = torch.ops.aten.view.default(expand_2, [8, 8, 8]);  expand_2 = None
        expand_3: "f32[2, 4, 8, 2]" = torch.ops.aten.expand.default(getitem_5, [2, 4, 8, 2]);  getitem_5 = None
        view_9: "f32[8, 8, 2]" = torch.ops.aten.view.default(expand_3, [8, 8, 2]);  expand_3 = None
        bmm_1: "f32[8, 8, 2]" = torch.ops.aten.bmm.default(view_8, view_9)
        view_10: "f32[2, 4, 8, 2]" = torch.ops.aten.view.default(bmm_1, [2, 4, 8, 2]);  bmm_1 = None
        permute_1: "f32[8, 2, 4, 2]" = torch.ops.aten.permute.default(view_10, [2, 0, 1, 3]);  view_10 = None
        clone: "f32[8, 2, 4, 2]" = torch.ops.aten.clone.default(permute_1, memory_format = torch.contiguous_format);  permute_1 = None
        _unsafe_view: "f32[8, 2, 8]" = torch.ops.aten._unsafe_view.default(clone, [8, 2, 8]);  clone = None

         # File: capture.py:113 in forward, code: return ScatterSequence.apply(F.linear(x, self.weight), self.place.group) + Whole.apply(self.bias, self.place.group)
        t_1: "f32[8, 16]" = torch.ops.aten.t.default(layers_0_attention_proj_weight);  layers_0_attention_proj_weight = None
        view_11: "f32[16, 8]" = torch.ops.aten.view.default(_unsafe_view, [16, 8]);  _unsafe_view = None
        mm: "f32[16, 16]" = torch.ops.aten.mm.default(view_11, t_1)
        _unsafe_view_1: "f32[8, 2, 16]" = torch.ops.aten._unsafe_view.default(mm, [8, 2, 16]);  mm = None
        reduce_scatter_tensor_1: "f32[4, 2, 16]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(_unsafe_view_1, 'sum', 2, '0');  _unsafe_view_1 = None
        wait_tensor_2: "f32[4, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor_1);  reduce_scatter_tensor_1 = None
        view_12: "f32[16]" = torch.ops.aten.view.default(layers_0_attention_proj_bias, [16]);  layers_0_attention_proj_bias = None
        add_1: "f32[4, 2, 16]" = torch.ops.aten.add.Tensor(wait_tensor_2, view_12);  wait_tensor_2 = view_12 = None

         # File: capture.py:162 in forward, code: x = x + self.attention(self.norm1(x))
        add_2: "f32[4, 2, 16]" = torch.ops.aten.add.Tensor(add, add_1);  add_1 = None

         # File: capture.py:128 in forward, code: weight, bias = Whole.apply(weight, self.place.group), Whole.apply(bias, self.place.group)
        view_13: "f32[16]" = torch.ops.aten.view.default(layers_0_norm2_weight, [16]);  layers_0_norm2_weight = None
        view_14: "f32[16]" = torch.ops.aten.view.default(layers_0_norm2_bias, [16]);  layers_0_norm2_bias = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_1 = torch.ops.aten.native_layer_norm.default(add_2, [16], view_13, view_14, 1e-05)
        getitem_6: "f32[4, 2, 16]" = native_layer_norm_1[0]
        getitem_7: "f32[4, 2, 1]" = native_layer_norm_1[1]
        getitem_8: "f32[4, 2, 1]" = native_layer_norm_1[2];  native_layer_norm_1 = None

         # File: capture.py:95 in forward, code: x = GatherSequence.apply(x, self.place.group)
        all_gather_into_tensor_1: "f32[8, 2, 16]" = torch.ops._c10d_functional.all_gather_into_tensor.default(getitem_6, 2, '0');  getitem_6 = None
        wait_tensor_3: "f32[8, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_1);  all_gather_into_tensor_1 = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view_15: "f32[16, 16]" = torch.ops.aten.view.default(wait_tensor_3, [16, 16]);  wait_tensor_3 = None
        t_2: "f32[16, 32]" = torch.ops.aten.t.default(layers_0_up_weight);  layers_0_up_weight = None
        addmm_1: "f32[16, 32]" = torch.ops.aten.addmm.default(layers_0_up_bias, view_15, t_2);  layers_0_up_bias = None
        view_16: "f32[8, 2, 32]" = torch.ops.aten.view.default(addmm_1, [8, 2, 32]);  addmm_1 = None

         # File: capture.py:163 in forward, code: return x + self.down(F.gelu(self.up(self.norm2(x))))
        gelu: "f32[8, 2, 32]" = torch.ops.aten.gelu.default(view_16)

         # File: capture.py:112 in forward, code: return ScatterSequence.apply(F.linear(x, self.weight, self.bias), self.place.group)
        view_17: "f32[16, 32]" = torch.ops.aten.view.default(gelu, [16, 32]);  gelu = None
        t_3: "f32[32, 16]" = torch.ops.aten.t.default(layers_0_down_weight);  layers_0_down_weight = None
        addmm_2: "f32[16, 16]" = torch.ops.aten.addmm.default(layers_0_down_bias, view_17, t_3);  layers_0_down_bias = None
        view_18: "f32[8, 2, 16]" = torch.ops.aten.view.default(addmm_2, [8, 2, 16]);  addmm_2 = None
        reduce_scatter_tensor_2: "f32[4, 2, 16]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(view_18, 'sum', 2, '0');  view_18 = None
        wait_tensor_4: "f32[4, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor_2);  reduce_scatter_tensor_2 = None

         # File: capture.py:163 in forward, code: return x + self.down(F.gelu(self.up(self.norm2(x))))
        add_3: "f32[4, 2, 16]" = torch.ops.aten.add.Tensor(add_2, wait_tensor_4);  wait_tensor_4 = None

         # File: capture.py:128 in forward, code: weight, bias = Whole.apply(weight, self.place.group), Whole.apply(bias, self.place.group)
        view_19: "f32[16]" = torch.ops.aten.view.default(norm_weight, [16]);  norm_weight = None
        view_20: "f32[16]" = torch.ops.aten.view.default(norm_bias, [16]);  norm_bias = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_2 = torch.ops.aten.native_layer_norm.default(add_3, [16], view_19, view_20, 1e-05)
        getitem_9: "f32[4, 2, 16]" = native_layer_norm_2[0]
        getitem_10: "f32[4, 2, 1]" = native_layer_norm_2[1]
        getitem_11: "f32[4, 2, 1]" = native_layer_norm_2[2];  native_layer_norm_2 = None

         # File: capture.py:95 in forward, code: x = GatherSequence.apply(x, self.place.group)
        all_gather_into_tensor_2: "f32[8, 2, 16]" = torch.ops._c10d_functional.all_gather_into_tensor.default(getitem_9, 2, '0');  getitem_9 = None
        wait_tensor_5: "f32[8, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_2);  all_gather_into_tensor_2 = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        t_4: "f32[16, 32]" = torch.ops.aten.t.default(output_weight);  output_weight = None
        view_21: "f32[16, 16]" = torch.ops.aten.view.default(wait_tensor_5, [16, 16]);  wait_tensor_5 = None
        mm_1: "f32[16, 32]" = torch.ops.aten.mm.default(view_21, t_4)
        _unsafe_view_2: "f32[8, 2, 32]" = torch.ops.aten._unsafe_view.default(mm_1, [8, 2, 32]);  mm_1 = None

         # File: capture.py:189 in cross_entropy, code: other = (target < first) | (target >= first + rows)
        lt_1: "b8[8, 2]" = torch.ops.aten.lt.Scalar(target, 0)
        ge_1: "b8[8, 2]" = torch.ops.aten.ge.Scalar(target, 32)
        bitwise_or_1: "b8[8, 2]" = torch.ops.aten.bitwise_or.Tensor(lt_1, ge_1);  lt_1 = ge_1 = None

         # File: capture.py:190 in cross_entropy, code: largest = funcol.all_reduce(logits.detach().amax(-1), 'max', place.group)
        detach_2: "f32[8, 2, 32]" = torch.ops.aten.detach.default(_unsafe_view_2)
        detach_3: "f32[8, 2, 32]" = torch.ops.aten.detach.default(detach_2);  detach_2 = None
        detach_4: "f32[8, 2, 32]" = torch.ops.aten.detach.default(detach_3);  detach_3 = None
        amax: "f32[8, 2]" = torch.ops.aten.amax.default(detach_4, [-1]);  detach_4 = None

         # File: torch/distributed/_functional_collectives.py:170 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(self, reduceOp.lower(), group_name)
        all_reduce: "f32[8, 2]" = torch.ops._c10d_functional.all_reduce.default(amax, 'max', '0');  amax = None

         # File: torch/distributed/_functional_collectives.py:135 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor_6: "f32[8, 2]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

         # File: capture.py:191 in cross_entropy, code: logits = logits - largest.unsqueeze(-1)
        unsqueeze_1: "f32[8, 2, 1]" = torch.ops.aten.unsqueeze.default(wait_tensor_6, -1);  wait_tensor_6 = None
        sub_1: "f32[8, 2, 32]" = torch.ops.aten.sub.Tensor(_unsafe_view_2, unsqueeze_1);  _unsafe_view_2 = unsqueeze_1 = None

         # File: capture.py:192 in cross_entropy, code: total = Sum.apply(logits.exp().sum(-1), place.group)
        exp: "f32[8, 2, 32]" = torch.ops.aten.exp.default(sub_1)
        detach_5: "f32[8, 2, 32]" = torch.ops.aten.detach.default(exp)
        detach_6: "f32[8, 2, 32]" = torch.ops.aten.detach.default(detach_5);  detach_5 = None
        sum_1: "f32[8, 2]" = torch.ops.aten.sum.dim_IntList(exp, [-1]);  exp = None
        all_reduce_1: "f32[8, 2]" = torch.ops._c10d_functional.all_reduce.default(sum_1, 'sum', '0');  sum_1 = None
        wait_tensor_7: "f32[8, 2]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1);  all_reduce_1 = None

         # File: capture.py:193 in cross_entropy, code: chosen = logits.gather(-1, (target - first).masked_fill(other, 0).unsqueeze(-1)).squeeze(-1)
        sub_2: "i64[8, 2]" = torch.ops.aten.sub.Tensor(target, 0);  target = None
        masked_fill_3: "i64[8, 2]" = torch.ops.aten.masked_fill.Scalar(sub_2, bitwise_or_1, 0);  sub_2 = None
        unsqueeze_2: "i64[8, 2, 1]" = torch.ops.aten.unsqueeze.default(masked_fill_3, -1);  masked_fill_3 = None
        gather: "f32[8, 2, 1]" = torch.ops.aten.gather.default(sub_1, -1, unsqueeze_2);  sub_1 = None
        squeeze: "f32[8, 2]" = torch.ops.aten.squeeze.dim(gather, -1);  gather = None

         # File: capture.py:194 in cross_entropy, code: chosen = Sum.apply(chosen.masked_fill(other, 0.0), place.group)
        masked_fill_4: "f32[8, 2]" = torch.ops.aten.masked_fill.Scalar(squeeze, bitwise_or_1, 0.0);  squeeze = None
        all_reduce_2: "f32[8, 2]" = torch.ops._c10d_functional.all_reduce.default(masked_fill_4, 'sum', '0');  masked_fill_4 = None
        wait_tensor_8: "f32[8, 2]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_2);  all_reduce_2 = None

         # File: capture.py:195 in cross_entropy, code: return (total.log() - chosen).mean()
        log: "f32[8, 2]" = torch.ops.aten.log.default(wait_tensor_7)
        sub_3: "f32[8, 2]" = torch.ops.aten.sub.Tensor(log, wait_tensor_8);  log = wait_tensor_8 = None
        mean: "f32[]" = torch.ops.aten.mean.default(sub_3);  sub_3 = None
        expand_4: "f32[8, 2]" = torch.ops.aten.expand.default(grad_out0, [8, 2]);  grad_out0 = None
        div_1: "f32[8, 2]" = torch.ops.aten.div.Scalar(expand_4, 16);  expand_4 = None
        neg: "f32[8, 2]" = torch.ops.aten.neg.default(div_1)
        div_2: "f32[8, 2]" = torch.ops.aten.div.Tensor(div_1, wait_tensor_7);  div_1 = wait_tensor_7 = None

         # File: capture.py:194 in cross_entropy, code: chosen = Sum.apply(chosen.masked_fill(other, 0.0), place.group)
        masked_fill_5: "f32[8, 2]" = torch.ops.aten.masked_fill.Scalar(neg, bitwise_or_1, 0);  neg = bitwise_or_1 = None

         # File: capture.py:193 in cross_entropy, code: chosen = logits.gather(-1, (target - first).masked_fill(other, 0).unsqueeze(-1)).squeeze(-1)
        unsqueeze_3: "f32[8, 2, 1]" = torch.ops.aten.unsqueeze.default(masked_fill_5, 2);  masked_fill_5 = None
        new_zeros: "f32[8, 2, 32]" = torch.ops.aten.new_zeros.default(unsqueeze_3, [8, 2, 32])
        scatter_add: "f32[8, 2, 32]" = torch.ops.aten.scatter_add.default(new_zeros, -1, unsqueeze_2, unsqueeze_3);  new_zeros = unsqueeze_2 = unsqueeze_3 = None

         # File: capture.py:192 in cross_entropy, code: total = Sum.apply(logits.exp().sum(-1), place.group)
        unsqueeze_4: "f32[8, 2, 1]" = torch.ops.aten.unsqueeze.default(div_2, -1);  div_2 = None
        expand_5: "f32[8, 2, 32]" = torch.ops.aten.expand.default(unsqueeze_4, [8, 2, 32]);  unsqueeze_4 = None
        detach_7: "f32[8, 2, 32]" = torch.ops.aten.detach.default(detach_6);  detach_6 = None
        detach_8: "f32[8, 2, 32]" = torch.ops.aten.detach.default(detach_7);  detach_7 = None
        mul: "f32[8, 2, 32]" = torch.ops.aten.mul.Tensor(expand_5, detach_8);  expand_5 = detach_8 = None

         # File: capture.py:192 in cross_entropy, code: total = Sum.apply(logits.exp().sum(-1), place.group)
        add_4: "f32[8, 2, 32]" = torch.ops.aten.add.Tensor(scatter_add, mul);  scatter_add = mul = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view_22: "f32[16, 32]" = torch.ops.aten.view.default(add_4, [16, 32]);  add_4 = None
        t_5: "f32[32, 16]" = torch.ops.aten.t.default(view_22)
        mm_2: "f32[32, 16]" = torch.ops.aten.mm.default(t_5, view_21);  t_5 = view_21 = None
        t_6: "f32[16, 32]" = torch.ops.aten.t.default(mm_2);  mm_2 = None
        t_7: "f32[32, 16]" = torch.ops.aten.t.default(t_4);  t_4 = None
        mm_3: "f32[16, 16]" = torch.ops.aten.mm.default(view_22, t_7);  view_22 = t_7 = None
        view_23: "f32[8, 2, 16]" = torch.ops.aten.view.default(mm_3, [8, 2, 16]);  mm_3 = None
        t_8: "f32[32, 16]" = torch.ops.aten.t.default(t_6);  t_6 = None

         # File: capture.py:95 in forward, code: x = GatherSequence.apply(x, self.place.group)
        reduce_scatter_tensor_3: "f32[4, 2, 16]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(view_23, 'sum', 2, '0');  view_23 = None
        wait_tensor_9: "f32[4, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor_3);  reduce_scatter_tensor_3 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_backward = torch.ops.aten.native_layer_norm_backward.default(wait_tensor_9, add_3, [16], getitem_10, getitem_11, view_19, view_20, [True, True, True]);  wait_tensor_9 = add_3 = getitem_10 = getitem_11 = view_19 = view_20 = None
        getitem_12: "f32[4, 2, 16]" = native_layer_norm_backward[0]
        getitem_13: "f32[16]" = native_layer_norm_backward[1]
        getitem_14: "f32[16]" = native_layer_norm_backward[2];  native_layer_norm_backward = None

         # File: capture.py:128 in forward, code: weight, bias = Whole.apply(weight, self.place.group), Whole.apply(bias, self.place.group)
        all_reduce_3: "f32[16]" = torch.ops._c10d_functional.all_reduce.default(getitem_14, 'sum', '0');  getitem_14 = None
        wait_tensor_10: "f32[16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_3);  all_reduce_3 = None
        all_reduce_4: "f32[16]" = torch.ops._c10d_functional.all_reduce.default(getitem_13, 'sum', '0');  getitem_13 = None
        wait_tensor_11: "f32[16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_4);  all_reduce_4 = None

         # File: capture.py:112 in forward, code: return ScatterSequence.apply(F.linear(x, self.weight, self.bias), self.place.group)
        all_gather_into_tensor_3: "f32[8, 2, 16]" = torch.ops._c10d_functional.all_gather_into_tensor.default(getitem_12, 2, '0')
        wait_tensor_12: "f32[8, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_3);  all_gather_into_tensor_3 = None
        view_24: "f32[16, 16]" = torch.ops.aten.view.default(wait_tensor_12, [16, 16]);  wait_tensor_12 = None
        t_9: "f32[16, 32]" = torch.ops.aten.t.default(t_3);  t_3 = None
        mm_4: "f32[16, 32]" = torch.ops.aten.mm.default(view_24, t_9);  t_9 = None
        t_10: "f32[16, 16]" = torch.ops.aten.t.default(view_24)
        mm_5: "f32[16, 32]" = torch.ops.aten.mm.default(t_10, view_17);  t_10 = view_17 = None
        t_11: "f32[32, 16]" = torch.ops.aten.t.default(mm_5);  mm_5 = None
        sum_2: "f32[1, 16]" = torch.ops.aten.sum.dim_IntList(view_24, [0], True);  view_24 = None
        view_25: "f32[16]" = torch.ops.aten.view.default(sum_2, [16]);  sum_2 = None
        t_12: "f32[16, 32]" = torch.ops.aten.t.default(t_11);  t_11 = None
        view_26: "f32[8, 2, 32]" = torch.ops.aten.view.default(mm_4, [8, 2, 32]);  mm_4 = None

         # File: capture.py:163 in forward, code: return x + self.down(F.gelu(self.up(self.norm2(x))))
        gelu_backward: "f32[8, 2, 32]" = torch.ops.aten.gelu_backward.default(view_26, view_16);  view_26 = view_16 = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view_27: "f32[16, 32]" = torch.ops.aten.view.default(gelu_backward, [16, 32]);  gelu_backward = None
        t_13: "f32[32, 16]" = torch.ops.aten.t.default(t_2);  t_2 = None
        mm_6: "f32[16, 16]" = torch.ops.aten.mm.default(view_27, t_13);  t_13 = None
        t_14: "f32[32, 16]" = torch.ops.aten.t.default(view_27)
        mm_7: "f32[32, 16]" = torch.ops.aten.mm.default(t_14, view_15);  t_14 = view_15 = None
        t_15: "f32[16, 32]" = torch.ops.aten.t.default(mm_7);  mm_7 = None
        sum_3: "f32[1, 32]" = torch.ops.aten.sum.dim_IntList(view_27, [0], True);  view_27 = None
        view_28: "f32[32]" = torch.ops.aten.view.default(sum_3, [32]);  sum_3 = None
        t_16: "f32[32, 16]" = torch.ops.aten.t.default(t_15);  t_15 = None
        view_29: "f32[8, 2, 16]" = torch.ops.aten.view.default(mm_6, [8, 2, 16]);  mm_6 = None

         # File: capture.py:95 in forward, code: x = GatherSequence.apply(x, self.place.group)
        reduce_scatter_tensor_4: "f32[4, 2, 16]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(view_29, 'sum', 2, '0');  view_29 = None
        wait_tensor_13: "f32[4, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor_4);  reduce_scatter_tensor_4 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_backward_1 = torch.ops.aten.native_layer_norm_backward.default(wait_tensor_13, add_2, [16], getitem_7, getitem_8, view_13, view_14, [True, True, True]);  wait_tensor_13 = add_2 = getitem_7 = getitem_8 = view_13 = view_14 = None
        getitem_15: "f32[4, 2, 16]" = native_layer_norm_backward_1[0]
        getitem_16: "f32[16]" = native_layer_norm_backward_1[1]
        getitem_17: "f32[16]" = native_layer_norm_backward_1[2];  native_layer_norm_backward_1 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        add_5: "f32[4, 2, 16]" = torch.ops.aten.add.Tensor(getitem_12, getitem_15);  getitem_12 = getitem_15 = None

         # File: capture.py:128 in forward, code: weight, bias = Whole.apply(weight, self.place.group), Whole.apply(bias, self.place.group)
        all_reduce_5: "f32[16]" = torch.ops._c10d_functional.all_reduce.default(getitem_17, 'sum', '0');  getitem_17 = None
        wait_tensor_14: "f32[16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_5);  all_reduce_5 = None
        all_reduce_6: "f32[16]" = torch.ops._c10d_functional.all_reduce.default(getitem_16, 'sum', '0');  getitem_16 = None
        wait_tensor_15: "f32[16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_6);  all_reduce_6 = None

         # File: capture.py:113 in forward, code: return ScatterSequence.apply(F.linear(x, self.weight), self.place.group) + Whole.apply(self.bias, self.place.group)
        sum_4: "f32[1, 1, 16]" = torch.ops.aten.sum.dim_IntList(add_5, [0, 1], True)
        view_30: "f32[16]" = torch.ops.aten.view.default(sum_4, [16]);  sum_4 = None
        all_reduce_7: "f32[16]" = torch.ops._c10d_functional.all_reduce.default(view_30, 'sum', '0');  view_30 = None
        wait_tensor_16: "f32[16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_7);  all_reduce_7 = None
        all_gather_into_tensor_4: "f32[8, 2, 16]" = torch.ops._c10d_functional.all_gather_into_tensor.default(add_5, 2, '0')
        wait_tensor_17: "f32[8, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_4);  all_gather_into_tensor_4 = None
        view_31: "f32[16, 16]" = torch.ops.aten.view.default(wait_tensor_17, [16, 16]);  wait_tensor_17 = None
        t_17: "f32[16, 16]" = torch.ops.aten.t.default(view_31)
        mm_8: "f32[16, 8]" = torch.ops.aten.mm.default(t_17, view_11);  t_17 = view_11 = None
        t_18: "f32[8, 16]" = torch.ops.aten.t.default(mm_8);  mm_8 = None
        t_19: "f32[16, 8]" = torch.ops.aten.t.default(t_1);  t_1 = None
        mm_9: "f32[16, 8]" = torch.ops.aten.mm.default(view_31, t_19);  view_31 = t_19 = None
        view_32: "f32[8, 2, 8]" = torch.ops.aten.view.default(mm_9, [8, 2, 8]);  mm_9 = None
        t_20: "f32[16, 8]" = torch.ops.aten.t.default(t_18);  t_18 = None

         # File: capture.py:149 in forward, code: return self.proj((weights @ v).permute(2, 0, 1, 3).reshape(length, batch, -1))
        view_33: "f32[8, 2, 4, 2]" = torch.ops.aten.view.default(view_32, [8, 2, 4, 2]);  view_32 = None
        permute_2: "f32[2, 4, 8, 2]" = torch.ops.aten.permute.default(view_33, [1, 2, 0, 3]);  view_33 = None
        view_34: "f32[8, 8, 2]" = torch.ops.aten.view.default(permute_2, [8, 8, 2]);  permute_2 = None
        transpose_1: "f32[8, 8, 8]" = torch.ops.aten.transpose.int(view_8, 1, 2);  view_8 = None
        bmm_2: "f32[8, 8, 2]" = torch.ops.aten.bmm.default(transpose_1, view_34);  transpose_1 = None
        transpose_2: "f32[8, 2, 8]" = torch.ops.aten.transpose.int(view_9, 1, 2);  view_9 = None
        bmm_3: "f32[8, 8, 8]" = torch.ops.aten.bmm.default(view_34, transpose_2);  view_34 = transpose_2 = None
        view_35: "f32[2, 4, 8, 2]" = torch.ops.aten.view.default(bmm_2, [2, 4, 8, 2]);  bmm_2 = None
        view_36: "f32[2, 4, 8, 8]" = torch.ops.aten.view.default(bmm_3, [2, 4, 8, 8]);  bmm_3 = None

         # File: capture.py:148 in forward, code: weights = torch.softmax(scores.masked_fill(later, -10000.0), -1)
        detach_9: "f32[2, 4, 8, 8]" = torch.ops.aten.detach.default(detach_1);  detach_1 = None
        detach_10: "f32[2, 4, 8, 8]" = torch.ops.aten.detach.default(detach_9);  detach_9 = None
        _softmax_backward_data: "f32[2, 4, 8, 8]" = torch.ops.aten._softmax_backward_data.default(view_36, detach_10, -1, torch.float32);  view_36 = detach_10 = None
        masked_fill_6: "f32[2, 4, 8, 8]" = torch.ops.aten.masked_fill.Scalar(_softmax_backward_data, triu, 0);  _softmax_backward_data = triu = None

         # File: capture.py:146 in forward, code: scores = q @ k.transpose(-1, -2) / self.head**0.5
        div_3: "f32[2, 4, 8, 8]" = torch.ops.aten.div.Tensor(masked_fill_6, 1.4142135623730951);  masked_fill_6 = None
        view_37: "f32[8, 8, 8]" = torch.ops.aten.view.default(div_3, [8, 8, 8]);  div_3 = None
        transpose_3: "f32[8, 2, 8]" = torch.ops.aten.transpose.int(view_5, 1, 2);  view_5 = None
        bmm_4: "f32[8, 2, 8]" = torch.ops.aten.bmm.default(transpose_3, view_37);  transpose_3 = None
        transpose_4: "f32[8, 8, 2]" = torch.ops.aten.transpose.int(view_6, 1, 2);  view_6 = None
        bmm_5: "f32[8, 8, 2]" = torch.ops.aten.bmm.default(view_37, transpose_4);  view_37 = transpose_4 = None
        view_38: "f32[2, 4, 2, 8]" = torch.ops.aten.view.default(bmm_4, [2, 4, 2, 8]);  bmm_4 = None
        view_39: "f32[2, 4, 8, 2]" = torch.ops.aten.view.default(bmm_5, [2, 4, 8, 2]);  bmm_5 = None
        transpose_5: "f32[2, 4, 8, 2]" = torch.ops.aten.transpose.int(view_38, -1, -2);  view_38 = None

         # File: capture.py:145 in forward, code: q, k, v = y.view(length, batch, -1, 3 * self.head).permute(1, 2, 0, 3).chunk(3, -1)
        cat: "f32[2, 4, 8, 6]" = torch.ops.aten.cat.default([view_39, transpose_5, view_35], 3);  view_39 = transpose_5 = view_35 = None
        permute_3: "f32[8, 2, 4, 6]" = torch.ops.aten.permute.default(cat, [2, 0, 1, 3]);  cat = None
        clone_1: "f32[8, 2, 4, 6]" = torch.ops.aten.clone.default(permute_3, memory_format = torch.contiguous_format);  permute_3 = None
        _unsafe_view_3: "f32[8, 2, 24]" = torch.ops.aten._unsafe_view.default(clone_1, [8, 2, 24]);  clone_1 = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view_40: "f32[16, 24]" = torch.ops.aten.view.default(_unsafe_view_3, [16, 24]);  _unsafe_view_3 = None
        t_21: "f32[24, 16]" = torch.ops.aten.t.default(t);  t = None
        mm_10: "f32[16, 16]" = torch.ops.aten.mm.default(view_40, t_21);  t_21 = None
        t_22: "f32[24, 16]" = torch.ops.aten.t.default(view_40)
        mm_11: "f32[24, 16]" = torch.ops.aten.mm.default(t_22, view_2);  t_22 = view_2 = None
        t_23: "f32[16, 24]" = torch.ops.aten.t.default(mm_11);  mm_11 = None
        sum_5: "f32[1, 24]" = torch.ops.aten.sum.dim_IntList(view_40, [0], True);  view_40 = None
        view_41: "f32[24]" = torch.ops.aten.view.default(sum_5, [24]);  sum_5 = None
        t_24: "f32[24, 16]" = torch.ops.aten.t.default(t_23);  t_23 = None
        view_42: "f32[8, 2, 16]" = torch.ops.aten.view.default(mm_10, [8, 2, 16]);  mm_10 = None

         # File: capture.py:95 in forward, code: x = GatherSequence.apply(x, self.place.group)
        reduce_scatter_tensor_5: "f32[4, 2, 16]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(view_42, 'sum', 2, '0');  view_42 = None
        wait_tensor_18: "f32[4, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor_5);  reduce_scatter_tensor_5 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_backward_2 = torch.ops.aten.native_layer_norm_backward.default(wait_tensor_18, add, [16], getitem_1, getitem_2, view, view_1, [True, True, True]);  wait_tensor_18 = add = getitem_1 = getitem_2 = view = view_1 = None
        getitem_18: "f32[4, 2, 16]" = native_layer_norm_backward_2[0]
        getitem_19: "f32[16]" = native_layer_norm_backward_2[1]
        getitem_20: "f32[16]" = native_layer_norm_backward_2[2];  native_layer_norm_backward_2 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        add_6: "f32[4, 2, 16]" = torch.ops.aten.add.Tensor(add_5, getitem_18);  add_5 = getitem_18 = None

         # File: capture.py:128 in forward, code: weight, bias = Whole.apply(weight, self.place.group), Whole.apply(bias, self.place.group)
        all_reduce_8: "f32[16]" = torch.ops._c10d_functional.all_reduce.default(getitem_20, 'sum', '0');  getitem_20 = None
        wait_tensor_19: "f32[16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_8);  all_reduce_8 = None
        all_reduce_9: "f32[16]" = torch.ops._c10d_functional.all_reduce.default(getitem_19, 'sum', '0');  getitem_19 = None
        wait_tensor_20: "f32[16]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_9);  all_reduce_9 = None

         # File: capture.py:209 in forward, code: x = self.tokens(ids) + self.positions
        sum_6: "f32[4, 1, 16]" = torch.ops.aten.sum.dim_IntList(add_6, [1], True)

         # File: capture.py:180 in forward, code: return ScatterSequence.apply(rows.masked_fill(other.unsqueeze(-1), 0.0), self.place.group)
        all_gather_into_tensor_5: "f32[8, 2, 16]" = torch.ops._c10d_functional.all_gather_into_tensor.default(add_6, 2, '0');  add_6 = None
        wait_tensor_21: "f32[8, 2, 16]" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_5);  all_gather_into_tensor_5 = None
        masked_fill_7: "f32[8, 2, 16]" = torch.ops.aten.masked_fill.Scalar(wait_tensor_21, unsqueeze, 0);  wait_tensor_21 = unsqueeze = None

         # File: capture.py:179 in forward, code: rows = F.embedding((ids - first).masked_fill(other, 0), self.weight)
        embedding_dense_backward: "f32[32, 16]" = torch.ops.aten.embedding_dense_backward.default(masked_fill_7, masked_fill, 32, -1, False);  masked_fill_7 = masked_fill = None
        return [mean, sum_6, embedding_dense_backward, wait_tensor_20, wait_tensor_19, t_24, view_41, t_20, wait_tensor_16, wait_tensor_15, wait_tensor_14, t_16, view_28, t_12, view_25, wait_tensor_11, wait_tensor_10, t_8]
