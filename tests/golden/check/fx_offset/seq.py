class m(torch.nn.Module):
    def forward(self, x: "f32[8, 3]"):
        i: "i64[8]" = torch.ops.aten.arange.default(8)
        a: "i64[8]" = torch.ops.aten.add.Tensor(i, 0)
        f: "f32[8]" = torch.ops.aten._to_copy.default(a, dtype = torch.float32)
        u: "f32[8, 1]" = torch.ops.aten.unsqueeze.default(f, 1)
        y: "f32[8, 3]" = torch.ops.aten.mul.Tensor(x, u)
        return (y,)
