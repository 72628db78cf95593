/* Preloaded into a process, makes system calls on the files of one folder fail now and then. See shim.ts.
 *
 * FAULT_FOLDER   only files below it
 * FAULT_ENDS     only files whose path ends so
 * FAULT_ONE_IN   one call in so many fails
 * FAULT_SEED     of the choice
 * FAULT_ONLY     which kinds of calls: read, write, sync, name; all unless given
 * FAULT_WHEN     a file without which nothing fails
 * FAULT_LOG      a file that gets one byte for each fault
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static uint64_t state;
static uint64_t one_in;
static const char *folder, *ends, *only, *when;
static int log_file = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  const char *seed = getenv("FAULT_SEED"), *rate = getenv("FAULT_ONE_IN"), *log = getenv("FAULT_LOG");
  folder = getenv("FAULT_FOLDER");
  ends = getenv("FAULT_ENDS");
  only = getenv("FAULT_ONLY");
  when = getenv("FAULT_WHEN");
  state = (seed ? strtoull(seed, NULL, 10) : 1) * 0x9e3779b97f4a7c15ULL + 1;
  one_in = rate ? strtoull(rate, NULL, 10) : 0;
  if (log) log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

static uint64_t chance(void) {
  pthread_mutex_lock(&lock);
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  uint64_t drawn = state;
  pthread_mutex_unlock(&lock);
  return drawn >> 8;
}

static int is_below(const char *path) {
  if (!folder || !one_in || !path || strncmp(path, folder, strlen(folder)) != 0) return 0;
  return !ends || (strlen(path) >= strlen(ends) && strcmp(path + strlen(path) - strlen(ends), ends) == 0);
}

static int is_ours(int fd) {
  char link[64], path[4096];
  if (!folder || !one_in) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_below(path);
}

static int draws(void) { return chance() % one_in == 0; }

static int fails(const char *kind, int ours) {
  if (!ours || (only && !strstr(only, kind))) return 0;
  if (when && syscall(SYS_faccessat, AT_FDCWD, when, F_OK) != 0) return 0;
  if (!draws()) return 0;
  if (log_file >= 0) syscall(SYS_write, log_file, "x", 1);
  errno = chance() % 2 ? EIO : ENOSPC;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* A write fails before it began, or after a part of it is in the file. */
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  if (fails("write", is_ours(fd))) {
    int why = errno;
    if (chance() % 2) REAL(pwrite64)(fd, bytes, length / 2, at);
    errno = why;
    return -1;
  }
  return REAL(pwrite64)(fd, bytes, length, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }
ssize_t write(int fd, const void *bytes, size_t length) {
  if (fails("write", is_ours(fd))) return -1;
  return REAL(write)(fd, bytes, length);
}
ssize_t pread64(int fd, void *bytes, size_t length, off64_t at) {
  if (fails("read", is_ours(fd))) return errno = EIO, -1;
  return REAL(pread64)(fd, bytes, length, at);
}
ssize_t pread(int fd, void *bytes, size_t length, off_t at) { return pread64(fd, bytes, length, at); }
int fdatasync(int fd) {
  if (fails("sync", is_ours(fd))) return -1;
  return REAL(fdatasync)(fd);
}
int fsync(int fd) {
  if (fails("sync", is_ours(fd))) return -1;
  return REAL(fsync)(fd);
}
int ftruncate64(int fd, off64_t length) {
  if (fails("write", is_ours(fd))) return -1;
  return REAL(ftruncate64)(fd, length);
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
int rename(const char *from, const char *to) {
  if (fails("name", is_below(from))) return -1;
  return REAL(rename)(from, to);
}
int unlink(const char *path) {
  if (fails("name", is_below(path))) return -1;
  return REAL(unlink)(path);
}
int mkdir(const char *path, mode_t mode) {
  if (fails("name", is_below(path))) return -1;
  return REAL(mkdir)(path, mode);
}

#define OPENING(name)                                                   \
  int name(const char *path, int flags, ...) {                          \
    mode_t mode = 0;                                                    \
    if (flags & (O_CREAT | __O_TMPFILE)) {                              \
      va_list rest;                                                     \
      va_start(rest, flags);                                            \
      mode = va_arg(rest, mode_t);                                      \
      va_end(rest);                                                     \
    }                                                                   \
    if (fails("name", is_below(path))) return -1;                       \
    return REAL(name)(path, flags, mode);                               \
  }
OPENING(open)
OPENING(open64)
