class m(torch.nn.Module):
    def forward(self, x: "f32[8, 6]"):
        g: "f32[4, 6]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(x, 'avg', 2, '0')
        w: "f32[4, 6]" = torch.ops._c10d_functional.wait_tensor.default(g)
        return (w,)
