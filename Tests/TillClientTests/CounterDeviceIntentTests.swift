import Testing
import TillClient
import TillCore
import TillTestSupport

@Suite("A device that collects with the provider's own SDK")
struct CounterDeviceIntentTests {
    private let clock = ManualClock()
    private var draft: CounterPaymentDraft { CounterPaymentDraft(order: Given.order, amount: Given.amount) }

    private func client(_ steps: ScriptedTransport.Step...) throws -> (CounterClient, ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        return (try Given.client(transport, clock), transport)
    }

    /// The counter's answer: an intent, and a payment whose one attempt has the intent `pi_1`.
    private static func intent(
        _ name: String = "pi_1", _ change: (inout FakeCounter.Books) -> Void = { _ in }
    ) -> String {
        let payment = Given.payment { books in
            books.status = "requires_action"
            books.attempts = [(status: "requires_action", reason: nil)]
            change(&books)
        }
        return #"{"payment_intent":"\#(name)","client_secret":"pi_1_secret_2","payment":"#
            + payment.replacing(#""reference":null"#, with: #""reference":"pi_1""#) + "}"
    }

    @Test("an order's intent is asked for without a key, and its secret is in no description")
    func asks() async throws {
        let (client, transport) = try client(.json(200, Self.intent()))
        let intent = try await client.deviceIntent(draft, device: "iPad 3")
        #expect(intent.reference.rawValue == "pi_1")
        #expect(intent.payment.id.rawValue == "pay_1")
        #expect(intent.clientSecret.reveal() == "pi_1_secret_2")
        #expect(!"\(intent)".contains("pi_1_secret_2"))
        let call = try #require(transport.calls.first)
        #expect(call.line == "POST /v1/terminal/payments")
        #expect(call.key == nil)
        let order = #"{"order_id":"o-1","amount":1250,"currency":"EUR","capture":"automatic""#
        #expect(call.body == order + #","device":"iPad 3"}"#)
    }

    @Test("a payment is settled as the counter says, whatever the SDK said")
    func settles() async throws {
        let paid = Given.payment { books in
            books.status = "succeeded"
            books.attempts = [(status: "authorized", reason: nil)]
        }
        let (client, transport) = try client(.json(200, Self.intent()), .json(200, paid))
        let settled = try await client.settle(try await client.deviceIntent(draft).payment)
        #expect(settled.status == .known(.succeeded))
        #expect(settled.captured == Given.amount)
        #expect(transport.calls.last?.line == "POST /v1/terminal/payments/pay_1/settle")
        #expect(transport.calls.last?.body == "{}")
    }

    @Test("a lost answer is asked for again: the order is the key")
    func lostAnswer() async throws {
        let lost = ScriptedTransport.Step.fail(.unknown(reason: "cut"))
        let (client, transport) = try client(lost, .json(200, Self.intent()), lost, .json(200, Given.payment()))
        let intent = try await client.deviceIntent(draft)
        _ = try await client.settle(intent.payment)
        let (ask, settle) = ("POST /v1/terminal/payments", "POST /v1/terminal/payments/pay_1/settle")
        #expect(transport.calls.map(\.line) == [ask, ask, settle, settle])
        #expect(Set(transport.calls.prefix(2).map(\.body)).count == 1)
    }

    @Test("without any answer the device may have charged, and the call is to be repeated")
    func unknown() async throws {
        let lost = ScriptedTransport.Step.fail(.unknown(reason: "cut"))
        let (client, transport) = try client(.json(200, Self.intent()), lost, lost, lost, lost, lost, lost)
        let intent = try await client.deviceIntent(draft)
        for operation in [CounterOperation.settle, .deviceIntent] {
            let payment = operation == .settle ? intent.payment.id : nil
            let error = CounterError.outcomeUnknown(
                CounterUnknownOutcome(operation: operation, payment: payment, key: nil, reason: "cut"))
            await #expect(throws: error) {
                if operation == .settle {
                    _ = try await client.settle(intent.payment)
                } else {
                    _ = try await client.deviceIntent(draft)
                }
            }
            #expect(error.moneyMoved == .unknown)
            #expect(!error.next.contains("key"))
        }
        #expect(transport.calls.count == 7)
    }

    @Test("an intent that is no attempt of the payment, or another order's or amount's, is not to be charged")
    func mismatches() async throws {
        let more = Money(minorUnits: 1251, currency: .eur)
        let cases: [(part: CounterMismatch.Part, answer: String, asked: String, answered: String)] = [
            (.intent, Self.intent("pi_2"), "pi_1", "pi_2"),
            (.order, Self.intent { $0.order = "o-2" }, "o-1", "o-2"),
            (.amount, Self.intent { $0.amount = 1251 }, "\(Given.amount)", "\(more)"),
        ]
        for one in cases {
            let (client, _) = try client(.json(200, one.answer))
            let mismatch = CounterMismatch(
                operation: .deviceIntent, part: one.part, asked: one.asked, answered: one.answered)
            await #expect(throws: CounterError.mismatch(mismatch)) { try await client.deviceIntent(draft) }
        }
    }

    @Test(
        "an answer without an intent, its secret or its payment is none",
        arguments: ["payment_intent", "client_secret", "payment"])
    func missing(_ field: String) async throws {
        let answer = Self.intent().replacing("\"\(field)\":", with: "\"other\":", maxReplacements: 1)
        let (client, _) = try client(.json(200, answer))
        await #expect(throws: CounterError.self) { try await client.deviceIntent(draft) }
    }

    @Test("a refusal keeps the counter's word")
    func refusals() async throws {
        let (client, transport) = try client(.json(409, FakeCounter.problem("order_already_paid", "no")))
        let problem = CounterProblem(
            status: 409, code: .orderAlreadyPaid, what: "It is so.", moneyMoved: .no, next: "Do it.", requestID: nil)
        await #expect(throws: CounterError.refused(problem)) { try await client.deviceIntent(draft) }
        #expect(transport.calls.count == 1)
    }
}
