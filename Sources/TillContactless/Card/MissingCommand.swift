import TillCore

/// Infers an unrecorded command from its response and the preceding exchanges.
struct MissingCommand {
    private var isSelected = false
    private var isStarted = false
    /// Records named by the card and not read yet.
    private var records: [(file: UInt8, record: UInt8)] = []

    /// Returns the inferred command; `nil` if the response does not determine it.
    func command(for response: ResponseAPDU) -> CommandAPDU? {
        guard let objects = DataObject.parse(ifValid: response.data), let first = objects.first else { return nil }
        switch first.tag {
        case 0x6F: return CommandAPDU.select(objects.first(0x84)?.value ?? [])
        case 0x70:
            return records.first.map { CommandAPDU.readRecord($0.record, file: $0.file) }
        case 0x77, 0x80:
            guard isSelected else { return nil }
            return isStarted
                ? CommandAPDU(0x80, 0xAE, 0x80, 0x00) : CommandAPDU(0x80, 0xA8, 0x00, 0x00, data: [0x83, 0x00])
        default:
            guard objects.count == 1, first.tag.bytes.count == 2, first.tag.bytes[0] == 0x9F else { return nil }
            return CommandAPDU(0x80, 0xCA, 0x9F, first.tag.bytes[1])
        }
    }

    /// Records an exchange.
    mutating func note(_ command: CommandAPDU, _ response: ResponseAPDU?) {
        let isDone = response?.status == .done
        switch command.name {
        case "SELECT":
            (isSelected, isStarted, records) = (isDone, false, [])
        case "GET PROCESSING OPTIONS":
            guard isDone, let objects = response.flatMap({ DataObject.parse(ifValid: $0.data) }) else { return }
            isStarted = true
            let plain = objects.first.flatMap { $0.tag == 0x80 ? Array($0.value.dropFirst(2)) : nil }
            records = FileLocator.records(plain ?? objects.first(0x94)?.value ?? [])
        case "READ RECORD":
            records.removeAll { $0.file == command.p2 >> 3 && $0.record == command.p1 }
        default: break
        }
    }
}

/// The application file locator: the records that a terminal has to read. Source: EMV Book 3, section 10.2.
enum FileLocator {
    /// Returns the records in order, at most ``ContactlessReader/mostRecords``.
    static func records(_ locator: [UInt8]) -> [(file: UInt8, record: UInt8)] {
        var records: [(file: UInt8, record: UInt8)] = []
        for at in stride(from: 0, to: locator.count - locator.count % 4, by: 4) {
            let (first, last) = (locator[at + 1], locator[at + 2])
            guard first > 0, last >= first else { continue }
            for record in first...last where records.count < ContactlessReader.mostRecords {
                records.append((locator[at] >> 3, record))
            }
        }
        return records
    }
}
