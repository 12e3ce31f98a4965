class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 3, 2]", rm: "f32[3]", rv: "f32[3]"):
        # File: bn.py:4 in forward, code: mean = all_reduce(x.sum((0, 2))) / count
        sum_1: "f32[3]" = torch.ops.aten.sum.dim_IntList(x, [0, 2])
        all_reduce: "f32[3]" = torch.ops._c10d_functional.all_reduce.default(sum_1, 'sum', 'dp')
        wait: "f32[3]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        mean: "f32[3]" = torch.ops.aten.div.Tensor(wait, 16)
        # File: bn.py:5 in forward, code: var = all_reduce(((x - mean)**2).sum((0, 2))) / count
        unsqueeze: "f32[3, 1]" = torch.ops.aten.unsqueeze.default(mean, 1)
        sub: "f32[4, 3, 2]" = torch.ops.aten.sub.Tensor(x, unsqueeze)
        pow_1: "f32[4, 3, 2]" = torch.ops.aten.pow.Tensor_Scalar(sub, 2)
        sum_2: "f32[3]" = torch.ops.aten.sum.dim_IntList(pow_1, [0, 2])
        all_reduce_1: "f32[3]" = torch.ops._c10d_functional.all_reduce.default(sum_2, 'sum', 'dp')
        wait_1: "f32[3]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1)
        var: "f32[3]" = torch.ops.aten.div.Tensor(wait_1, 16)
        # File: bn.py:6 in forward, code: y = (x - mean) * rsqrt(var + eps)
        add: "f32[3]" = torch.ops.aten.add.Tensor(var, 1e-05)
        rsqrt: "f32[3]" = torch.ops.aten.rsqrt.default(add)
        unsqueeze_1: "f32[3, 1]" = torch.ops.aten.unsqueeze.default(rsqrt, 1)
        y: "f32[4, 3, 2]" = torch.ops.aten.mul.Tensor(sub, unsqueeze_1)
        # File: bn.py:8 in forward, code: running_mean = 0.9 * running_mean + 0.1 * mean
        mul_1: "f32[3]" = torch.ops.aten.mul.Tensor(rm, 0.9)
        mul_2: "f32[3]" = torch.ops.aten.mul.Tensor(mean, 0.1)
        new_mean: "f32[3]" = torch.ops.aten.add.Tensor(mul_1, mul_2)
        # File: bn.py:9 in forward, code: running_var = 0.9 * running_var + 0.1 * var * count / (count - 1)
        mul_3: "f32[3]" = torch.ops.aten.mul.Tensor(rv, 0.9)
        mul_4: "f32[3]" = torch.ops.aten.mul.Tensor(var, 0.1)
        new_var: "f32[3]" = torch.ops.aten.add.Tensor(mul_3, mul_4)
        return (y, new_mean, new_var)
