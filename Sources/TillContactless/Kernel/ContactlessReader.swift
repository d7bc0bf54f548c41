import TillCore

/// Reads a payment card over a channel: entry point, selection, and a flow modeled on kernels 2 and 3 and their
/// relatives.
///
/// ```swift
/// let reader = ContactlessReader(profile: TerminalProfile(countryCode: 276, merchantName: "Corner shop"))
/// let request = TapRequest(amount: Money(minorUnits: 1250, currency: .eur), time: SystemClock().now())
/// let reading = try await reader.read(request, over: VirtualCardChannel(.visa))
/// print(reading.outcome.sentence, reading.lastFour ?? "no number")
/// ```
///
/// **Not certified.** No laboratory has approved this code, and no acquirer accepts its results for real money without
/// its own explicit approval. It is for tests, sandboxes, closed loops, loyalty and research; by default it accepts
/// only test cards. Source: EMV Contactless Books A, B, C-2 and C-3; EMV Books 1 to 3.
public struct ContactlessReader: Sendable {
    /// Maximum commands in one tap, which stops a card that loops.
    public static let mostCommands = 96
    /// Maximum records read from one card.
    public static let mostRecords = 64

    /// The terminal's configuration.
    public let profile: TerminalProfile
    /// The trusted certification authority keys.
    public let authorities: CertificationAuthorities

    /// Creates a reader with a terminal profile; cards are authenticated with the keys of `authorities`.
    public init(profile: TerminalProfile = TerminalProfile(), authorities: CertificationAuthorities = .none) {
        self.profile = profile
        self.authorities = authorities
    }

    /// Waits for a card and reads it. The field is always switched off afterwards.
    /// - Throws: ``TapError``. Reading a card moves no money.
    public func read(
        _ request: TapRequest, over channel: any CardChannel,
        progress: @Sendable (TapProgress) -> Void = { _ in }
    ) async throws(TapError) -> CardReading {
        guard request.amount.minorUnits >= 0 else { throw .amountNotAllowed(limit: nil) }
        if let limit = profile.transactionLimit, request.amount.minorUnits > limit {
            throw .amountNotAllowed(limit: limit)
        }
        progress(.readyForTap)
        var conversation = Conversation(channel: channel)
        do {
            try await conversation.waitForCard()
            progress(.cardDetected)
            let reading = try await select(request, &conversation)
            await channel.powerOff()
            progress(reading.outcome == .tryAgain ? .retry : .removeCard)
            progress(reading.outcome == .tryAgain ? .notCompleted : .completed)
            return reading
        } catch {
            await channel.powerOff()
            progress(error == .channel(.canceled) ? .canceled : .notCompleted)
            throw error
        }
    }

    private func select(_ request: TapRequest, _ talk: inout Conversation) async throws(TapError) -> CardReading {
        let candidates = try await directory(&talk)
        guard !candidates.isEmpty else { throw .noApplication }
        var last: CardReading?
        var refused: (name: String, status: StatusWord)?
        for candidate in candidates {
            let selected = try await talk.send(.select(candidate.aid))
            guard selected.status == .done else {
                let name = Scheme(aid: candidate.aid)?.name ?? Hex.text(candidate.aid)
                refused = refused ?? (name, selected.status)
                continue
            }
            let control = try ContactlessReader.objects(selected.data)
            var tap = KernelTap(
                candidate: candidate, control: control,
                terminal: TerminalData(profile: profile, request: request), authorities: authorities)
            switch try await tap.run(&talk) {
            case .selectNext(let reason):
                var reading = CardReading(candidate)
                reading.reason = reason
                reading.commands = talk.count
                last = reading
            case .reading(var reading):
                reading.commands = talk.count
                return reading
            }
        }
        guard let last else {
            throw refused.map { TapError.applicationNotOpened(name: $0.name, $0.status) } ?? TapError.noApplication
        }
        return last
    }

