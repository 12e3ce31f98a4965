class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 3]"):
        c = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, 'ep')
        m: "f32[3, 3]" = torch.ops.aten.mul.Tensor(c, c)
        return (m,)
