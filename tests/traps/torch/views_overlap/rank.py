class m(torch.nn.Module):
    def forward(self, x: "f32[4, 6]", y: "f32[4, 6]"):
        s: "f32[4, 4]" = torch.ops.aten.slice.Tensor(x, 1, 0, 4)
        t: "f32[4, 4]" = torch.ops.aten.slice.Tensor(x, 1, 2, 6)
        u: "f32[4, 4]" = torch.ops.aten.add_.Tensor(s, 1.0)
        v: "f32[4, 4]" = torch.ops.aten.add_.Tensor(t, 1.0)
        return (x,)
