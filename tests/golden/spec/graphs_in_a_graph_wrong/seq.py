class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[3, 4]", L_w1_: "f32[4, 4]", L_w2_: "f32[4, 4]"):
        l_x_ = L_x_
        l_w1_ = L_w1_
        l_w2_ = L_w2_

         # File: model.py:20 in forward, code: return x + checkpoint(block, x, use_reentrant=False)
        wrap_body_0 = self.wrap_body_0
        tag_activation_checkpoint = torch.ops.higher_order.tag_activation_checkpoint(wrap_body_0, l_x_, l_w1_, l_w2_, use_reentrant = False);  wrap_body_0 = l_w1_ = l_w2_ = None
        getitem: "f32[3, 4]" = tag_activation_checkpoint[0];  tag_activation_checkpoint = None
        add: "f32[3, 4]" = l_x_ + getitem;  l_x_ = getitem = None
        return (add,)

    class wrap_body_0(torch.nn.Module):
        def forward(self, l_x_: "f32[3, 4]", l_w1_: "f32[4, 4]", l_w2_: "f32[4, 4]"):
             # File: model.py:12 in block, code: y = F.linear(F.gelu(F.linear(x, w1)), w2)
            linear: "f32[3, 4]" = torch._C._nn.linear(l_x_, l_w1_);  l_x_ = l_w1_ = None
            gelu: "f32[3, 4]" = torch._C._nn.gelu(linear);  linear = None
            linear_1: "f32[3, 4]" = torch._C._nn.linear(gelu, l_w2_);  gelu = l_w2_ = None

             # File: model.py:13 in block, code: return Reduce.apply(y, group)
            fwd_body_0 = self.fwd_body_0
            bwd_body_0 = self.bwd_body_0
            autograd_function_apply: "f32[3, 4]" = torch.ops.higher_order.autograd_function_apply(fwd_body_0, bwd_body_0, linear_1, args_tensor_mask = [True, False], non_differentiable_idx = []);  fwd_body_0 = bwd_body_0 = linear_1 = None
            return (autograd_function_apply,)

        class fwd_body_0(torch.nn.Module):
            def forward(self, ctx : torch.autograd.function.Function, x: "f32[3, 4]"):
                # No stacktrace found for following nodes
                _set_grad_enabled = torch._C._set_grad_enabled(False);  _set_grad_enabled = None

                 # File: model.py:5 in forward, code: return funcol.all_reduce(x, 'sum', group)
                wait_tensor: "f32[3, 4]" = x.view_as(x);  x = None
                _set_grad_enabled_1 = torch._C._set_grad_enabled(True);  _set_grad_enabled_1 = None
                return (wait_tensor, [])

        class bwd_body_0(torch.nn.Module):
            def forward(self, ctx : torch.autograd.function.Function, d: "f32[3, 4]"):
                return (d,)
