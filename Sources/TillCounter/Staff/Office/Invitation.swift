public import TillCore
public import TillJournal

/// A link with which one person chooses back-office credentials. A person has at most one. Only a digest of its code is
/// stored.
public struct Invitation: Hashable, Sendable {
    /// The lifetime of an invitation.
    public static let lifetime = Span.days(1)
    private static let codeBytes = SecretToken.startCodeBytes

    package let staff: StaffID
    package let account: AccountID
    /// The SHA-256 of the code.
    package let hash: [UInt8]
    package let made: Timestamp
    /// The sealed secret of one-time codes shown to the person; it stays the same each time the link is opened.
    package var sealedCode: [UInt8]?

    /// Creates an invitation and the word for its link.
    package static func make(for person: StaffRecord, at now: Timestamp) -> (invitation: Invitation, word: String) {
        let code = SecretToken.make(bytes: codeBytes)
        let made = Invitation(staff: person.id, account: person.account, hash: digest(code.utf8), made: now)
        return (made, "\(person.id.rawValue).\(code)")
    }

    /// Returns the invitation of a link's word, if it is currently valid.
    package static func find(
        _ word: String, in store: any RecordStore, at now: Timestamp
    ) async throws(JournalError) -> (invitation: Invitation, version: Int)? {
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let staff = StaffID(ifValid: String(parts[0])),
            let stored = try await store.record(Invitation.id(staff))
        else { return nil }
        let found = try Invitation(stored)
        guard equalInConstantTime(digest(parts[1].utf8), found.hash), found.isGood(at: now) else { return nil }
        return (found, stored.version)
    }

    /// Returns `true` if the invitation is valid. One made after the current time is invalid, beyond the clock
    /// difference tolerated between two machines.
    private func isGood(at now: Timestamp) -> Bool {
        let age = now.since(made)
        return age.milliseconds >= -JournalLimits.clockTolerance.milliseconds && age < Invitation.lifetime
    }
}

extension Invitation: RecordDocument {
    public static let collection: RecordCollection = "office_invitation"
    package static func id(_ staff: StaffID) -> RecordID { RecordID(collection, staff.rawValue) }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("hash", Hex.lowercase(hash))
        writer.field("made", made.milliseconds)
        if let sealedCode { writer.field("code", Hex.lowercase(sealedCode)) }
        writer.endObject()
        return Record(Invitation.id(staff), body: writer.bytes, due: made.adding(Invitation.lifetime))
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            staff: StaffID(rawValue: stored.id.key), account: AccountID(rawValue: try body.text("account")),
            hash: try body.bytes("hash"), made: Timestamp(milliseconds: try body.int("made")),
            sealedCode: body.optionalText("code") == nil ? nil : try body.bytes("code"))
    }
}
