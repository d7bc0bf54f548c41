package import TillCore
package import TillJournal

/// The back-office credentials of a person, other than passkeys: a password and the secret of one-time codes. Stored in
/// a record of its own, because each sign-in changes it.
package struct OfficeCredentials: Hashable, Sendable {
    package let staff: StaffID
    package var password: ScryptHash
    /// The secret of one-time codes, sealed under the pepper.
    var sealedCode: [UInt8]
    /// The step of the last code used: each code is accepted once.
    package var lastStep: Int64?

    package init(staff: StaffID, password: ScryptHash, sealedCode: [UInt8], lastStep: Int64?) {
        (self.staff, self.password, self.sealedCode, self.lastStep) = (staff, password, sealedCode, lastStep)
    }

    /// Opens the sealed secret of one-time codes.
    /// - Throws: ``StaffError/pepperMissing`` if it was sealed under another pepper.
    package func oneTimeCode(_ pepper: Pepper) throws(StaffError) -> OneTimeCode {
        OneTimeCode(secret: try pepper.open(sealedCode, for: staff.rawValue))
    }
}

extension OfficeCredentials: RecordDocument {
    package static let collection: RecordCollection = "office_credentials"
    package static func id(_ staff: StaffID) -> RecordID { RecordID(collection, staff.rawValue) }

    package var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("password")
        password.write(into: &writer)
        writer.field("code", Hex.lowercase(sealedCode))
        if let lastStep { writer.field("last_step", lastStep) }
        writer.endObject()
        return Record(OfficeCredentials.id(staff), body: writer.bytes)
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let password = body.json["password"].flatMap(ScryptHash.init) else { throw body.damaged("password") }
        self.init(
            staff: StaffID(rawValue: stored.id.key), password: password, sealedCode: try body.bytes("code"),
            lastStep: body.optionalInt("last_step"))
    }
}
