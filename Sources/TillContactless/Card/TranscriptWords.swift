import TillCore

/// One-sentence summaries of steps.
enum TranscriptWords {
    static func sentence(_ command: CommandAPDU, _ response: ResponseAPDU?, _ answer: [DataObject]) -> String {
        guard let response else { return "The card gives no answer." }
        let isDone = response.status == .done
        switch command.name {
        case "SELECT": return select(command, response.status, answer)
        case "GET PROCESSING OPTIONS":
            guard isDone else { return "The card does not start the application: \(response.status.meaning)." }
            let records = FileLocator.records(answer.first(0x94)?.value ?? []).count
            let rest = records == 0 ? "names no records" : "names \(count(records, "record")) to read"
            let more = answer.first(0x9F26) == nil ? "" : ", and gives its cryptogram at once"
            return "The card starts the application, \(rest)\(more)."
        case "READ RECORD":
            let offered = applications(answer)
            if isDone, !offered.isEmpty { return "The directory names \(offered.joined(separator: ", "))." }
            guard isDone else { return "The card has no such record: \(response.status.meaning)." }
            return "The record holds \(names(answer))."
        case "GENERATE AC":
            guard isDone, let information = answer.first(0x9F27)?.value.first else {
                if isDone { return "The card gives no information on its cryptogram." }
                return "The card gives no cryptogram: \(response.status.meaning)."
            }
            switch information & 0xC0 {
            case 0x00: return "The card declines (AAC)."
            case 0x40: return "The card approves offline (TC)."
            case 0x80: return "The card wants its issuer to decide (ARQC)."
            default: return "The card decides something that is not defined."
            }
        case "COMPUTE CRYPTOGRAPHIC CHECKSUM":
            return isDone
                ? "The card gives the codes for its tracks." : "The card gives no codes: \(response.status.meaning)."
        case "INTERNAL AUTHENTICATE":
            return isDone
                ? "The card signs the terminal's number." : "The card does not sign: \(response.status.meaning)."
        case "VERIFY": return isDone ? "The PIN is right." : "The PIN is not taken: \(response.status.meaning)."
        case "GET VAS DATA": return PassWords.sentence(response.status, answer)
        case "GET DATA":
            return isDone ? "The card tells it." : "The card does not tell: \(response.status.meaning)."
        default: return isDone ? "Done." : "Not done: \(response.status.meaning)."
        }
    }

    private static func applications(_ answer: [DataObject]) -> [String] {
        answer.all(0x4F).map { Scheme(aid: $0.value)?.name ?? Hex.text($0.value) }
    }

    private static func select(_ command: CommandAPDU, _ status: StatusWord, _ answer: [DataObject]) -> String {
        let isDone = status == .done
        let isDirectory = command.data.starts(with: "2PAY".utf8) || command.data.starts(with: "1PAY".utf8)
        if command.data == Array("OSE.VAS.01".utf8) { return PassWords.wallet(status, answer) }
        guard isDone else {
            guard status != .notFound else {
                return isDirectory ? "The card has no such directory." : "The card has no such application."
            }
            return "The card does not open \(isDirectory ? "the directory" : "it"): \(status.meaning)."
        }
        if isDirectory {
            let offered = applications(answer)
            if offered.isEmpty { return "The card has a directory; its entries are in records." }
            return "The card offers \(count(offered.count, "application")): \(offered.joined(separator: ", "))."
        }
        guard let list = (answer.first(0x9F38)?.value).flatMap({ DataObjectList(ifValid: $0) }), !list.entries.isEmpty
        else { return "The card opens it and asks for nothing." }
        return "The card opens it and asks for \(count(list.entries.count, "value")) of the terminal's."
    }

    /// Maximum number of names in one sentence.
    private static let mostNames = 4

    private static func names(_ answer: [DataObject]) -> String {
        let leaves = answer.flatMap { $0.children.isEmpty ? [$0] : $0.children }
        let names = leaves.map { TagDictionary.entry(of: $0.tag)?.name ?? $0.tag.description }
        guard !names.isEmpty else { return "nothing" }
        let more = names.count - mostNames
        return names.prefix(mostNames).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
