/* support_hlo.h: for tests that read HLO from a string. Readers return NULL
 * after printing the error; expectations are CUnit assertions. */
#ifndef SP_TESTS_SUPPORT_HLO_H
#define SP_TESTS_SUPPORT_HLO_H

#include "graph/hlo.h"
#include "solve/check.h"

typedef struct hlo_job {
  const char *text;
  size_t n;
  const sp_program *program;
} hlo_job;

/* For sp_protect with an hlo_job; the file is called "t.hlo". */
void hlo_job_run(sp_ctx *ctx, void *arg);

const sp_program *hlo_read(sp_ctx *ctx, const char *text);
/* The body of an ENTRY computation becomes a module. */
const sp_program *hlo_read_body(sp_ctx *ctx, const char *body);

/* Two versions of one program, by their proof alone. */
sp_verdict hlo_identity(const char *before, const char *after);

const sp_node *hlo_node(const sp_program *p, const char *name);
const sp_attr *hlo_attr(const sp_program *p, const char *node,
                        const char *name);
bool hlo_ints_are(const sp_attr *a, size_t n, const int64_t *want);

/* "op(x, y) op(z)": the program's nodes, parameters left out. */
void hlo_expect_nodes(const sp_program *p, const char *want);

/* SP_ERR_INPUT at that place (column 0: any) with that part of a message. */
void hlo_expect_error(const char *text, size_t n, uint32_t line,
                      uint32_t column, const char *message);
/* The body begins on line 3. */
void hlo_expect_body_error(const char *body, uint32_t line, uint32_t column,
                           const char *message);

#endif
