#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The points around a close at which a test can kill the process.
///
/// Only the process's environment can enable one (`TILL_DAY_FAILPOINT=<number>`); no input can.
enum DayFailpoint: Int, CaseIterable, Sendable {
    case beforeClose = 1
    case afterClose

    private static let chosen: Int? = getenv("TILL_DAY_FAILPOINT").flatMap { Int(String(cString: $0)) }

    /// Kills the process if this point was chosen, as a power loss would.
    func reached() {
        if DayFailpoint.chosen == rawValue { kill(getpid(), SIGKILL) }
    }
}
