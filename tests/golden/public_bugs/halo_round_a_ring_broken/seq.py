class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 3, 8]", w: "f32[4, 3, 3]"):
        # File: halo.py:4 in forward, code: y = F.conv1d(x, w, padding=1)
        convolution: "f32[2, 4, 8]" = torch.ops.aten.convolution.default(x, w, None, [1], [1], [1], False, [0], 1)
        return (convolution,)
