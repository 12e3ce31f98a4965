class m(torch.nn.Module):
    def forward(self, x: "i64[4]", y: "i64[4]"):
        return (x,)
