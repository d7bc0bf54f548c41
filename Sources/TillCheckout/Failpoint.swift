#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Numbered places at which a test may kill the process, to prove that dying there loses nothing.
///
/// Only the environment of the process can switch one on (`TILL_FAILPOINT=<number>`); no input can.
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

    /// Kills the process here, as power loss would, if this place was chosen.
    func reached() {
        if Failpoint.chosen == rawValue { kill(getpid(), SIGKILL) }
    }
}
