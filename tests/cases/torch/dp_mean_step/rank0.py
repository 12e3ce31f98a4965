class ddp(torch.nn.Module):
    def forward(self, x_1: "f32[4, 8][8, 1]cpu", t_1: "f32[4, 8][8, 1]cpu", g_1: "f32[8][1]cpu", bb_1: "f32[8][1]cpu", w1_1: "f32[16, 8][8, 1]cpu", c1_1: "f32[16][1]cpu", w2_1: "f32[8, 16][16, 1]cpu", g3_1: "f32[8][1]cpu", b3_1: "f32[8][1]cpu"):
         # File: step.py:20 in ddp, code: l,gr=grads(f,(g,bb,w1,c1,w2,g3,b3))
        detach: "f32[8][1]cpu" = torch.ops.aten.detach.default(g_1);  g_1 = None
        detach_1: "f32[8][1]cpu" = torch.ops.aten.detach.default(detach);  detach = None
        detach_2: "f32[8][1]cpu" = torch.ops.aten.detach.default(bb_1);  bb_1 = None
        detach_3: "f32[8][1]cpu" = torch.ops.aten.detach.default(detach_2);  detach_2 = None
        detach_4: "f32[16, 8][8, 1]cpu" = torch.ops.aten.detach.default(w1_1);  w1_1 = None
        detach_5: "f32[16, 8][8, 1]cpu" = torch.ops.aten.detach.default(detach_4);  detach_4 = None
        detach_6: "f32[16][1]cpu" = torch.ops.aten.detach.default(c1_1);  c1_1 = None
        detach_7: "f32[16][1]cpu" = torch.ops.aten.detach.default(detach_6);  detach_6 = None
        detach_8: "f32[8, 16][16, 1]cpu" = torch.ops.aten.detach.default(w2_1);  w2_1 = None
        detach_9: "f32[8, 16][16, 1]cpu" = torch.ops.aten.detach.default(detach_8);  detach_8 = None
        detach_10: "f32[8][1]cpu" = torch.ops.aten.detach.default(g3_1);  g3_1 = None
        detach_11: "f32[8][1]cpu" = torch.ops.aten.detach.default(detach_10);  detach_10 = None
        detach_12: "f32[8][1]cpu" = torch.ops.aten.detach.default(b3_1);  b3_1 = None
        detach_13: "f32[8][1]cpu" = torch.ops.aten.detach.default(detach_12);  detach_12 = None

         # File: step.py:17 in f, code: h=x+F.linear(F.gelu(F.linear(F.layer_norm(x,(8,),g,bb),w1,c1)),w2)
        native_layer_norm = torch.ops.aten.native_layer_norm.default(x_1, [8], detach_1, detach_3, 1e-05)
        getitem: "f32[4, 8][8, 1]cpu" = native_layer_norm[0]
        getitem_1: "f32[4, 1][1, 1]cpu" = native_layer_norm[1]
        getitem_2: "f32[4, 1][1, 1]cpu" = native_layer_norm[2];  native_layer_norm = None
        t: "f32[8, 16][1, 8]cpu" = torch.ops.aten.t.default(detach_5)
        addmm: "f32[4, 16][16, 1]cpu" = torch.ops.aten.addmm.default(detach_7, getitem, t)
        gelu: "f32[4, 16][16, 1]cpu" = torch.ops.aten.gelu.default(addmm)
        t_2: "f32[16, 8][1, 16]cpu" = torch.ops.aten.t.default(detach_9)
        mm: "f32[4, 8][8, 1]cpu" = torch.ops.aten.mm.default(gelu, t_2)
        add: "f32[4, 8][8, 1]cpu" = torch.ops.aten.add.Tensor(x_1, mm);  mm = None

         # File: step.py:18 in f, code: h=h+F.linear(F.gelu(F.linear(F.layer_norm(h,(8,),g3,b3),w1,c1)),w2)
        native_layer_norm_1 = torch.ops.aten.native_layer_norm.default(add, [8], detach_11, detach_13, 1e-05)
        getitem_3: "f32[4, 8][8, 1]cpu" = native_layer_norm_1[0]
        getitem_4: "f32[4, 1][1, 1]cpu" = native_layer_norm_1[1]
        getitem_5: "f32[4, 1][1, 1]cpu" = native_layer_norm_1[2];  native_layer_norm_1 = None
        t_3: "f32[8, 16][1, 8]cpu" = torch.ops.aten.t.default(detach_5);  detach_5 = None
        addmm_1: "f32[4, 16][16, 1]cpu" = torch.ops.aten.addmm.default(detach_7, getitem_3, t_3);  detach_7 = None
        gelu_1: "f32[4, 16][16, 1]cpu" = torch.ops.aten.gelu.default(addmm_1)
        t_4: "f32[16, 8][1, 16]cpu" = torch.ops.aten.t.default(detach_9);  detach_9 = None
        mm_1: "f32[4, 8][8, 1]cpu" = torch.ops.aten.mm.default(gelu_1, t_4)
        add_1: "f32[4, 8][8, 1]cpu" = torch.ops.aten.add.Tensor(add, mm_1);  mm_1 = None

         # File: step.py:19 in f, code: return F.mse_loss(h,t)
        mse_loss: "f32[][]cpu" = torch.ops.aten.mse_loss.default(add_1, t_1)

         # File: step.py:20 in ddp, code: l,gr=grads(f,(g,bb,w1,c1,w2,g3,b3))
        ones_like: "f32[][]cpu" = torch.ops.aten.ones_like.default(mse_loss, pin_memory = False, memory_format = torch.preserve_format)
        mse_loss_backward: "f32[4, 8][8, 1]cpu" = torch.ops.aten.mse_loss_backward.default(ones_like, add_1, t_1, 1);  ones_like = add_1 = t_1 = None
        t_5: "f32[8, 4][1, 8]cpu" = torch.ops.aten.t.default(mse_loss_backward)
        mm_2: "f32[8, 16][16, 1]cpu" = torch.ops.aten.mm.default(t_5, gelu_1);  t_5 = gelu_1 = None
        t_6: "f32[16, 8][1, 16]cpu" = torch.ops.aten.t.default(mm_2);  mm_2 = None
        t_7: "f32[8, 16][16, 1]cpu" = torch.ops.aten.t.default(t_4);  t_4 = None
        mm_3: "f32[4, 16][16, 1]cpu" = torch.ops.aten.mm.default(mse_loss_backward, t_7);  t_7 = None
        t_8: "f32[8, 16][16, 1]cpu" = torch.ops.aten.t.default(t_6);  t_6 = None
        gelu_backward: "f32[4, 16][16, 1]cpu" = torch.ops.aten.gelu_backward.default(mm_3, addmm_1);  mm_3 = addmm_1 = None
        t_9: "f32[16, 8][8, 1]cpu" = torch.ops.aten.t.default(t_3);  t_3 = None
        mm_4: "f32[4, 8][8, 1]cpu" = torch.ops.aten.mm.default(gelu_backward, t_9);  t_9 = None
        t_10: "f32[16, 4][1, 16]cpu" = torch.ops.aten.t.default(gelu_backward)
        mm_5: "f32[16, 8][8, 1]cpu" = torch.ops.aten.mm.default(t_10, getitem_3);  t_10 = getitem_3 = None
        t_11: "f32[8, 16][1, 8]cpu" = torch.ops.aten.t.default(mm_5);  mm_5 = None
        sum_1: "f32[1, 16][16, 1]cpu" = torch.ops.aten.sum.dim_IntList(gelu_backward, [0], True);  gelu_backward = None
        view: "f32[16][1]cpu" = torch.ops.aten.view.default(sum_1, [16]);  sum_1 = None
        t_12: "f32[16, 8][8, 1]cpu" = torch.ops.aten.t.default(t_11);  t_11 = None
        native_layer_norm_backward = torch.ops.aten.native_layer_norm_backward.default(mm_4, add, [8], getitem_4, getitem_5, detach_11, detach_13, [True, True, True]);  mm_4 = add = getitem_4 = getitem_5 = detach_11 = detach_13 = None
        getitem_6: "f32[4, 8][8, 1]cpu" = native_layer_norm_backward[0]
        getitem_7: "f32[8][1]cpu" = native_layer_norm_backward[1]
        getitem_8: "f32[8][1]cpu" = native_layer_norm_backward[2];  native_layer_norm_backward = None
        add_2: "f32[4, 8][8, 1]cpu" = torch.ops.aten.add.Tensor(mse_loss_backward, getitem_6);  mse_loss_backward = getitem_6 = None
        t_13: "f32[8, 4][1, 8]cpu" = torch.ops.aten.t.default(add_2)
        mm_6: "f32[8, 16][16, 1]cpu" = torch.ops.aten.mm.default(t_13, gelu);  t_13 = gelu = None
        t_14: "f32[16, 8][1, 16]cpu" = torch.ops.aten.t.default(mm_6);  mm_6 = None
        t_15: "f32[8, 16][16, 1]cpu" = torch.ops.aten.t.default(t_2);  t_2 = None
        mm_7: "f32[4, 16][16, 1]cpu" = torch.ops.aten.mm.default(add_2, t_15);  add_2 = t_15 = None
        t_16: "f32[8, 16][16, 1]cpu" = torch.ops.aten.t.default(t_14);  t_14 = None
        add_3: "f32[8, 16][16, 1]cpu" = torch.ops.aten.add.Tensor(t_8, t_16);  t_8 = t_16 = None
        gelu_backward_1: "f32[4, 16][16, 1]cpu" = torch.ops.aten.gelu_backward.default(mm_7, addmm);  mm_7 = addmm = None
        t_17: "f32[16, 8][8, 1]cpu" = torch.ops.aten.t.default(t);  t = None
        mm_8: "f32[4, 8][8, 1]cpu" = torch.ops.aten.mm.default(gelu_backward_1, t_17);  t_17 = None
        t_18: "f32[16, 4][1, 16]cpu" = torch.ops.aten.t.default(gelu_backward_1)
        mm_9: "f32[16, 8][8, 1]cpu" = torch.ops.aten.mm.default(t_18, getitem);  t_18 = getitem = None
        t_19: "f32[8, 16][1, 8]cpu" = torch.ops.aten.t.default(mm_9);  mm_9 = None
        sum_2: "f32[1, 16][16, 1]cpu" = torch.ops.aten.sum.dim_IntList(gelu_backward_1, [0], True);  gelu_backward_1 = None
        view_1: "f32[16][1]cpu" = torch.ops.aten.view.default(sum_2, [16]);  sum_2 = None
        add_4: "f32[16][1]cpu" = torch.ops.aten.add.Tensor(view, view_1);  view = view_1 = None
        t_20: "f32[16, 8][8, 1]cpu" = torch.ops.aten.t.default(t_19);  t_19 = None
        add_5: "f32[16, 8][8, 1]cpu" = torch.ops.aten.add.Tensor(t_12, t_20);  t_12 = t_20 = None
        native_layer_norm_backward_1 = torch.ops.aten.native_layer_norm_backward.default(mm_8, x_1, [8], getitem_1, getitem_2, detach_1, detach_3, [False, True, True]);  mm_8 = x_1 = getitem_1 = getitem_2 = detach_1 = detach_3 = None
        getitem_10: "f32[8][1]cpu" = native_layer_norm_backward_1[1]
        getitem_11: "f32[8][1]cpu" = native_layer_norm_backward_1[2];  native_layer_norm_backward_1 = None

         # File: step.py:24 in ddp, code: return (all_reduce(c,l,'dp','avg'),*[all_reduce(c,q,'dp',o) for q,o in zip(gr,ops)])
        all_reduce: "f32[][]cpu" = torch.ops._c10d_functional.all_reduce.default(mse_loss, 'avg', '0');  mse_loss = None
        wait_tensor: "f32[][]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

         # File: step.py:24 in <listcomp>, code: return (all_reduce(c,l,'dp','avg'),*[all_reduce(c,q,'dp',o) for q,o in zip(gr,ops)])
        all_reduce_1: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(getitem_10, 'avg', '0');  getitem_10 = None
        wait_tensor_1: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1);  all_reduce_1 = None
        all_reduce_2: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(getitem_11, 'avg', '0');  getitem_11 = None
        wait_tensor_2: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_2);  all_reduce_2 = None
        all_reduce_3: "f32[16, 8][8, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(add_5, 'avg', '0');  add_5 = None
        wait_tensor_3: "f32[16, 8][8, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_3);  all_reduce_3 = None
        all_reduce_4: "f32[16][1]cpu" = torch.ops._c10d_functional.all_reduce.default(add_4, 'avg', '0');  add_4 = None
        wait_tensor_4: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_4);  all_reduce_4 = None
        all_reduce_5: "f32[8, 16][16, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(add_3, 'avg', '0');  add_3 = None
        wait_tensor_5: "f32[8, 16][16, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_5);  all_reduce_5 = None
        all_reduce_6: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(getitem_7, 'avg', '0');  getitem_7 = None
        wait_tensor_6: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_6);  all_reduce_6 = None
        all_reduce_7: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(getitem_8, 'avg', '0');  getitem_8 = None
        wait_tensor_7: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_7);  all_reduce_7 = None
        return (wait_tensor, wait_tensor_1, wait_tensor_2, wait_tensor_3, wait_tensor_4, wait_tensor_5, wait_tensor_6, wait_tensor_7)
