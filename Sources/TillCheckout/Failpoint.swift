#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Numbered points at which a test may kill the process, to prove that a crash there loses nothing.
///
/// A failpoint can only be enabled through the process environment (`TILL_FAILPOINT=<number>`); no input can enable
/// one.
public enum Failpoint: Int, CaseIterable, Sendable {
    case beforeCreateIsWritten = 1
    case afterCreateIsWritten
    case afterAttemptIsWritten
    case afterPreparationIsAnswered
    case afterPreparationIsWritten
    case afterAuthorizationIsAnswered
    case afterAuthorizationIsWritten
    case afterCaptureIsAnswered
    case afterCaptureIsWritten
    case beforeRefundIsWritten
    case afterRefundIsStarted
    case afterRefundIsAnswered
    case afterRefundIsWritten
    case afterVoidIsStarted
    case afterVoidIsAnswered
    case afterVoidIsWritten
    case afterContinuationIsStarted
    case afterContinuationIsAnswered
    case afterContinuationIsWritten
    case afterRenewalIsStarted
    case afterRenewalIsAnswered
    case afterRenewalIsWritten

    private static let chosen: Int? = getenv("TILL_FAILPOINT").flatMap { Int(String(cString: $0)) }

    /// Kills the process here, as a power failure would, if this failpoint is enabled.
    func reached() {
        if Failpoint.chosen == rawValue { kill(getpid(), SIGKILL) }
    }
}
