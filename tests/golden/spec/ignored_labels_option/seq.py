class <lambda>(torch.nn.Module):
    def forward(self, z: "f32[2, 5, 16]", t: "i64[2, 5]"):
        detach: "f32[2, 5, 16]" = torch.ops.aten.detach.default(z)
        detach_1: "f32[2, 5, 16]" = torch.ops.aten.detach.default(detach)
        view: "f32[10, 16]" = torch.ops.aten.view.default(detach_1, [10, 16])
        view_1: "i64[10]" = torch.ops.aten.view.default(t, [10])
        _log_softmax: "f32[10, 16]" = torch.ops.aten._log_softmax.default(view, 1, False)
        detach_2: "f32[10, 16]" = torch.ops.aten.detach.default(_log_softmax)
        nll_loss_forward = torch.ops.aten.nll_loss_forward.default(_log_softmax, view_1, None, 1, -100)
        getitem: "f32[]" = nll_loss_forward[0]
        getitem_1: "f32[]" = nll_loss_forward[1]
        detach_3: "f32[]" = torch.ops.aten.detach.default(getitem)
        detach_4: "f32[]" = torch.ops.aten.detach.default(detach_3)
        ones_like: "f32[]" = torch.ops.aten.ones_like.default(getitem, pin_memory = False, memory_format = torch.preserve_format)
        nll_loss_backward: "f32[10, 16]" = torch.ops.aten.nll_loss_backward.default(ones_like, _log_softmax, view_1, None, 1, -100, getitem_1)
        detach_5: "f32[10, 16]" = torch.ops.aten.detach.default(detach_2)
        _log_softmax_backward_data: "f32[10, 16]" = torch.ops.aten._log_softmax_backward_data.default(nll_loss_backward, detach_5, 1, torch.float32)
        view_2: "f32[2, 5, 16]" = torch.ops.aten.view.default(_log_softmax_backward_data, [2, 5, 16])
        return (detach_4, view_2)
