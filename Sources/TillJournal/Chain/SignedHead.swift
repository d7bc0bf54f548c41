public import TillCore

/// The signed head of a journal's chain: one line to be printed, mailed or archived away from the machine.
///
/// An attacker with write access to the journal's file can recompute its chain or replace it with an older backup. The
/// line and the public key reveal both later, since the signature cannot be forged without the private key. The line is
/// `till-head/2 journal=… sequence=… hash=… audit=… audit_hash=… time=… key=… signature=…`; lines from before the audit
/// log (`till-head/1`) lack its two fields. The signature covers the bytes in ASCII before the space that precedes
/// `signature=`, with Ed25519 (RFC 8032), so that any program can verify it.
public struct SignedHead: Hashable, Sendable {
    /// The maximum size of a statement in bytes, including surrounding white space.
    public static let maximumBytes = 1_024
    /// The first word of a line about the events alone, and of one that includes the audit log.
    private static let words = (events: "till-head/1", both: "till-head/2")
    private static let signatureBytes = 64

    /// The identity of the journal: the beginning of its random start, which its backups share, in hexadecimal.
    public let journal: String
    public let head: ChainHead
    /// The head of the audit log's chain; `nil` in a line from before there was one.
    public let audit: ChainHead?
    /// The time of signing, by the clock of the signing machine.
    public let at: Timestamp
    /// The ``HeadVerifyingKey/id`` of the key.
    public let key: String
    /// The Ed25519 signature over the line's text before ` signature=`; 64 bytes.
    public let signature: [UInt8]

    /// Signs a head.
    /// - Throws: ``SignedHeadError/notSigned`` if the key cannot sign.
    public init(_ stated: JournalHead, at: Timestamp, key: HeadSigningKey) throws(SignedHeadError) {
        journal = stated.journal
        head = stated.head
        audit = stated.audit
        self.at = at
        self.key = key.verifyingKey.id
        signature = try key.signature(of: SignedHead.signedText(stated, at, self.key))
    }

    /// Parses a line exactly as printed, apart from surrounding white space. The signature is not checked yet.
    /// - Throws: ``SignedHeadError/unreadable``
    public init(parsing text: String) throws(SignedHeadError) {
        guard text.utf8.count <= SignedHead.maximumBytes else { throw .unreadable }
        let line = text.split(whereSeparator: \.isNewline).map(String.init)
        guard line.count == 1, let line = line.first else { throw .unreadable }
        let parts = line.split(separator: " ")
        let hasAudit = parts.first.map { $0 == SignedHead.words.both } ?? false
        let names =
            ["journal", "sequence", "hash"] + (hasAudit ? ["audit", "audit_hash"] : []) + ["time", "key", "signature"]
        guard parts.count == names.count + 1, hasAudit || parts[0] == SignedHead.words.events else { throw .unreadable }
        var values: [String: String] = [:]
        for (name, part) in zip(names, parts.dropFirst()) {
            guard part.hasPrefix(name + "=") else { throw .unreadable }
            values[name] = String(part.dropFirst(name.count + 1))
        }
        guard let head = ChainHead("\(values["sequence", default: ""]):\(values["hash", default: ""])"),
            let at = Timestamp(internetTime: values["time", default: ""]),
            let signature = Hex.decode(values["signature", default: ""]),
            signature.count == SignedHead.signatureBytes
        else { throw .unreadable }
        audit = ChainHead("\(values["audit", default: ""]):\(values["audit_hash", default: ""])")
        guard (audit != nil) == hasAudit else { throw .unreadable }
        journal = values["journal", default: ""]
        self.head = head
        self.at = at
        key = values["key", default: ""]
        self.signature = signature
        // Each statement has one canonical text: the bytes verified below are those in the file.
        guard description == parts.joined(separator: " ") else { throw .unreadable }
    }

    /// Checks the signature.
    /// - Throws: ``SignedHeadError/otherKey(signed:given:)``, ``SignedHeadError/wrongSignature``.
    public func verify(with key: HeadVerifyingKey) throws(SignedHeadError) {
        guard key.id == self.key else { throw .otherKey(signed: self.key, given: key.id) }
        guard key.isSigned(SignedHead.signedText(stated, at, self.key), signature) else { throw .wrongSignature }
    }

    private var stated: JournalHead { JournalHead(journal: journal, head: head, audit: audit) }

    private static func signedText(_ stated: JournalHead, _ at: Timestamp, _ key: String) -> [UInt8] {
        let head = "sequence=\(stated.head.sequence) hash=\(Hex.lowercase(stated.head.hash))"
        let audit = stated.audit.map { " audit=\($0.sequence) audit_hash=\(Hex.lowercase($0.hash))" } ?? ""
        let word = stated.audit == nil ? words.events : words.both
        return Array("\(word) journal=\(stated.journal) \(head)\(audit) time=\(at) key=\(key)".utf8)
    }
}

extension SignedHead: CustomStringConvertible {
    /// The whole line, without a line break.
    public var description: String {
        let signed = String(decoding: SignedHead.signedText(stated, at, key), as: UTF8.self)
        return "\(signed) signature=\(Hex.lowercase(signature))"
    }
}

/// The identity of a journal and the head of its chain.
public struct JournalHead: Hashable, Sendable {
    /// The beginning of the journal's random start, in hexadecimal: shared by its backups, different in any other
    /// journal.
    public var journal: String
    public var head: ChainHead
    /// The head of the audit log's chain; `nil` if unknown.
    public var audit: ChainHead?

    public init(journal: String, head: ChainHead, audit: ChainHead? = nil) {
        self.journal = journal
        self.head = head
        self.audit = audit
    }

    /// Returns the identity of a journal with that random start.
    package static func name(of start: [UInt8]) -> String { HeadFile.name(of: start) }
}

/// The reason a signed head is rejected.
public enum SignedHeadError: Error, Hashable, Sendable {
    /// Not a line as `till journal head` prints it.
    case unreadable
    /// Signed with a key other than the given one.
    case otherKey(signed: String, given: String)
    /// The signature is invalid: the line was changed or forged.
    case wrongSignature
    /// The key file has an unsupported form.
    case unusableKey
    /// Signing failed.
    case notSigned
}

extension SignedHeadError: ExplainedError {
    public var code: String {
        switch self {
        case .unreadable: "signed_head_unreadable"
        case .otherKey: "signed_head_other_key"
        case .wrongSignature: "signed_head_forged"
        case .unusableKey: "signing_key_unusable"
        case .notSigned: "head_not_signed"
        }
    }

    public var what: String {
        switch self {
        case .unreadable: "The signed head is not one line as `till journal head` prints it."
        case .otherKey(let signed, let given):
            "The head was signed with the key \(signed.prefix(16)), and the public key given is \(given)."
        case .wrongSignature: "The signature of the head does not fit: the line was changed, or another hand made it."
        case .unusableKey: "The file is no Ed25519 key in PEM."
        case .notSigned: "The head could not be signed."
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .unreadable: "Give the file with the whole line as it was printed."
        case .otherKey: "Give the public key that belongs to it."
        case .wrongSignature: "Nothing follows from this line. Take a copy from where nobody could change it."
        case .unusableKey: "Make one with `till journal head --new-key FILE`."
        case .notSigned: "Try again; if it stays so, make a new key with `till journal head --new-key FILE`."
        }
    }
}
