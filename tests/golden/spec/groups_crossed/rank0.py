class m(torch.nn.Module):
    def forward(self, x: "f32[2, 3]", y: "f32[2, 3]"):
        a0: "f32[2, 3]" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', 'g')
        a: "f32[2, 3]" = torch.ops._c10d_functional.wait_tensor.default(a0)
        b0: "f32[2, 3]" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', 'h')
        b: "f32[2, 3]" = torch.ops._c10d_functional.wait_tensor.default(b0)
        return (a, b)
