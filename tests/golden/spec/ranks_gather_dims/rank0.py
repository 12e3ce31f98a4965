class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 3]"):
        c = torch.ops.vllm.all_gather.default(x, 0, 2, 'ep')
        m: "f32[4, 3]" = torch.ops.aten.mul.Tensor(c, c)
        s: "f32[4, 3]" = torch.ops.aten.sub.Tensor(m, m)
        return (m,)
