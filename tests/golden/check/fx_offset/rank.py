class m(torch.nn.Module):
    def forward(self, x: "f32[2, 3]"):
        i: "i64[2]" = torch.ops.aten.arange.default(2)
        a: "i64[2]" = torch.ops.aten.add.Tensor(i, 0)
        f: "f32[2]" = torch.ops.aten._to_copy.default(a, dtype = torch.float32)
        u: "f32[2, 1]" = torch.ops.aten.unsqueeze.default(f, 1)
        y: "f32[2, 3]" = torch.ops.aten.mul.Tensor(x, u)
        return (y,)
