#ifndef TILL_PROCESS_H
#define TILL_PROCESS_H

/// Keeps what the process has in memory and in its files to its own user: no other process of the same user may
/// inspect it, it leaves no core dump, and what it creates is its owner's only, whatever the umask was.
///
/// Called once, before the first thread. Returns 0, or the number of the error that the system gave.
int till_process_seal(void);

#endif
