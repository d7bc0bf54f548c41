import CTillProcess

/// The memory of the process beyond what it uses: freed memory that is kept for later, and what only starting needed.
enum ProcessMemory {
    /// Bounds the pools of freed memory by the number of processors. Called once, before the first thread.
    static func bound() { till_process_bound_memory() }

    /// Gives back the pages of code, constants and freed memory that only starting needed: half of the process's memory
    /// when it begins to serve.
    static func releaseStartup() { till_process_release_startup() }
}
