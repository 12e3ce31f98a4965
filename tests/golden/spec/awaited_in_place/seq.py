class m(torch.nn.Module):
    def forward(self, x: "f32[2, 4]"):
        y: "f32[4]" = torch.ops.aten.sum.dim_IntList(x, [0])
        return (y,)
