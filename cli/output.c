/* output.c: files that reports go to. Read cli_write_file, last. */
#define _XOPEN_SOURCE 700 /* mkstemp, fchmod */
#include "cli/output.h"

#include "cli/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot_write(const char *path) {
  cli_usage_error(NULL, "cannot write %s: %s", path, strerror(errno));
  return false;
}

/* A device, a pipe or a link is written in place: renaming over it would
 * replace it. lstat, because /dev/stderr is a link, often to a plain file. */
static bool is_special(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static char *folder_of(sp_ctx *ctx, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) {
    return sp_strdup(ctx, ".");
  }
  return sp_strndup(ctx, path, slash == path ? 1 : (size_t)(slash - path));
}

bool cli_writable(sp_ctx *ctx, const char *path) {
  struct stat st;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    return cannot_write(path);
  }
  /* a link may point at a file that is yet to be made */
  if (is_special(path) && access(path, F_OK) != 0) {
    return true;
  }
  const char *target = is_special(path) ? path : folder_of(ctx, path);
  return access(target, W_OK) == 0 || cannot_write(path);
}

/* The permissions that the file has, or that a new one would get. */
static mode_t file_mode(const char *path) {
  struct stat st;
  if (stat(path, &st) == 0) {
    return st.st_mode & 07777;
  }
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

static bool dump_to(FILE *f, cli_dump_fn dump, const void *what) {
  bool ok = dump(f, what);
  return (fclose(f) == 0) && ok;
}

static bool write_in_place(const char *path, cli_dump_fn dump,
                           const void *what) {
  FILE *f = fopen(path, "w");
  return (f && dump_to(f, dump, what)) || cannot_write(path);
}

static bool write_and_rename(sp_ctx *ctx, const char *path, cli_dump_fn dump,
                             const void *what) {
  char *temporary = sp_format(ctx, "%s.XXXXXX", path);
  int fd = mkstemp(temporary);
  if (fd < 0) {
    return cannot_write(path);
  }
  fchmod(fd, file_mode(path));
  FILE *f = fdopen(fd, "w");
  if (!f) {
    close(fd);
  }
  if (f && dump_to(f, dump, what) && rename(temporary, path) == 0) {
    return true;
  }
  cannot_write(path);
  unlink(temporary);
  return false;
}

bool cli_write_file(sp_ctx *ctx, const char *path, cli_dump_fn dump,
                    const void *what) {
  return is_special(path) ? write_in_place(path, dump, what)
                          : write_and_rename(ctx, path, dump, what);
}
