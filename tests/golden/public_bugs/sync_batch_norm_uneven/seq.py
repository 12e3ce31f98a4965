class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 4, 6, 5]", g: "f32[4]", b: "f32[4]"):
        norm = torch.ops.aten._native_batch_norm_legit.no_stats(x, g, b, True, 0.1, 1e-05)
        getitem: "f32[2, 4, 6, 5]" = norm[0]
        relu: "f32[2, 4, 6, 5]" = torch.ops.aten.relu.default(getitem)
        return (relu,)
