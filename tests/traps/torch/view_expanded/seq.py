class m(torch.nn.Module):
    def forward(self, x: "f32[4, 6]", y: "f32[4, 6]"):
        return (y,)
