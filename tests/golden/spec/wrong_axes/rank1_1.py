class f(torch.nn.Module):
    def forward(self, x: "f32[2, 2]", w: "f32[2, 3]"):
        mm: "f32[2, 3]" = torch.ops.aten.mm.default(x, w)
        all_reduce: "f32[2, 3]" = torch.ops._c10d_functional.all_reduce.default(mm, 'sum', 'rows1')
        wait_tensor: "f32[2, 3]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait_tensor,)
