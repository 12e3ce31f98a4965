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
    def forward(self, tokens_weight: "f32[64, 16]", ids: "i64[8, 2]", positions: "f32[8, 1, 16]", layers_0_norm1_weight: "f32[16]", layers_0_norm1_bias: "f32[16]", layers_0_attention_qkv_weight: "f32[48, 16]", layers_0_attention_qkv_bias: "f32[48]", layers_0_attention_proj_weight: "f32[16, 16]", layers_0_attention_proj_bias: "f32[16]", layers_0_norm2_weight: "f32[16]", layers_0_norm2_bias: "f32[16]", layers_0_up_weight: "f32[64, 16]", layers_0_up_bias: "f32[64]", layers_0_down_weight: "f32[16, 64]", layers_0_down_bias: "f32[16]", norm_weight: "f32[16]", norm_bias: "f32[16]", output_weight: "f32[64, 16]", target: "i64[8, 2]", grad_out0: "f32[]"):
         # File: capture.py:176 in forward, code: return F.embedding(ids, self.weight)
        embedding: "f32[8, 2, 16]" = torch.ops.aten.embedding.default(tokens_weight, ids);  tokens_weight = None

         # File: capture.py:209 in forward, code: x = self.tokens(ids) + self.positions
        add: "f32[8, 2, 16]" = torch.ops.aten.add.Tensor(embedding, positions);  embedding = positions = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm = torch.ops.aten.native_layer_norm.default(add, [16], layers_0_norm1_weight, layers_0_norm1_bias, 1e-05)
        getitem: "f32[8, 2, 16]" = native_layer_norm[0]
        getitem_1: "f32[8, 2, 1]" = native_layer_norm[1]
        getitem_2: "f32[8, 2, 1]" = native_layer_norm[2];  native_layer_norm = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view: "f32[16, 16]" = torch.ops.aten.view.default(getitem, [16, 16]);  getitem = None
        t: "f32[16, 48]" = torch.ops.aten.t.default(layers_0_attention_qkv_weight);  layers_0_attention_qkv_weight = None
        addmm: "f32[16, 48]" = torch.ops.aten.addmm.default(layers_0_attention_qkv_bias, view, t);  layers_0_attention_qkv_bias = None
        view_1: "f32[8, 2, 48]" = torch.ops.aten.view.default(addmm, [8, 2, 48]);  addmm = None

         # File: capture.py:145 in forward, code: q, k, v = y.view(length, batch, -1, 3 * self.head).permute(1, 2, 0, 3).chunk(3, -1)
        view_2: "f32[8, 2, 8, 6]" = torch.ops.aten.view.default(view_1, [8, 2, -1, 6]);  view_1 = None
        permute: "f32[2, 8, 8, 6]" = torch.ops.aten.permute.default(view_2, [1, 2, 0, 3]);  view_2 = None
        split = torch.ops.aten.split.Tensor(permute, 2, -1);  permute = None
        getitem_3: "f32[2, 8, 8, 2]" = split[0]
        getitem_4: "f32[2, 8, 8, 2]" = split[1]
        getitem_5: "f32[2, 8, 8, 2]" = split[2];  split = None

         # File: capture.py:146 in forward, code: scores = q @ k.transpose(-1, -2) / self.head**0.5
        transpose: "f32[2, 8, 2, 8]" = torch.ops.aten.transpose.int(getitem_4, -1, -2);  getitem_4 = None
        expand: "f32[2, 8, 8, 2]" = torch.ops.aten.expand.default(getitem_3, [2, 8, 8, 2]);  getitem_3 = None
        view_3: "f32[16, 8, 2]" = torch.ops.aten.view.default(expand, [16, 8, 2]);  expand = None
        expand_1: "f32[2, 8, 2, 8]" = torch.ops.aten.expand.default(transpose, [2, 8, 2, 8]);  transpose = None
        view_4: "f32[16, 2, 8]" = torch.ops.aten.view.default(expand_1, [16, 2, 8]);  expand_1 = None
        bmm: "f32[16, 8, 8]" = torch.ops.aten.bmm.default(view_3, view_4)
        view_5: "f32[2, 8, 8, 8]" = torch.ops.aten.view.default(bmm, [2, 8, 8, 8]);  bmm = None
        div: "f32[2, 8, 8, 8]" = torch.ops.aten.div.Tensor(view_5, 1.4142135623730951);  view_5 = None

         # File: capture.py:147 in forward, code: later = torch.ones(length, length, dtype=torch.bool).triu(1)
        ones: "b8[8, 8]" = torch.ops.aten.ones.default([8, 8], dtype = torch.bool, device = device(type='cpu'), pin_memory = False)
        triu: "b8[8, 8]" = torch.ops.aten.triu.default(ones, 1);  ones = None

         # File: capture.py:148 in forward, code: weights = torch.softmax(scores.masked_fill(later, -10000.0), -1)
        masked_fill: "f32[2, 8, 8, 8]" = torch.ops.aten.masked_fill.Scalar(div, triu, -10000.0);  div = None
        _softmax: "f32[2, 8, 8, 8]" = torch.ops.aten._softmax.default(masked_fill, -1, False);  masked_fill = None
        detach: "f32[2, 8, 8, 8]" = torch.ops.aten.detach.default(_softmax)
        detach_1: "f32[2, 8, 8, 8]" = torch.ops.aten.detach.default(detach);  detach = None

         # File: capture.py:149 in forward, code: return self.proj((weights @ v).permute(2, 0, 1, 3).reshape(length, batch, -1))
        expand_2: "f32[2, 8, 8, 8]" = torch.ops.aten.expand.default(_softmax, [2, 8, 8, 8]);  _softmax = None
        view_6: "f32[16, 8, 8]" = torch.ops.aten.view.default(expand_2, [16, 8, 8]);  expand_2 = None
        expand_3: "f32[2, 8, 8, 2]" = torch.ops.aten.expand.default(getitem_5, [2, 8, 8, 2]);  getitem_5 = None
        view_7: "f32[16, 8, 2]" = torch.ops.aten.view.default(expand_3, [16, 8, 2]);  expand_3 = None
        bmm_1: "f32[16, 8, 2]" = torch.ops.aten.bmm.default(view_6, view_7)
        view_8: "f32[2, 8, 8, 2]" = torch.ops.aten.view.default(bmm_1, [2, 8, 8, 2]);  bmm_1 = None
        permute_1: "f32[8, 2, 8, 2]" = torch.ops.aten.permute.default(view_8, [2, 0, 1, 3]);  view_8 = None
        clone: "f32[8, 2, 8, 2]" = torch.ops.aten.clone.default(permute_1, memory_format = torch.contiguous_format);  permute_1 = None
        _unsafe_view: "f32[8, 2, 16]" = torch.ops.aten._unsafe_view.default(clone, [8, 2, 16]);  clone = None

         # File: capture.py:110 in forward, code: return F.linear(x, self.weight, self.bias)
        view_9: "f32[16, 16]" = torch.ops.aten.view.default(_unsafe_view, [16, 16]);  _unsafe_view = None
        t_1: "f32[16, 16]" = torch.ops.aten.t.default(layers_0_attention_proj_weight);  layers_0_attention_proj_weight = None
        addmm_1: "f32[16, 16]" = torch.ops.aten.addmm.default(layers_0_attention_proj_bias, view_9, t_1);  layers_0_attention_proj_bias = None
        view_10: "f32[8, 2, 16]" = torch.ops.aten.view.default(addmm_1, [8, 2, 16]);  addmm_1 = None

         # File: capture.py:162 in forward, code: x = x + self.attention(self.norm1(x))
        add_1: "f32[8, 2, 16]" = torch.ops.aten.add.Tensor(add, view_10);  view_10 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_1 = torch.ops.aten.native_layer_norm.default(add_1, [16], layers_0_norm2_weight, layers_0_norm2_bias, 1e-05)
        getitem_6: "f32[8, 2, 16]" = native_layer_norm_1[0]
        getitem_7: "f32[8, 2, 1]" = native_layer_norm_1[1]
        getitem_8: "f32[8, 2, 1]" = native_layer_norm_1[2];  native_layer_norm_1 = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view_11: "f32[16, 16]" = torch.ops.aten.view.default(getitem_6, [16, 16]);  getitem_6 = None
        t_2: "f32[16, 64]" = torch.ops.aten.t.default(layers_0_up_weight);  layers_0_up_weight = None
        addmm_2: "f32[16, 64]" = torch.ops.aten.addmm.default(layers_0_up_bias, view_11, t_2);  layers_0_up_bias = None
        view_12: "f32[8, 2, 64]" = torch.ops.aten.view.default(addmm_2, [8, 2, 64]);  addmm_2 = None

         # File: capture.py:163 in forward, code: return x + self.down(F.gelu(self.up(self.norm2(x))))
        gelu: "f32[8, 2, 64]" = torch.ops.aten.gelu.default(view_12)

         # File: capture.py:110 in forward, code: return F.linear(x, self.weight, self.bias)
        view_13: "f32[16, 64]" = torch.ops.aten.view.default(gelu, [16, 64]);  gelu = None
        t_3: "f32[64, 16]" = torch.ops.aten.t.default(layers_0_down_weight);  layers_0_down_weight = None
        addmm_3: "f32[16, 16]" = torch.ops.aten.addmm.default(layers_0_down_bias, view_13, t_3);  layers_0_down_bias = None
        view_14: "f32[8, 2, 16]" = torch.ops.aten.view.default(addmm_3, [8, 2, 16]);  addmm_3 = None

         # File: capture.py:163 in forward, code: return x + self.down(F.gelu(self.up(self.norm2(x))))
        add_2: "f32[8, 2, 16]" = torch.ops.aten.add.Tensor(add_1, view_14);  view_14 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_2 = torch.ops.aten.native_layer_norm.default(add_2, [16], norm_weight, norm_bias, 1e-05)
        getitem_9: "f32[8, 2, 16]" = native_layer_norm_2[0]
        getitem_10: "f32[8, 2, 1]" = native_layer_norm_2[1]
        getitem_11: "f32[8, 2, 1]" = native_layer_norm_2[2];  native_layer_norm_2 = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        t_4: "f32[16, 64]" = torch.ops.aten.t.default(output_weight);  output_weight = None
        view_15: "f32[16, 16]" = torch.ops.aten.view.default(getitem_9, [16, 16]);  getitem_9 = None
        mm: "f32[16, 64]" = torch.ops.aten.mm.default(view_15, t_4)
        _unsafe_view_1: "f32[8, 2, 64]" = torch.ops.aten._unsafe_view.default(mm, [8, 2, 64]);  mm = None

         # File: capture.py:186 in cross_entropy, code: return F.cross_entropy(logits.flatten(0, 1), target.flatten())
        view_16: "f32[16, 64]" = torch.ops.aten.view.default(_unsafe_view_1, [16, 64]);  _unsafe_view_1 = None
        view_17: "i64[16]" = torch.ops.aten.view.default(target, [16]);  target = None
        _log_softmax: "f32[16, 64]" = torch.ops.aten._log_softmax.default(view_16, 1, False);  view_16 = None
        detach_2: "f32[16, 64]" = torch.ops.aten.detach.default(_log_softmax)
        detach_3: "f32[16, 64]" = torch.ops.aten.detach.default(detach_2);  detach_2 = None
        nll_loss_forward = torch.ops.aten.nll_loss_forward.default(_log_softmax, view_17, None, 1, -100)
        getitem_12: "f32[]" = nll_loss_forward[0]
        getitem_13: "f32[]" = nll_loss_forward[1];  nll_loss_forward = None
        nll_loss_backward: "f32[16, 64]" = torch.ops.aten.nll_loss_backward.default(grad_out0, _log_softmax, view_17, None, 1, -100, getitem_13);  grad_out0 = _log_softmax = view_17 = getitem_13 = None
        detach_4: "f32[16, 64]" = torch.ops.aten.detach.default(detach_3);  detach_3 = None
        detach_5: "f32[16, 64]" = torch.ops.aten.detach.default(detach_4);  detach_4 = None
        _log_softmax_backward_data: "f32[16, 64]" = torch.ops.aten._log_softmax_backward_data.default(nll_loss_backward, detach_5, 1, torch.float32);  nll_loss_backward = detach_5 = None
        view_18: "f32[8, 2, 64]" = torch.ops.aten.view.default(_log_softmax_backward_data, [8, 2, 64]);  _log_softmax_backward_data = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view_19: "f32[16, 64]" = torch.ops.aten.view.default(view_18, [16, 64]);  view_18 = None
        t_5: "f32[64, 16]" = torch.ops.aten.t.default(view_19)
        mm_1: "f32[64, 16]" = torch.ops.aten.mm.default(t_5, view_15);  t_5 = view_15 = None
        t_6: "f32[16, 64]" = torch.ops.aten.t.default(mm_1);  mm_1 = None
        t_7: "f32[64, 16]" = torch.ops.aten.t.default(t_4);  t_4 = None
        mm_2: "f32[16, 16]" = torch.ops.aten.mm.default(view_19, t_7);  view_19 = t_7 = None
        view_20: "f32[8, 2, 16]" = torch.ops.aten.view.default(mm_2, [8, 2, 16]);  mm_2 = None
        t_8: "f32[64, 16]" = torch.ops.aten.t.default(t_6);  t_6 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_backward = torch.ops.aten.native_layer_norm_backward.default(view_20, add_2, [16], getitem_10, getitem_11, norm_weight, norm_bias, [True, True, True]);  view_20 = add_2 = getitem_10 = getitem_11 = norm_weight = norm_bias = None
        getitem_14: "f32[8, 2, 16]" = native_layer_norm_backward[0]
        getitem_15: "f32[16]" = native_layer_norm_backward[1]
        getitem_16: "f32[16]" = native_layer_norm_backward[2];  native_layer_norm_backward = None

         # File: capture.py:110 in forward, code: return F.linear(x, self.weight, self.bias)
        view_21: "f32[16, 16]" = torch.ops.aten.view.default(getitem_14, [16, 16])
        t_9: "f32[16, 64]" = torch.ops.aten.t.default(t_3);  t_3 = None
        mm_3: "f32[16, 64]" = torch.ops.aten.mm.default(view_21, t_9);  t_9 = None
        t_10: "f32[16, 16]" = torch.ops.aten.t.default(view_21)
        mm_4: "f32[16, 64]" = torch.ops.aten.mm.default(t_10, view_13);  t_10 = view_13 = None
        t_11: "f32[64, 16]" = torch.ops.aten.t.default(mm_4);  mm_4 = None
        sum_1: "f32[1, 16]" = torch.ops.aten.sum.dim_IntList(view_21, [0], True);  view_21 = None
        view_22: "f32[16]" = torch.ops.aten.view.default(sum_1, [16]);  sum_1 = None
        t_12: "f32[16, 64]" = torch.ops.aten.t.default(t_11);  t_11 = None
        view_23: "f32[8, 2, 64]" = torch.ops.aten.view.default(mm_3, [8, 2, 64]);  mm_3 = None

         # File: capture.py:163 in forward, code: return x + self.down(F.gelu(self.up(self.norm2(x))))
        gelu_backward: "f32[8, 2, 64]" = torch.ops.aten.gelu_backward.default(view_23, view_12);  view_23 = view_12 = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view_24: "f32[16, 64]" = torch.ops.aten.view.default(gelu_backward, [16, 64]);  gelu_backward = None
        t_13: "f32[64, 16]" = torch.ops.aten.t.default(t_2);  t_2 = None
        mm_5: "f32[16, 16]" = torch.ops.aten.mm.default(view_24, t_13);  t_13 = None
        t_14: "f32[64, 16]" = torch.ops.aten.t.default(view_24)
        mm_6: "f32[64, 16]" = torch.ops.aten.mm.default(t_14, view_11);  t_14 = view_11 = None
        t_15: "f32[16, 64]" = torch.ops.aten.t.default(mm_6);  mm_6 = None
        sum_2: "f32[1, 64]" = torch.ops.aten.sum.dim_IntList(view_24, [0], True);  view_24 = None
        view_25: "f32[64]" = torch.ops.aten.view.default(sum_2, [64]);  sum_2 = None
        t_16: "f32[64, 16]" = torch.ops.aten.t.default(t_15);  t_15 = None
        view_26: "f32[8, 2, 16]" = torch.ops.aten.view.default(mm_5, [8, 2, 16]);  mm_5 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_backward_1 = torch.ops.aten.native_layer_norm_backward.default(view_26, add_1, [16], getitem_7, getitem_8, layers_0_norm2_weight, layers_0_norm2_bias, [True, True, True]);  view_26 = add_1 = getitem_7 = getitem_8 = layers_0_norm2_weight = layers_0_norm2_bias = None
        getitem_17: "f32[8, 2, 16]" = native_layer_norm_backward_1[0]
        getitem_18: "f32[16]" = native_layer_norm_backward_1[1]
        getitem_19: "f32[16]" = native_layer_norm_backward_1[2];  native_layer_norm_backward_1 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        add_3: "f32[8, 2, 16]" = torch.ops.aten.add.Tensor(getitem_14, getitem_17);  getitem_14 = getitem_17 = None

         # File: capture.py:110 in forward, code: return F.linear(x, self.weight, self.bias)
        view_27: "f32[16, 16]" = torch.ops.aten.view.default(add_3, [16, 16])
        t_17: "f32[16, 16]" = torch.ops.aten.t.default(t_1);  t_1 = None
        mm_7: "f32[16, 16]" = torch.ops.aten.mm.default(view_27, t_17);  t_17 = None
        t_18: "f32[16, 16]" = torch.ops.aten.t.default(view_27)
        mm_8: "f32[16, 16]" = torch.ops.aten.mm.default(t_18, view_9);  t_18 = view_9 = None
        t_19: "f32[16, 16]" = torch.ops.aten.t.default(mm_8);  mm_8 = None
        sum_3: "f32[1, 16]" = torch.ops.aten.sum.dim_IntList(view_27, [0], True);  view_27 = None
        view_28: "f32[16]" = torch.ops.aten.view.default(sum_3, [16]);  sum_3 = None
        t_20: "f32[16, 16]" = torch.ops.aten.t.default(t_19);  t_19 = None
        view_29: "f32[8, 2, 16]" = torch.ops.aten.view.default(mm_7, [8, 2, 16]);  mm_7 = None

         # File: capture.py:149 in forward, code: return self.proj((weights @ v).permute(2, 0, 1, 3).reshape(length, batch, -1))
        view_30: "f32[8, 2, 8, 2]" = torch.ops.aten.view.default(view_29, [8, 2, 8, 2]);  view_29 = None
        permute_2: "f32[2, 8, 8, 2]" = torch.ops.aten.permute.default(view_30, [1, 2, 0, 3]);  view_30 = None
        view_31: "f32[16, 8, 2]" = torch.ops.aten.view.default(permute_2, [16, 8, 2]);  permute_2 = None
        transpose_1: "f32[16, 8, 8]" = torch.ops.aten.transpose.int(view_6, 1, 2);  view_6 = None
        bmm_2: "f32[16, 8, 2]" = torch.ops.aten.bmm.default(transpose_1, view_31);  transpose_1 = None
        transpose_2: "f32[16, 2, 8]" = torch.ops.aten.transpose.int(view_7, 1, 2);  view_7 = None
        bmm_3: "f32[16, 8, 8]" = torch.ops.aten.bmm.default(view_31, transpose_2);  view_31 = transpose_2 = None
        view_32: "f32[2, 8, 8, 2]" = torch.ops.aten.view.default(bmm_2, [2, 8, 8, 2]);  bmm_2 = None
        view_33: "f32[2, 8, 8, 8]" = torch.ops.aten.view.default(bmm_3, [2, 8, 8, 8]);  bmm_3 = None

         # File: capture.py:148 in forward, code: weights = torch.softmax(scores.masked_fill(later, -10000.0), -1)
        detach_6: "f32[2, 8, 8, 8]" = torch.ops.aten.detach.default(detach_1);  detach_1 = None
        detach_7: "f32[2, 8, 8, 8]" = torch.ops.aten.detach.default(detach_6);  detach_6 = None
        _softmax_backward_data: "f32[2, 8, 8, 8]" = torch.ops.aten._softmax_backward_data.default(view_33, detach_7, -1, torch.float32);  view_33 = detach_7 = None
        masked_fill_1: "f32[2, 8, 8, 8]" = torch.ops.aten.masked_fill.Scalar(_softmax_backward_data, triu, 0);  _softmax_backward_data = triu = None

         # File: capture.py:146 in forward, code: scores = q @ k.transpose(-1, -2) / self.head**0.5
        div_1: "f32[2, 8, 8, 8]" = torch.ops.aten.div.Tensor(masked_fill_1, 1.4142135623730951);  masked_fill_1 = None
        view_34: "f32[16, 8, 8]" = torch.ops.aten.view.default(div_1, [16, 8, 8]);  div_1 = None
        transpose_3: "f32[16, 2, 8]" = torch.ops.aten.transpose.int(view_3, 1, 2);  view_3 = None
        bmm_4: "f32[16, 2, 8]" = torch.ops.aten.bmm.default(transpose_3, view_34);  transpose_3 = None
        transpose_4: "f32[16, 8, 2]" = torch.ops.aten.transpose.int(view_4, 1, 2);  view_4 = None
        bmm_5: "f32[16, 8, 2]" = torch.ops.aten.bmm.default(view_34, transpose_4);  view_34 = transpose_4 = None
        view_35: "f32[2, 8, 2, 8]" = torch.ops.aten.view.default(bmm_4, [2, 8, 2, 8]);  bmm_4 = None
        view_36: "f32[2, 8, 8, 2]" = torch.ops.aten.view.default(bmm_5, [2, 8, 8, 2]);  bmm_5 = None
        transpose_5: "f32[2, 8, 8, 2]" = torch.ops.aten.transpose.int(view_35, -1, -2);  view_35 = None

         # File: capture.py:145 in forward, code: q, k, v = y.view(length, batch, -1, 3 * self.head).permute(1, 2, 0, 3).chunk(3, -1)
        cat: "f32[2, 8, 8, 6]" = torch.ops.aten.cat.default([view_36, transpose_5, view_32], 3);  view_36 = transpose_5 = view_32 = None
        permute_3: "f32[8, 2, 8, 6]" = torch.ops.aten.permute.default(cat, [2, 0, 1, 3]);  cat = None
        clone_1: "f32[8, 2, 8, 6]" = torch.ops.aten.clone.default(permute_3, memory_format = torch.contiguous_format);  permute_3 = None
        _unsafe_view_2: "f32[8, 2, 48]" = torch.ops.aten._unsafe_view.default(clone_1, [8, 2, 48]);  clone_1 = None

         # File: capture.py:96 in forward, code: return F.linear(x, self.weight, self.bias)
        view_37: "f32[16, 48]" = torch.ops.aten.view.default(_unsafe_view_2, [16, 48]);  _unsafe_view_2 = None
        t_21: "f32[48, 16]" = torch.ops.aten.t.default(t);  t = None
        mm_9: "f32[16, 16]" = torch.ops.aten.mm.default(view_37, t_21);  t_21 = None
        t_22: "f32[48, 16]" = torch.ops.aten.t.default(view_37)
        mm_10: "f32[48, 16]" = torch.ops.aten.mm.default(t_22, view);  t_22 = view = None
        t_23: "f32[16, 48]" = torch.ops.aten.t.default(mm_10);  mm_10 = None
        sum_4: "f32[1, 48]" = torch.ops.aten.sum.dim_IntList(view_37, [0], True);  view_37 = None
        view_38: "f32[48]" = torch.ops.aten.view.default(sum_4, [48]);  sum_4 = None
        t_24: "f32[48, 16]" = torch.ops.aten.t.default(t_23);  t_23 = None
        view_39: "f32[8, 2, 16]" = torch.ops.aten.view.default(mm_9, [8, 2, 16]);  mm_9 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        native_layer_norm_backward_2 = torch.ops.aten.native_layer_norm_backward.default(view_39, add, [16], getitem_1, getitem_2, layers_0_norm1_weight, layers_0_norm1_bias, [True, True, True]);  view_39 = add = getitem_1 = getitem_2 = layers_0_norm1_weight = layers_0_norm1_bias = None
        getitem_20: "f32[8, 2, 16]" = native_layer_norm_backward_2[0]
        getitem_21: "f32[16]" = native_layer_norm_backward_2[1]
        getitem_22: "f32[16]" = native_layer_norm_backward_2[2];  native_layer_norm_backward_2 = None

         # File: capture.py:129 in forward, code: return F.layer_norm(x, weight.shape, weight, bias)
        add_4: "f32[8, 2, 16]" = torch.ops.aten.add.Tensor(add_3, getitem_20);  add_3 = getitem_20 = None

         # File: capture.py:209 in forward, code: x = self.tokens(ids) + self.positions
        sum_5: "f32[8, 1, 16]" = torch.ops.aten.sum.dim_IntList(add_4, [1], True)

         # File: capture.py:176 in forward, code: return F.embedding(ids, self.weight)
        embedding_dense_backward: "f32[64, 16]" = torch.ops.aten.embedding_dense_backward.default(add_4, ids, 64, -1, False);  add_4 = ids = None
        return [getitem_12, sum_5, embedding_dense_backward, getitem_21, getitem_22, t_24, view_38, t_20, view_28, getitem_18, getitem_19, t_16, view_25, t_12, view_22, getitem_15, getitem_16, t_8]
