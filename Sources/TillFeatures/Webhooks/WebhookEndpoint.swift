package import TillCore
import TillCounter
package import TillJournal

/// An address of a shop's program, with what it is told of.
package struct WebhookEndpoint: Hashable, Sendable {
    /// A secret as stored: sealed with the pepper, so that the journal alone signs nothing.
    package struct SealedSecret: Hashable, Sendable {
        /// The number that the seal is bound to, beside the endpoint.
        var number: Int64
        var sealed: [UInt8]
        /// The end of its life once another one replaced it.
        var until: Timestamp?
    }

    /// The reason that nothing is sent to an endpoint.
    package enum Disabling: String, Hashable, Sendable {
        /// The owner turned it off.
        case byOwner = "by_owner"
        /// A message failed at its last attempt.
        case failing
        /// The endpoint answered 410.
        case gone
        /// It is being deleted.
        case deleting
    }

    package enum State: Hashable, Sendable {
        case enabled
        case disabled(Disabling, at: Timestamp)
    }

    package static func match(account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }

    package let id: WebhookEndpointID
    package let account: AccountID
    package internal(set) var url: String
    package internal(set) var types: WebhookTypes
    /// `true` if it may be in the counter's own network, also without TLS.
    package internal(set) var allowsPrivate: Bool
    package internal(set) var state = State.enabled
    /// The signing secrets, newest first.
    var secrets: [SealedSecret]
    /// The position in the journal up to which events have become messages.
    package internal(set) var cursor: Int64
    /// The time since which attempts count: it was enabled again then, or its URL was changed.
    var freshSince: Timestamp?
    package let createdAt: Timestamp

    package var isEnabled: Bool { state == .enabled }

    /// Returns the secrets that sign at a moment, newest first.
    func signing(at now: Timestamp) -> [SealedSecret] {
        // One that ends later than a rotation allows was replaced by a clock that was wrong.
        let latest = now.adding(WebhookLimits.rotationGrace)
        return secrets.filter { secret in secret.until.map { now < $0 && $0 <= latest } ?? true }
    }

    /// Opens the secrets that sign at a moment.
    func opened(at now: Timestamp, by pepper: Pepper) throws(StaffError) -> [WebhookSecret] {
        try signing(at: now).map { (secret) throws(StaffError) in
            try WebhookSecret(secret.sealed, by: pepper, for: sealOwner(secret.number))
        }
    }

    /// Seals a new secret and puts it first; the others end after the grace.
    mutating func add(_ secret: WebhookSecret, at now: Timestamp, by pepper: Pepper) throws(StaffError) {
        let number = (secrets.map(\.number).max() ?? 0) + 1
        let sealed = try secret.sealed(by: pepper, for: sealOwner(number))
        let end = now.adding(WebhookLimits.rotationGrace)
        secrets =
            [SealedSecret(number: number, sealed: sealed)]
            + signing(at: now).map { old in
                var old = old
                old.until = min(old.until ?? end, end)
                return old
            }
    }

    private func sealOwner(_ number: Int64) -> String { "\(WebhookEndpoint.collection.rawValue)/\(id)/\(number)" }
}

extension WebhookEndpoint: RecordDocument {
    package static let collection: RecordCollection = "webhook_endpoint"

    package var record: Record {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("url", url)
        writer.field("types", .array(types.words.map { .string($0) }))
        writer.field("allow_private", allowsPrivate)
        if case .disabled(let reason, let at) = state {
            writer.field("disabled", reason.rawValue)
            writer.field("disabled_at", at.milliseconds)
        }
        writer.key("secrets")
        writer.beginArray()
        for secret in secrets {
            writer.beginObject()
            writer.field("number", secret.number)
            writer.field("sealed", Hex.lowercase(secret.sealed))
            if let until = secret.until { writer.field("until", until.milliseconds) }
            writer.endObject()
        }
        writer.endArray()
        writer.field("cursor", cursor)
        if let freshSince { writer.field("fresh_since", freshSince.milliseconds) }
        writer.field("created_at", createdAt.milliseconds)
        writer.endObject()
        let match = WebhookEndpoint.match(account: account)
        return Record(
            RecordID(WebhookEndpoint.collection, id.rawValue), body: writer.bytes, fields: [match.field: match.value])
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        let secrets = try (body.json["secrets"]?.arrayValue ?? []).map { (one) throws(JournalError) in
            guard let number = one["number"]?.int64Value,
                let sealed = one["sealed"]?.stringValue.flatMap({ Hex.decode($0) })
            else { throw body.damaged("secrets") }
            return SealedSecret(
                number: number, sealed: sealed, until: one["until"]?.int64Value.map { Timestamp(milliseconds: $0) })
        }
        self.init(
            id: WebhookEndpointID(rawValue: stored.id.key), account: AccountID(rawValue: try body.text("account")),
            url: try body.text("url"),
            types: WebhookTypes(stored: (body.json["types"]?.arrayValue ?? []).compactMap(\.stringValue)),
            allowsPrivate: try body.bool("allow_private"), secrets: secrets, cursor: try body.int("cursor"),
            createdAt: Timestamp(milliseconds: try body.int("created_at")))
        freshSince = body.optionalInt("fresh_since").map { Timestamp(milliseconds: $0) }
        guard let word = body.optionalText("disabled") else { return }
        guard let reason = Disabling(rawValue: word) else { throw body.damaged("disabled") }
        state = .disabled(reason, at: Timestamp(milliseconds: try body.int("disabled_at")))
    }
}
