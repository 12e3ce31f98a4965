/* op_arith.h: arithmetic on two terms of the sort of dtype t; shared by the
 * front ends' rows. The rules stand at the top of op_arith.c.
 */
#ifndef SP_ENCODE_OP_ARITH_H
#define SP_ENCODE_OP_ARITH_H

#include "encode/op_util.h"

typedef sp_expr (*spi_arith_fn)(const sp_call *call, sp_expr a, sp_expr b,
                                sp_dtype t);

sp_expr spi_arith_add(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t);
sp_expr spi_arith_subtract(const sp_call *call, sp_expr a, sp_expr b,
                           sp_dtype t);
sp_expr spi_arith_multiply(const sp_call *call, sp_expr a, sp_expr b,
                           sp_dtype t);
sp_expr spi_arith_maximum(const sp_call *call, sp_expr a, sp_expr b,
                          sp_dtype t);
sp_expr spi_arith_minimum(const sp_call *call, sp_expr a, sp_expr b,
                          sp_dtype t);
sp_expr spi_arith_divide(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t);
sp_expr spi_arith_remainder(const sp_call *call, sp_expr a, sp_expr b,
                            sp_dtype t);
sp_expr spi_arith_power(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t);
sp_expr spi_arith_atan2(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t);
sp_expr spi_arith_and(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t);
sp_expr spi_arith_or(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t);
sp_expr spi_arith_xor(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t);
sp_expr spi_arith_shift_left(const sp_call *call, sp_expr a, sp_expr b,
                             sp_dtype t);
sp_expr spi_arith_shift_logical(const sp_call *call, sp_expr a, sp_expr b,
                                sp_dtype t);
sp_expr spi_arith_shift_arithmetic(const sp_call *call, sp_expr a, sp_expr b,
                                   sp_dtype t);
/* Rounded down; the remainder has the sign of b. */
sp_expr spi_arith_floor_divide(const sp_call *call, sp_expr a, sp_expr b,
                               sp_dtype t);
sp_expr spi_arith_floor_remainder(const sp_call *call, sp_expr a, sp_expr b,
                                  sp_dtype t);

#endif
