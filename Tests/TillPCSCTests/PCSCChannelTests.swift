import Testing
import TillContactless
import TillCore

@testable import TillPCSC

@Suite("A card at a PC/SC reader", .timeLimit(.minutes(30)))
struct PCSCChannelTests {
    static let limits = PCSCLimits(
        card: .seconds(20), command: .seconds(20), service: .seconds(20), slice: .milliseconds(20),
        removal: .milliseconds(20))
    /// For what is expected not to come.
    static let impatient = PCSCLimits(
        card: .milliseconds(400), command: .milliseconds(400), service: .milliseconds(400), slice: .milliseconds(20),
        removal: .milliseconds(20))
    let service = ScriptedService()

    func channel(_ reader: String? = nil, limits: PCSCLimits = Self.limits) -> PCSCChannel {
        PCSCChannel(service: service, reader: reader, limits: limits)
    }

    let select = CommandAPDU(0x00, 0xA4, 0x04, 0x00, data: [1, 2])

    @Test("A command goes to the card and its answer comes back; the power goes off once")
    func exchange() async throws {
        service.change { $0.present = ["Front 00 00"] }
        let channel = channel()
        try await channel.waitForCard()
        #expect(await channel.reader == "Front 00 00")
        #expect(try await channel.transmit(select) == ResponseAPDU([0, 0xA4, 4, 0, 2, 1, 2, 0]))
        await channel.powerOff()
        await channel.powerOff()
        #expect(service.change { $0.disconnects } == 1)
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(select) }
    }

    @Test("T=0 has no room for data and expected length together")
    func bytes() async throws {
        service.change { ($0.present, $0.style) = (["Front 00 00"], .bytes) }
        let channel = channel()
        try await channel.waitForCard()
        _ = try await channel.transmit(select)
        _ = try await channel.transmit(CommandAPDU(0, 0xB2, 1, 0x0C))
        #expect(service.change { $0.sent } == [[0, 0xA4, 4, 0, 2, 1, 2], [0, 0xB2, 1, 0x0C, 0]])
    }

    @Test("Nobody comes: the wait ends by itself. The task is canceled: it ends at once, and the next wait works")
    func waiting() async throws {
        await #expect(throws: CardChannelError.noCard) {
            try await self.channel(limits: Self.impatient).waitForCard()
        }
        let channel = channel()
        let task = Task { () -> CardChannelError? in
            do throws(CardChannelError) { try await channel.waitForCard() } catch { return error }
            return nil
        }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        #expect(await task.value == .canceled)
        service.change { ($0.isCancelled, $0.present) = (false, ["Front 00 00"]) }
        try await channel.waitForCard()
    }

    @Test("A card that leaves in the middle, however the driver says it, was removed; the next card is read")
    func torn() async throws {
        service.change { ($0.present, $0.leavesAfter) = (["Front 00 00"], 1) }
        let channel = channel()
        try await channel.waitForCard()
        _ = try await channel.transmit(select)
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(select) }
        service.change { ($0.present, $0.leavesAfter, $0.answers) = (["Front 00 00"], nil, [[]]) }
        try await channel.waitForCard()
        await #expect(throws: CardChannelError.malformedAnswer) { try await channel.transmit(select) }
        try await channel.waitForCard()
        service.change { ($0.answers, $0.present) = ([[]], []) }
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(select) }
        service.change { $0.present = ["Front 00 00"] }
        try await channel.waitForCard()
        #expect(try await channel.transmit(select).status == .done)
    }

    @Test("A card that was reset by somebody else is named so, and may be read again")
    func reset() async throws {
        service.change { ($0.present, $0.transmitFails) = (["Front 00 00"], [.resetCard]) }
        let channel = channel()
        try await channel.waitForCard()
        await #expect(throws: PCSCStatus.resetCard.channelError) { try await channel.transmit(select) }
        try await channel.waitForCard()
        #expect(try await channel.transmit(select).status == .done)
    }

    @Test("A command that never comes back is silence; until it does, nothing else is begun; then the reader is ready")
    func hanging() async throws {
        service.change { ($0.present, $0.hangs) = (["Front 00 00"], true) }
        var limits = Self.limits
        limits.command = .milliseconds(500)
        limits.service = .milliseconds(500)
        let channel = channel(limits: limits)
        try await channel.waitForCard()
        await #expect(throws: CardChannelError.silence) { try await channel.transmit(select) }
        await #expect(throws: CardChannelError.self) { try await channel.waitForCard() }
        #expect(service.change { $0.disconnects } == 0)
        service.change { $0.hangs = false }
        while service.change({ $0.disconnects }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        try await channel.waitForCard()
        #expect(try await channel.transmit(select).status == .done)
    }

    @Test("No service, no reader, no such reader, a reader in use: each has its name; what comes back is found again")
    func readers() async throws {
        let channel = channel()
        service.change { $0.isRunning = false }
        await #expect(throws: PCSCStatus.noService.channelError) { try await channel.waitForCard() }
        service.change { ($0.isRunning, $0.readers) = (true, []) }
        await #expect(throws: PCSCStatus.noReaders.channelError) { try await channel.waitForCard() }
        service.change { ($0.readers, $0.present) = (["Back"], ["Back"]) }
        service.change { $0.connectFails = [.sharingViolation] }
        await #expect(throws: PCSCStatus.sharingViolation.channelError) { try await channel.waitForCard() }
        service.change { $0.connectFails = [.removedCard] }
        try await channel.waitForCard()
        do throws(CardChannelError) {
            try await self.channel("Front").waitForCard()
            Issue.record("there is no such reader")
        } catch {
            #expect("\(error)".contains("there is no reader Front; there are: Back"))
        }
    }

    @Test("The service dies in the middle: said so, and a new context is opened after it is back")
    func serviceDies() async throws {
        service.change { ($0.present, $0.transmitFails) = (["Front 00 00"], [.noService]) }
        let channel = channel()
        try await channel.waitForCard()
        await #expect(throws: PCSCStatus.noService.channelError) { try await channel.transmit(select) }
        try await channel.waitForCard()
        #expect(service.change { $0.contexts } == 2)
    }

    @Test("Two readers: the one with the card is taken, by name only that one; cards in both are a collision")
    func two() async throws {
        service.change { ($0.readers, $0.present) = (["Front 00 00", "Back 00 01"], ["Back 00 01"]) }
        let channel = channel()
        try await channel.waitForCard()
        #expect(await channel.reader == "Back 00 01")
        await #expect(throws: CardChannelError.noCard) {
            try await self.channel("front", limits: Self.impatient).waitForCard()
        }
        service.change { $0.present = ["Front 00 00", "Back 00 01"] }
        await #expect(throws: CardChannelError.collision) { try await channel.waitForCard() }
        let named = self.channel("back")
        try await named.waitForCard()
        #expect(await named.reader == "Back 00 01")
    }

    @Test("A card that cannot be understood is silence, not a wait")
    func mute() async throws {
        service.change { ($0.present, $0.mute) = (["Front 00 00"], ["Front 00 00"]) }
        await #expect(throws: CardChannelError.silence) { try await channel().waitForCard() }
    }

    @Test("Every code has a sentence, and one that nobody knows keeps its number")
    func codes() {
        let unknown = PCSCStatus(rawValue: 0x8010_00FE).channelError
        #expect("\(unknown)".contains("801000FE"))
        #expect(PCSCStatus.noService.description.contains("pcscd"))
    }
}
