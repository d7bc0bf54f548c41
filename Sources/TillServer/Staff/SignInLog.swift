import Logging
import Synchronization
import TillCore

/// Where sign-ins, approvals and refusals are recorded.
final class SignInLog: Sendable {
    private let logger: Logger
    private let counts = Mutex((wrong: 0, lockouts: 0))

    init(logger: Logger) { self.logger = logger }

    /// Wrong PINs since the counter was opened.
    var wrong: Int { counts.withLock { $0.wrong } }
    /// People and devices that were locked out since then.
    var lockouts: Int { counts.withLock { $0.lockouts } }

    /// Called with everything that happens, after it did.
    func record(_ event: SignInEvent, at device: String) {
        counts.withLock { counts in
            switch event {
            case .wrongPIN: counts.wrong += 1
            case .lockedOut, .deviceEnded: counts.lockouts += 1
            case .signedIn, .locked, .approved, .approvalRefused: break
            }
        }
        logger.log(
            level: event.isSuspicious ? .warning : .notice, "staff: \(event.words)",
            metadata: ["device": "\(device.prefix(8))", "from": "\(RequestOrigin.current.bucket)"])
    }
}
