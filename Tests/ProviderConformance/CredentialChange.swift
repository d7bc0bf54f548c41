import Synchronization
import TillCheckout
import TillCore
import TillJournal

/// A sale whose answer was lost in one account, then worked on with the credentials of another account, which knows
/// nothing of it, then with the first again.
package enum CredentialChange {
    /// No sale makes more calls than this.
    private static let mostCalls = 12

    private final class PassingClock: TillClock {
        private let time: Mutex<Timestamp>
        init(_ start: Timestamp) { time = Mutex(start) }
        func now() -> Timestamp { time.withLock { $0 } }
        func advance(by span: Span) { time.withLock { $0 = $0.adding(span) } }
        func sleep(for span: Span) async throws { try await Task.sleep(for: .seconds(3600)) }
    }

    /// The provider, which cannot be asked what became of anything: so what was lost stays lost.
    private struct Blind: PaymentServiceProvider {
        let base: any PaymentServiceProvider
        var name: ProviderName { base.name }
        var capabilities: ProviderCapabilities { base.capabilities }
        var amounts: AmountCodec { base.amounts }
        func identity() async -> ProviderIdentity { await base.identity() }
        func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
            await base.prepare(request)
        }
        func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
            await base.authorize(request, with: tender)
        }
        func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> { await base.capture(request) }
        func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> { await base.void(request) }
        func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> { await base.refund(request) }
        func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> { .unknown(reason: "503") }
    }

    /// What is wrong; empty when the sale was never freed, never charged again, and came to its end in its own account.
    /// - Parameter make: a world with an empty ledger, and a provider with the credentials of that account.
    package static func broken(
        in make: @Sendable (_ account: String) async throws -> any ProviderWorld
    ) async throws -> [String] {
        var findings = Findings()
        var charged = 0
        for call in 0..<mostCalls {
            let (ours, theirs) = (try await make("ours"), try await make("theirs"))
            let clock = PassingClock(ours.now)
            let storage = MemoryJournal.Storage()
            func engine(_ world: any ProviderWorld) -> Checkout {
                Checkout(
                    journal: MemoryJournal(storage: storage, clock: clock), providers: [world.provider], clock: clock)
            }
            let order = try Order(id: OrderID(rawValue: "o-1"), amount: Moved.amount)
            let before = Checkout(
                journal: MemoryJournal(storage: storage, clock: clock), providers: [Blind(base: ours.provider)],
                clock: clock)
            let id = try await before.create(before.draft(account: .main, order: order, captureMode: .automatic)).id
            ours.line?.arm(.answerLost, after: call, of: .authorize)
            let sale = try await before.confirm(id, account: .main, provider: ours.provider.name, tender: ours.tender)
            guard ours.line?.disarm() == true else { break }
            guard sale.status == .unknown, try await ours.moved().live == 1 else { continue }
            charged += 1

            let other = engine(theirs)
            for wait in [Span.seconds(1), .minutes(6), .hours(2), .days(1), .days(2)] {
                clock.advance(by: wait)
                try await theirs.wait()
                try await other.recover()
                try await other.query(id)
            }
            let place = "call \(call + 1) lost"
            let left = try await other.payment(id, account: .main)
            findings.expect(left.version == sale.version, "\(place): the other account made it \(left.status.rawValue)")
            let isFree = (try? await other.create(other.draft(account: .main, order: order, captureMode: .automatic)))
            findings.expect(isFree == nil, "\(place): the order was freed")
            do throws(CheckoutError) {
                _ = try await other.cancel(id, account: .main)
                findings.expect(false, "\(place): the other account took a cancellation")
            } catch {
                findings.expect(error.code == "other_provider_account", "\(place): \(error.code)")
            }
            findings.expect(!other.skippedPayments.isEmpty, "\(place): it is not shown as left alone")
            try await findings.expect(theirs, .nothing, "\(place), the other account")

            let again = engine(ours)
            try await ours.wait()
            try await again.recover()
            try await again.query(id)
            let settled = try await again.payment(id, account: .main)
            findings.expect(settled.captured == Moved.amount, "\(place): ended as \(settled.status.rawValue)")
            try await findings.expect(
                ours, Moved(live: 1, captured: Moved.amount.minorUnits, refunded: 0), "\(place), its own account")
        }
        findings.expect(charged > 0, "no call of a sale was charged and not answered")
        return findings.all
    }
}
