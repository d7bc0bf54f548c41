import Logging
import Synchronization
import TillCore

/// Where sign-ins, approvals and refusals are recorded.
final class SignInLog: Sendable {
    private let logger: Logger
    private let counts = Mutex((wrong: 0, lockouts: 0, passwords: 0, passkeys: 0, offices: 0))

    init(logger: Logger) { self.logger = logger }

    /// Wrong PINs since the counter was opened.
    var wrong: Int { counts.withLock { $0.wrong } }
    /// Wrong passwords and codes at the back office since then.
    var wrongPasswords: Int { counts.withLock { $0.passwords } }
    /// Passkeys that were not taken since then.
    var wrongPasskeys: Int { counts.withLock { $0.passkeys } }
    /// Sign-ins at the back office that were not looked at since then, after too many wrong ones.
    var officeLockouts: Int { counts.withLock { $0.offices } }
    /// People and devices that were locked out since then.
    var lockouts: Int { counts.withLock { $0.lockouts } }

    /// Called with everything that happens, after it did.
    func record(_ event: SignInEvent, at device: String) {
        counts.withLock { counts in
            switch event {
            case .wrongPIN: counts.wrong += 1
            case .lockedOut, .lockedOutEverywhere, .deviceEnded: counts.lockouts += 1
            case .wrongPassword: counts.passwords += 1
            case .wrongPasskey: counts.passkeys += 1
            case .officeLocked: counts.offices += 1
            case .signedIn, .locked, .approved, .approvalRefused, .enteredOffice, .credentialsChanged: break
            }
        }
        logger.log(
            level: event.isSuspicious ? .warning : .notice, "staff: \(event.words)",
            metadata: ["device": "\(device.prefix(8))", "from": "\(RequestOrigin.current.bucket)"])
    }
}
