class m(torch.nn.Module):
    def forward(self, x: "f32[4, 6]"):
        g: "f32[4, 6]" = torch.ops._c10d_functional.all_to_all_single.default(x, [2, 2], [2, 2], '0')
        w: "f32[4, 6]" = torch.ops._c10d_functional.wait_tensor.default(g)
        h: "f32[4, 6]" = torch.ops._c10d_functional.all_to_all_single.default(w, [2, 2], [2, 2], '0')
        v: "f32[4, 6]" = torch.ops._c10d_functional.wait_tensor.default(h)
        return (v,)
