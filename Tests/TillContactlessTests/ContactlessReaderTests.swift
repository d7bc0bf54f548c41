import Crypto
import Testing
import TillContactless
import TillCore
import TillTestSupport

/// The test card of Visa with other processing options than its own.
private struct OtherOptions: CardChannel {
    let card = VirtualCardChannel(.visa)
    let change: @Sendable ([DataObject]) -> [DataObject]

    func waitForCard() async throws(CardChannelError) { try await card.waitForCard() }
    func powerOff() async { await card.powerOff() }
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let answer = try await card.transmit(command)
        guard command.ins == 0xA8, let objects = try? DataObject.parse(answer.data), let first = objects.first,
            case .constructed(let inner) = first.content
        else { return answer }
        return ResponseAPDU(DataObject(first.tag, change(inner)).encoded, status: answer.status)
    }
}

@Suite("Reading a card")
struct ContactlessReaderTests {
    static let now = Timestamp(milliseconds: 1_795_000_000_000)

    static func request(_ minor: Int64 = 1250) throws -> TapRequest {
        TapRequest(
            amount: Money(minorUnits: minor, currency: try Currency(code: "EUR")), time: now,
            unpredictableNumber: [0xDE, 0xAD, 0xBE, 0xEF])
    }

    func read(_ name: String, amount: Int64 = 1250) async throws -> CardReading {
        let card = try #require(VirtualCard.all.first { $0.name == name })
        let reader = ContactlessReader(
            profile: TerminalProfile(acceptance: .anyCard), authorities: .virtual)
        return try await reader.read(try Self.request(amount), over: VirtualCardChannel(card))
    }

    @Test(
        "Good cards go online, genuine by their own signature",
        arguments: ["visa", "mastercard", "amex", "interac", "wallet"])
    func good(name: String) async throws {
        let reading = try await read(name)
        #expect(reading.outcome == .onlineRequest, "\(reading.reason)")
        #expect(reading.authentication == .verified)
        #expect(reading.expiration == .notExpired)
        #expect(reading.value(0x9F26)?.count == 8)
        #expect(reading.maskedNumber?.contains("•") == true)
    }

