import Testing
import TillContactless
import TillCore

/// What the terminal says before the card decides, and the cards of single countries.
@Suite("Entry point")
struct EntryPointTests {
    /// What was sent for the first wishes of a fast card: its list begins with the terminal's qualifiers.
    func qualifiers(_ profile: TerminalProfile, _ minor: Int64) async throws -> String {
        let channel = RecordingChannel(VirtualCardChannel(.visa))
        _ = try await ContactlessReader(profile: profile).read(try ContactlessReaderTests.request(minor), over: channel)
        let sent = await channel.transcript.exchanges.compactMap(\.command)
        let options = try #require(sent.first { $0.ins == 0xA8 })
        return Hex.text(options.data[2..<6])
    }

    @Test("The qualifiers follow the limits: online always, from the floor limit on, verification from its limit on")
    func limits() async throws {
        var profile = TerminalProfile(floorLimit: 0)
        #expect(try await qualifiers(profile, 1) == "23804000")
        #expect(try await qualifiers(profile, 4999) == "23804000")
        #expect(try await qualifiers(profile, 5000) == "23C04000")
        profile.floorLimit = 2000
        #expect(try await qualifiers(profile, 1999) == "23004000")
        #expect(try await qualifiers(profile, 2000) == "23804000")
        profile.verificationLimit = nil
        #expect(try await qualifiers(profile, 900_000) == "23804000")
        profile.verificationLimit = 0
        #expect(try await qualifiers(profile, 0) == "23404000")
    }

    @Test("Above the limit for taps nothing is asked of any card; at the limit it is")
    func transactionLimit() async throws {
        let reader = ContactlessReader(profile: TerminalProfile(transactionLimit: 5000))
        let over = RecordingChannel(VirtualCardChannel(.visa))
        await #expect(throws: TapError.amountNotAllowed(limit: 5000)) {
            try await reader.read(try ContactlessReaderTests.request(5001), over: over)
        }
        #expect(await over.transcript.exchanges.isEmpty)
        #expect(
            try await reader.read(
                try ContactlessReaderTests.request(5000), over: VirtualCardChannel(.visa)
            ).outcome == .onlineRequest)
    }

    @Test(
        "Applications are known by their identifiers, with the kernel that reads them",
        arguments: [
            ("A0000000031010", "Visa", 3), ("A0000000032010", "Visa Electron", 3), ("A0000000041010", "Mastercard", 2),
            ("A0000000043060", "Maestro", 2), ("A00000002501", "American Express", 4), ("A0000000651010", "JCB", 5),
            ("A0000001523010", "Discover", 6), ("A000000333010101", "UnionPay", 7), ("A0000002771010", "Interac", 3),
            ("A00000038410", "eftpos Australia", 3), ("A00000038420", "eftpos Australia", 3),
            ("A00000035910100281", "girocard", 2), ("A0000000421010", "CB", 3), ("A0000001211010", "Dankort", 3),
            ("D5780000021010", "BankAxept", 2), ("A0000005241010", "RuPay", 3), ("A0000006581010", "Mir", 3),
        ])
    func schemes(aid: String, name: String, kernel: Int) throws {
        let scheme = try #require(Scheme(aid: try Hex.bytes(aid)))
        #expect(scheme.name == name && Int(scheme.kernel.rawValue) == kernel)
    }

    @Test("Debit cards of Canada and Australia are read to the end")
    func debit() async throws {
        let eftpos = VirtualCard(
            name: "eftpos", aid: [0xA0, 0, 0, 3, 0x84, 0x10], label: "EFTPOS SAVINGS", style: .full,
            number: "4761739001010119")
        for (card, scheme) in [(VirtualCard.interac, "Interac"), (eftpos, "eftpos Australia")] {
            let reading = try await ContactlessReader(profile: TerminalProfile(acceptance: .anyCard)).read(
                try ContactlessReaderTests.request(), over: VirtualCardChannel(card))
            #expect(reading.outcome == .onlineRequest && reading.scheme == scheme)
        }
    }

    @Test(
        "A card whose answers never end, whose records lead in circles or that has another way out: each has its name")
    func endless() async throws {
        let reader = ContactlessReader()
        let request = try ContactlessReaderTests.request()
        for answers: [String] in [
            ["6101"], ["6C10"], ["6F0A840E3250415953", "9000"], ["6F8480000000009000"],
            ["6F" + String(repeating: "70", count: 40) + "9000"],
        ] {
            let channel = RepeatingCard(try answers.map { try Hex.bytes($0) })
            await #expect(throws: TapError.self) { try await reader.read(request, over: channel) }
            #expect(await channel.sent <= ContactlessReader.mostCommands)
            #expect(try await reader.read(request, over: VirtualCardChannel(.visa)).outcome == .onlineRequest)
        }
    }

    @Test("Scrambled answers end typed, none is approved, and nothing traps")
    func fuzz() async throws {
        let reader = ContactlessReader(profile: TerminalProfile(acceptance: .anyCard))
        let request = try ContactlessReaderTests.request()
        var answers = 0
        for seed in 0..<400 {
            let card = ScrambledCard(seed: UInt64(seed))
            if let reading = try? await reader.read(request, over: card) { #expect(reading.outcome != .approved) }
            answers += await card.sent
        }
        #expect(answers > 500)
    }
}

/// A card that says the same again and again.
actor RepeatingCard: CardChannel {
    private let answers: [[UInt8]]
    private(set) var sent = 0
    init(_ answers: [[UInt8]]) { self.answers = answers }
    func waitForCard() async throws(CardChannelError) {}
    func powerOff() async {}
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        defer { sent += 1 }
        guard let response = ResponseAPDU(bytes: answers[sent % answers.count]) else { throw .malformedAnswer }
        return response
    }
}
