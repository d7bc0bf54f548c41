#ifndef TILL_PROCESS_H
#define TILL_PROCESS_H

/// Keeps what the process has in memory and in its files to its own user: no other process of the same user may
/// inspect it, it leaves no core dump, and what it creates is its owner's only, whatever the umask was.
///
/// Called once, before the first thread. Returns 0, or the number of the error that the system gave.
int till_process_seal(void);

/// Lets the C library keep at most one pool of freed memory for each processor, and two at least. By default it makes
/// eight for each, one for nearly every thread, and each keeps what it once needed. No more threads than there are
/// processors allocate at the same moment. Does nothing where the environment says how many.
///
/// Called once, before the first thread.
void till_process_bound_memory(void);

/// Gives back memory that only starting needed: pages of the program's code and constants, which are read from the
/// system's cache again where they are used, and pages of freed memory. Safe at any time, from any thread.
void till_process_release_startup(void);

#endif
