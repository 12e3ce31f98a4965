class f(torch.nn.Module):
    def forward(self, x: "f32[4, 6]"):
        neg: "f32[4, 6]" = torch.ops.aten.neg.default(x)
        return (neg,)
