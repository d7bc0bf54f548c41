import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// A journal that takes a payment's attempt and from then on refuses every write, until it is mended.
private final class BrokenJournal: JournalInFront {
    let base: MemoryJournal
    private let refusal: JournalError
    private let isBroken = Mutex(false)

    init(_ base: MemoryJournal, refusal: JournalError) {
        self.base = base
        self.refusal = refusal
    }

    func mend() { isBroken.withLock { $0 = false } }

    func write(_ write: JournalWrite) async throws(JournalError) {
        if isBroken.withLock({ $0 }) { throw refusal }
        try await base.write(write)
        let events = write.append?.events ?? []
        if events.contains(where: { if case .attemptStarted = $0.event { true } else { false } }) {
            isBroken.withLock { $0 = true }
        }
    }
}

@Suite("What a provider answered and the journal did not take")
struct UnwrittenAnswerTests {
    private static let somebodys = PaymentID.make(at: Timestamp(milliseconds: 1_795_000_000_000), random: (1, 2))
    private static let refusals: [JournalError] = [
        .queueFull(limit: 1), .closed, .corrupted("a page"), .unavailable("the disk is full"),
        .versionConflict(payment: somebodys, current: 9),
    ]

    @Test("is never told as nothing moved, and is found when the journal takes writes again", arguments: refusals)
    func unknown(refusal: JournalError) async throws {
        let world = World(preparesFirst: false)
        let journal = BrokenJournal(world.journal, refusal: refusal)
        let checkout = Checkout(journal: journal, providers: [world.provider], clock: world.clock)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: World.eur(100))
        let id = try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .automatic)).id
        let tender = Tender.cardPresent(
            CardPresentPayload(reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil))
        do {
            _ = try await checkout.confirm(id, account: .main, provider: .sandbox, tender: tender)
            Issue.record("the answer was written although the journal refuses every write")
        } catch {
            #expect(error.moneyMoved == .unknown, "\(error)")
            #expect(error.next.contains(id.description), "\(error.next)")
        }
        #expect(try await world.provider.ledger.charges().map(\.authorized) == [100])
        journal.mend()
        for wait in [Span.minutes(2), .minutes(6), .hours(2)] {
            world.clock.advance(by: wait)
            try await checkout.recover()
        }
        #expect(try await checkout.payment(id, account: .main).status == .succeeded)
        #expect(try await world.problems() == [])
    }
}
