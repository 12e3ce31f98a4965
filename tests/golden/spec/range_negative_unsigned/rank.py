def forward(self, t: "u8[4]"):
    add: "u8[4]" = torch.ops.aten.add.Tensor(t, t)
    return (add,)
