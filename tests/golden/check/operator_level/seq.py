class m(torch.nn.Module):
    def forward(self, x: "f32[6, 8]", w: "f32[8, 4]"):
        a: "f32[6, 8]" = torch.ops.mine.attend.default(x)
        y: "f32[6, 4]" = torch.ops.aten.mm.default(a, w)
        return (y,)
