class m(torch.nn.Module):
    def forward(self, x: "f32[6, 4]", w: "f32[4, 4]"):
        a: "f32[6, 4]" = torch.ops.mine.attend.default(x)
        y: "f32[6, 4]" = torch.ops.aten.mm.default(a, w)
        g: "f32[6, 4]" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
        z: "f32[6, 4]" = torch.ops._c10d_functional.wait_tensor.default(g)
        return (z,)
