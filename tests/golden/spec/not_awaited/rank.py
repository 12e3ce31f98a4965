class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[8, 16]", w: "f32[16, 12]"):
        # File: model.py:10 in forward, code: return torch.relu(x @ w)
        mm: "f32[8, 12]" = torch.ops.aten.mm.default(x, w)
        # File: model.py:11 in forward, code: all_reduce
        ar: "f32[8, 12]" = torch.ops._c10d_functional.all_reduce.default(mm, 'sum', '0')
        relu: "f32[8, 12]" = torch.ops.aten.relu.default(ar)
        return (relu,)
