import TillCore

/// The status of a basket's payment, in the sheet's answer and in the stored basket.
enum SheetAnswerStatus: String {
    /// No authorization was requested.
    case open
    /// An authorization was requested; its outcome is not known yet.
    case pending
    case placed
    case declined
    /// The basket cannot be paid any more: the shop closed it, or it expired. No authorization was requested.
    case closed

    /// Reads a stored or new answer. An unknown status, such as one of a later version, is treated as pending, so that
    /// the journal is queried instead of guessing.
    init(of answer: JSONValue) {
        self = answer["status"]?.stringValue.flatMap(SheetAnswerStatus.init) ?? .pending
    }

    var member: JSONMember { JSONMember(key: "status", value: .string(rawValue)) }
}
