/* named.h: values of functions that a tape knows by name only. Inside solve/.
 *
 * Those of the operator table (sp_op_function) and of sp_eval; and functions
 * that are values nobody knows but that depend on nothing but their arguments:
 * `empty` (junk) and random draws (dropout), made by hashing.
 */
#ifndef SP_SOLVE_NAMED_H
#define SP_SOLVE_NAMED_H

#include "encode/op.h"

enum { SPI_NAMED_ARGS = SP_MAX_DIMS + 1 };

/* False: unknown, or undefined there. n <= SPI_NAMED_ARGS. Needs no pool. */
/* "opaque:NAME": a function of which nothing is known. */
bool spi_is_made_up(const char *name);
/* Random numbers: "dropout:P", "rng-bits:...". */
bool spi_is_drawn(const char *name);

bool spi_named_value(const char *name, uint32_t n, const sp_value *args,
                     sp_sort sort, sp_value *out);

#endif
