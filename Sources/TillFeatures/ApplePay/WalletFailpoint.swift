#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The points around a sheet's payment at which a test can kill the process; the engine has its own.
///
/// Only the process's environment can enable one (`TILL_WALLET_FAILPOINT=<number>`); no input can.
enum WalletFailpoint: Int, CaseIterable, Sendable {
    case afterBasketIsTaken = 1
    case afterTokenIsAccepted
    case afterPaymentIsNoted
    case beforeAnswerIsWritten
    case afterAnswerIsWritten

    private static let chosen: Int? = getenv("TILL_WALLET_FAILPOINT").flatMap { Int(String(cString: $0)) }

    /// Kills the process if this point was chosen, as a power loss would.
    func reached() {
        if WalletFailpoint.chosen == rawValue { kill(getpid(), SIGKILL) }
    }
}
