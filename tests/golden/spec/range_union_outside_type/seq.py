def forward(self, t: "u8[8]"):
    add: "u8[8]" = torch.ops.aten.add.Tensor(t, t)
    return (add,)
