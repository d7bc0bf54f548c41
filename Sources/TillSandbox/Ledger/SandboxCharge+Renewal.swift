package import TillCore

extension SandboxCharge {
    /// One renewal of a hold: it has a name of its own, under which the money is captured from then on.
    public struct Renewal: Codable, Hashable, Sendable {
        /// The sandbox's name for the renewed hold.
        public var reference: String
        /// The key that it was asked for with.
        public var key: String
        /// What is held further, in minor units.
        public var amount: Int64
        /// What was captured before it, in minor units.
        public var capturedBefore: Int64
        /// When, milliseconds since 1970.
        public var at: Int64
    }

    /// The name of the hold that can be captured: that of its last renewal.
    public var holdName: String { renewals?.last?.reference ?? reference }

    /// The charge that a hold belongs to, be it the first one or a renewal.
    static func reference(ofHold name: String) -> String {
        guard let mark = name.firstRange(of: renewalMark) else { return name }
        return String(name[..<mark.lowerBound])
    }

    /// Whether a name is that of a renewed hold.
    package static func isRenewal(_ name: ProviderReference?) -> Bool {
        name.map { reference(ofHold: $0.rawValue) != $0.rawValue } ?? false
    }

    /// References are hexadecimal after their prefix, so that this can be in none.
    private static let renewalMark = "_h"

    /// Renews the hold on what is not captured yet, never past its end. Asked again under another key it renews again,
    /// so that whoever relies on more than his own ledger is found out.
    mutating func renew(_ amount: Int64, key: String, rules: SandboxRules, at now: Timestamp) -> SandboxOutcome {
        guard let honorPeriod = rules.honorPeriod, let holdEndsAt, let honoredUntil, state == .authorized, !isClosed
        else { return .declined(code: "unexpected_state", message: "There is no hold that can be renewed.") }
        guard now.milliseconds < holdEndsAt else {
            return .declined(code: "authorization_expired", message: "The hold has ended.")
        }
        guard now.milliseconds >= honoredUntil || renewals != nil else {
            return .declined(code: "renewal_too_early", message: "The bank still answers for the hold.")
        }
        guard amount > 0, amount <= authorized - captured else {
            return .declined(code: "amount_too_large", message: "More than is held cannot be renewed.")
        }
        let name = "\(reference)\(SandboxCharge.renewalMark)\((renewals?.count ?? 0) + 1)"
        renewals =
            (renewals ?? []) + [
                Renewal(reference: name, key: key, amount: amount, capturedBefore: captured, at: now.milliseconds)
            ]
        self.honoredUntil = min(now.adding(honorPeriod).milliseconds, holdEndsAt)
        return .approved(reference: name)
    }
}
