import Crypto

/// A stored event and its link to the previous one.
///
/// The link of an event is SHA-256 over, in this order: the previous link (32 bytes; for the first event the journal's
/// random start), sequence, version and time (eight bytes each, big-endian), and payment, account, name and body, each
/// as its length in eight bytes followed by its bytes in UTF-8. An event therefore cannot be changed, moved, removed or
/// inserted without changing every link after it, and no two events have the same bytes.
package struct EventLink {
    /// The number of bytes in a link.
    package static let byteCount = SHA256.byteCount

    package var sequence: Int64
    package var version: Int64
    /// Milliseconds since 1970, as stored.
    package var at: Int64
    package var payment: String
    package var account: String
    package var name: String
    package var body: [UInt8]

    package init(
        sequence: Int64, version: Int64, at: Int64, payment: String, account: String, name: String, body: [UInt8]
    ) {
        (self.sequence, self.version, self.at) = (sequence, version, at)
        (self.payment, self.account, self.name, self.body) = (payment, account, name, body)
    }

    /// Returns the link of this event after the previous link.
    package func hash(after previous: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        return hash(after: previous, over: &bytes)
    }

    /// Returns the link of this event after the previous link.
    /// - Parameter bytes: a buffer for the hashed bytes, whatever it contains; kept by the caller for the next event.
    package func hash(after previous: [UInt8], over bytes: inout [UInt8]) -> [UInt8] {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(previous.count + 7 * 8 + 128 + body.count)
        bytes += previous
        EventLink.append(UInt64(bitPattern: sequence), to: &bytes)
        EventLink.append(UInt64(bitPattern: version), to: &bytes)
        EventLink.append(UInt64(bitPattern: at), to: &bytes)
        EventLink.append(payment, to: &bytes)
        EventLink.append(account, to: &bytes)
        EventLink.append(name, to: &bytes)
        EventLink.append(UInt64(body.count), to: &bytes)
        bytes += body
        return SHA256.hash(data: bytes).withUnsafeBytes { Array($0) }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(UInt64(text.utf8.count), to: &bytes)
        bytes += text.utf8
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Returns a unique start, so that no event can be moved to another journal.
    package static func randomStart() -> [UInt8] { (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) } }
}
