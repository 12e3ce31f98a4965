class m(torch.nn.Module):
    def forward(self, x: "f32[2, 6]"):
        l: "f32[6]" = torch.ops.aten.sum.dim_IntList(x, [0])
        g: "f32[6]" = torch.ops._c10d_functional.all_reduce.default(l, 'sum', '0')
        w: "f32[6]" = torch.ops._c10d_functional.wait_tensor.default(g)
        return (w,)
