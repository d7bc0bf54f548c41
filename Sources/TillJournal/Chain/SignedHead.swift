public import TillCore

/// The head of a journal's chain, signed: one line that is printed, mailed or filed away from the machine.
///
/// Whoever can write the journal's file can compute its chain anew, and can put an older backup back. With the line and
/// the public key both are found later, since the signature cannot be made again without the private key. The line is
/// `till-head/1 journal=… sequence=… hash=… time=… key=… signature=…`; what is signed are its bytes in ASCII before
/// ` signature=`, with Ed25519 (RFC 8032), so that any program can verify it.
public struct SignedHead: Hashable, Sendable {
    /// The longest statement that is read, in bytes, with white space around it.
    public static let maximumBytes = 1_024
    private static let word = "till-head/1"
    private static let signatureBytes = 64

    /// Which journal it is of: the beginning of its random start, which its backups share, in hexadecimal.
    public let journal: String
    public let head: ChainHead
    /// When it was signed, by the clock of the machine that did.
    public let at: Timestamp
    /// The ``HeadVerifyingKey/id`` of the key.
    public let key: String
    /// Ed25519, 64 bytes.
    public let signature: [UInt8]

    /// Signs a head.
    /// - Throws: ``SignedHeadError/notSigned`` if the key cannot sign.
    public init(_ stated: JournalHead, at: Timestamp, key: HeadSigningKey) throws(SignedHeadError) {
        journal = stated.journal
        head = stated.head
        self.at = at
        self.key = key.verifyingKey.id
        signature = try key.signature(of: SignedHead.signedText(stated.journal, stated.head, at, self.key))
    }

    /// Reads a statement exactly as it was printed, white space around it apart. The signature is not checked yet.
    /// - Throws: ``SignedHeadError/unreadable``
    public init(parsing text: String) throws(SignedHeadError) {
        guard text.utf8.count <= SignedHead.maximumBytes else { throw .unreadable }
        let line = text.split(whereSeparator: \.isNewline).map(String.init)
        guard line.count == 1, let line = line.first else { throw .unreadable }
        let parts = line.split(separator: " ")
        let names = ["journal", "sequence", "hash", "time", "key", "signature"]
        guard parts.count == names.count + 1, parts[0] == SignedHead.word else { throw .unreadable }
        var values: [String] = []
        for (name, part) in zip(names, parts.dropFirst()) {
            guard part.hasPrefix(name + "=") else { throw .unreadable }
            values.append(String(part.dropFirst(name.count + 1)))
        }
        guard let head = ChainHead("\(values[1]):\(values[2])"), let at = Timestamp(internetTime: values[3]),
            let signature = Hex.decode(values[5]), signature.count == SignedHead.signatureBytes
        else { throw .unreadable }
        journal = values[0]
        self.head = head
        self.at = at
        key = values[4]
        self.signature = signature
        // One text for each statement: what is verified below is what stands in the file.
        guard description == parts.joined(separator: " ") else { throw .unreadable }
    }

    /// Checks the signature.
    /// - Throws: ``SignedHeadError/otherKey(signed:given:)``, ``SignedHeadError/wrongSignature``.
    public func verify(with key: HeadVerifyingKey) throws(SignedHeadError) {
        guard key.id == self.key else { throw .otherKey(signed: self.key, given: key.id) }
        guard key.isSigned(SignedHead.signedText(journal, head, at, self.key), signature) else { throw .wrongSignature }
    }

    private static func signedText(_ journal: String, _ head: ChainHead, _ at: Timestamp, _ key: String) -> [UInt8] {
        let hash = Hex.lowercase(head.hash)
        return Array("\(word) journal=\(journal) sequence=\(head.sequence) hash=\(hash) time=\(at) key=\(key)".utf8)
    }
}

extension SignedHead: CustomStringConvertible {
    /// The whole line, without a line break.
    public var description: String {
        let signed = String(decoding: SignedHead.signedText(journal, head, at, key), as: UTF8.self)
        return "\(signed) signature=\(Hex.lowercase(signature))"
    }
}

/// Which journal, and where its chain ends.
public struct JournalHead: Hashable, Sendable {
    /// The beginning of the journal's random start, in hexadecimal: the same in its backups, another in any other journal.
    public var journal: String
    public var head: ChainHead

    public init(journal: String, head: ChainHead) {
        self.journal = journal
        self.head = head
    }

    /// By what a journal of that random start is known again.
    package static func name(of start: [UInt8]) -> String { HeadFile.name(of: start) }
}

/// Why a signed head is not taken.
public enum SignedHeadError: Error, Hashable, Sendable {
    /// It is not a line as `till journal head` prints it.
    case unreadable
    /// It was signed with another key than the one that was given.
    case otherKey(signed: String, given: String)
    /// The signature does not fit: the line was changed, or somebody else made it.
    case wrongSignature
    /// The key's file has another form.
    case unusableKey
    /// The key could not sign.
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
