# group "2": along dp, ranks [1, 3]
# group "4": along tp, ranks [2, 3]
# up: {dp: Shard(1), tp: Shard(0)}
# down: {dp: Shard(0), tp: Shard(1)}
# out.0: output 0 of the model
# out.1: gradient of up
# out.2: gradient of down
class GraphModule(torch.nn.Module):
    def forward(self, up: "f32[8, 4]", x: "f32[4, 8]", down: "f32[4, 8]", target: "f32[4, 8]", grad_out0: "f32[]"):
         # File: fsdp.py:37 in gathered, code: return weight.redistribute(placements=[Replicate(), along_tp]).to_local(grad_placements=[gradient, along_tp])
        all_gather_into_tensor: "f32[16, 4]" = torch.ops._c10d_functional.all_gather_into_tensor.default(up, 2, '2');  up = None
        wait_tensor: "f32[16, 4]" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None
        split = torch.ops.aten.split.Tensor(wait_tensor, 8);  wait_tensor = None
        getitem: "f32[8, 4]" = split[0]
        getitem_1: "f32[8, 4]" = split[1];  split = None
        cat: "f32[8, 8]" = torch.ops.aten.cat.default([getitem, getitem_1], 1);  getitem = getitem_1 = None
        view: "f32[8, 8]" = torch.ops.aten.view.default(cat, [8, 8]);  cat = None

         # File: fsdp.py:47 in forward, code: hidden = F.gelu(F.linear(x, self.gathered(self.up, Shard(0))))
        t: "f32[8, 8]" = torch.ops.aten.t.default(view);  view = None
        mm: "f32[4, 8]" = torch.ops.aten.mm.default(x, t);  t = None
        gelu: "f32[4, 8]" = torch.ops.aten.gelu.default(mm)

         # File: fsdp.py:37 in gathered, code: return weight.redistribute(placements=[Replicate(), along_tp]).to_local(grad_placements=[gradient, along_tp])
        all_gather_into_tensor_1: "f32[8, 8]" = torch.ops._c10d_functional.all_gather_into_tensor.default(down, 2, '2');  down = None
        wait_tensor_1: "f32[8, 8]" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_1);  all_gather_into_tensor_1 = None
        view_1: "f32[8, 8]" = torch.ops.aten.view.default(wait_tensor_1, [8, 8]);  wait_tensor_1 = None

         # File: fsdp.py:48 in forward, code: y = self.summed(F.linear(hidden, self.gathered(self.down, Shard(1))))
        t_1: "f32[8, 8]" = torch.ops.aten.t.default(view_1);  view_1 = None
        mm_1: "f32[4, 8]" = torch.ops.aten.mm.default(gelu, t_1)

         # File: fsdp.py:43 in summed, code: y = DTensor.from_local(y, self.mesh['tp'], [Partial()])
        view_2: "f32[4, 8]" = torch.ops.aten.view.default(mm_1, [4, 8]);  mm_1 = None

         # File: fsdp.py:44 in summed, code: return y.redistribute(placements=[Replicate()]).to_local()
        all_reduce: "f32[4, 8]" = torch.ops._c10d_functional.all_reduce.default(view_2, 'sum', '4');  view_2 = None
        wait_tensor_2: "f32[4, 8]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None
        view_3: "f32[4, 8]" = torch.ops.aten.view.default(wait_tensor_2, [4, 8]);  wait_tensor_2 = None

         # File: fsdp.py:49 in forward, code: return ((y - target)**2).mean()
        sub: "f32[4, 8]" = torch.ops.aten.sub.Tensor(view_3, target);  view_3 = target = None
        pow_1: "f32[4, 8]" = torch.ops.aten.pow.Tensor_Scalar(sub, 2)
        mean: "f32[]" = torch.ops.aten.mean.default(pow_1);  pow_1 = None
        expand: "f32[4, 8]" = torch.ops.aten.expand.default(grad_out0, [4, 8]);  grad_out0 = None
        div: "f32[4, 8]" = torch.ops.aten.div.Scalar(expand, 32);  expand = None
        pow_2: "f32[4, 8]" = torch.ops.aten.pow.Tensor_Scalar(sub, 1.0);  sub = None
        mul: "f32[4, 8]" = torch.ops.aten.mul.Scalar(pow_2, 2.0);  pow_2 = None
        mul_1: "f32[4, 8]" = torch.ops.aten.mul.Tensor(div, mul);  div = mul = None

         # File: fsdp.py:48 in forward, code: y = self.summed(F.linear(hidden, self.gathered(self.down, Shard(1))))
        t_2: "f32[8, 4]" = torch.ops.aten.t.default(mul_1)
        mm_2: "f32[8, 8]" = torch.ops.aten.mm.default(t_2, gelu);  t_2 = gelu = None
        t_3: "f32[8, 8]" = torch.ops.aten.t.default(mm_2);  mm_2 = None
        t_4: "f32[8, 8]" = torch.ops.aten.t.default(t_1);  t_1 = None
        mm_3: "f32[4, 8]" = torch.ops.aten.mm.default(mul_1, t_4);  mul_1 = t_4 = None
        t_5: "f32[8, 8]" = torch.ops.aten.t.default(t_3);  t_3 = None

         # File: fsdp.py:37 in gathered, code: return weight.redistribute(placements=[Replicate(), along_tp]).to_local(grad_placements=[gradient, along_tp])
        reduce_scatter_tensor: "f32[4, 8]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(t_5, 'avg', 2, '2');  t_5 = None
        wait_tensor_3: "f32[4, 8]" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor);  reduce_scatter_tensor = None

         # File: fsdp.py:47 in forward, code: hidden = F.gelu(F.linear(x, self.gathered(self.up, Shard(0))))
        gelu_backward: "f32[4, 8]" = torch.ops.aten.gelu_backward.default(mm_3, mm);  mm_3 = mm = None
        t_6: "f32[8, 4]" = torch.ops.aten.t.default(gelu_backward);  gelu_backward = None
        mm_4: "f32[8, 8]" = torch.ops.aten.mm.default(t_6, x);  t_6 = x = None
        t_7: "f32[8, 8]" = torch.ops.aten.t.default(mm_4);  mm_4 = None
        t_8: "f32[8, 8]" = torch.ops.aten.t.default(t_7);  t_7 = None

         # File: fsdp.py:37 in gathered, code: return weight.redistribute(placements=[Replicate(), along_tp]).to_local(grad_placements=[gradient, along_tp])
        split_1 = torch.ops.aten.split.Tensor(t_8, 4, 1);  t_8 = None
        getitem_2: "f32[8, 4]" = split_1[0]
        getitem_3: "f32[8, 4]" = split_1[1];  split_1 = None
        cat_1: "f32[16, 4]" = torch.ops.aten.cat.default([getitem_2, getitem_3]);  getitem_2 = getitem_3 = None
        reduce_scatter_tensor_1: "f32[8, 4]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(cat_1, 'avg', 2, '2');  cat_1 = None
        wait_tensor_4: "f32[8, 4]" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor_1);  reduce_scatter_tensor_1 = None
        return [mean, wait_tensor_4, wait_tensor_3]
