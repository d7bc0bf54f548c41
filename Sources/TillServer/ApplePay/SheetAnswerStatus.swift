import TillCore

/// Where the payment of a basket stands, as the browser's sheet is answered and as the basket keeps it.
enum SheetAnswerStatus: String {
    /// Nobody has asked for money.
    case open
    /// Asked for; whether money moved is not known yet.
    case pending
    case placed
    case declined

    /// Reads a stored or new answer; one without a known status, as of a later version, is taken as not known yet: the
    /// journal is asked again instead of a guess.
    init(of answer: JSONValue) {
        self = answer["status"]?.stringValue.flatMap(SheetAnswerStatus.init) ?? .pending
    }

    var member: JSONMember { JSONMember(key: "status", value: .string(rawValue)) }
}
