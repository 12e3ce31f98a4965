class GraphModule(torch.nn.Module):
    def forward(self, y: "f32[2, 3]"):
        c = torch.ops.vllm.all_gather.default(y, 1, 2, 'ep')
        m: "f32[4, 3]" = torch.ops.aten.mul.Tensor(c, c)
        return (m,)
