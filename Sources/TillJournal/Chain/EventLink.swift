import Crypto

/// An event as it is stored, and what ties it to the event before it.
///
/// The link of an event is SHA-256 over, one after the other: the link before it (32 bytes; for the first event the
/// journal's random start), sequence, version and moment (each eight bytes, highest first), and payment, account, name
/// and body, each as the count of its bytes in eight bytes and then its bytes in UTF-8. So an event cannot be changed,
/// moved, taken out or put in without changing every link after it, and no two events have the same bytes.
package struct EventLink {
    /// The bytes of a link.
    package static let byteCount = SHA256.byteCount

    package var sequence: Int64
    package var version: Int64
    /// In milliseconds since 1970, as it is stored.
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

    /// The link of this event behind the one before it.
    package func hash(after previous: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(previous.count + 7 * 8 + 128 + body.count)
        bytes += previous
        for number in [sequence, version, at] { EventLink.append(UInt64(bitPattern: number), to: &bytes) }
        for text in [payment, account, name] {
            EventLink.append(UInt64(text.utf8.count), to: &bytes)
            bytes += text.utf8
        }
        EventLink.append(UInt64(body.count), to: &bytes)
        bytes += body
        return Array(SHA256.hash(data: bytes))
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// A start that no other journal has, so that no event of one can be moved to another.
    package static func randomStart() -> [UInt8] { (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) } }
}
