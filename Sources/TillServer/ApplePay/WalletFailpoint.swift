#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Places around the payment of a sheet at which a test may kill the process; those inside the engine are its own.
///
/// Only the environment of the process can switch one on (`TILL_WALLET_FAILPOINT=<number>`); no input can.
enum WalletFailpoint: Int, CaseIterable, Sendable {
    case afterBasketIsTaken = 1
    case afterTokenIsAccepted
    case afterPaymentIsNoted
    case beforeAnswerIsWritten
    case afterAnswerIsWritten

    private static let chosen: Int? = getenv("TILL_WALLET_FAILPOINT").flatMap { Int(String(cString: $0)) }

    /// Kills the process here, as power loss would, if this place was chosen.
    func reached() {
        if WalletFailpoint.chosen == rawValue { kill(getpid(), SIGKILL) }
    }
}
