class m(torch.nn.Module):
    def forward(self, x: "i64[4]", y: "i64[4]"):
        m: "b8[4]" = torch.ops.aten.gt.Scalar(x, 0)
        n: "b8[4]" = torch.ops.aten.gt.Scalar(y, 0)
        b: "b8[4]" = torch.ops.aten.add.Tensor(m, n)
        c: "i64[4]" = torch.ops.aten._to_copy.default(b, dtype = torch.int64)
        return (c,)
