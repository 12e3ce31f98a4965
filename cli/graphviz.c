/* graphviz.c: read cli_layout_start, then cli_layout_finish. The child reads
 * and writes temporary files, not pipes: nobody waits for a reader. */
#define _POSIX_C_SOURCE 200809L /* posix_spawnp, nanosleep, kill */
#include "cli/graphviz.h"

#include "cli/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MAX_ANSWER = 64 << 20 };

static bool write_graph(FILE *f, const cli_graph *g) {
  fprintf(f,
          "digraph g {\n  graph [nodesep=0.22, ranksep=0.38];\n"
          "  node [shape=box, fixedsize=true, label=\"\", width=%.3f, "
          "height=%.3f];\n",
          CLI_BOX_WIDTH / 72.0, CLI_BOX_HEIGHT / 72.0);
  for (size_t i = 0; i < g->n_nodes; i++) {
    fprintf(f, "  %" PRIu32 ";\n", g->nodes[i]);
  }
  for (size_t i = 0; i < g->n_edges; i++) {
    fprintf(f, "  %" PRIu32 " -> %" PRIu32 ";\n", g->edges[i].from,
            g->edges[i].to);
  }
  fprintf(f, "}\n");
  return fflush(f) == 0 && fseek(f, 0, SEEK_SET) == 0;
}

static int spawn(pid_t *child, FILE *in, FILE *out) {
  char *argv[] = {"dot", "-Tplain", NULL};
  posix_spawn_file_actions_t files;
  int error = posix_spawn_file_actions_init(&files);
  if (error) {
    return error;
  }
  error = posix_spawn_file_actions_adddup2(&files, fileno(in), 0);
  error =
      error ? error : posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
  error = error ? error
                : posix_spawn_file_actions_addopen(&files, 2, "/dev/null",
                                                   O_WRONLY, 0);
  error =
      error ? error : posix_spawnp(child, argv[0], &files, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

cli_layout cli_layout_start(sp_ctx *ctx, const cli_graph *graph) {
  cli_layout l = {.answer = tmpfile()};
  FILE *question = tmpfile();
  int error = EIO;
  if (question && l.answer && write_graph(question, graph)) {
    error = spawn(&l.child, question, l.answer);
  }
  if (question) {
    fclose(question);
  }
  if (error) {
    l.child = 0;
    l.why = error == ENOENT
                ? "Graphviz (the program dot) was not found"
                : sp_format(ctx, "Graphviz did not run: %s", strerror(error));
  }
  return l;
}

/* False: it was stopped, because it was not done by then. */
static bool wait_until(pid_t child, double deadline, int *status) {
  const struct timespec pause = {0, 5000000};
  for (;;) {
    pid_t done = waitpid(child, status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) {
      return done == child;
    }
    if (cli_now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, status, 0);
      return false;
    }
    nanosleep(&pause, NULL);
  }
}

static const char *read_answer(sp_ctx *ctx, FILE *f) {
  if (fseek(f, 0, SEEK_END) != 0) {
    return NULL;
  }
  long n = ftell(f);
  if (n <= 0 || n > MAX_ANSWER || fseek(f, 0, SEEK_SET) != 0) {
    return NULL;
  }
  char *text = sp_alloc(ctx, (size_t)n + 1);
  return fread(text, 1, (size_t)n, f) == (size_t)n ? text : NULL;
}

const char *cli_layout_finish(sp_ctx *ctx, cli_layout *l, double deadline) {
  const char *text = NULL;
  int status = 0;
  if (l->child && !wait_until(l->child, deadline, &status)) {
    l->why = "Graphviz took too long";
  } else if (l->child) {
    text = status == 0 ? read_answer(ctx, l->answer) : NULL;
    l->why = text ? NULL : "Graphviz failed";
  }
  if (l->answer) {
    fclose(l->answer);
  }
  *l = (cli_layout){.why = l->why};
  return text;
}
