import TillCore
public import TillJournal

/// A printer registered by name.
public struct KnownPrinter: Hashable, Sendable {
    public var name: String
    public var address: String
    /// The name of its ESC/POS profile.
    public var profile: String
    /// The pinned certificate: its SHA-256, or the whole certificate in DER.
    public var certificate: [UInt8]?
    /// `true` if the first certificate presented is to be pinned.
    public var trustsFirst = false
    /// The user name, if the printer requires one.
    public var user: String?
    /// The path of the password file; the password itself is never stored here.
    public var passwordFile: String?

    public init(name: String, address: String, profile: String, certificate: [UInt8]? = nil) {
        self.name = name
        self.address = address
        self.profile = profile
        self.certificate = certificate
    }
}

extension KnownPrinter: RecordDocument {
    /// The collection of registered printers.
    public static let collection: RecordCollection = "printer"

    /// The stored form.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("address", address)
        writer.field("profile", profile)
        writer.field("certificate", certificate.map { Hex.lowercase($0) })
        writer.field("trusts_first", trustsFirst)
        writer.field("user", user)
        writer.field("password_file", passwordFile)
        writer.endObject()
        return Record(RecordID(KnownPrinter.collection, name), body: writer.bytes)
    }

    /// Reads the stored form.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(name: stored.id.key, address: try body.text("address"), profile: try body.text("profile"))
        if body.optionalText("certificate") != nil { certificate = try body.bytes("certificate") }
        trustsFirst = try body.bool("trusts_first")
        user = body.optionalText("user")
        passwordFile = body.optionalText("password_file")
    }
}
