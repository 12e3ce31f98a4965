class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[2, 6]", L_w_ : "f32[6, 6]", s0: "Sym(s0)"):
        l_x_ = L_x_
        # No stacktrace found for following nodes
        y: "f32[2, 6]" = torch._C._nn.linear(l_x_, L_w_, None)
        v: "f32[2, 2, 3]" = y.view(2, -1, 3);  y = None
        n: "f32[2, 2, 3]" = -v
        p: "f32[2, 2, 3]" = 10000.0 ** n
        g: "f32[2, 1, 3]" = p[(Ellipsis, slice(0, None, 2), None)]
        h: "f32[6]" = self.layer(l_x_, key = [1.5, -inf])
        k: "f32[2]" = getattr(self.layers, "0").bias
        t: "f32[2]" = torch.softmax(k, dim = -1, dtype = torch.float32)
        return {'a': g, "b": (h, [t, None])}
