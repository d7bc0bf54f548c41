import TillReceipts

/// Status answers of a receipt printer: answers to `DLE EOT n`, and the automatic status that it sends once `GS a` has
/// enabled it, possibly by another till or an earlier job.
struct ESCPOSStatus: Hashable {
    struct Question: Hashable {
        let kind: ESCPOSCommand.Question
        var bytes: [UInt8] { ESCPOSCommand.status(kind) }
    }

    static let questions = [ESCPOSCommand.Question.printer, .offline, .paper].map { Question(kind: $0) }

    let question: Question
    let byte: UInt8

    /// Takes an answer byte; `nil` if it is none: in an answer bits 1 and 4 are always set, bits 0 and 7 never.
    init?(_ question: Question, _ byte: UInt8) {
        guard byte & 0b1001_0011 == 0b0001_0010 else { return nil }
        self.question = question
        self.byte = byte
    }

    /// Combines all answers into a state.
    static func state(_ answers: [ESCPOSStatus]) -> PrinterState {
        var reasons: [String] = []
        var isOffline = false
        for answer in answers {
            let byte = answer.byte
            switch answer.question.kind {
            case .printer:
                isOffline = byte & 0x08 != 0
            case .offline:
                if byte & 0x04 != 0 { reasons.append("cover-open-error") }
                if byte & 0x20 != 0 { reasons.append("media-empty-error") }
                if byte & 0x40 != 0 { reasons.append("other-error") }
            case .error: if byte & 0x08 != 0 { reasons.append("cutter-error") }
            case .paper:
                if byte & 0x60 != 0 {
                    reasons.append("media-empty-error")
                } else if byte & 0x0C != 0 {
                    reasons.append("media-low-warning")
                }
            }
        }
        return state(isOffline: isOffline, reasons)
    }

    /// Parses the four bytes of an automatic status: bits 0, 1 and 7 of the first are never set, bit 4 always.
    /// - Returns: `nil` if they are not an automatic status.
    static func automatic(_ bytes: some Sequence<UInt8>) -> PrinterState? {
        let all = Array(bytes.prefix(4))
        guard all.count == 4, isAutomatic(all[0]), all.dropFirst().allSatisfy({ $0 & 0b1001_0000 == 0 }) else {
            return nil
        }
        var reasons: [String] = []
        if all[0] & 0x20 != 0 { reasons.append("cover-open-error") }
        if all[1] & 0x08 != 0 { reasons.append("cutter-error") }
        if all[1] & 0x60 != 0 { reasons.append("other-error") }
        if all[2] & 0x0C != 0 {
            reasons.append("media-empty-error")
        } else if all[2] & 0x03 != 0 {
            reasons.append("media-low-warning")
        }
        return state(isOffline: all[0] & 0x08 != 0, reasons)
    }

    static func isAutomatic(_ byte: UInt8) -> Bool { byte & 0b1001_0011 == 0b0001_0000 }

    private static func state(isOffline: Bool, _ reasons: [String]) -> PrinterState {
        let all = isOffline && reasons.isEmpty ? ["offline-error"] : reasons
        return PrinterState(isOffline ? .stopped : .idle, reasons: Array(Set(all)))
    }
}

/// The bytes received from a printer, parsed as they arrive. Holds at most ``longest`` bytes.
struct ESCPOSAnswers {
    /// The maximum number of bytes kept, more than any printer's status needs.
    static let longest = 256

    private var bytes: [UInt8] = []
    /// The last automatic status of the printer.
    private(set) var reported: PrinterState?

    mutating func take(_ more: some Sequence<UInt8>) {
        bytes += more.prefix(ESCPOSAnswers.longest)
        bytes = Array(bytes.suffix(ESCPOSAnswers.longest))
    }

    /// Returns the next answer to a question, skipping automatic status; `nil` if there is none yet.
    mutating func next() -> UInt8? {
        while let first = bytes.first {
            guard ESCPOSStatus.isAutomatic(first) else {
                bytes.removeFirst()
                return first
            }
            guard bytes.count >= 4 else { return nil }
            if let state = ESCPOSStatus.automatic(bytes) { reported = state }
            bytes.removeFirst(4)
        }
        return nil
    }

    /// Discards stale answers, but not the beginning of an automatic status.
    mutating func forget() { while next() != nil {} }

    /// `true` if the answer is text, as from web and mail servers: not a printer.
    var isTalk: Bool {
        bytes.count >= 4 && bytes.prefix(4).allSatisfy(ESCPOSAnswers.isText)
            && bytes.contains { !ESCPOSStatus.isAutomatic($0) && $0 & 0b1001_0011 != 0b0001_0010 }
    }

    /// Returns `true` for a printable character or a line break: the received data may begin anywhere.
    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
