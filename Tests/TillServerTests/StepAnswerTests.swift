import Testing
import TillCore
import TillCounter
import TillJournal
import TillWeb

@Suite("A provider's answers in a payment's history")
struct StepAnswerTests {
    private static let start = Timestamp(milliseconds: 1_795_253_405_000)
    private static let attempt = AttemptID(rawValue: "pay_1-a1")

    private static func answers(_ events: [PaymentEvent]) throws -> [JSONValue?] {
        let amount = Money(minorUnits: 1250, currency: .eur)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: amount)
        let id = PaymentID(rawValue: "pay_1")
        let begun: [PaymentEvent] = [
            .created(.init(payment: id, account: .main, order: order, captureMode: .manual)),
            .attemptStarted(
                .init(attempt: attempt, provider: .sandbox, tender: TenderSummary(kind: .card), amount: amount)),
        ]
        let stored = (begun + events).enumerated().map { index, event in
            StoredEvent(
                sequence: Int64(index + 1), payment: id, account: .main, version: index + 1,
                record: RecordedEvent(event, at: start))
        }
        let payment = try #require(Payment(folding: stored.map(\.record)))
        let json = try JSONValue(parsing: PaymentJSON.write(payment, events: stored))
        return try #require(json["events"]?.arrayValue).map { $0["answer"] }
    }

    @Test("have code, request and message of a decline, without a card number")
    func decline() throws {
        let decline = Decline(
            reason: .insufficientFunds, code: "51", message: "No funds on 4242424242424242", requestID: "req_1")
        let answers = try Self.answers([.attemptDeclined(Self.attempt, decline)])
        #expect(answers[0] == nil && answers[1] == nil)
        let answer = try #require(answers[2])
        #expect(answer["reason"]?.stringValue == "insufficient_funds" && answer["code"]?.stringValue == "51")
        #expect(answer["request_id"]?.stringValue == "req_1")
        let message = answer["message"]?.stringValue ?? ""
        #expect(message.hasPrefix("No funds on ") && !message.contains("4242424242424242"))
    }

    @Test("have the reference of what was done, and say what is not known")
    func others() throws {
        let authorization = Authorization(
            reference: ProviderReference(rawValue: "sb_1"), amount: Money(minorUnits: 1250, currency: .eur))
        let void = OperationID.void(Self.attempt)
        let answers = try Self.answers([
            .authorized(Self.attempt, authorization), .voidStarted(Self.attempt, reason: .abandoned),
            .outcomeUnknown(void, nextCheck: Self.start, reason: .unclear("timed out")),
            .refused(void, Decline(reason: .generic)), .cancelRequested(reason: "x"),
        ])
        #expect(answers[2]?["reference"]?.stringValue == "sb_1" && answers[2]?["code"] == nil)
        #expect(answers[3] == nil)
        #expect(answers[4]?["message"]?.stringValue == "timed out")
        #expect(answers[5]?["reason"]?.stringValue == "generic_decline" && answers[5]?["message"] == nil)
        #expect(answers[6] == nil)
    }

    @Test("have at most five hundred characters of a message")
    func long() throws {
        let decline = Decline(reason: .generic, message: String(repeating: "é", count: 2_000))
        let answers = try Self.answers([.attemptDeclined(Self.attempt, decline)])
        #expect(answers[2]?["message"]?.stringValue?.count == 500)
    }
}
