class m(torch.nn.Module):
    def forward(self, x: "i64[4]", y: "i64[4]"):
        m: "b8[4]" = torch.ops.aten.gt.Scalar(x, 0)
        n: "b8[4]" = torch.ops.aten.gt.Scalar(y, 0)
        c: "i64[4]" = torch.ops.aten._to_copy.default(m, dtype = torch.int64)
        d: "i64[4]" = torch.ops.aten._to_copy.default(n, dtype = torch.int64)
        e: "i64[4]" = torch.ops.aten.add.Tensor(c, d)
        return (e,)
