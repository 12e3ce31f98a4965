class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[6, 4]", b: "f32[4]"):
        add: "f32[6, 4]" = torch.ops.aten.add.Tensor(x, b)
        mul: "f32[6, 4]" = torch.ops.aten.mul.Tensor(add, add)
        sum_1: "f32[4]" = torch.ops.aten.sum.dim_IntList(mul, [0])
        return (mul, sum_1)
