import TillCore

/// A recorded conversation with a card.
///
/// Reads what tools write: `send:`/`resp:`, `>>`/`<<`, `->`/`<-`, `C-APDU`/`R-APDU`, `Command`/`Response`, `TX`/`RX`
/// and their like, with times, bracketed remarks and comments beside; a hexadecimal line without a mark goes on with
/// the line before it; and a file of hexadecimal lines alone, command and answer in turn.
public struct Transcript: Hashable, Sendable {
    /// The largest file that is read, in bytes.
    public static let mostBytes = 4 << 20
    /// The most exchanges that are read.
    public static let mostExchanges = 4096

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

    /// Makes one.
    public init(_ exchanges: [Exchange] = []) { self.exchanges = exchanges }

    /// Reads a recording.
    /// - Throws: ``TranscriptError`` that names the line.
    public init(text: String) throws(TranscriptError) {
        guard text.utf8.count <= Transcript.mostBytes else { throw .tooLarge }
        var lines: [(line: Int, side: Side?, bytes: [UInt8])] = []
        var isAnswersTurn = false
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard let read = TranscriptLine(line) else { continue }
            if read.side == nil, let last = lines.last, last.side != nil {
                lines[lines.count - 1].bytes += read.bytes
            } else {
                guard !read.bytes.isEmpty || read.side != nil else { continue }
                lines.append((index + 1, read.side, read.bytes))
            }
            guard lines.count <= Transcript.mostExchanges * 2 else { throw .tooLarge }
        }
        exchanges = []
        var waiting: CommandAPDU?
        for (number, side, bytes) in lines where !bytes.isEmpty {
            let isAnswer = side.map { $0 == .answer } ?? isAnswersTurn
            isAnswersTurn = !isAnswer
            if isAnswer {
                guard let response = ResponseAPDU(bytes: bytes) else { throw .notAnAnswer(line: number) }
                // An answer without a command is what powering the card on gives.
                guard let command = waiting else { continue }
                exchanges.append(Exchange(command: command, response: response))
                waiting = nil
            } else {
                if let unanswered = waiting { exchanges.append(Exchange(command: unanswered, response: nil)) }
                guard let command = CommandAPDU(bytes: bytes) else { throw .notACommand(line: number) }
                waiting = command
            }
        }
        if let unanswered = waiting { exchanges.append(Exchange(command: unanswered, response: nil)) }
        guard !exchanges.isEmpty else { throw .empty }
        joinContinuations()
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
    /// The bytes on this line are not a command.
    case notACommand(line: Int)
    /// The bytes on this line are not an answer.
    case notAnAnswer(line: Int)

    /// One sentence.
    public var description: String {
        switch self {
        case .empty: "There is no exchange with a card in it: lines such as `send: 00A404…` and `resp: 6F…9000`."
        case .tooLarge: "The recording is larger than \(Transcript.mostExchanges) exchanges or 4 MiB."
        case .notACommand(let line): "Line \(line) is not a command to a card."
        case .notAnAnswer(let line): "Line \(line) is not an answer of a card."
        }
    }
}
