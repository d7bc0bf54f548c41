import Crypto
public import TillCore

/// The provider's signed statement that a batch is decided and its card data may be deleted. The device can read and
/// verify a token, but cannot issue one.
public struct DeletionToken: Hashable, Sendable {
    /// The maximum length of a token's text, in bytes.
    public static let mostBytes = 4_096
    /// Tolerated lead of the provider's clock over the local clock.
    public static let clockTolerance: Span = .minutes(5)

    public var log: String
    public var batch: String
    /// Sequences of the first and last entry.
    public var range: ClosedRange<UInt64>
    public var count: Int
    public var root: [UInt8]
    /// SHA-256 over the decisions.
    public var decisions: [UInt8]
    /// Start of the validity period.
    public var issued: Timestamp
    /// End of the validity period.
    public var expires: Timestamp

    private static let start = "tilldel1"

    /// Creates the token for a batch, at the provider.
    public init(
        log: String, content: BatchContent, decisions: [RecordDecision], issued: Timestamp, expires: Timestamp
    ) {
        self.log = log
        batch = content.id
        let first = content.members.first ?? 0
        range = first...max(first, content.members.last ?? first)
        count = content.members.count
        root = content.root
        self.decisions = BatchReceipt.digest(of: decisions)
        self.issued = issued
        self.expires = expires
    }

    private var bytes: [UInt8] {
        var writer = PackedWriter()
        writer.text(log)
        writer.text(batch)
        writer.long(range.lowerBound)
        writer.long(range.upperBound)
        writer.long(UInt64(clamping: count))
        writer.counted(root)
        writer.counted(decisions)
        writer.signed(issued.milliseconds)
        writer.signed(expires.milliseconds)
        return writer.bytes
    }

    /// Returns the signed text form, at the provider; `nil` if `key` is not a valid private key.
    /// - Parameter key: Ed25519, 32 bytes.
    public func text(signedWith key: Secret<[UInt8]>) -> String? {
        let bytes = bytes
        do {
            let signature = try Curve25519.Signing.PrivateKey(rawRepresentation: key.reveal()).signature(for: bytes)
            return [DeletionToken.start, Hex.lowercase(bytes), Hex.lowercase(signature)].joined(separator: ".")
        } catch { return nil }
    }

    /// Parses a token and verifies its signature. ``check(log:content:decisions:at:)`` verifies its scope and validity.
    public init(_ text: String, signedBy key: [UInt8]) throws(DeletionTokenError) {
        guard text.utf8.count <= DeletionToken.mostBytes else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == DeletionToken.start, let bytes = Hex.decode(parts[1]),
            let signature = Hex.decode(parts[2]), !bytes.isEmpty
        else { throw .malformed }
        guard OfflineDevice.isSigned(bytes, signature, by: key) else { throw .forged }
        var reader = PackedReader(bytes)
        guard let log = reader.text(), let batch = reader.text(), let first = reader.long(),
            let last = reader.long(), first <= last, let count = reader.long(), let root = reader.counted(),
            let decisions = reader.counted(), let issued = reader.signed(), let expires = reader.signed(),
            reader.isAtEnd
        else { throw .malformed }
        self.log = log
        self.batch = batch
        range = first...last
        self.count = Int(clamping: count)
        self.root = Array(root)
        self.decisions = Array(decisions)
        self.issued = Timestamp(milliseconds: issued)
        self.expires = Timestamp(milliseconds: expires)
    }

    /// Verifies that the token covers this batch with these decisions and is valid at `now`.
    public func check(
        log: String, content: BatchContent, decisions: [RecordDecision], at now: Timestamp
    ) throws(DeletionTokenError) {
        guard self.log == log else { throw .otherLog }
        guard batch == content.id else { throw .otherBatch(batch) }
        guard range.lowerBound == content.members.first, range.upperBound == content.members.last,
            count == content.members.count, root == content.root,
            self.decisions == BatchReceipt.digest(of: decisions)
        else { throw .otherScope }
        guard issued <= now.adding(DeletionToken.clockTolerance) else { throw .notYetGood(issued) }
        guard now <= expires else { throw .expired(expires) }
    }
}

/// The reason that a deletion token was rejected.
public enum DeletionTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not in token format.
    case malformed
    /// Not signed by the provider that the log is sealed for.
    case forged
    /// The token has expired.
    case expired(Timestamp)
    /// The token is not valid yet.
    case notYetGood(Timestamp)
    case otherLog
    case otherBatch(String)
    /// The token names this batch, but not its contents or decisions.
    case otherScope

    /// A stable identifier for programs.
    public var name: String {
        switch self {
        case .malformed: "malformed"
        case .forged: "forged"
        case .expired: "expired"
        case .notYetGood: "not_yet_good"
        case .otherLog: "other_log"
        case .otherBatch: "other_batch"
        case .otherScope: "other_scope"
        }
    }

    public var description: String {
        switch self {
        case .malformed: "The deletion token cannot be read."
        case .forged: "The deletion token is not signed by the provider."
        case .expired(let end): "The deletion token expired at \(end)."
        case .notYetGood(let start): "The deletion token is not valid before \(start)."
        case .otherLog: "The deletion token is for another log."
        case .otherBatch(let batch): "The deletion token is for batch \(batch)."
        case .otherScope: "The deletion token is not for what this batch holds."
        }
    }
}
