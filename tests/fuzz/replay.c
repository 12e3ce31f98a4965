/* replay.c: runs a fuzz target over files and folders of files, for compilers
 * without libFuzzer. Fails when nothing was run. */
#define _POSIX_C_SOURCE 200809L /* opendir */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path) {
  FILE *f = fopen(path, "rb");
  struct stat st;
  if (!f || fstat(fileno(f), &st) != 0) {
    perror(path);
    exit(EXIT_FAILURE);
  }
  size_t size = (size_t)st.st_size;
  /* exactly as large as the input, so that a sanitizer sees an over-read */
  uint8_t *data = malloc(size ? size : 1);
  if (!data || fread(data, 1, size, f) != size) {
    perror(path);
    exit(EXIT_FAILURE);
  }
  fclose(f);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  return 1;
}

static int run_path(const char *path) {
  DIR *d = opendir(path);
  if (!d) {
    return run_file(path);
  }
  int n = 0;
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    if (e->d_name[0] != '.') {
      char name[4096];
      snprintf(name, sizeof name, "%s/%s", path, e->d_name);
      n += run_file(name);
    }
  }
  closedir(d);
  return n;
}

int main(int argc, char **argv) {
  int n = 0;
  for (int i = 1; i < argc; i++) {
    n += run_path(argv[i]);
  }
  printf("%d inputs\n", n);
  return n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
