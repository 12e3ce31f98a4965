/* spec_i.h: shared by the readers of parts of a spec: placements.c (inputs,
 * outputs, cuts), parts.c (mesh, groups, constants, ranges), operators.c
 * (meanings). Inside shard-specs/ only. */
#ifndef SP_SPECS_SPEC_I_H
#define SP_SPECS_SPEC_I_H

#include "base/vec.h"
#include "shard-specs/spec.h"

/* ---- parts.c ---- */
void spi_read_mesh(sp_ctx *ctx, sp_spec *spec, const sp_yaml *node);
void spi_read_groups(sp_ctx *ctx, sp_spec *spec, const sp_yaml *node);
void spi_read_constants(sp_ctx *ctx, sp_spec *spec, const sp_yaml *node);
void spi_read_ranges(sp_ctx *ctx, sp_spec *spec, const sp_yaml *node);
/* The axis of that name, or n_axes. */
uint32_t spi_axis_find(const sp_spec *spec, const char *name);
/* "tp, dp" for hints */
const char *spi_axis_names(sp_ctx *ctx, const sp_spec *spec);

/* ---- placements.c ---- */
sp_spec_places spi_read_places(sp_ctx *ctx, const sp_spec *spec,
                               const sp_yaml *key, const sp_yaml *node);

/* ---- operators.c ---- */
typedef SP_VEC(const sp_meaning *) spi_meanings;
void spi_read_operators(sp_ctx *ctx, const sp_yaml *node, spi_meanings *out);

#endif
