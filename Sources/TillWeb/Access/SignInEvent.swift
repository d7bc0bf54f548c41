package import TillCore
package import TillCounter

/// A sign-in event at a device or in the back office.
package enum SignInEvent: Sendable {
    case signedIn(StaffID)
    case locked
    case wrongPIN(StaffID)
    /// Too many wrong PINs at one device.
    case lockedOut(StaffID)
    /// Too many wrong PINs across all devices.
    case lockedOutEverywhere(StaffID)
    case deviceEnded
    case approved(StaffID, for: StaffID, Approvable)
    case approvalRefused(StaffID)
    case enteredOffice(StaffID, by: OfficeProof)
    /// Name, password and code did not match; `nil` for an unknown name.
    case wrongPassword(StaffID?)
    case officeLocked(StaffID?)
    /// A passkey was rejected, and the reason; `nil` for an unknown passkey.
    case wrongPasskey(StaffID?, PasskeyFault)
    case credentialsChanged(StaffID)

    /// `true` for an event that suggests guessing.
    package var isSuspicious: Bool {
        switch self {
        case .signedIn, .locked, .approved, .enteredOffice, .credentialsChanged: false
        case .wrongPIN, .lockedOut, .lockedOutEverywhere, .deviceEnded, .approvalRefused, .wrongPassword,
            .officeLocked, .wrongPasskey:
            true
        }
    }

    /// The text for the log, free of secrets.
    package var words: String {
        switch self {
        case .signedIn(let id): "\(id) signed in"
        case .locked: "a device was locked"
        case .wrongPIN(let id): "a wrong PIN for \(id)"
        case .lockedOut(let id): "\(id) is locked out at a device after wrong PINs"
        case .lockedOutEverywhere(let id): "\(id) is locked out at all devices that a key signed in, after wrong PINs"
        case .deviceEnded: "a device was signed out after wrong PINs"
        case .approved(let id, let other, let what): "\(id) approved \(what.words) for \(other)"
        case .approvalRefused(let id): "\(id) may not approve that"
        case .enteredOffice(let id, let proof): "\(id) signed in to the back office with a \(proof.rawValue)"
        case .wrongPassword(let id): "a wrong password or code for \(id?.rawValue ?? "a name that nobody has")"
        case .officeLocked(let id):
            "the back office takes no more passwords for \(id?.rawValue ?? "a name that nobody has") after wrong ones"
        case .wrongPasskey(let id, let fault): "a passkey of \(id?.rawValue ?? "nobody") was not taken: \(fault)"
        case .credentialsChanged(let id): "\(id) has changed what they sign in to the back office with"
        }
    }
}
