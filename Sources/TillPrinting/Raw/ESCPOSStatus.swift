import TillReceipts

/// An answer to `DLE EOT n`.
struct ESCPOSStatus: Hashable {
    /// What was asked.
    struct Question: Hashable {
        let kind: ESCPOSCommand.Question
        var bytes: [UInt8] { ESCPOSCommand.status(kind) }
    }

    static let questions = [ESCPOSCommand.Question.printer, .offline, .paper].map { Question(kind: $0) }

    let question: Question
    let byte: UInt8

    /// `nil` if the byte is no answer: bits 1 and 4 are always set in one, bits 0 and 7 never.
    init?(_ question: Question, _ byte: UInt8) {
        guard byte & 0b1001_0011 == 0b0001_0010 else { return nil }
        self.question = question
        self.byte = byte
    }

    /// All answers as a state.
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
        if isOffline, reasons.isEmpty { reasons.append("offline-error") }
        return PrinterState(isOffline ? .stopped : .idle, reasons: Array(Set(reasons)))
    }
}
