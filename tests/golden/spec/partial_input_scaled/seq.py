class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[8, 4]", b: "f32[4]"):
        mul: "f32[8, 4]" = torch.ops.aten.mul.Tensor(x, b)
        return (mul,)
