class m(torch.nn.Module):
    def forward(self, x: "f32[3, 6]", i: "i64[3, 6]"):
        c: "b8[3, 6]" = torch.ops.aten.le.Scalar(i, 3)
        y: "f32[3, 6]" = torch.ops.aten.masked_fill.Scalar(x, c, 0.0)
        return (y,)
