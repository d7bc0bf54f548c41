import Testing
import TillCore
import TillCounter

@Suite("A payment as JSON")
struct PaymentJSONTests {
    private static let attempt = AttemptID(rawValue: "pay_1-a1")
    private static let start = Timestamp(milliseconds: 1_795_253_405_000)

    private static func payment(after events: [PaymentEvent]) throws -> Payment {
        let amount = Money(minorUnits: 1250, currency: .eur)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: amount)
        var payment = Payment(
            .init(payment: PaymentID(rawValue: "pay_1"), account: .main, order: order, captureMode: .manual), at: start)
        let held: [PaymentEvent] = [
            .attemptStarted(
                .init(attempt: attempt, provider: .sandbox, tender: TenderSummary(kind: .reader), amount: amount)),
            .authorized(
                attempt,
                Authorization(
                    reference: ProviderReference(rawValue: "sb_1"), amount: amount, isCaptured: false, card: nil)),
        ]
        for event in held + events { payment.evolve(RecordedEvent(event, at: start)) }
        return payment
    }

    private static func attempt(after events: [PaymentEvent]) throws -> (attempt: JSONValue?, message: String?) {
        let payment = try Self.payment(after: events)
        let json = try JSONValue(parsing: PaymentJSON.write(payment))
        return (json["attempts"]?.arrayValue?.first, json["message"]?.stringValue)
    }

    @Test("an attempt has its void while that is under way")
    func voids() throws {
        let void = PaymentEvent.voidStarted(Self.attempt, reason: .canceled("test"))
        let lost = PaymentEvent.outcomeUnknown(
            .void(Self.attempt), nextCheck: Self.start, reason: .unclear("timed out"))
        for (events, status, word) in [
            ([], "authorized", nil), ([void], "authorized", "in_flight"), ([void, lost], "authorized", "unknown"),
            ([void, .voided(Self.attempt)], "voided", nil),
        ] as [([PaymentEvent], String, String?)] {
            let (attempt, message) = try Self.attempt(after: events)
            #expect(attempt?["status"]?.stringValue == status)
            #expect(attempt?["void"] == word.map { .string($0) } ?? .null)
            #expect(message?.contains("is being released") == (word != nil))
        }
    }

    @Test("a session is shown while it may be paid: not once it is finished or being canceled")
    func sessions() throws {
        let session = try #require(CustomerSession(id: "CS1", data: "x", endsAt: Self.start))
        let open = PaymentEvent.actionRequired(Self.attempt, CustomerAction(kind: "adyen_session", session: session))
        let void = PaymentEvent.voidStarted(Self.attempt, reason: .canceled("test"))
        let finished = PaymentEvent.actionRequired(
            Self.attempt, CustomerAction(kind: CustomerAction.finishedSession, session: session))
        for (events, isShown) in [([open], true), ([open, void], false), ([finished], false)] {
            let action = try Self.attempt(after: events).attempt?["action"]
            #expect(action?["kind"]?.stringValue != nil)
            #expect(action?["session"]?["id"]?.stringValue == (isShown ? "CS1" : nil))
        }
        // A list is no place for it.
        var list = JSONWriter(reserving: 1024)
        PaymentJSON.write(try Self.payment(after: [open]), into: &list)
        let listed = try JSONValue(parsing: list.bytes)["attempts"]?.arrayValue?.first?["action"]
        #expect(listed?["kind"]?.stringValue == "adyen_session" && listed?["session"] == nil)
    }
}
