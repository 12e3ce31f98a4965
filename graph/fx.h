/* fx.h: reading PyTorch FX graphs as text.
 *
 * CONTRACT. Reads what GraphModule.print_readable() and TORCH_LOGS print
 * (aot_graphs, aot_joint_graph, Dynamo's graph_code) into an sp_program of one
 * rank. A node's op is the call target as written, without "torch.ops."
 * ("aten.mm.default", "_c10d_functional.all_reduce.default",
 * "torch._C._nn.linear", "operator.add", and "method.view" for x.view(...)).
 * Arguments: tensors become operands; the argument at position i is the
 * attribute "arg<i>", a keyword argument the attribute of its name:
 *   tensor -> OPERAND; list with tensors -> OPERANDS (-1 for None);
 *   int, bool -> INT; float (inf, nan too) -> FLOAT; list of ints -> INTS;
 *   string, dtype, device, layout, memory format -> TEXT as written (strings
 *   without quotes); None -> no attribute. A tuple is a list. Anything else,
 *   e.g. a symbolic size, is TEXT as written, for the operator table to refuse.
 * Results: the annotation; of tuple results what the getitem nodes say, with
 * dtype SP_DTYPE_INVALID where nothing does (getitem nodes vanish). Parameters
 * are the placeholders, in order, as op "fx:placeholder" with attr "index"; a
 * constant read from the module ("self._tensor_constant0") is a node without
 * operands, op "fx:get_attr", attr "name". Results are the elements of the
 * returned tuple in order, flattened; an element None has tensor number
 * SP_NO_TENSOR. In-place operators are made functional: later uses of the
 * written tensor, and of what views it, see the new value; where aliasing
 * cannot be followed SP_ERR_UNKNOWN is raised, never ignored.
 * Bad input raises SP_ERR_INPUT with line and column.
 */
#ifndef SP_GRAPH_FX_H
#define SP_GRAPH_FX_H

#include "graph/program.h"

#define SP_NO_TENSOR UINT32_MAX

const sp_program *sp_fx_read_text(sp_ctx *ctx, const char *file,
                                  const char *text, size_t n);
const sp_program *sp_fx_read_file(sp_ctx *ctx, const char *path);

#endif
