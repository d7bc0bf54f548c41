package import TillCore

extension SandboxCharge {
    /// A renewal (reauthorization) of a hold, with its own reference, under which the money is captured from then on.
    public struct Renewal: Codable, Hashable, Sendable {
        /// The sandbox's reference of the renewed hold.
        public var reference: String
        /// The idempotency key of the request.
        public var key: String
        /// The amount that remains held, in minor units.
        public var amount: Int64
        /// The amount captured before the renewal, in minor units.
        public var capturedBefore: Int64
        /// The time of the renewal, milliseconds since 1970.
        public var at: Int64
    }

    /// The reference of the hold that can be captured: that of the last renewal.
    public var holdName: String { renewals?.last?.reference ?? reference }

    /// Returns the charge that owns a hold, the first one or a renewal.
    static func reference(ofHold name: String) -> String {
        guard let mark = name.firstRange(of: renewalMark) else { return name }
        return String(name[..<mark.lowerBound])
    }

    /// Returns `true` if a reference is that of a renewed hold.
    package static func isRenewal(_ name: ProviderReference?) -> Bool {
        name.map { reference(ofHold: $0.rawValue) != $0.rawValue } ?? false
    }

    /// References are hexadecimal after their prefix, so that none can contain this mark.
    private static let renewalMark = "_h"

    /// Renews the hold on the uncaptured amount, never past its end. A request with another key renews again, so that
    /// an engine that relies on more than its own ledger is exposed.
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
