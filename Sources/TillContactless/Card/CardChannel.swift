/// A channel to a card in the field of any source: a PC/SC reader, a virtual card, a recording.
///
/// One command at a time; a channel is used by one task. Every wait ends when the task is canceled.
public protocol CardChannel: Sendable {
    /// Waits until a card is in the field and powered.
    /// - Throws: ``CardChannelError``.
    func waitForCard() async throws(CardChannelError)

    /// Sends a command and returns the card's response.
    /// - Throws: ``CardChannelError``; after ``CardChannelError/cardRemoved`` only ``waitForCard()`` may follow.
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU

    /// Switches the field off, which resets the card. Never fails, because the caller could not react.
    func powerOff() async
}

/// The reason that a card did not respond.
public enum CardChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No card was presented in time.
    case noCard
    /// The card was removed, or the field failed, during the exchange.
    case cardRemoved
    /// More than one card is in the field.
    case collision
    /// No response within the time for one command.
    case silence
    /// The response is malformed: fewer than two bytes.
    case malformedAnswer
    /// The command has more data than one command can carry.
    case commandTooLong
    /// The task was canceled.
    case canceled
    /// The reader was disconnected or reported an error of its own.
    case reader(code: Int64, message: String)
    /// The recording has no response to this command.
    case notInRecording(command: String)

    /// A sentence that contains no card data.
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
