class f(torch.nn.Module):
    def forward(self, x: "bf16[4, 3]", w: "bf16[3, 8]"):
        mm: "bf16[4, 8]" = torch.ops.aten.mm.default(x, w)
        all_reduce: "bf16[4, 8]" = torch.ops._c10d_functional.all_reduce.default(mm, 'sum', '5')
        wait_tensor: "bf16[4, 8]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait_tensor,)
