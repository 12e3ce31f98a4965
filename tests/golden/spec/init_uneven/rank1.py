class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[3, 8]", w: "f32[8, 6]"):
        mm: "f32[3, 6]" = torch.ops.aten.mm.default(x, w)
        relu: "f32[3, 6]" = torch.ops.aten.relu.default(mm)
        return (relu,)
