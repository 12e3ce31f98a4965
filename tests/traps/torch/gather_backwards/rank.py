class m(torch.nn.Module):
    def forward(self, x: "f32[4, 6]"):
        g: "f32[8, 6]" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
        w: "f32[8, 6]" = torch.ops._c10d_functional.wait_tensor.default(g)
        return (w,)
