/// The way to a card in the field, whoever makes the field: a PC/SC reader, a virtual card, a recording.
///
/// One command at a time; a channel is used by one task. Every wait ends when the task is canceled.
public protocol CardChannel: Sendable {
    /// Waits until a card is in the field and powered.
    /// - Throws: ``CardChannelError``.
    func waitForCard() async throws(CardChannelError)

    /// Sends a command and gives the card's answer.
    /// - Throws: ``CardChannelError``; after ``CardChannelError/cardRemoved`` only ``waitForCard()`` may follow.
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU

    /// Takes the field away, which resets the card. Never fails: there is nothing to do about it.
    func powerOff() async
}

/// Why there is no answer from a card.
public enum CardChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No card came in time.
    case noCard
    /// The card left, or the field broke down, in the middle.
    case cardRemoved
    /// More than one card is in the field.
    case collision
    /// No answer within the time for one command.
    case silence
    /// The answer is not one: fewer than two bytes.
    case malformedAnswer
    /// The command has more data than one command can carry.
    case commandTooLong
    /// The task was canceled.
    case canceled
    /// The reader is gone or says something of its own.
    case reader(code: Int64, message: String)
    /// The recording has no answer to this command.
    case notInRecording(command: String)

    /// One sentence, which holds no data of the card.
    public var description: String {
        switch self {
        case .noCard: "No card was presented in time."
        case .cardRemoved: "The card was removed too soon."
        case .collision: "More than one card is in the field: present one card only."
        case .silence: "The card did not answer in time."
        case .malformedAnswer: "The card's answer is not one."
        case .commandTooLong: "The command does not fit."
        case .canceled: "Reading was canceled."
        case .reader(let code, let message):
            "The reader cannot be used: \(message) (code \(String(code, radix: 16, uppercase: true)))."
        case .notInRecording(let command): "The recording holds no answer to \(command)."
        }
    }
}
