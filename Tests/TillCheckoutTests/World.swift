import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// An engine, a journal and a provider in one process. The provider gives back more than it took when asked to, so
/// that the engine is the only guard.
struct World {
    let clock = ManualClock(waits: .last)
    let storage = MemoryJournal.Storage()
    let books = SandboxMemoryStore()
    let faults = SandboxFaults()
    let journal: MemoryJournal
    let provider: SandboxProvider
    let checkout: Checkout

    init(preparesFirst: Bool = true) {
        journal = MemoryJournal(storage: storage, clock: clock)
        provider = SandboxProvider(
            store: books, clock: clock, faults: faults, rules: SandboxRules(allowsOverRefund: true),
            preparesFirst: preparesFirst)
        checkout = Checkout(journal: journal, providers: [provider], clock: clock)
    }

    /// Another process over the same journal and the same provider.
    func anotherProcess() -> Checkout {
        Checkout(journal: MemoryJournal(storage: storage, clock: clock), providers: [provider], clock: clock)
    }

    static func eur(_ units: Int64) -> Money { Money(minorUnits: units, currency: .eur) }

    func create(_ order: String = "o-1", _ units: Int64 = 100, mode: CaptureMode = .automatic) async throws -> PaymentID
    {
        let order = try Order(id: OrderID(rawValue: order), amount: World.eur(units))
        return try await checkout.create(checkout.draft(account: .main, order: order, captureMode: mode)).id
    }

    func confirm(_ id: PaymentID, card: String = "4242424242424242", brand: String = "visa") async throws -> Payment {
        let payload = CardPresentPayload(
            reader: "r", sealed: Secret("sim:\(card):\(brand):contact_emv"), card: nil)
        return try await checkout.confirm(id, account: .main, provider: .sandbox, tender: .cardPresent(payload))
    }

    func paid(_ units: Int64 = 100) async throws -> PaymentID {
        let id = try await create("o-1", units)
        _ = try await confirm(id)
        return id
    }

    func payment(_ id: PaymentID) async throws -> Payment { try await checkout.payment(id, account: .main) }

    /// Runs recovery over the next days, as the counter does.
    func settle() async throws {
        for wait in [Span.seconds(0), .minutes(2), .minutes(6), .hours(2), .days(1), .days(1)] {
            clock.advance(by: wait)
            try await checkout.recover()
        }
    }

    /// What is wrong with the provider's books, or with the journal against them. Empty when all is right.
    func problems() async throws -> [String] {
        var problems: [String] = []
        var net: [String: Int] = [:]
        for charge in try await provider.ledger.charges() {
            let name = charge.reference
            if charge.captured > charge.authorized { problems.append("\(name) captured more than authorized") }
            if charge.authorized > charge.amount { problems.append("\(name) authorized more than asked") }
            if charge.refunded > charge.captured { problems.append("\(name) refunded \(charge.refunded)") }
            if charge.captured > charge.refunded, let order = charge.order { net[order, default: 0] += 1 }
            guard let id = charge.payment,
                let payment = try await journal.payment(PaymentID(rawValue: id))
            else {
                problems.append("\(name) is not in the journal")
                continue
            }
            let captures = payment.captures.filter { $0.attempt.rawValue == charge.attempt && $0.state.isSucceeded }
            let refunds = payment.refunds.filter { $0.attempt.rawValue == charge.attempt && $0.state.isSucceeded }
            let (taken, back) = (sum(captures.map(\.amount)), sum(refunds.map(\.amount)))
            if taken != charge.captured { problems.append("\(name) captured \(charge.captured), journal \(taken)") }
            if back != charge.refunded { problems.append("\(name) refunded \(charge.refunded), journal \(back)") }
            if payment.isCanceled, charge.state == .authorized, charge.captures.isEmpty {
                problems.append("\(name) still holds money of a canceled payment")
            }
        }
        for (order, count) in net where count > 1 { problems.append("\(order) was paid \(count) times") }
        return problems + (try journal.verify()).problems.map { "\($0)" }
    }

    private func sum(_ amounts: [Money]) -> Int64 { amounts.map(\.minorUnits).reduce(0, +) }
}

/// A clock of which more or less is known than that it can be set.
struct ClockWithStanding: TillClock {
    let base: ManualClock
    let standing: ClockStanding
    func now() -> Timestamp { base.now() }
    func sleep(for span: Span) async throws { try await base.sleep(for: span) }
}
