class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[8, 4]", b: "f32[4]"):
        add: "f32[8, 4]" = torch.ops.aten.add.Tensor(x, b)
        relu: "f32[8, 4]" = torch.ops.aten.relu.default(add)
        return (relu, x)
