class f(torch.nn.Module):
    def forward(self, x: "f32[2, 6]"):
        m: "f32[2, 6]" = torch.ops.aten.mul.Tensor(x, 2)
        y: "f32[2, 6]" = torch.ops.aten.add.Tensor(m, 2)
        return (y,)
