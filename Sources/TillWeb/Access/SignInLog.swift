package import Logging
import Synchronization
import TillCore
import TillCounter

/// The log and counters of sign-ins, approvals and refusals.
package final class SignInLog: Sendable {
    private let logger: Logger
    private let counts = Mutex((wrong: 0, lockouts: 0, passwords: 0, passkeys: 0, offices: 0))

    package init(logger: Logger) { self.logger = logger }

    /// The number of wrong PINs since the counter opened.
    package var wrong: Int { counts.withLock { $0.wrong } }
    /// The number of wrong back-office passwords and codes since the counter opened.
    package var wrongPasswords: Int { counts.withLock { $0.passwords } }
    /// The number of rejected passkeys since the counter opened.
    package var wrongPasskeys: Int { counts.withLock { $0.passkeys } }
    /// The number of back-office sign-ins refused without a check since the counter opened, after too many failures.
    package var officeLockouts: Int { counts.withLock { $0.offices } }
    /// The number of lockouts of people and devices since the counter opened.
    package var lockouts: Int { counts.withLock { $0.lockouts } }

    /// Records an event after it happened.
    package func record(_ event: SignInEvent, at device: String) {
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
