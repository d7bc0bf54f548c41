import TillCore

/// The recorded data of one application on a card, whether or not its transaction was completed.
public struct RecordedApplication: Hashable, Sendable {
    /// The application identifier, as selected.
    public let aid: [UInt8]
    /// The scheme, if the identifier is known.
    public var scheme: String? { Scheme(aid: aid)?.name }
    /// The application label.
    public internal(set) var label: String?
    /// First six and last four digits.
    public internal(set) var maskedNumber: String?
    /// Expiry year and month, `2030-12`.
    public internal(set) var expiry: String?
    /// The card's decision: ARQC, TC or AAC.
    public internal(set) var cryptogram: String?
    /// The application transaction counter.
    public internal(set) var counter: Int?

    /// A display line.
    public var sentence: String {
        var parts = [scheme ?? "Unknown scheme \(Hex.text(aid))"]
        if let label { parts.append(label) }
        parts.append(maskedNumber ?? "no number")
        if let expiry { parts.append("good to \(expiry)") }
        if let cryptogram { parts.append(cryptogram) }
        if let counter { parts.append("transaction \(counter)") }
        return parts.joined(separator: ", ")
    }
}

extension TranscriptExplanation {
    /// Returns the selected applications in order; each is reported once.
    public static func applications(_ transcript: Transcript) -> [RecordedApplication] {
        var found: [RecordedApplication] = []
        var current: Int?
        for exchange in transcript.exchanges {
            guard let response = exchange.response else { continue }
            let command = exchange.command
            if let command, command.name == "SELECT" {
                current = nil
                guard response.status == .done, command.data.count >= 5, !command.data.starts(with: "1PAY".utf8),
                    !command.data.starts(with: "2PAY".utf8), !command.data.starts(with: "OSE.".utf8)
                else { continue }
                current = found.firstIndex { $0.aid == command.data } ?? found.count
                if current == found.count { found.append(RecordedApplication(aid: command.data)) }
            }
            guard let current, response.status == .done, let objects = DataObject.parse(ifValid: response.data) else {
                continue
            }
            take(opened(objects, command), into: &found[current])
        }
        return found
    }

    private static func opened(_ objects: [DataObject], _ command: CommandAPDU?) -> [DataObject] {
        guard let command, let plain = objects.first, plain.tag == 0x80 else { return objects }
        return opened(plain.value, command.name) ?? objects
    }

    private static func take(_ objects: [DataObject], into application: inout RecordedApplication) {
        if let label = objects.first(0x9F12) ?? objects.first(0x50) {
            application.label = application.label ?? Candidate.printable(label.value)
        }
        if let number = objects.first(0x5A)?.value ?? objects.first(0x57)?.value ?? objects.first(0x9F6B)?.value {
            let digits = String(Hex.text(number).prefix { ("0"..."9").contains($0) })
            application.maskedNumber = application.maskedNumber ?? CardDataMask.masked(digits)
        }
        if let date = objects.first(0x5F24)?.value, date.count >= 2 {
            application.expiry = "20\(Hex.text([date[0]]))-\(Hex.text([date[1]]))"
        }
        if let information = objects.first(0x9F27)?.value.first, application.cryptogram == nil {
            switch information & 0xC0 {
            case 0x00: application.cryptogram = "AAC: the card declined"
            case 0x40: application.cryptogram = "TC: the card approved"
            case 0x80: application.cryptogram = "ARQC: the issuer decides"
            default: break
            }
        }
        if let counter = objects.first(0x9F36)?.value, counter.count == 2 {
            application.counter = Int(counter[0]) << 8 | Int(counter[1])
        }
    }
}
