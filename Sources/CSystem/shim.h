// What the system's C library has and its Swift module does not show.
#ifndef PAWL_CSYSTEM_H
#define PAWL_CSYSTEM_H

#ifdef __linux__
// statfs(2).
#include <sys/vfs.h>

// mallopt(3).
#include <malloc.h>

// Behind _GNU_SOURCE in <unistd.h>, see syncfs(2).
int syncfs(int fd);

// Behind _GNU_SOURCE in <sys/stat.h>, see statx(2).
#include <linux/stat.h>
int statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *found);
#endif

#endif
