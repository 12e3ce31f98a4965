def forward(self, t: "b8[4]"):
    add: "b8[4]" = torch.ops.aten.logical_or.default(t, t)
    return (add,)
