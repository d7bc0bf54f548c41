/// A card that answers as a recording of it did.
///
/// A terminal does not send twice the same bytes: unpredictable numbers, dates and amounts differ. So a command is
/// answered by the next recorded exchange with the same bytes; else by the next one of the same kind: the same
/// application for SELECT, the same record for READ RECORD, the same parameters otherwise. What the recording has no
/// answer for is answered as a card without it would; a processing command that was not recorded is an error.
public actor ReplayChannel: CardChannel {
    private let exchanges: [Transcript.Exchange]
    private var isUsed: [Bool]

    /// Replays the recording, once through for each time the card is powered.
    public init(_ transcript: Transcript) {
        exchanges = transcript.exchanges
        isUsed = exchanges.map { _ in false }
    }

    /// A recorded card is always there.
    public func waitForCard() async throws(CardChannelError) {
        if Task.isCancelled { throw .cancelled }
        for index in isUsed.indices { isUsed[index] = false }
    }

    /// The recorded answer.
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        if Task.isCancelled { throw .cancelled }
        let index =
            first { $0 == command } ?? first { ReplayChannel.isSameKind($0, command) }
            ?? exchanges.firstIndex { ReplayChannel.isSameKind($0.command, command) }
        guard let index else {
            switch command.name {
            case "SELECT": return ResponseAPDU(status: .notFound)
            case "READ RECORD": return ResponseAPDU(status: .recordNotFound)
            case "GET DATA", "GET VAS DATA": return ResponseAPDU(status: StatusWord(rawValue: 0x6A88))
            default: throw .notInRecording(command: command.description)
            }
        }
        isUsed[index] = true
        guard let response = exchanges[index].response else { throw .cardRemoved }
        return response
    }

    /// Nothing to switch off.
    public func powerOff() async {}

    private func first(where matches: (CommandAPDU) -> Bool) -> Int? {
        exchanges.indices.first { !isUsed[$0] && matches(exchanges[$0].command) }
    }

    private static func isSameKind(_ recorded: CommandAPDU, _ sent: CommandAPDU) -> Bool {
        guard recorded.ins == sent.ins, recorded.cla & 0x80 == sent.cla & 0x80 else { return false }
        switch sent.name {
        case "SELECT": return recorded.data == sent.data
        case "GET PROCESSING OPTIONS", "COMPUTE CRYPTOGRAPHIC CHECKSUM", "INTERNAL AUTHENTICATE": return true
        case "GENERATE AC": return true
        default: return (recorded.p1, recorded.p2) == (sent.p1, sent.p2)
        }
    }
}

/// Passes everything on and keeps a transcript. For tests with test cards: what it keeps holds card data.
public actor RecordingChannel: CardChannel {
    private let channel: any CardChannel
    /// What was said so far.
    public private(set) var transcript = Transcript()

    /// Records another channel.
    public init(_ channel: any CardChannel) { self.channel = channel }

    /// Returns when a card is there.
    public func waitForCard() async throws(CardChannelError) { try await channel.waitForCard() }

    /// Sends a command and returns the answer.
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        do {
            let response = try await channel.transmit(command)
            transcript.exchanges.append(.init(command: command, response: response))
            return response
        } catch {
            transcript.exchanges.append(.init(command: command, response: nil))
            throw error
        }
    }

    /// Takes the power off the card.
    public func powerOff() async { await channel.powerOff() }
}
