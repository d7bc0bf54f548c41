import TillCore
import TillJournal

/// The back-office credentials of a person, other than passkeys: a password and the secret of one-time codes. Stored in
/// a record of its own, because each sign-in changes it.
struct OfficeCredentials: Hashable, Sendable {
    let staff: StaffID
    var password: ScryptHash
    /// The secret of one-time codes, sealed under the pepper.
    var sealedCode: [UInt8]
    /// The step of the last code used: each code is accepted once.
    var lastStep: Int64?

    /// Opens the sealed secret of one-time codes.
    /// - Throws: ``StaffError/pepperMissing`` if it was sealed under another pepper.
    func oneTimeCode(_ pepper: Pepper) throws(StaffError) -> OneTimeCode {
        OneTimeCode(secret: try pepper.open(sealedCode, for: staff.rawValue))
    }
}

extension OfficeCredentials: RecordDocument {
    static let collection: RecordCollection = "office_credentials"
    static func id(_ staff: StaffID) -> RecordID { RecordID(collection, staff.rawValue) }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("password")
        password.write(into: &writer)
        writer.field("code", Hex.lowercase(sealedCode))
        if let lastStep { writer.field("last_step", lastStep) }
        writer.endObject()
        return Record(OfficeCredentials.id(staff), body: writer.bytes)
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let password = body.json["password"].flatMap(ScryptHash.init) else { throw body.damaged("password") }
        self.init(
            staff: StaffID(rawValue: stored.id.key), password: password, sealedCode: try body.bytes("code"),
            lastStep: body.optionalInt("last_step"))
    }
}