    /// Returns the applications of the contactless directory, or of the contact one if the profile permits it.
    private func directory(_ talk: inout Conversation) async throws(TapError) -> [Candidate] {
        let answer = try await talk.send(.select(Array("2PAY.SYS.DDF01".utf8)))
        if answer.status == .done {
            return Candidate.list(try ContactlessReader.objects(answer.data), profile)
        }
        guard profile.usesContactDirectory else { throw .noDirectory(answer.status) }
        return try await contactDirectory(&talk, after: answer.status)
    }

    private func contactDirectory(
        _ talk: inout Conversation, after contactless: StatusWord
    ) async throws(TapError) -> [Candidate] {
        let answer = try await talk.send(.select(Array("1PAY.SYS.DDF01".utf8)))
        var entries: [DataObject] = []
        if answer.status == .done {
            let file = try ContactlessReader.objects(answer.data).first(0x88)?.value.first ?? 1
            for record in UInt8(1)...10 {
                let read = try await talk.send(.readRecord(record, file: file))
                guard read.status == .done else { break }
                entries += try ContactlessReader.objects(read.data)
            }
            return Candidate.list(entries, profile)
        }
        // Without a directory, the terminal selects the applications it knows one by one.
        for aid in profile.directApplications.prefix(Candidate.mostCandidates) {
            let selected = try await talk.send(.select(aid))
            if selected.status == .done {
                let name = try ContactlessReader.objects(selected.data).first(0x84)?.value ?? aid
                entries.append(DataObject(0x61, [DataObject(0x4F, name)]))
            }
        }
        guard !entries.isEmpty else { throw .noDirectory(contactless) }
        return Candidate.list(entries, profile)
    }

    /// Returns the value bytes of the first object unchanged.
    static func content(_ bytes: [UInt8]) throws(TapError) -> [UInt8] {
        var walk = TagValueReader(bytes)
        do { return try walk.next().map { Array(bytes[$0.value]) } ?? [] } catch { throw .malformed(error) }
    }

    static func objects(_ bytes: [UInt8]) throws(TapError) -> [DataObject] {
        do { return try DataObject.parse(bytes) } catch { throw .malformed(error) }
    }
}

/// A command exchange with a counter.
struct Conversation {
    let channel: any CardChannel
    private(set) var count = 0

    init(channel: any CardChannel) { self.channel = channel }

    mutating func waitForCard() async throws(TapError) {
        do { try await channel.waitForCard() } catch { throw .channel(error) }
    }

    /// Sends a command and fetches the remaining data: `61xx` and `6Cxx`, as often as the count allows.
    mutating func send(_ command: CommandAPDU) async throws(TapError) -> ResponseAPDU {
        var response = try await sendOnce(command)
        var data: [UInt8] = []
        while response.status.rawValue >> 8 == 0x61 || response.status.rawValue >> 8 == 0x6C {
            let length = Int(response.status.rawValue & 0xFF)
            if response.status.rawValue >> 8 == 0x6C {
                var again = command
                again.le = length
                response = try await sendOnce(again)
                if response.status.rawValue >> 8 == 0x6C { break }
            } else {
                data += response.data
                response = try await sendOnce(CommandAPDU(0x00, 0xC0, 0x00, 0x00, le: length))
            }
        }
        return ResponseAPDU(data + response.data, status: response.status)
    }

    private mutating func sendOnce(_ command: CommandAPDU) async throws(TapError) -> ResponseAPDU {
        guard count < ContactlessReader.mostCommands else {
            throw .cardError("it needs more than \(ContactlessReader.mostCommands) commands")
        }
        count += 1
        do { return try await channel.transmit(command) } catch { throw .channel(error) }
    }
}

extension CommandAPDU {
    static func select(_ name: [UInt8]) -> CommandAPDU { CommandAPDU(0x00, 0xA4, 0x04, 0x00, data: name) }

    static func readRecord(_ record: UInt8, file: UInt8) -> CommandAPDU {
        CommandAPDU(0x00, 0xB2, record, (file & 0x1F) << 3 | 4)
    }
}
