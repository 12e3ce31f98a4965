/* campaign.c: the random campaign. Read main, at the end.
 *
 *   campaign --seed S --count N [--broken | --right] [--shrink] [--keep DIR]
 *            [--unproved] [--limit SECONDS] [--jobs J] [--share PERCENT]
 *            [--verbose]
 *            [--layers N]
 *
 * Program i has seed S + i; odd ones are broken. Some are a shorter program two
 * or three times (campaign_layers.c); with --layers all are N times. Each is
 * judged in a process of its own, so that a crash or an endless proof is a
 * finding and no more. Failures (campaign_judge.h) are written to DIR, shrunk
 * where asked; with
 * --unproved also right programs that were not proved. Exit code 1: a failure,
 * or more than PERCENT (5) of the right programs are not proved.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/campaign_judge.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 16, MAX_LAYERS = 8, MEMORY_MB = 2000, PROGRESS = 500 };

typedef struct options {
  uint64_t seed, count;
  unsigned limit, jobs, share, layers;
  bool shrink, verbose, only_broken, only_right, unproved;
  const char *keep;
} options;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- one case, in a process of its own ---- */

typedef struct child_job {
  const camp_case *c;
  const char *dir;
  camp_judgement out;
} child_job;

static void judge(sp_ctx *ctx, void *arg) {
  child_job *j = arg;
  j->out = camp_judge(ctx, j->c, j->dir);
}

static void child(const camp_case *c, const char *dir, unsigned limit,
                  int pipe_end) {
  /* Of the processor's time, so that a busy machine changes nothing; the
   * clock's only where nothing goes on at all. */
  struct rlimit seconds = {limit, limit + 1};
  setrlimit(RLIMIT_CPU, &seconds);
  alarm(10 * limit);
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_ctx_set_limit(ctx, (size_t)MEMORY_MB << 20);
  child_job j = {.c = c, .dir = dir};
  double start = now();
  if (sp_protect(ctx, judge, &j) != SP_OK) {
    const sp_error *e = sp_ctx_error(ctx);
    j.out.finding = e->code == SP_ERR_MEMORY ? CAMP_SLOW : CAMP_CRASHED;
    snprintf(j.out.why, sizeof j.out.why, "%.390s", e->message);
  }
  j.out.seconds = now() - start;
  sp_ctx_free(ctx);
  ssize_t written = write(pipe_end, &j.out, sizeof j.out);
  _exit(written == (ssize_t)sizeof j.out ? 0 : 1);
}

typedef struct worker {
  pid_t pid;
  int pipe_end;
  camp_case c;
} worker;

static bool start(worker *w, const char *dir, unsigned limit) {
  int ends[2];
  if (pipe(ends) != 0) {
    return false;
  }
  fflush(NULL);
  w->pid = fork();
  if (w->pid == 0) {
    close(ends[0]);
    child(&w->c, dir, limit, ends[1]);
  }
  close(ends[1]);
  w->pipe_end = ends[0];
  return w->pid > 0;
}

static camp_judgement finish(worker *w, unsigned limit) {
  camp_judgement j = {.finding = CAMP_CRASHED};
  int status = 0;
  bool got = read(w->pipe_end, &j, sizeof j) == (ssize_t)sizeof j;
  close(w->pipe_end);
  waitpid(w->pid, &status, 0);
  if (!got) {
    j = (camp_judgement){.finding = CAMP_CRASHED};
    int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (by == SIGALRM || by == SIGXCPU || by == SIGKILL) {
      j.finding = CAMP_SLOW;
      j.seconds = limit;
    }
    snprintf(j.why, sizeof j.why, "ended by signal %d, code %d", by,
             WIFEXITED(status) ? WEXITSTATUS(status) : 0);
  }
  return j;
}

/* ---- what is kept ---- */

typedef struct shrinker {
  const options *o;
} shrinker;

static camp_judgement judge_apart(void *user, const camp_case *c) {
  const shrinker *s = user;
  worker w = {.c = *c};
  if (!start(&w, NULL, s->o->limit)) {
    return (camp_judgement){.finding = CAMP_CRASHED};
  }
  return finish(&w, s->o->limit);
}

