class moe(torch.nn.Module):
    def forward(self, x_1: "f32[2, 8][8, 1]cpu", wr_1: "f32[8, 8][8, 1]cpu", w1_1: "f32[2, 16, 8][128, 8, 1]cpu", w2_1: "f32[2, 8, 16][128, 16, 1]cpu"):
         # File: gen.py:417 in gates, code: p = torch.softmax(F.linear(x, wr), -1)
        t: "f32[8, 8][1, 8]cpu" = torch.ops.aten.t.default(wr_1);  wr_1 = None
        mm: "f32[2, 8][8, 1]cpu" = torch.ops.aten.mm.default(x_1, t);  t = None
        _softmax: "f32[2, 8][8, 1]cpu" = torch.ops.aten._softmax.default(mm, -1, False);  mm = None

         # File: gen.py:418 in gates, code: v, i = torch.topk(p, k, dim=-1)
        topk = torch.ops.aten.topk.default(_softmax, 1)
        getitem: "f32[2, 1][1, 1]cpu" = topk[0]
        getitem_1: "i64[2, 1][1, 1]cpu" = topk[1];  topk = None

         # File: gen.py:419 in gates, code: v = v / v.sum(-1, keepdim=True)
        sum_1: "f32[2, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(getitem, [-1], True)
        div: "f32[2, 1][1, 1]cpu" = torch.ops.aten.div.Tensor(getitem, sum_1);  getitem = sum_1 = None

         # File: gen.py:420 in gates, code: return torch.zeros_like(p).scatter(1, i, v)
        zeros_like: "f32[2, 8][8, 1]cpu" = torch.ops.aten.zeros_like.default(_softmax, pin_memory = False);  _softmax = None
        scatter: "f32[2, 8][8, 1]cpu" = torch.ops.aten.scatter.src(zeros_like, 1, getitem_1, div);  zeros_like = getitem_1 = div = None

         # File: gen.py:468 in moe_capacity, code: on = (g > 0).to(torch.int64)
        gt: "b8[2, 8][8, 1]cpu" = torch.ops.aten.gt.Scalar(scatter, 0)
        _to_copy: "i64[2, 8][8, 1]cpu" = torch.ops.aten._to_copy.default(gt, dtype = torch.int64);  gt = None

         # File: gen.py:469 in moe_capacity, code: slot = torch.cumsum(on, 0) - 1
        cumsum: "i64[2, 8][8, 1]cpu" = torch.ops.aten.cumsum.default(_to_copy, 0)
        mul: "i64[2, 8][8, 1]cpu" = torch.ops.aten.mul.Tensor(cumsum, 1);  cumsum = _to_copy = None
        sub: "i64[2, 8][8, 1]cpu" = torch.ops.aten.sub.Tensor(mul, 1);  mul = None

         # File: gen.py:470 in moe_capacity, code: disp = (slot.unsqueeze(-1) == torch.arange(t)).to(x.dtype)
        unsqueeze: "i64[2, 8, 1][8, 1, 1]cpu" = torch.ops.aten.unsqueeze.default(sub, -1);  sub = None
        arange: "i64[2][1]cpu" = torch.ops.aten.arange.default(2, device = device(type='cpu'), pin_memory = False)
        eq: "b8[2, 8, 2][16, 2, 1]cpu" = torch.ops.aten.eq.Tensor(unsqueeze, arange);  unsqueeze = arange = None
        _to_copy_1: "f32[2, 8, 2][16, 2, 1]cpu" = torch.ops.aten._to_copy.default(eq, dtype = torch.float32);  eq = None

         # File: gen.py:471 in moe_capacity, code: buf = torch.einsum('tec,th->ech', disp, x)
        unsqueeze_1: "f32[2, 8, 2, 1][16, 2, 1, 1]cpu" = torch.ops.aten.unsqueeze.default(_to_copy_1, 3)
        permute: "f32[8, 2, 1, 2][2, 1, 1, 16]cpu" = torch.ops.aten.permute.default(unsqueeze_1, [1, 2, 3, 0]);  unsqueeze_1 = None
        unsqueeze_2: "f32[2, 8, 1][8, 1, 1]cpu" = torch.ops.aten.unsqueeze.default(x_1, 2);  x_1 = None
        unsqueeze_3: "f32[2, 8, 1, 1][8, 1, 1, 1]cpu" = torch.ops.aten.unsqueeze.default(unsqueeze_2, 3);  unsqueeze_2 = None
        permute_1: "f32[1, 1, 8, 2][1, 1, 1, 8]cpu" = torch.ops.aten.permute.default(unsqueeze_3, [2, 3, 1, 0]);  unsqueeze_3 = None
        permute_2: "f32[8, 2, 2, 1][2, 1, 16, 1]cpu" = torch.ops.aten.permute.default(permute, [0, 1, 3, 2]);  permute = None
        view: "f32[1, 16, 2][16, 1, 16]cpu" = torch.ops.aten.view.default(permute_2, [1, 16, 2]);  permute_2 = None
        permute_3: "f32[2, 8, 1, 1][8, 1, 1, 1]cpu" = torch.ops.aten.permute.default(permute_1, [3, 2, 0, 1]);  permute_1 = None
        view_1: "f32[1, 2, 8][16, 8, 1]cpu" = torch.ops.aten.view.default(permute_3, [1, 2, 8]);  permute_3 = None
        bmm: "f32[1, 16, 8][128, 8, 1]cpu" = torch.ops.aten.bmm.default(view, view_1);  view = view_1 = None
        view_2: "f32[8, 2, 1, 8][16, 8, 8, 1]cpu" = torch.ops.aten.view.default(bmm, [8, 2, 1, 8]);  bmm = None
        permute_4: "f32[8, 2, 8, 1][16, 8, 1, 8]cpu" = torch.ops.aten.permute.default(view_2, [0, 1, 3, 2]);  view_2 = None
        view_3: "f32[8, 2, 8][16, 8, 1]cpu" = torch.ops.aten.view.default(permute_4, [8, 2, 8]);  permute_4 = None

         # File: gen.py:472 in moe_capacity, code: buf = a2a(c, buf, 'ep').view(n, e, t, h).transpose(0, 1).reshape(e, n * t, h)
        all_to_all_single: "f32[8, 2, 8][16, 8, 1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(view_3, [2, 2, 2, 2], [2, 2, 2, 2], '0');  view_3 = None
        wait_tensor: "f32[8, 2, 8][16, 8, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all_single);  all_to_all_single = None
        view_4: "f32[4, 2, 2, 8][32, 16, 8, 1]cpu" = torch.ops.aten.view.default(wait_tensor, [4, 2, 2, 8]);  wait_tensor = None
        transpose: "f32[2, 4, 2, 8][16, 32, 8, 1]cpu" = torch.ops.aten.transpose.int(view_4, 0, 1);  view_4 = None
        clone: "f32[2, 4, 2, 8][64, 16, 8, 1]cpu" = torch.ops.aten.clone.default(transpose, memory_format = torch.contiguous_format);  transpose = None
        _unsafe_view: "f32[2, 8, 8][64, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(clone, [2, 8, 8]);  clone = None

         # File: gen.py:423 in experts, code: return torch.bmm(F.gelu(torch.bmm(x, w1.transpose(1, 2))), w2.transpose(1, 2))
        transpose_1: "f32[2, 8, 16][128, 1, 8]cpu" = torch.ops.aten.transpose.int(w1_1, 1, 2);  w1_1 = None
        bmm_1: "f32[2, 8, 16][128, 16, 1]cpu" = torch.ops.aten.bmm.default(_unsafe_view, transpose_1);  _unsafe_view = transpose_1 = None
        gelu: "f32[2, 8, 16][128, 16, 1]cpu" = torch.ops.aten.gelu.default(bmm_1);  bmm_1 = None
        transpose_2: "f32[2, 16, 8][128, 1, 16]cpu" = torch.ops.aten.transpose.int(w2_1, 1, 2);  w2_1 = None
        bmm_2: "f32[2, 8, 8][64, 8, 1]cpu" = torch.ops.aten.bmm.default(gelu, transpose_2);  gelu = transpose_2 = None

         # File: gen.py:474 in moe_capacity, code: y = a2a(c, y.view(e, n, t, h).transpose(0, 1).reshape(n * e, t, h), 'ep')
        view_5: "f32[2, 4, 2, 8][64, 16, 8, 1]cpu" = torch.ops.aten.view.default(bmm_2, [2, 4, 2, 8]);  bmm_2 = None
        transpose_3: "f32[4, 2, 2, 8][16, 64, 8, 1]cpu" = torch.ops.aten.transpose.int(view_5, 0, 1);  view_5 = None
        clone_1: "f32[4, 2, 2, 8][32, 16, 8, 1]cpu" = torch.ops.aten.clone.default(transpose_3, memory_format = torch.contiguous_format);  transpose_3 = None
        _unsafe_view_1: "f32[8, 2, 8][16, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_1, [8, 2, 8]);  clone_1 = None
        all_to_all_single_1: "f32[8, 2, 8][16, 8, 1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(_unsafe_view_1, [2, 2, 2, 2], [2, 2, 2, 2], '0');  _unsafe_view_1 = None
        wait_tensor_1: "f32[8, 2, 8][16, 8, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all_single_1);  all_to_all_single_1 = None

         # File: gen.py:475 in moe_capacity, code: return torch.einsum('tec,ech->th', disp * g.unsqueeze(-1), y)
        unsqueeze_4: "f32[2, 8, 1][8, 1, 1]cpu" = torch.ops.aten.unsqueeze.default(scatter, -1);  scatter = None
        mul_1: "f32[2, 8, 2][16, 2, 1]cpu" = torch.ops.aten.mul.Tensor(_to_copy_1, unsqueeze_4);  _to_copy_1 = unsqueeze_4 = None
        unsqueeze_5: "f32[2, 8, 2, 1][16, 2, 1, 1]cpu" = torch.ops.aten.unsqueeze.default(mul_1, 3);  mul_1 = None
        permute_5: "f32[2, 1, 2, 8][16, 1, 1, 2]cpu" = torch.ops.aten.permute.default(unsqueeze_5, [0, 3, 2, 1]);  unsqueeze_5 = None
        unsqueeze_6: "f32[8, 2, 8, 1][16, 8, 1, 1]cpu" = torch.ops.aten.unsqueeze.default(wait_tensor_1, 3);  wait_tensor_1 = None
        permute_6: "f32[1, 8, 2, 8][1, 1, 8, 16]cpu" = torch.ops.aten.permute.default(unsqueeze_6, [3, 2, 1, 0]);  unsqueeze_6 = None
        permute_7: "f32[2, 2, 8, 1][16, 1, 2, 1]cpu" = torch.ops.aten.permute.default(permute_5, [0, 2, 3, 1]);  permute_5 = None
        clone_2: "f32[2, 2, 8, 1][16, 8, 1, 1]cpu" = torch.ops.aten.clone.default(permute_7, memory_format = torch.contiguous_format);  permute_7 = None
        _unsafe_view_2: "f32[1, 2, 16][32, 16, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_2, [1, 2, 16]);  clone_2 = None
        permute_8: "f32[2, 8, 8, 1][8, 16, 1, 1]cpu" = torch.ops.aten.permute.default(permute_6, [2, 3, 1, 0]);  permute_6 = None
        clone_3: "f32[2, 8, 8, 1][64, 8, 1, 1]cpu" = torch.ops.aten.clone.default(permute_8, memory_format = torch.contiguous_format);  permute_8 = None
        _unsafe_view_3: "f32[1, 16, 8][128, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_3, [1, 16, 8]);  clone_3 = None
        bmm_3: "f32[1, 2, 8][16, 8, 1]cpu" = torch.ops.aten.bmm.default(_unsafe_view_2, _unsafe_view_3);  _unsafe_view_2 = _unsafe_view_3 = None
        view_6: "f32[2, 1, 1, 8][8, 8, 8, 1]cpu" = torch.ops.aten.view.default(bmm_3, [2, 1, 1, 8]);  bmm_3 = None
        permute_9: "f32[2, 8, 1, 1][8, 1, 8, 8]cpu" = torch.ops.aten.permute.default(view_6, [0, 3, 1, 2]);  view_6 = None
        view_7: "f32[2, 8][8, 1]cpu" = torch.ops.aten.view.default(permute_9, [2, 8]);  permute_9 = None
        return view_7
