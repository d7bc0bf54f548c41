import TillCore

/// Explanations of wallet responses about passes. Source: Apple's protocol as known from public reverse engineering.
enum PassWords {
    /// Returns the lines of an explanation. In pass exchanges, tags have meanings of their own.
    static func lines(_ objects: [DataObject], _ isPass: Bool) -> [ExplainedLine] {
        let lines = objects.explained()
        guard isPass else { return lines }
        return lines.map { line in
            guard let name = names[line.tag] else { return line }
            let text = line.tag == 0x9F29 ? line.value.flatMap { Hex.bytes(ifValid: $0) } : nil
            return ExplainedLine(
                depth: line.depth, tag: line.tag, name: name, value: line.value,
                meaning: text.map { Candidate.printable($0) }, bits: [])
        }
    }

    /// Returns a sentence for the response to the wallet's selection.
    static func wallet(_ status: StatusWord, _ answer: [DataObject]) -> String {
        guard status == .done else { return "No wallet answers: \(status.meaning)." }
        let label = answer.first(0x50).map { Candidate.printable($0.value) } ?? ""
        switch label {
        case "ApplePay": return "Apple's wallet answers."
        case "AndroidPay": return "Google's wallet answers."
        default: return "A wallet answers\(label.isEmpty ? "" : ", and calls itself \(label)")."
        }
    }

    /// Returns a sentence for the response to a pass request.
    static func sentence(_ status: StatusWord, _ answer: [DataObject]) -> String {
        switch status.rawValue {
        case 0x9000:
            guard let sealed = answer.first(0x9F27)?.value, sealed.count >= 4 else {
                return "The wallet takes it and gives no pass."
            }
            return "The wallet gives a pass, sealed for the key \(Hex.text(Array(sealed.prefix(4))))."
        case 0x6A83: return "The wallet holds no such pass."
        case 0x6287: return "The phone is locked: the pass is not given yet."
        case 0x6984: return "The customer must choose or confirm at the phone."
        default: return "The wallet gives no pass: \(status.meaning)."
        }
    }

    private static let names: [Tag: String] = [
        0x9F21: "Protocol Version of the Wallet", 0x9F22: "Protocol Version of the Terminal",
        0x9F23: "Capabilities of the Wallet", 0x9F24: "Nonce of the Wallet",
        0x9F25: "SHA-256 of the Pass Type Identifier",
        0x9F26: "Capabilities of the Terminal", 0x9F27: "Sealed Pass", 0x9F28: "Request Data",
        0x9F29: "Sign-up Address", 0x9F2A: "Pass Token", 0x9F2B: "Filter",
    ]
}
