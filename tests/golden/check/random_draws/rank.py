class m(torch.nn.Module):
    def forward(self, x: "f32[4, 4]"):
        d = torch.ops.aten.native_dropout.default(x, 0.25, True)
        y: "f32[4, 4]" = d[0]
        return (y,)
