#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

import TillCore

/// Places in a restore and in the sweep after it at which a test may kill the process.
///
/// Only the environment of the process can switch one on (`TILL_RESTORE_FAILPOINT=<number>`); no input can.
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

    /// What tests of the whole binary wait for late calls (`TILL_RESTORE_LATE_SECONDS`); `nil`: as long as others do.
    static let lateCalls: Span? = getenv("TILL_RESTORE_LATE_SECONDS").flatMap { Int64(String(cString: $0)) }
        .map { .seconds(min(max($0, 0), 30)) }
    private static let chosen: Int? = getenv("TILL_RESTORE_FAILPOINT").flatMap { Int(String(cString: $0)) }

    /// Kills the process here, as power loss would, if this place was chosen.
    package func reached() {
        if RestoreFailpoint.chosen == rawValue { kill(getpid(), SIGKILL) }
    }
}
