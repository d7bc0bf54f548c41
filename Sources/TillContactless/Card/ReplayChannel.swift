/// A card that responds as recorded.
///
/// A terminal never sends the same bytes twice: unpredictable numbers, dates and amounts differ. A command is therefore
/// answered by a recorded exchange of the same kind: the same application for SELECT, the same record for READ RECORD,
/// the same parameters otherwise. Exchanges within the same selected application are preferred, then unused ones, then
/// accepted ones, then those with the same bytes. An unrecorded application or directory entry is reported as absent;
/// any other unrecorded command is an error that names it. A response with an unrecorded command that cannot be
/// inferred answers any command at its position.
public actor ReplayChannel: CardChannel {
    private let exchanges: [Transcript.Exchange]
    /// The payment applications selected in the recording, in order.
    public nonisolated let applications: [[UInt8]]
    private var isUsed: [Bool]
    /// The exchanges between the last answered selection and the next.
    private var application = 0..<0
    private var isInDirectory = false
    /// The last answered exchange.
    private var last = -1

    /// Replays the recording from the start each time the card is powered.
    public init(_ transcript: Transcript) {
        exchanges = transcript.exchanges
        isUsed = transcript.exchanges.map { _ in false }
        var selected: [[UInt8]] = []
        for exchange in transcript.exchanges where exchange.command?.name == "SELECT" {
            guard let name = exchange.command?.data, (5...16).contains(name.count), name[0] >= 0xA0,
                !selected.contains(name)
            else { continue }
            selected.append(name)
        }
        applications = selected
    }

    /// Returns at once: a recorded card is always present.
    public func waitForCard() async throws(CardChannelError) {
        if Task.isCancelled { throw .canceled }
        for index in isUsed.indices { isUsed[index] = false }
        (application, isInDirectory, last) = (0..<0, false, -1)
    }

    /// Returns the recorded response to a command. A file or record that was never requested is reported as absent;
    /// anything else throws.
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        if Task.isCancelled { throw .canceled }
        guard let index = find(command) else {
            switch command.name {
            case "SELECT": return ResponseAPDU(status: .notFound)
            case "READ RECORD" where isInDirectory: return ResponseAPDU(status: .recordNotFound)
            case "GET DATA", "GET VAS DATA": return ResponseAPDU(status: StatusWord(rawValue: 0x6A88))
            default: throw .notInRecording(command: command.description)
            }
        }
        isUsed[index] = true
        last = index
        if command.name == "SELECT" {
            let next = exchanges[(index + 1)...].firstIndex { $0.command?.name == "SELECT" } ?? exchanges.endIndex
            application = index + 1..<next
            isInDirectory = command.data == Array("1PAY.SYS.DDF01".utf8)
        }
        guard let response = exchanges[index].response else { throw .cardRemoved }
        return response
    }

    /// Does nothing.
    public func powerOff() async {}

    /// Finds the best exchange: those of the selected application first, then unused, accepted and identical ones.
    private func find(_ command: CommandAPDU) -> Int? {
        let all = exchanges.indices.filter { index in
            guard let recorded = exchanges[index].command else { return false }
            // A current record, without a number, differs each time.
            let isCurrent = recorded.name == "READ RECORD" && recorded.p1 == 0
            return ReplayChannel.isSameKind(recorded, command) && !(isCurrent && isUsed[index])
        }
        let isSelection = command.name == "SELECT"
        if let found = all.min(by: { rank($0, command, isSelection) < rank($1, command, isSelection) }) { return found }
        let next = last + 1
        return next < exchanges.count && exchanges[next].command == nil && !isUsed[next] ? next : nil
    }

    private func rank(_ index: Int, _ command: CommandAPDU, _ isSelection: Bool) -> Int {
        let exchange = exchanges[index]
        let isOutside = !isSelection && !application.isEmpty && !application.contains(index)
        return (isOutside ? 16 : 0) + (isUsed[index] ? 8 : 0) + (exchange.response?.status == .done ? 0 : 4)
            + (exchange.command?.bytes == command.bytes ? 0 : 2)
            + (isSelection && exchange.command?.data != command.data ? 1 : 0)
    }

    private static func isSameKind(_ recorded: CommandAPDU, _ sent: CommandAPDU) -> Bool {
        guard recorded.ins == sent.ins, recorded.cla & 0x80 == sent.cla & 0x80 else { return false }
        switch sent.name {
        case "SELECT":
            // A reader may select by partial name; directories have names of their own.
            return recorded.data == sent.data
                || recorded.data.count >= 5 && sent.data.first ?? 0 >= 0xA0
                    && (sent.data.starts(with: recorded.data) || recorded.data.starts(with: sent.data))
        case "GET PROCESSING OPTIONS", "COMPUTE CRYPTOGRAPHIC CHECKSUM", "INTERNAL AUTHENTICATE": return true
        case "GENERATE AC": return true
        case "READ RECORD": return recorded.p2 == sent.p2 && (recorded.p1 == sent.p1 || recorded.p1 == 0)
        default: return (recorded.p1, recorded.p2) == (sent.p1, sent.p2)
        }
    }
}

/// Forwards everything and keeps a transcript. For tests with test cards: the transcript contains card data.
public actor RecordingChannel: CardChannel {
    private let channel: any CardChannel
    /// The exchanges so far.
    public private(set) var transcript = Transcript()

    /// Records the exchanges of another channel, in order.
    public init(_ channel: any CardChannel) { self.channel = channel }

    /// Returns once a card is present.
    public func waitForCard() async throws(CardChannelError) { try await channel.waitForCard() }

    /// Sends a command and returns the response.
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

    /// Powers the card off.
    public func powerOff() async { await channel.powerOff() }
}
