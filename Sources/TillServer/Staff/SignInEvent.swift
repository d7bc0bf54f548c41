import TillCore

/// What happened where people say who they are.
enum SignInEvent: Sendable {
    case signedIn(StaffID)
    case locked
    case wrongPIN(StaffID)
    /// They were wrong too often at that device.
    case lockedOut(StaffID)
    case deviceEnded
    case approved(StaffID, for: StaffID, PaymentID)
    case approvalRefused(StaffID)

    /// Whether it is a sign of somebody who guesses.
    var isSuspicious: Bool {
        switch self {
        case .signedIn, .locked, .approved: false
        case .wrongPIN, .lockedOut, .deviceEnded, .approvalRefused: true
        }
    }

    /// For the log.
    var words: String {
        switch self {
        case .signedIn(let id): "\(id) signed in"
        case .locked: "a device was locked"
        case .wrongPIN(let id): "a wrong PIN for \(id)"
        case .lockedOut(let id): "\(id) is locked out at a device after wrong PINs"
        case .deviceEnded: "a device was signed out after wrong PINs"
        case .approved(let id, let other, let payment): "\(id) approved a refund of \(payment) for \(other)"
        case .approvalRefused(let id): "\(id) may not approve that"
        }
    }
}
