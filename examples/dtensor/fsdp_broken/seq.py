# out.0: output 0 of the model
# out.1: gradient of up
# out.2: gradient of down
class GraphModule(torch.nn.Module):
    def forward(self, up: "f32[16, 8]", x: "f32[8, 8]", down: "f32[8, 16]", target: "f32[8, 8]", grad_out0: "f32[]"):
         # File: fsdp.py:47 in forward, code: hidden = F.gelu(F.linear(x, self.gathered(self.up, Shard(0))))
        t: "f32[8, 16]" = torch.ops.aten.t.default(up);  up = None
        mm: "f32[8, 16]" = torch.ops.aten.mm.default(x, t);  t = None
        gelu: "f32[8, 16]" = torch.ops.aten.gelu.default(mm)

         # File: fsdp.py:48 in forward, code: y = self.summed(F.linear(hidden, self.gathered(self.down, Shard(1))))
        t_1: "f32[16, 8]" = torch.ops.aten.t.default(down);  down = None
        mm_1: "f32[8, 8]" = torch.ops.aten.mm.default(gelu, t_1)

         # File: fsdp.py:49 in forward, code: return ((y - target)**2).mean()
        sub: "f32[8, 8]" = torch.ops.aten.sub.Tensor(mm_1, target);  mm_1 = target = None
        pow_1: "f32[8, 8]" = torch.ops.aten.pow.Tensor_Scalar(sub, 2)
        mean: "f32[]" = torch.ops.aten.mean.default(pow_1);  pow_1 = None
        expand: "f32[8, 8]" = torch.ops.aten.expand.default(grad_out0, [8, 8]);  grad_out0 = None
        div: "f32[8, 8]" = torch.ops.aten.div.Scalar(expand, 64);  expand = None
        pow_2: "f32[8, 8]" = torch.ops.aten.pow.Tensor_Scalar(sub, 1.0);  sub = None
        mul: "f32[8, 8]" = torch.ops.aten.mul.Scalar(pow_2, 2.0);  pow_2 = None
        mul_1: "f32[8, 8]" = torch.ops.aten.mul.Tensor(div, mul);  div = mul = None

         # File: fsdp.py:48 in forward, code: y = self.summed(F.linear(hidden, self.gathered(self.down, Shard(1))))
        t_2: "f32[8, 8]" = torch.ops.aten.t.default(mul_1)
        mm_2: "f32[8, 16]" = torch.ops.aten.mm.default(t_2, gelu);  t_2 = gelu = None
        t_3: "f32[16, 8]" = torch.ops.aten.t.default(mm_2);  mm_2 = None
        t_4: "f32[8, 16]" = torch.ops.aten.t.default(t_1);  t_1 = None
        mm_3: "f32[8, 16]" = torch.ops.aten.mm.default(mul_1, t_4);  mul_1 = t_4 = None
        t_5: "f32[8, 16]" = torch.ops.aten.t.default(t_3);  t_3 = None

         # File: fsdp.py:47 in forward, code: hidden = F.gelu(F.linear(x, self.gathered(self.up, Shard(0))))
        gelu_backward: "f32[8, 16]" = torch.ops.aten.gelu_backward.default(mm_3, mm);  mm_3 = mm = None
        t_6: "f32[16, 8]" = torch.ops.aten.t.default(gelu_backward);  gelu_backward = None
        mm_4: "f32[16, 8]" = torch.ops.aten.mm.default(t_6, x);  t_6 = x = None
        t_7: "f32[8, 16]" = torch.ops.aten.t.default(mm_4);  mm_4 = None
        t_8: "f32[16, 8]" = torch.ops.aten.t.default(t_7);  t_7 = None
        return [mean, t_8, t_5]
