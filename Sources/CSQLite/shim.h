#ifndef PAWL_CSQLITE_SHIM_H
#define PAWL_CSQLITE_SHIM_H

#include <sqlite3.h>

// What Swift cannot say of SQLite's C interface: a variadic call, and SQLITE_TRANSIENT, which is a cast
// of -1 to a function pointer.

// Sets (`on` 0 or 1) or only asks (`on` -1) one of the SQLITE_DBCONFIG_ switches that take an int and an
// int *; `*answer` is the setting that holds afterwards.
static inline int csqlite_db_config_switch(sqlite3 *db, int option, int on, int *answer) {
  return sqlite3_db_config(db, option, on, answer);
}

// Stops SQLite counting its memory, which takes one lock of the whole process at each allocation. Takes effect
// only before SQLite's first use in the process (sqlite.org/c3ref/c_config_covering_index_scan.html, MEMSTATUS).
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// Binds a copy of `count` bytes of UTF-8. SQLite takes a null pointer for NULL, so that an empty buffer,
// which may have no address, has to be given one.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(
      statement, index, count == 0 ? "" : (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Binds a copy of `count` bytes; see csqlite_bind_text for the empty one.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT);
}

#endif