    @Test("A card that declines, is blocked, is forged or lies ends in its own way and gives no online request")
    func bad() async throws {
        #expect(try await read("declined").outcome == .declined)
        #expect(try await read("forged").outcome == .declined)
        await #expect(throws: TapError.cardError("its number and its track disagree")) { try await read("lying") }
        await #expect(throws: TapError.applicationNotOpened(name: "Visa", StatusWord(rawValue: 0x6283))) {
            try await read("blocked")
        }
        await #expect(throws: TapError.channel(.cardRemoved)) { try await read("torn") }
        await #expect(throws: TapError.channel(.silence)) { try await read("silent") }
        await #expect(throws: TapError.channel(.collision)) { try await read("collision") }
        await #expect(throws: TapError.self) { try await read("garbage") }
        await #expect(throws: TapError.self) { try await read("endless") }
        #expect(try await read("locked").outcome == .tryAgain)
        let expired = try await read("expired")
        #expect(expired.expiration == .expired && expired.outcome == .declined)
    }

    @Test("A card that gives one value twice is read; one that gives two values for one name lies")
    func twoValues() async throws {
        let reader = ContactlessReader(profile: TerminalProfile(acceptance: .anyCard), authorities: .virtual)
        let request = try Self.request()
        let twice = OtherOptions { $0 + [DataObject(0xDF01, [1] as [UInt8]), DataObject(0xDF01, [1] as [UInt8])] }
        #expect(try await reader.read(request, over: twice).outcome == .onlineRequest)
        let two = OtherOptions { $0 + [DataObject(0xDF01, [1] as [UInt8]), DataObject(0xDF01, [2] as [UInt8])] }
        do throws(TapError) {
            let reading = try await reader.read(request, over: two)
            Issue.record("\(reading.outcome)")
        } catch {
            #expect("\(error)".contains("two values"), "\(error)")
        }
    }

    @Test("A card that approves by itself is believed only if it is shown to be genuine")
    func approvedOffline() async throws {
        let request = try Self.request()
        let profile = TerminalProfile(acceptance: .anyCard)
        let approves = OtherOptions { $0 + [DataObject(0x9F27, [0x40] as [UInt8])] }
        let shown = try await ContactlessReader(profile: profile, authorities: .virtual).read(request, over: approves)
        #expect(shown.authentication == .verified && shown.outcome == .approved, "\(shown.reason)")
        let notShown = try await ContactlessReader(profile: profile).read(request, over: approves)
        #expect(notShown.authentication != .verified && notShown.outcome == .declined)
        #expect(notShown.reason.contains("genuine"), "\(notShown.reason)")
    }

    @Test("A card that names more records than a card has is not read at all")
    func tooManyRecords() async throws {
        let endless = OtherOptions { options in
            options.filter { $0.tag != 0x94 } + [DataObject(0x94, [1 << 3, 1, 255, 0] as [UInt8])]
        }
        let request = try Self.request()
        await #expect(throws: TapError.cardError("it has too many records")) {
            try await ContactlessReader(authorities: .virtual).read(request, over: endless)
        }
    }

    @Test("What was read is sealed for one payment at one provider, for a minute")
    func envelope() async throws {
        let reading = try await read("visa")
        let key = P256.KeyAgreement.PrivateKey()
        let intent = CardEnvelope.Intent(payment: "pay_1", amount: try Self.request().amount)
        let sealed = try CardEnvelope.seal(reading, for: intent, reader: "r", to: key.publicKey, at: Self.now)
        let content = try CardEnvelope.open(sealed, with: key, at: Self.now)
        #expect(content.intent == intent && content.number.reveal() == VirtualCard.visa.number)
        #expect(content.chipData.first(0x9F26) != nil && content.chipData.first(0x57) == nil)
        #expect(!"\(sealed) \(content)".contains(VirtualCard.visa.number))
        #expect(throws: CardEnvelopeError.expired) {
            try CardEnvelope.open(sealed, with: key, at: Self.now.adding(.seconds(61)))
        }
        #expect(throws: CardEnvelopeError.unknownKey) { try CardEnvelope.open(sealed, with: .init(), at: Self.now) }
        let text = sealed.reveal()
        for index in stride(from: 6, to: text.utf8.count, by: 7) {
            var bytes = Array(text.utf8)
            bytes[index] = bytes[index] == 0x41 ? 0x42 : 0x41
            let changed = Secret(String(decoding: bytes, as: UTF8.self))
            guard changed.reveal() != text else { continue }
            #expect(throws: CardEnvelopeError.self) { try CardEnvelope.open(changed, with: key, at: Self.now) }
        }
    }

    @Test("Over the limit a card must verify its holder; a phone does it itself")
    func verification() async throws {
        #expect(try await read("visa", amount: 9000).verification == .signature)
        #expect(try await read("wallet", amount: 9000).verification == .device)
    }

    @Test("A card that is not a test card is read and not taken")
    func acceptance() async throws {
        let card = VirtualCard(
            name: "real", aid: VirtualCard.visa.aid, label: "VISA", style: .fast, number: "4916338506082832")
        let reading = try await ContactlessReader(authorities: .virtual)
            .read(try Self.request(), over: VirtualCardChannel(card))
        #expect(reading.outcome == .endApplication)
        #expect(reading.lastFour == "2832")
    }

    @Test("A torn card at every command leaves the reader ready and nothing read", arguments: 0..<5)
    func torn(after: Int) async throws {
        let reader = ContactlessReader(authorities: .virtual)
        let request = try Self.request()
        await #expect(throws: TapError.channel(.cardRemoved)) {
            try await reader.read(
                request, over: VirtualCardChannel(VirtualCard.visa.with(.torn(after: after))))
        }
        #expect(try await reader.read(request, over: VirtualCardChannel(.visa)).outcome == .onlineRequest)
    }

    @Test("A recording replays to the same reading, with another unpredictable number or the same")
    func replay() async throws {
        for card in [VirtualCard.visa, .mastercard] {
            let channel = RecordingChannel(VirtualCardChannel(card))
            let reader = ContactlessReader(authorities: .virtual)
            let first = try await reader.read(try Self.request(), over: channel)
            let text = await channel.transcript.text
            let again = try await reader.read(
                try Self.request(), over: ReplayChannel(Transcript(text: text)))
            #expect(again.outcome == first.outcome)
            #expect(again.maskedNumber == first.maskedNumber)
            #expect(again.authentication == .verified)
            var other = try Self.request()
            other = TapRequest(amount: other.amount, time: other.time, unpredictableNumber: [1, 2, 3, 4])
            let changed = try await reader.read(other, over: ReplayChannel(Transcript(text: text)))
            #expect(changed.outcome == .declined, "a signature over another number is not this tap's")
        }
    }

    @Test("Answers changed at random never trap and are never approved")
    func fuzz() async throws {
        var generator = SeededRandom(seed: 11)
        let channel = RecordingChannel(VirtualCardChannel(.mastercard))
        let reader = ContactlessReader(authorities: .virtual)
        let request = try Self.request()
        _ = try await reader.read(request, over: channel)
        let transcript = await channel.transcript
        for _ in 0..<150 {
            var changed = transcript
            let index = Int(generator.next() % UInt64(changed.exchanges.count))
            let exchange = changed.exchanges[index]
            guard var bytes = exchange.response?.bytes, !bytes.isEmpty else { continue }
            bytes[Int(generator.next() % UInt64(bytes.count))] ^= UInt8(truncatingIfNeeded: generator.next()) | 1
            changed.exchanges[index] = .init(command: exchange.command, response: ResponseAPDU(bytes: bytes))
            if let reading = try? await reader.read(request, over: ReplayChannel(changed)) {
                #expect(reading.outcome != .approved)
            }
        }
    }
}
