/* support_rules.c: see support_rules.h. */
#include "tests/support_rules.h"

sp_prover *prover(bench *b) {
  sp_pool_mode(b->p, SP_MODE_RAW_INDEX);
  return sp_prover_new(b->p, b->s);
}

bool equal(sp_prover *pr, sp_expr a, sp_expr b) {
  return sp_prove_equal(pr, a, b, NONE);
}

sp_expr red1(bench *b, sp_red_op op, sp_expr k, sp_expr body) {
  return sp_red(b->p, op, 1, &k, body);
}

sp_expr red2(bench *b, sp_red_op op, sp_expr k, sp_expr m, sp_expr body) {
  return sp_red(b->p, op, 2, (sp_expr[]){k, m}, body);
}

sp_expr digits(bench *b, sp_expr a, int64_t c, sp_expr low) {
  return sp_iadd(b->p, sp_iscale(b->p, a, c), low);
}