typedef struct keeping {
  const options *o;
  camp_case c;
  camp_judgement j;
} keeping;

static void keep_case(sp_ctx *ctx, void *arg) {
  keeping *k = arg;
  shrinker s = {k->o};
  camp_judgement j = k->j;
  if (k->o->shrink && j.finding != CAMP_SLOW) { /* each try takes long */
    j = camp_shrink(ctx, &k->c, j, judge_apart, &s);
    printf("  shrunk by %zu edits: %s\n", k->c.edits.n, j.why);
  }
  if (k->o->keep) {
    const char *dir = sp_format(ctx, "%s/%" PRIu64, k->o->keep, k->c.seed);
    worker w = {.c = k->c};
    if (start(&w, dir, k->o->limit)) {
      finish(&w, k->o->limit);
    }
  }
}

static void keep(const options *o, const camp_case *c,
                 const camp_judgement *j) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  keeping k = {o, *c, *j};
  sp_protect(ctx, keep_case, &k);
  sp_ctx_free(ctx);
}

/* ---- all cases ---- */

typedef struct share {
  uint64_t right, open;
} share;

typedef struct tally {
  uint64_t count[CAMP_N_FINDINGS];
  share all, even, uneven, odd; /* of right programs not proved */
  double seconds, slowest;
  uint64_t slowest_seed, nodes, dist_nodes, alike;
} tally;

/* A right program for which there was no time is not proved either. */
static void count_share(share *s, const camp_case *c, camp_finding f) {
  bool open = f == CAMP_UNPROVED || (f == CAMP_SLOW && !c->broken);
  s->right += open || f == CAMP_PROVED;
  s->open += open;
}

static double percent(const share *s) {
  return s->right ? 100.0 * (double)s->open / (double)s->right : 0;
}

static void record(const options *o, tally *t, const camp_case *c,
                   const camp_judgement *j) {
  t->count[j->finding]++;
  count_share(&t->all, c, j->finding);
  count_share(j->odd      ? &t->odd
              : j->uneven ? &t->uneven
                          : &t->even,
              c, j->finding);
  t->seconds += j->seconds;
  t->nodes += j->nodes;
  t->dist_nodes += j->dist_nodes;
  t->alike += j->alike;
  if (j->seconds > t->slowest) {
    t->slowest = j->seconds;
    t->slowest_seed = c->seed;
  }
  bool failure = camp_is_failure(j->finding);
  bool odd = failure || j->finding == CAMP_SLOW ||
             j->finding == CAMP_TOGETHER ||
             (o->unproved && j->finding == CAMP_UNPROVED);
  if (o->verbose || odd) {
    printf("%" PRIu64 " %s%s%s, %.2f s%s%s\n", c->seed,
           camp_finding_text(j->finding), *j->fault ? ": " : "", j->fault,
           j->seconds, *j->why ? ": " : "", j->why);
  }
  if (odd && (o->keep || o->shrink)) {
    keep(o, c, j);
  }
}

static camp_case nth_case(const options *o, uint64_t i) {
  uint64_t seed = o->seed + i;
  bool broken = o->only_broken || (seed % 2 && !o->only_right);
  uint32_t layers = o->layers ? o->layers : camp_layers(seed);
  return (camp_case){.seed = seed, .broken = broken, .layers = layers};
}

static void progress(const tally *t, uint64_t ended) {
  uint64_t failures = 0;
  for (camp_finding f = 0; f < CAMP_N_FINDINGS; f++) {
    failures += camp_is_failure(f) ? t->count[f] : 0;
  }
  fprintf(stderr,
          "%" PRIu64 " programs: %" PRIu64 " failures, %.2f %% of the right "
          "ones not proved\n",
          ended, failures, percent(&t->all));
}

/* Cases end in the order in which they began: the report does not depend on
 * who is faster. */
