/* hash.h: values for inputs, made by hashing (seed, name, index): the same on
 * every machine and in any order. */
#ifndef SP_SOLVE_HASH_H
#define SP_SOLVE_HASH_H

#include "graph/program.h"

typedef enum sp_draw {
  SP_DRAW_SPREAD, /* reals roughly normal in [-2, 2], integers uniform */
  SP_DRAW_ENDS,   /* integers at both ends of the range and next to them */
  SP_DRAW_TIES,   /* few different values: multiples of a half, small ranges */
} sp_draw;

/* 64 random bits. */
uint64_t sp_hash_bits(uint64_t seed, const char *name, int64_t index);

/* A value of that type: integers with lo <= v < hi (lo >= hi: no range is
 * known, and a mixture of small ones is taken), booleans 0 or 1, reals that the
 * type holds exactly. */
double sp_hash_value(uint64_t seed, sp_draw draw, const char *name,
                     int64_t index, sp_dtype type, int64_t lo, int64_t hi);

#endif
