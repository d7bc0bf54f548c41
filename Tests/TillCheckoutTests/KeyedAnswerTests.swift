import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

@Suite("The answer to a request under a key is stored with the last event", .timeLimit(.minutes(10)))
struct KeyedAnswerTests {
    private let world = World(preparesFirst: false)
    private var engine: Checkout {
        Checkout(journal: world.journal, providers: [world.provider], clock: world.clock)
    }

    private func request(_ id: PaymentID) -> IdempotencyRecord {
        IdempotencyRecord(
            scope: IdempotencyScope(account: .main, operation: "confirm", key: "k-1"), fingerprint: [1], request: [2],
            createdAt: world.clock.now(), state: .inFlight(payment: id, operation: "confirm"))
    }

    /// Tells the payment's version and its status.
    private func answer(to request: IdempotencyRecord) -> KeyedAnswer {
        KeyedAnswer { payment in
            guard payment.isAtRest else { return nil }
            var finished = request
            finished.state = .finished(
                status: 200, body: Array("\(payment.version) \(payment.status.rawValue)".utf8), payment: payment.id)
            return finished
        }
    }

    private func confirm(_ card: String) async throws -> (payment: Payment, answer: KeyedAnswer, stored: String?) {
        let id = try await world.create()
        let request = request(id)
        let answer = answer(to: request)
        let tender = Tender.cardPresent(
            CardPresentPayload(reader: "r", sealed: Secret("sim:\(card):visa:contact_emv"), card: nil))
        let payment = try await engine.confirm(
            id, account: .main, provider: .sandbox, tender: tender, idempotency: request, keyedAnswer: answer)
        guard case .finished(_, let body, _)? = try await world.journal.idempotency(request.scope)?.state else {
            return (payment, answer, nil)
        }
        return (payment, answer, String(decoding: body, as: UTF8.self))
    }

    @Test(
        "and tells of the payment that the caller gets", arguments: ["4242424242424242", "4000000000009995"])
    func stored(card: String) async throws {
        let done = try await confirm(card)
        #expect(done.stored == "\(done.payment.version) \(done.payment.status.rawValue)")
        #expect(done.answer.written(for: done.payment) != nil)
        #expect(done.payment.status == (card.hasPrefix("4242") ? .succeeded : .declined))
    }

    @Test("but not while the outcome is open") func open() async throws {
        world.faults.keepFailing(.capture, with: .outage)
        world.faults.keepFailing(.query, with: .outage)
        let done = try await confirm("4242424242424242")
        #expect(done.stored == nil && done.answer.written(for: done.payment) == nil)
    }
}
