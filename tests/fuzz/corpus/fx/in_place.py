class f(torch.nn.Module):
    def forward(self, x: "f32[4, 6]", y: "f32[4, 6]"):
        t: "f32[6, 4]" = torch.ops.aten.t.default(x)
        s = torch.ops.aten.split.Tensor(t, 4, 0)
        g: "f32[4, 4]" = s[0]
        h: "f32[2, 4]" = s[1]
        w: "f32[2, 4]" = torch.ops.aten.mul_.Scalar(h, 2.0)
        x += y;  iadd: "f32[4, 6]" = x;  x = None
        y[(0, slice(None, 3, None))] = 1;  setitem = y
        v: "f32[24]" = y.view(-1)
        u: "f32[24]" = v.zero_()
        a: "f32[4, 6]" = torch.add(iadd, 1, out = y)
        _torchbind_obj0 = self._torchbind_obj0
        r = torch.ops.c10d.allgather_.default([[y]], [g], _torchbind_obj0)
        q = r[0]
        q_1 = q[0]
        z: "f32[4, 6]" = q_1[0]
        e: "f32[4, 6]" = torch.nn.functional.relu(iadd, inplace = True)
        return (z, a, t, g, e)
