import TillCore

/// The recorded transaction log of a card. Source: EMV Book 3, annex D.
struct RecordedLog {
    /// The log format, tag 9F4F.
    private(set) var format: DataObjectList?
    /// The file that holds the entries, from tag 9F4D.
    private(set) var file: UInt8?

    /// Returns one log per exchange: that of the application selected at the time. The format may be read after the
    /// entries, or from another application of the same card.
    static func logs(_ transcript: Transcript) -> [RecordedLog] {
        var logs: [RecordedLog] = []
        var part: [Transcript.Exchange] = []
        func close() {
            let log = RecordedLog(part)
            logs += part.map { _ in log }
            part = []
        }
        for exchange in transcript.exchanges {
            if exchange.command?.name == "SELECT" { close() }
            part.append(exchange)
        }
        close()
        let other = logs.lazy.compactMap(\.format).first
        return logs.map { log in
            var log = log
            log.format = log.format ?? other
            return log
        }
    }

    private init(_ exchanges: [Transcript.Exchange]) {
        for exchange in exchanges {
            guard let objects = exchange.response.flatMap({ DataObject.parse(ifValid: $0.data) }) else { continue }
            if let list = objects.first(0x9F4F)?.value { format = DataObjectList(ifValid: list) }
            if let entry = objects.first(0x9F4D)?.value, entry.count == 2 { file = entry[0] }
        }
    }

    /// Returns the values of an entry; `nil` if the file is not the log's or the format is unknown.
    func entry(_ command: CommandAPDU, _ data: [UInt8]) -> [DataObject]? {
        let read = command.p2 >> 3
        guard let format, !data.isEmpty, file.map({ $0 == read }) ?? (11...30).contains(read) else { return nil }
        guard format.entries.reduce(0, { $0 + $1.length }) == data.count else { return nil }
        var objects: [DataObject] = []
        var at = 0
        for wish in format.entries {
            objects.append(DataObject(wish.tag, Array(data[at..<at + wish.length])))
            at += wish.length
        }
        return objects
    }

    /// Returns `Entry 3 of the card's log: 46.00 EUR on 2014-03-16.`
    static func sentence(_ record: UInt8, _ entry: [DataObject]) -> String {
        guard entry.contains(where: { $0.value.contains { $0 != 0 && $0 != 0xFF } }) else {
            return "Entry \(record) of the card's log is empty."
        }
        var parts: [String] = []
        if let amount = entry.first(0x9F02).flatMap({ Int64(Hex.text($0.value)) }) {
            let code = entry.first(0x5F2A).flatMap { Int(Hex.text($0.value)) }
            if let currency = Currency.all.first(where: { $0.numericCode == code }) {
                parts.append(Money(minorUnits: amount, currency: currency).description)
            } else {
                parts.append("amount \(amount)")
            }
        }
        if let date = entry.first(0x9A)?.value, date.count == 3 {
            parts.append("on 20\(Hex.text([date[0]]))-\(Hex.text([date[1]]))-\(Hex.text([date[2]]))")
        }
        return "Entry \(record) of the card's log"
            + (parts.isEmpty ? "." : ": \(parts.joined(separator: " ")).")
    }
}
