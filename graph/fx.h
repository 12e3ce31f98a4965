/* fx.h: reading PyTorch FX graphs as text.
 *
 * CONTRACT. Reads what GraphModule.print_readable() and TORCH_LOGS print
 * (aot_graphs, aot_joint_graph, Dynamo's graph_code) into an sp_program of one
 * rank. A node's op is the call target as written, without "torch.ops.":
 *   "aten.mm.default", "torch._C._nn.linear", "_c10d_functional.all_reduce"
 *   "method.view"      x.view(...), with x as argument 0
 *   "operator.add"     x + y; "operator.getitem": x[...] of a tensor;
 *                      "operator.neg": -x
 *   "getattr.T"        x.T, with x as argument 0
 *   "fx:call_module"   self.layer(...), with attr "module" ("layer")
 *   "fx:placeholder"   an input, with attr "index"
 *   "fx:get_attr"      self._tensor_constant0, with attr "name"
 * Arguments: tensors become operands; the argument at position i is the
 * attribute "arg<i>", a keyword argument the attribute of its name:
 *   tensor -> OPERAND; list with tensors -> OPERANDS (-1 for None);
 *   int, bool -> INT; float (inf, nan too) -> FLOAT; list of ints -> INTS;
 *   string, dtype, device, layout, memory format -> TEXT as written (strings
 *   without quotes); None -> no attribute. A tuple is a list, but for indices:
 *   x[[0, 1]] has TEXT, as has x[True]. Anything else, e.g. slices, a symbolic
 *   size, a list of floats, is TEXT as written, for the operator table to take
 *   apart or refuse; tensors named in such a text are operands of the node
 *   after those of arguments before it. Of opaque objects (process groups of
 *   c10d) the TEXT is the name in the module, "_torchbind_obj0".
 * Shapes: the annotation. Of tuple results what the getitem nodes say, which
 * vanish. A result k is called like its getitem node, else "node#k". Where
 * nothing is said, and where a size is symbolic, dtype is SP_DTYPE_INVALID and
 * there are no dimensions. A constant without annotation takes the shape of a
 * lift_fresh_copy of it.
 * Results of the program: the elements of the returned tuple in order,
 * flattened; None and numbers are SP_NO_TENSOR.
 *
 * In-place operators are made functional: later uses of the written tensor,
 * and of what views it, see the new value; where aliasing cannot be followed
 * SP_ERR_UNKNOWN is raised. The node of x.add_(y) has the op of the functional
 * variant ("aten.add.Tensor"; "aten.zeros_like.default" for zero_,
 * "operator.add" for +=), that of an operator with out= the op without it.
 * "operator.setitem" is a function whose result is the new x; a c10d operator
 * keeps its name and has one result for each tensor that it writes. Nodes that
 * make a view again after a write, or carry a write to what is viewed, are
 * aten operators (view, slice_scatter, ...) or copies of the view's node, and
 * their names end in "'" and a number. What inputs and constants hold when the
 * program ends is not seen. Taken for granted: distinct inputs do not overlap;
 * an operator of another library than torch that returns something writes
 * nothing (one that returns nothing may have written all of its arguments).
 *
 * Bad input raises SP_ERR_INPUT with line and column.
 */
#ifndef SP_GRAPH_FX_H
#define SP_GRAPH_FX_H

#include "graph/program.h"

/* Does this look like text with an FX graph in it? No false alarm on HLO. */
bool sp_fx_looks_like(const char *text, size_t n);

/* The graph in the text; SP_ERR_INPUT where there are several. */
const sp_program *sp_fx_read_text(sp_ctx *ctx, const char *file,
                                  const char *text, size_t n);
/* A log may hold several graphs: how many, and number `which` of them. */
uint32_t sp_fx_count(sp_ctx *ctx, const char *file, const char *text, size_t n);
const sp_program *sp_fx_read_graph(sp_ctx *ctx, const char *file,
                                   const char *text, size_t n, uint32_t which);

/* "log.txt#2" is graph number 2 (from 0) of log.txt. */
const sp_program *sp_fx_read_file(sp_ctx *ctx, const char *path);

#endif
