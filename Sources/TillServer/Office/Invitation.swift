public import TillCore
public import TillJournal

/// A link that lets one person choose what they sign in to the back office with. There is one of each person at most.
/// Of its code only a digest is kept.
public struct Invitation: Hashable, Sendable {
    /// How long one is good.
    public static let lifetime = Span.days(1)
    private static let codeBytes = SecretToken.startCodeBytes

    let staff: StaffID
    let account: AccountID
    /// The SHA-256 of the code.
    let hash: [UInt8]
    let made: Timestamp
    /// The secret of one-time codes that the person is shown, sealed; the same however often the link is opened.
    var sealedCode: [UInt8]?

    /// Makes one, and the word that stands in its link.
    static func make(for person: StaffRecord, at now: Timestamp) -> (invitation: Invitation, word: String) {
        let code = SecretToken.make(bytes: codeBytes)
        let made = Invitation(staff: person.id, account: person.account, hash: digest(code.utf8), made: now)
        return (made, "\(person.id.rawValue).\(code)")
    }

    /// The invitation that a word of a link names, if it is good now.
    static func find(
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

    /// A time that was set back makes none good that was made after it, but for as much as clocks of two machines may
    /// differ.
    private func isGood(at now: Timestamp) -> Bool {
        let age = now.since(made)
        return age.milliseconds >= -JournalLimits.clockTolerance.milliseconds && age < Invitation.lifetime
    }
}

extension Invitation: RecordDocument {
    public static let collection: RecordCollection = "office_invitation"
    static func id(_ staff: StaffID) -> RecordID { RecordID(collection, staff.rawValue) }

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
