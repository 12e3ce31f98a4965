class m(torch.nn.Module):
    def forward(self, x: "i64[4]", y: "i64[4]"):
        a: "i8[4]" = torch.ops.aten._to_copy.default(x, dtype = torch.int8)
        b: "i64[4]" = torch.ops.aten._to_copy.default(a, dtype = torch.int64)
        return (b,)
