import TillCore

/// A reader of server-sent events: bytes in pieces of any size, events out.
struct ServerSentEvents {
    struct Event: Hashable {
        var name: String
        var data: String
    }

    /// The most bytes of one line, and of the data of one event.
    static let maximumBytes = 64 << 10

    private var line: [UInt8] = []
    private var name = ""
    private var data = ""
    private(set) var isTooLong = false

    /// Reads further bytes, and returns the events that they complete.
    mutating func read(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        for byte in bytes where !isTooLong {
            guard byte == 0x0A else {
                line.append(byte)
                isTooLong = line.count > ServerSentEvents.maximumBytes
                continue
            }
            if line.last == 0x0D { line.removeLast() }
            if let event = take(String(decoding: line, as: UTF8.self)) { events.append(event) }
            line = []
        }
        return events
    }

    private mutating func take(_ line: String) -> Event? {
        guard !line.isEmpty else {
            defer { (name, data) = ("", "") }
            return data.isEmpty ? nil : Event(name: name, data: data)
        }
        guard let colon = line.firstIndex(of: ":") else { return nil }
        var value = line[line.index(after: colon)...]
        if value.first == " " { value = value.dropFirst() }
        switch line[..<colon] {
        case "event": name = String(value)
        case "data":
            data += data.isEmpty ? String(value) : "\n" + value
            isTooLong = data.utf8.count > ServerSentEvents.maximumBytes
        default: break
        }
        return nil
    }
}
