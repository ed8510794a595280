// Runs a command and says how long it took and how much memory it needed: its words follow the file for the figures.
//
// What a process holds when it starts another counts as that one's memory, too (getrusage(2) goes on over execve(2)), so
// the harness, which holds much, starts this instead.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count < 3) return 64;
  double start = now();
  pid_t child;
  int status;
  struct rusage used;
  if (posix_spawnp(&child, words[2], NULL, NULL, words + 2, environ) != 0) return 127;
  if (wait4(child, &status, 0, &used) < 0) return 71;
  double seconds = now() - start;
  FILE *file = fopen(words[1], "w");
  if (file == NULL) return 74;
  double processor = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
      + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  fprintf(file, "%.6f %.6f %ld\n", seconds, processor, used.ru_maxrss);
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
