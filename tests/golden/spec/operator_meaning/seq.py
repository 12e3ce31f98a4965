class f(torch.nn.Module):
    def forward(self, x: "f32[4, 6]"):
        y: "f32[4, 6]" = torch.ops.mine.double_plus.default(x, 2.0)
        return (y,)
