import TillCore

/// A recorded conversation with a card.
///
/// ```swift
/// let transcript = try Transcript(bytes: file)
/// for step in TranscriptExplanation.steps(transcript) {
///     print(step.title, step.sentence, step.notes.joined(separator: " "))
/// }
/// let replay = ReplayChannel(transcript)  // a card that responds as recorded
/// ```
///
/// Reads the formats of common tools: `send:`/`resp:`, `>>`/`<<`, `->`/`<-`, `C-APDU`/`R-APDU`, `Command`/`Response`,
/// `TX`/`RX` and similar, with times, bracketed remarks, dumps and explanations alongside; messages over several lines;
/// the status word on a separate line, before or after the data; plain hexadecimal lines; JSON; and over-the-air
/// captures with their frames. Unrecognized lines are reported by number and skipped.
public struct Transcript: Hashable, Sendable {
    /// The largest file accepted, in bytes.
    public static let mostBytes = 4 << 20
    /// The maximum number of exchanges.
    public static let mostExchanges = 4096
    /// The longest message accepted, in bytes.
    public static let longestMessage = 65_544

    /// A command and its response.
    public struct Exchange: Hashable, Sendable {
        /// The command; `nil` if the recording does not contain it and it cannot be inferred from the response.
        public let command: CommandAPDU?
        /// The response; `nil` if the recording ends or the card did not respond.
        public let response: ResponseAPDU?
        /// `true` if the recording does not contain the command and it was inferred from the response.
        public let isInferred: Bool

        /// Creates an exchange; a recording may lack one of the two.
        public init(command: CommandAPDU?, response: ResponseAPDU?, isInferred: Bool = false) {
            self.command = command
            self.response = response
            self.isInferred = isInferred
        }
    }

    /// The exchanges in order.
    public var exchanges: [Exchange]
    /// Numbers of unrecognized lines, from 1.
    public private(set) var unreadLines: [Int] = []
    /// Values assumed because the recording does not contain them, one sentence each.
    public private(set) var assumptions: [String] = []

    /// Creates a recording of exchanges in order.
    public init(_ exchanges: [Exchange] = []) { self.exchanges = exchanges }

    /// Parses a file in UTF-8 or UTF-16, with or without a byte order mark.
    /// - Throws: ``TranscriptError`` like ``init(text:)``.
    public init(bytes: [UInt8]) throws(TranscriptError) { try self.init(text: TranscriptText.decoded(bytes)) }

    /// Parses a recording. Unrecognized lines are listed in ``unreadLines``.
    /// - Throws: ``TranscriptError`` if it contains no exchange, or too many.
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
        // Two levels of optional: nothing was sent, or a command was sent that the recording does not contain.
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
                // A response without a command follows power-on, or repeats an earlier response.
                guard let command = waiting else { continue }
                exchanges.append(Exchange(command: command, response: response))
                waiting = nil
            }
        }
        if case .some(.some(let unanswered)) = waiting {
            exchanges.append(Exchange(command: unanswered, response: nil))
        }
    }

    /// Infers missing commands, mostly determined by the response and the preceding exchanges.
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

    /// Joins `61xx` and GET RESPONSE with the previous command, and `6Cxx` with its repetition.
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
            // Some programs fetch the rest with a nonstandard command: no data, and the announced length.
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

    /// The recording as `send:` and `resp:` lines. It contains card data: for tests with test cards only.
    public var text: String {
        exchanges.map { exchange in
            let bytes = exchange.isInferred ? nil : exchange.command?.bytes
            let send = bytes.map { "send: \(Hex.text($0))\n" } ?? "send:\n"
            return exchange.response.map { "\(send)resp: \(Hex.text($0.bytes))\n" } ?? send
        }.joined()
    }

    enum Side { case command, answer }
}

/// The reason that a recording could not be parsed.
public enum TranscriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The recording contains no exchange.
    case empty
    /// Larger than ``Transcript/mostBytes`` or ``Transcript/mostExchanges``.
    case tooLarge

    /// The error in one sentence, without card data.
    public var description: String {
        switch self {
        case .empty: "There is no exchange with a card in it: lines such as `send: 00A404…` and `resp: 6F…9000`."
        case .tooLarge: "The recording is larger than \(Transcript.mostExchanges) exchanges or 4 MiB."
        }
    }
}
