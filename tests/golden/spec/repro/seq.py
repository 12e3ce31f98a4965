class f(torch.nn.Module):
    def forward(self, x: "f32[4, 6]", w: "f32[6, 8]"):
        y: "f32[4, 8]" = torch.ops.aten.mm.default(x, w)
        return (y,)
