import TillCore

/// A recorded conversation with a card.
///
/// Reads what tools write: `send:`/`resp:`, `>>`/`<<`, `->`/`<-`, `C-APDU`/`R-APDU`, `Command`/`Response`, `TX`/`RX`
/// and their like, with times, bracketed remarks, dumps and explanations beside; messages over several lines; the status
/// word on a line of its own, before or after the data; a file of hexadecimal lines alone; JSON; and what was heard on
/// the air, with its frames. What is not understood is named by its line and passed over.
public struct Transcript: Hashable, Sendable {
    /// The largest file that is read, in bytes.
    public static let mostBytes = 4 << 20
    /// The most exchanges that are read.
    public static let mostExchanges = 4096
    /// The longest message that is read, in bytes.
    public static let longestMessage = 65_544

    /// A command and its answer.
    public struct Exchange: Hashable, Sendable {
        /// What was sent.
        public let command: CommandAPDU
        /// What came back; nil when the recording ends or the card did not answer.
        public let response: ResponseAPDU?

        /// Makes one.
        public init(command: CommandAPDU, response: ResponseAPDU?) {
            self.command = command
            self.response = response
        }
    }

    /// The exchanges in their order.
    public var exchanges: [Exchange]
    /// The lines, from 1, that say something that was not understood.
    public private(set) var unreadLines: [Int] = []
    /// What was supplied because the recording does not say it, one sentence each.
    public private(set) var assumptions: [String] = []

    /// Makes one.
    public init(_ exchanges: [Exchange] = []) { self.exchanges = exchanges }

    /// Reads a recording. Lines that say nothing understandable are kept in ``unreadLines``.
    /// - Throws: ``TranscriptError`` when there is no exchange in it, or too many.
    public init(text: String) throws(TranscriptError) {
        guard text.utf8.count <= Transcript.mostBytes else { throw .tooLarge }
        var assembler: TranscriptAssembler
        if let read = TranscriptJSON.read(text) {
            assembler = read
        } else {
            assembler = TranscriptAssembler()
            for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                assembler.take(line)
                guard assembler.messages.count <= Transcript.mostExchanges * 2 else { throw .tooLarge }
            }
            assembler.finish()
        }
        guard assembler.messages.count <= Transcript.mostExchanges * 2 else { throw .tooLarge }
        exchanges = []
        unreadLines = assembler.unread
        pair(AirFrames.opened(assembler.messages))
        guard !exchanges.isEmpty else { throw .empty }
        joinContinuations()
        unreadLines.sort()
        if assembler.isRedacted { assumptions.append("Digits that were blacked out are read as zeros.") }
        if assembler.lacksStatus { assumptions.append("Answers without a status word are read as done, 9000.") }
    }

    private mutating func pair(_ messages: [TranscriptAssembler.Message]) {
        var waiting: CommandAPDU?
        for message in messages {
            switch message.side {
            case .command:
                guard let command = CommandAPDU(bytes: message.bytes) else {
                    unreadLines.append(message.line)
                    continue
                }
                if let unanswered = waiting { exchanges.append(Exchange(command: unanswered, response: nil)) }
                waiting = command
            case .answer:
                guard let response = ResponseAPDU(bytes: message.bytes) else {
                    unreadLines.append(message.line)
                    continue
                }
                // An answer without a command is what powering the card on gives, or the same answer told again.
                guard let command = waiting else { continue }
                exchanges.append(Exchange(command: command, response: response))
                waiting = nil
            }
        }
        if let unanswered = waiting { exchanges.append(Exchange(command: unanswered, response: nil)) }
    }

    /// `61xx` and GET RESPONSE belong to the command before; `6Cxx` to the same command sent again.
    private mutating func joinContinuations() {
        var joined: [Exchange] = []
        for exchange in exchanges {
            guard let last = joined.last, let before = last.response else {
                joined.append(exchange)
                continue
            }
            let high = before.status.rawValue >> 8
            if high == 0x61, exchange.command.name == "GET RESPONSE" {
                joined.removeLast()
                let response = exchange.response.map { ResponseAPDU(before.data + $0.data, status: $0.status) }
                joined.append(Exchange(command: last.command, response: response))
            } else if high == 0x6C, exchange.command.ins == last.command.ins {
                joined.removeLast()
                joined.append(exchange)
            } else {
                joined.append(exchange)
            }
        }
        exchanges = joined
    }

    /// The recording as `send:` and `resp:` lines. It holds card data: for tests with test cards only.
    public var text: String {
        exchanges.map { exchange in
            let send = "send: \(Hex.text(exchange.command.bytes ?? []))\n"
            return exchange.response.map { "\(send)resp: \(Hex.text($0.bytes))\n" } ?? send
        }.joined()
    }

    enum Side { case command, answer }
}

/// Why a recording could not be read.
public enum TranscriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No exchange in it.
    case empty
    /// Larger than ``Transcript/mostBytes`` or ``Transcript/mostExchanges``.
    case tooLarge

    /// One sentence.
    public var description: String {
        switch self {
        case .empty: "There is no exchange with a card in it: lines such as `send: 00A404…` and `resp: 6F…9000`."
        case .tooLarge: "The recording is larger than \(Transcript.mostExchanges) exchanges or 4 MiB."
        }
    }
}
