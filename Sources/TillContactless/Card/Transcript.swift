import TillCore

/// A recorded conversation with a card.
///
/// Reads what tools write: `send:`/`resp:`, `>>`/`<<`, `->`/`<-`, `C-APDU`/`R-APDU`, `Command`/`Response`, `TX`/`RX`
/// and their like, with times, bracketed remarks, dumps and explanations beside; messages over several lines; the
/// status word on a line of its own, before or after the data; a file of hexadecimal lines alone; JSON; and what was
/// heard on the air, with its frames. What is not understood is named by its line and passed over.
public struct Transcript: Hashable, Sendable {
    /// The largest file that is read, in bytes.
    public static let mostBytes = 4 << 20
    /// The most exchanges that are read.
    public static let mostExchanges = 4096
    /// The longest message that is read, in bytes.
    public static let longestMessage = 65_544

    /// A command and its answer.
    public struct Exchange: Hashable, Sendable {
        /// What was sent; nil when the recording does not hold it and the answer does not show it either.
        public let command: CommandAPDU?
        /// What came back; nil when the recording ends or the card did not answer.
        public let response: ResponseAPDU?
        /// The recording does not contain the command: it is inferred from the response.
        public let isInferred: Bool

        /// An exchange; one of the two may be missing from a recording.
        public init(command: CommandAPDU?, response: ResponseAPDU?, isInferred: Bool = false) {
            self.command = command
            self.response = response
            self.isInferred = isInferred
        }
    }

    /// The exchanges in their order.
    public var exchanges: [Exchange]
    /// The lines, from 1, that say something that was not understood.
    public private(set) var unreadLines: [Int] = []
    /// What was supplied because the recording does not say it, one sentence each.
    public private(set) var assumptions: [String] = []

    /// A recording of exchanges in their order.
    public init(_ exchanges: [Exchange] = []) { self.exchanges = exchanges }

    /// Reads a file in UTF-8 or UTF-16, with a byte order mark or without.
    /// - Throws: ``TranscriptError`` like ``init(text:)``.
    public init(bytes: [UInt8]) throws(TranscriptError) { try self.init(text: TranscriptText.decoded(bytes)) }

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
        guard exchanges.contains(where: { $0.command != nil }) else { throw .empty }
        joinContinuations()
        inferCommands()
        unreadLines.sort()
        if assembler.isRedacted { assumptions.append("Digits that were blacked out are read as zeros.") }
        if assembler.lacksStatus { assumptions.append("Answers without a status word are read as done, 9000.") }
    }

    private mutating func pair(_ messages: [TranscriptAssembler.Message]) {
        // Two steps of absence: nothing was sent; something was, and the recording does not hold it.
        var waiting: CommandAPDU??
        for message in messages {
            switch message.side {
            case .command:
                let command = message.bytes.isEmpty ? nil : CommandAPDU(bytes: message.bytes)
                guard message.bytes.isEmpty || command?.mayBe == true else {
                    unreadLines.append(message.line)
                    continue
                }
                if case .some(.some(let unanswered)) = waiting {
                    exchanges.append(Exchange(command: unanswered, response: nil))
                }
                waiting = .some(command)
            case .answer:
                guard let response = ResponseAPDU(bytes: message.bytes) else {
                    unreadLines.append(message.line)
                    continue
                }
                // An answer without a command is what powering the card on gives, or the same answer repeated.
                guard let command = waiting else { continue }
                exchanges.append(Exchange(command: command, response: response))
                waiting = nil
            }
        }
        if case .some(.some(let unanswered)) = waiting {
            exchanges.append(Exchange(command: unanswered, response: nil))
        }
    }

    /// Where the recording holds an answer alone, the answer and what was before it mostly tell the command.
    private mutating func inferCommands() {
        var missing = MissingCommand()
        var count = 0
        for (index, exchange) in exchanges.enumerated() {
            var command = exchange.command
            if command == nil, let response = exchange.response {
                count += 1
                command = missing.command(for: response)
                if command != nil {
                    exchanges[index] = Exchange(command: command, response: response, isInferred: true)
                }
            }
            if let command { missing.note(command, exchange.response) }
        }
        if count > 0 {
            assumptions.append(
                "\(count) command\(count == 1 ? " is" : "s are") not in the recording; what was asked is inferred from "
                    + "the answer.")
        }
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
            guard let command = exchange.command, let first = last.command else {
                joined.append(exchange)
                continue
            }
            // Some programs fetch the rest by a command of their own making: no data, and the length that was said.
            let fetches =
                command.name == "GET RESPONSE"
                || command.data.isEmpty && command.le == Int(before.status.rawValue & 0xFF) && command.p1 == 0
                    && command.p2 == 0 && command.cla == 0
            if high == 0x61, fetches {
                joined.removeLast()
                let response = exchange.response.map { ResponseAPDU(before.data + $0.data, status: $0.status) }
                joined.append(Exchange(command: first, response: response))
            } else if high == 0x6C, command.ins == first.ins {
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
            let bytes = exchange.isInferred ? nil : exchange.command?.bytes
            let send = bytes.map { "send: \(Hex.text($0))\n" } ?? "send:\n"
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

    /// Which line cannot be read and why, without the line's data.
    public var description: String {
        switch self {
        case .empty: "There is no exchange with a card in it: lines such as `send: 00A404…` and `resp: 6F…9000`."
        case .tooLarge: "The recording is larger than \(Transcript.mostExchanges) exchanges or 4 MiB."
        }
    }
}