static bool run(const options *o, tally *t) {
  worker workers[MAX_JOBS];
  uint64_t begun = 0, ended = 0;
  while (ended < o->count) {
    while (begun < o->count && begun - ended < o->jobs) {
      worker *w = &workers[begun % o->jobs];
      w->c = nth_case(o, begun++);
      if (!start(w, NULL, o->limit)) {
        fprintf(stderr, "cannot start a process: %s\n", strerror(errno));
        return false;
      }
    }
    worker *w = &workers[ended++ % o->jobs];
    camp_judgement j = finish(w, o->limit);
    record(o, t, &w->c, &j);
    if (ended % PROGRESS == 0) {
      progress(t, ended);
    }
  }
  return true;
}

static int summary(const options *o, const tally *t) {
  printf("%" PRIu64 " programs from seed %" PRIu64 ", %.1f operators, %.1f of "
         "a device, %.1f like an earlier layer's, %.2f s each, slowest %.1f s "
         "(%" PRIu64 ")\n",
         o->count, o->seed, (double)t->nodes / (double)o->count,
         (double)t->dist_nodes / (double)o->count,
         (double)t->alike / (double)o->count, t->seconds / (double)o->count,
         t->slowest, t->slowest_seed);
  uint64_t failures = 0;
  for (camp_finding f = 0; f < CAMP_N_FINDINGS; f++) {
    if (t->count[f]) {
      printf("  %6" PRIu64 "  %s\n", t->count[f], camp_finding_text(f));
    }
    failures += camp_is_failure(f) ? t->count[f] : 0;
  }
  printf("not proved of the right programs: %.2f %% (cut evenly: %.2f %%, with "
         "padding: %.2f %%, in odd ways: %.2f %%)\n",
         percent(&t->all), percent(&t->even), percent(&t->uneven),
         percent(&t->odd));
  return failures || percent(&t->all) > o->share ? 1 : 0;
}

/* ---- options ---- */

static bool number(const char *text, uint64_t *out) {
  char *end;
  errno = 0;
  *out = strtoull(text, &end, 10);
  return *text && !*end && errno == 0;
}

static bool option(options *o, const char *name, const char *value,
                   bool *took) {
  uint64_t n = 0;
  *took = false;
  if (strcmp(name, "--shrink") == 0) {
    o->shrink = true;
  } else if (strcmp(name, "--verbose") == 0) {
    o->verbose = true;
  } else if (strcmp(name, "--unproved") == 0) {
    o->unproved = true;
  } else if (strcmp(name, "--broken") == 0) {
    o->only_broken = true;
  } else if (strcmp(name, "--right") == 0) {
    o->only_right = true;
  } else if (value && strcmp(name, "--keep") == 0) {
    o->keep = value;
    *took = true;
  } else if (value && number(value, &n)) {
    *took = true;
    if (strcmp(name, "--seed") == 0) {
      o->seed = n;
    } else if (strcmp(name, "--count") == 0 && n) {
      o->count = n;
    } else if (strcmp(name, "--limit") == 0 && n) {
      o->limit = (unsigned)n;
    } else if (strcmp(name, "--layers") == 0 && n && n <= MAX_LAYERS) {
      o->layers = (unsigned)n;
    } else if (strcmp(name, "--share") == 0) {
      o->share = (unsigned)n;
    } else if (strcmp(name, "--jobs") == 0 && n && n <= MAX_JOBS) {
      o->jobs = (unsigned)n;
    } else {
      return false;
    }
  } else {
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  options o = {.seed = 1, .count = 200, .limit = 20, .jobs = 1, .share = 5};
  for (int i = 1; i < argc; i++) {
    bool took;
    if (!option(&o, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &took)) {
      fprintf(stderr,
              "usage: campaign [--seed S] [--count N] [--limit SECONDS] "
              "[--jobs 1..%d] [--share PERCENT]\n                [--broken | "
              "--right] "
              "[--unproved] [--shrink] [--keep DIR] [--verbose] [--layers "
              "N]\n",
              MAX_JOBS);
      return 3;
    }
    i += took;
  }
  if (o.keep && mkdir(o.keep, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "cannot make %s: %s\n", o.keep, strerror(errno));
    return 3;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  tally t = {0};
  bool ok = run(&o, &t);
  return ok ? summary(&o, &t) : 3;
}
