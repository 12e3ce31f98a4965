class m(torch.nn.Module):
    def forward(self, x: "f32[4, 3]", w: "f32[3, 5]"):
        y: "f32[4, 5]" = torch.ops.aten.mm.default(x, w)
        g: "f32[4, 5]" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
        v: "f32[4, 5]" = torch.ops._c10d_functional.wait_tensor.default(g)
        g2: "f32[4, 5]" = torch.ops._c10d_functional.all_reduce.default(v, 'sum', '0')
        v2: "f32[4, 5]" = torch.ops._c10d_functional.wait_tensor.default(g2)
        z: "f32[4, 5]" = torch.ops.aten.tanh.default(v2)
        return (z,)
