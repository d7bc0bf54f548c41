#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

import TillCore

/// Points in a restore and in the subsequent sweep at which a test may kill the process.
///
/// Enabled only through the environment of the process (`TILL_RESTORE_FAILPOINT=<number>`); no input can.
package enum RestoreFailpoint: Int, CaseIterable, Sendable {
    case afterBackupIsCopied = 1
    case afterEpochIsWritten
    case afterMarkerIsWritten
    case afterOldLogIsAside
    case afterOldFileIsAside
    case afterNewFileIsInPlace
    case afterMarkerIsRemoved
    case beforePageIsWritten
    case afterPageIsWritten
    case beforeGateIsOpened

    /// The wait for late calls in tests of the whole binary (`TILL_RESTORE_LATE_SECONDS`); `nil` for the default.
    static let lateCalls: Span? = getenv("TILL_RESTORE_LATE_SECONDS").flatMap { Int64(String(cString: $0)) }
        .map { .seconds(min(max($0, 0), 30)) }
    private static let chosen: Int? = getenv("TILL_RESTORE_FAILPOINT").flatMap { Int(String(cString: $0)) }

    /// Kills the process here, like a power loss, if this point is enabled.
    package func reached() {
        if RestoreFailpoint.chosen == rawValue { kill(getpid(), SIGKILL) }
    }
}
