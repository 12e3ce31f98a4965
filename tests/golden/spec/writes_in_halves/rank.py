class G(torch.nn.Module):
    def forward(self, x: "f32[8]", i: "i64[6]", u: "f32[6]"):
        i1: "i64[3]" = torch.ops.aten.slice.Tensor(i, 0, 0, 3)
        i2: "i64[3]" = torch.ops.aten.slice.Tensor(i, 0, 3, 6)
        u1: "f32[3]" = torch.ops.aten.slice.Tensor(u, 0, 0, 3)
        u2: "f32[3]" = torch.ops.aten.slice.Tensor(u, 0, 3, 6)
        v: "f32[8]" = torch.ops.aten.index_put.default(x, [i2], u2)
        w: "f32[8]" = torch.ops.aten.index_put.default(v, [i1], u1)
        return (w,)
