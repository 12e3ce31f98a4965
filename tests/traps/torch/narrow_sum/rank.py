class m(torch.nn.Module):
    def forward(self, x: "i64[4]", y: "i64[4]"):
        a: "u8[4]" = torch.ops.aten._to_copy.default(x, dtype = torch.uint8)
        c: "i64[4]" = torch.ops.aten._to_copy.default(a, dtype = torch.int64)
        d: "i64[]" = torch.ops.aten.sum.default(c)
        return (d,)
