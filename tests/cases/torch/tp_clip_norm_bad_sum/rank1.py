class clip(torch.nn.Module):
    def forward(self, g1_1: "f32[4, 6][6, 1]cpu", g2_1: "f32[3][1]cpu"):
         # File: clip.py:168 in clip, code: ns=torch._foreach_norm([g1,g2],2.0)
        _foreach_norm = torch.ops.aten._foreach_norm.Scalar([g1_1, g2_1], 2.0)
        getitem: "f32[][]cpu" = _foreach_norm[0]
        getitem_1: "f32[][]cpu" = _foreach_norm[1];  _foreach_norm = None

         # File: clip.py:169 in clip, code: t=torch.linalg.vector_norm(torch.stack(ns),2.0)
        stack: "f32[2][1]cpu" = torch.ops.aten.stack.default([getitem, getitem_1]);  getitem = getitem_1 = None
        linalg_vector_norm: "f32[][]cpu" = torch.ops.aten.linalg_vector_norm.default(stack, 2.0);  stack = None

         # File: clip.py:170 in clip, code: if c.fault=='sum_of_norms': t=all_reduce(c,t,'tp')
        all_reduce: "f32[][]cpu" = torch.ops._c10d_functional.all_reduce.default(linalg_vector_norm, 'sum', '0');  linalg_vector_norm = None
        wait_tensor: "f32[][]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

         # File: clip.py:172 in clip, code: k=torch.clamp(1.0/(t+1e-6),max=1.0)
        add: "f32[][]cpu" = torch.ops.aten.add.Tensor(wait_tensor, 1e-06);  wait_tensor = None
        reciprocal: "f32[][]cpu" = torch.ops.aten.reciprocal.default(add);  add = None
        mul: "f32[][]cpu" = torch.ops.aten.mul.Tensor(reciprocal, 1.0);  reciprocal = None
        clamp: "f32[][]cpu" = torch.ops.aten.clamp.default(mul, None, 1.0);  mul = None

         # File: clip.py:173 in clip, code: return torch._foreach_mul([g1,g2],k)
        _foreach_mul = torch.ops.aten._foreach_mul.Tensor([g1_1, g2_1], clamp);  g1_1 = g2_1 = clamp = None
        getitem_2: "f32[4, 6][6, 1]cpu" = _foreach_mul[0]
        getitem_3: "f32[3][1]cpu" = _foreach_mul[1];  _foreach_mul = None
        return (getitem_2, getitem_3)
