import TillCore
public import TillJournal

/// A printer that the shop gave a name.
public struct KnownPrinter: Hashable, Sendable {
    public var name: String
    public var address: String
    /// The name of its ESC/POS profile.
    public var profile: String
    /// SHA-256 of the certificate that it must show, or the whole of it in DER.
    public var certificate: [UInt8]?
    /// The first certificate that it shows is to be kept.
    public var trustsFirst = false
    /// Who prints, where the printer asks.
    public var user: String?
    /// The file that holds the password, which itself is never kept here.
    public var passwordFile: String?

    public init(name: String, address: String, profile: String, certificate: [UInt8]? = nil) {
        self.name = name
        self.address = address
        self.profile = profile
        self.certificate = certificate
    }
}

extension KnownPrinter: RecordDocument {
    /// Where they are kept.
    public static let collection: RecordCollection = "printer"

    /// As it is written.
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

    /// As it was read.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(name: stored.id.key, address: try body.text("address"), profile: try body.text("profile"))
        if body.optionalText("certificate") != nil { certificate = try body.bytes("certificate") }
        trustsFirst = try body.bool("trusts_first")
        user = body.optionalText("user")
        passwordFile = body.optionalText("password_file")
    }
}
