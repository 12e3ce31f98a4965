class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[6, 10]", w1: "f32[10, 8]", w2: "f32[8, 4]"):
        mm: "f32[6, 8]" = torch.ops.aten.mm.default(x, w1)
        relu: "f32[6, 8]" = torch.ops.aten.relu.default(mm)
        mm_1: "f32[6, 4]" = torch.ops.aten.mm.default(relu, w2)
        sum_1: "f32[]" = torch.ops.aten.sum.default(mm_1)
        return (mm_1, sum_1)
