/// NDEF records as nested by Smart Tap. Source: NFC Forum, NDEF 1.0; complete records only, no chunks.
struct NDEFMessage: Hashable, Sendable {
    /// Maximum nesting depth.
    static let deepestNesting = 6
    /// Maximum number of records per message.
    static let mostRecords = 64

    struct Record: Hashable, Sendable {
        /// The record name: the type of an external record, the id of a well-known one.
        let name: String
        let payload: [UInt8]
        /// The type name format: 4 is external, 1 well known.
        var format: UInt8 = 4
    }

    var records: [Record]

    init(_ records: [Record]) { self.records = records }

    /// Parses a message; `nil` if the bytes are not one.
    init?(_ bytes: [UInt8]) {
        records = []
        var at = 0
        func take(_ count: Int) -> [UInt8]? {
            guard count >= 0, bytes.count - at >= count else { return nil }
            defer { at += count }
            return Array(bytes[at..<at + count])
        }
        while at < bytes.count {
            guard records.count < NDEFMessage.mostRecords, let head = take(1)?.first, head & 0x20 == 0,
                let typeLength = take(1)?.first
            else { return nil }
            guard let lengthBytes = take(head & 0x10 != 0 ? 1 : 4) else { return nil }
            let length = lengthBytes.reduce(0) { $0 << 8 | Int($1) }
            var idLength = 0
            if head & 0x08 != 0 {
                guard let count = take(1)?.first else { return nil }
                idLength = Int(count)
            }
            guard let type = take(Int(typeLength)), let id = take(idLength), let payload = take(length) else {
                return nil
            }
            let name = head & 0x07 == 4 ? type : id
            records.append(
                Record(name: String(decoding: name, as: UTF8.self), payload: payload, format: head & 0x07))
            // The last record of the message.
            if head & 0x40 != 0 { break }
        }
        guard !records.isEmpty else { return nil }
    }

    subscript(name: String) -> [UInt8]? { records.first { $0.name == name }?.payload }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for (index, record) in records.enumerated() {
            let isShort = record.payload.count < 256
            var head: UInt8 = record.format | (isShort ? 0x10 : 0)
            if index == 0 { head |= 0x80 }
            if index == records.count - 1 { head |= 0x40 }
            let type = Array(record.name.utf8)
            bytes += [head, UInt8(clamping: type.count)]
            bytes +=
                isShort
                ? [UInt8(clamping: record.payload.count)] : TerminalData.bigEndian(UInt64(record.payload.count), 4)
            bytes += type + record.payload
        }
        return bytes
    }
}
