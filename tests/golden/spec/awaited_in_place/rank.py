class m(torch.nn.Module):
    def forward(self, x: "f32[1, 4]"):
        b: "f32[4]" = torch.ops.aten.squeeze.dim(x, 0)
        a: "f32[4]" = torch.ops._c10d_functional.all_reduce_.default(b, "sum", "0")
        q: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(a)
        z: "f32[1, 4]" = torch.ops.aten.mul.Tensor(x, 1)
        y: "f32[4]" = torch.ops.aten.squeeze.dim(z, 0)
        return (y,)
