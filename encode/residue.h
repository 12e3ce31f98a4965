/* residue.h: inside encode/: integer terms of a formula as sums: between what
 * numbers they lie, and what of them counts modulo c.
 *
 * CONTRACT. What is said here holds wherever all that was asserted of the
 * terms below it holds; nothing is asserted here. Bounds are those of interval
 * arithmetic. Sums are multiplied out; a rest m = x mod d is put back as
 * x - d*q where that makes the sum shorter or d is a multiple of c (its
 * coefficient taken into account): equal sums then look alike, whatever digits
 * they were made of.
 */
#ifndef SP_ENCODE_RESIDUE_H
#define SP_ENCODE_RESIDUE_H

#include "encode/formula.h"

typedef struct spi_residues spi_residues;
/* INT64_MIN and INT64_MAX: no bound */
typedef struct spi_bounds {
  int64_t lo, hi;
} spi_bounds;

spi_residues *spi_residues_new(sp_ctx *ctx);
void spi_residues_begin(spi_residues *r, sp_formula *f);
/* The constant t is asserted to lie within these bounds. */
void spi_residues_within(spi_residues *r, sp_smt t, spi_bounds b);
/* The constant t is asserted to be x - c*quotient. */
void spi_residues_rest(spi_residues *r, sp_smt t, sp_smt x, int64_t c,
                       sp_smt quotient);
spi_bounds spi_residues_bounds(spi_residues *r, sp_smt t);
/* x = c * multiple + rest, where coefficients of the rest are the ones nearest
 * to 0; false where the multiple would be 0, or numbers would be too large. */
bool spi_residues_split(spi_residues *r, sp_smt x, int64_t c, sp_smt *multiple,
                        sp_smt *rest);

#endif
