class m(torch.nn.Module):
    def forward(self, x: "f32[8]"):
        i: "i64[8]" = torch.ops.aten.arange.default(8)
        f: "f32[8]" = torch.ops.aten._to_copy.default(i, dtype = torch.float32)
        p: "f32[8]" = torch.ops.aten.mul.Tensor(x, f)
        y: "f32[]" = torch.ops.aten.sum.default(p)
        return (y,)
