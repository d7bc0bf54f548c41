import TillCore

/// An event of the counter's stream, `GET /v1/events`.
struct ListenEvent: Hashable, Sendable {
    /// The position in the journal, after which an interrupted stream goes on.
    let sequence: Int64
    let payment: PaymentID
    /// The position within the payment, from 1.
    let version: Int
    let name: String
    let at: Timestamp

    /// Reads an event's data; `nil` for one that is not in the journal, such as a reader's.
    init?(data: String) {
        guard let json = JSONValue(ifValid: data.utf8), let sequence = json["sequence"]?.int64Value, sequence > 0,
            let payment = json["payment"]?.stringValue.flatMap({ PaymentID(ifValid: $0) }),
            let version = json["version"]?.int64Value.flatMap({ Int(exactly: $0) }), version > 0,
            let name = json["type"]?.stringValue,
            let at = json["at"]?.stringValue.flatMap({ Timestamp(internetTime: $0) })
        else { return nil }
        (self.sequence, self.payment, self.version, self.name, self.at) = (sequence, payment, version, name, at)
    }
}

/// A reader of the counter's stream of server-sent events: bytes in pieces of any size, events out.
struct ListenStreamReader: Sendable {
    private var line: [UInt8] = []
    private var data = ""
    /// `true` once the counter has begun the stream, as opposed to an answer of another kind.
    private(set) var hasBegun = false
    /// `true` after a line that is longer than ``ListenLimits/lineBytes``; nothing is read after it.
    private(set) var isTooLong = false

    /// Reads further bytes, and returns the events that they complete.
    mutating func read(_ bytes: [UInt8]) -> [ListenEvent] {
        var events: [ListenEvent] = []
        for byte in bytes where !isTooLong {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                isTooLong = line.count > ListenLimits.lineBytes
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let event = take(String(decoding: line, as: UTF8.self)) { events.append(event) }
            line = []
        }
        return events
    }

    private mutating func take(_ line: String) -> ListenEvent? {
        guard !line.isEmpty else {
            defer { data = "" }
            return data.isEmpty ? nil : ListenEvent(data: data)
        }
        if line.hasPrefix("retry:") { hasBegun = true }
        guard line.hasPrefix("data:") else { return nil }
        // The counter writes an event's data in one line.
        data = String(line.dropFirst(line.hasPrefix("data: ") ? 6 : 5))
        return nil
    }
}
