/* campaign_judge.h: what the library says of one case, and whether it may. */
#ifndef SP_TESTS_CAMPAIGN_JUDGE_H
#define SP_TESTS_CAMPAIGN_JUDGE_H

#include "tests/campaign.h"

typedef enum camp_finding {
  CAMP_PROVED,    /* right, and proved */
  CAMP_HARMLESS,  /* broken without harm, and proved */
  CAMP_FOUND,     /* broken, and a violation */
  CAMP_MISSED,    /* broken, and neither proved nor refuted */
  CAMP_UNDECIDED, /* broken without harm, and not proved */
  CAMP_UNPROVED,  /* right, and not proved */
  CAMP_SLOW,      /* no verdict in time */
  CAMP_TOGETHER,  /* proved, but not where each layer is by itself */
  /* Failures: */
  CAMP_WRONG_PROOF,     /* proved, but the programs differ */
  CAMP_WRONG_VIOLATION, /* a violation of what is right */
  CAMP_WRONG_WITNESS,   /* a violation whose witness we do not see */
  CAMP_REFUSED,         /* an error instead of a verdict */
  CAMP_CRASHED,
  CAMP_OWN_MISTAKE, /* not broken, but the programs differ: ours */
  CAMP_N_FINDINGS
} camp_finding;

const char *camp_finding_text(camp_finding f);
bool camp_is_failure(camp_finding f);

/* Makes a program smaller; nodes and results are those of the generated one. */
typedef struct camp_edit {
  enum {
    CAMP_DROP_RESULT, /* with this number among the results left */
    CAMP_CUT,         /* the node is a parameter */
    CAMP_BYPASS,      /* who uses the node uses its operand k */
  } kind;
  uint32_t at, k;
} camp_edit;

typedef struct camp_case {
  uint64_t seed;
  bool broken;
  uint32_t layers;
  SP_VEC(camp_edit) edits;
} camp_case;

/* One layer of the sequential program of a case, and all of it. */
camp_program *camp_case_layer(sp_ctx *ctx, const camp_case *c);
camp_program *camp_case_program(sp_ctx *ctx, const camp_case *c);

/* Plain data: it goes through a pipe. */
typedef struct camp_judgement {
  camp_finding finding;
  uint32_t nodes, dist_nodes, alike; /* tensors proved with another layer */
  double seconds;
  bool uneven, odd; /* of the mesh */
  char fault[40];
  char why[400]; /* the error, or the first tensor without a relation */
} camp_judgement;

/* ---- shrink.c ---- */

typedef camp_judgement (*camp_judge_fn)(void *user, const camp_case *c);

/* Adds edits to the case while the finding stays; returns the last
 * judgement. */
camp_judgement camp_shrink(sp_ctx *ctx, camp_case *c, camp_judgement was,
                           camp_judge_fn judge, void *user);

/* ---- judge.c ---- */

/* In this process; raises what the campaign's own code raises. Writes the pair
 * to dir, where that is not NULL. */
camp_judgement camp_judge(sp_ctx *ctx, const camp_case *c, const char *dir);

#endif
