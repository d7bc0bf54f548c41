import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// What cannot be written down is never asked for.
@Suite("A sale whose beginning the journal does not take")
struct NotBegunTests {
    private static let broken: [JournalError] = [
        .full("no space is left"), .unavailable("the disk is gone"), .queueFull(limit: 1), .corrupted("a page"),
    ]
    private static let tender = Tender.cardPresent(
        CardPresentPayload(reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil))

    @Test("says that no money moved, and none did", arguments: broken)
    func nothingMoved(_ refusal: JournalError) async throws {
        let world = World(preparesFirst: false)
        let checkout = Checkout(journal: world.journal, providers: [world.provider], clock: world.clock)
        let mute = Checkout(
            journal: MemoryJournal(storage: world.journal.storage, clock: world.clock, beforeCommit: { _ in refusal }),
            providers: [world.provider], clock: world.clock)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: World.eur(100))
        let draft = checkout.draft(account: .main, order: order, captureMode: .automatic)
        await #expect {
            try await mute.create(draft)
        } throws: { Self.saysNothingMoved($0) }
        let id = try await checkout.create(draft).id
        await #expect {
            try await mute.confirm(id, account: .main, provider: .sandbox, tender: Self.tender)
        } throws: { Self.saysNothingMoved($0) }
        #expect(try await world.provider.ledger.charges().isEmpty)
        #expect(
            try await checkout.confirm(id, account: .main, provider: .sandbox, tender: Self.tender).status == .succeeded
        )
    }

    private static func saysNothingMoved(_ error: any Error) -> Bool {
        guard let error = error as? CheckoutError else { return false }
        return error.moneyMoved == .no && error.next.contains("same key")
    }
}
