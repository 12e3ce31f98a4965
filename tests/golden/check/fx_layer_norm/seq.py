class m(torch.nn.Module):
    def forward(self, x: "f32[4, 64]", w: "f32[64]", b: "f32[64]"):
        n = torch.ops.aten.native_layer_norm.default(x, [64], w, b, 1e-05)
        y: "f32[4, 64]" = n[0]
        return (y,)
