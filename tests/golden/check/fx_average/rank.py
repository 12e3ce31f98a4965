class m(torch.nn.Module):
    def forward(self, x: "f32[4, 3]", w: "f32[3, 5]"):
        y: "f32[4, 5]" = torch.ops.aten.mm.default(x, w)
        g: "f32[4, 5]" = torch.ops._c10d_functional.all_reduce.default(y, 'avg', '0')
        v: "f32[4, 5]" = torch.ops._c10d_functional.wait_tensor.default(g)
        z: "f32[4, 5]" = torch.ops.aten.tanh.default(v)
        return (z,)
