import Synchronization
import Testing
@testable import TillClient
import TillCore
import TillTestSupport

/// Braintree's SDK in an app, which answers as a test wants and keeps what it was asked.
private final class Verifier: ChallengePresenter {
    struct Asked: Hashable {
        var nonce: String
        var token: String
        var verification: CardVerification
    }

    private let asked = Mutex<[Asked]>([])
    private let answer: CardVerificationEnd?
    var all: [Asked] { asked.withLock { $0 } }

    /// - Parameter answer: `nil` for a customer who neither answers nor leaves.
    init(_ answer: CardVerificationEnd?) { self.answer = answer }

    func present(_ page: ChallengePage) async -> ChallengeEnd { .notShown }

    func verify(
        _ nonce: Secret<String>, clientToken: Secret<String>, _ verification: CardVerification
    ) async -> CardVerificationEnd {
        asked.withLock {
            $0.append(Asked(nonce: nonce.reveal(), token: clientToken.reveal(), verification: verification))
        }
        if let answer { return answer }
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
        return .notShown
    }
}

/// A presenter that shows banks' pages only.
private struct PagesOnly: ChallengePresenter {
    func present(_ page: ChallengePage) async -> ChallengeEnd { .returned }
}

@Suite("The bank is asked about a card of Braintree's fields before an app's nonce pays")
struct CardVerificationTests {
    private static let amount = Money(minorUnits: 1250, currency: .eur)
    private let nonce = Secret("nonce-of-the-fields")

    private func checkout(
        _ steps: ScriptedTransport.Step..., limits: CounterCheckoutLimits = CounterCheckoutLimits()
    ) throws -> (CounterCheckout, ScriptedTransport) {
        let session = try #require(
            CounterCheckoutSession(
                text: Secret("ap-x_y"), payment: PaymentID(rawValue: "pay_1"), amount: Self.amount))
        let transport = ScriptedTransport(steps)
        let checkout = CounterCheckout(
            address: try CounterAddress("https://counter.example.com"), session: session, limits: limits,
            transport: transport, clock: ManualClock(waits: .moveTime(upTo: .seconds(5))))
        return (checkout, transport)
    }

    /// - Parameter verification: The `three_d_secure` of the key; `nil` for a key without it.
    private func key(_ verification: String?) -> ScriptedTransport.Step {
        let more = verification.map { #","three_d_secure":\#($0)"# } ?? ""
        return .json(200, #"{"provider":"braintree","client_token":"dG9rZW4="\#(more)}"#)
    }

    /// Returns the reference of an end, or another end's name.
    private func text(_ end: CardVerificationEnd) -> String {
        switch end {
        case .reference(let reference): reference.reveal()
        case .closed: "closed"
        case .notShown: "not shown"
        }
    }

    @Test("the key's question goes to the presenter whole, and its nonce is the one that pays")
    func asks() async throws {
        let paid =
            #"{"payment_id":"pay_1","status":"paid","money_moved":"yes","attempts":1,"order_number":"1001","#
            + #""amount":1250,"currency":"EUR","begun":true}"#
        let (checkout, transport) = try checkout(
            key(#"{"amount":"12.50","challenge":"required"}"#), .json(200, paid))
        let verifier = Verifier(.reference(Secret("nonce-with-the-answer")))
        let fields = try await checkout.cardFields()
        guard case .reference(let verified) = await checkout.verify(nonce, of: fields, presenter: verifier) else {
            Issue.record("no reference")
            return
        }
        let asked = try #require(verifier.all.first)
        #expect(verifier.all.count == 1 && asked.nonce == "nonce-of-the-fields" && asked.token == "dG9rZW4=")
        #expect(asked.verification.amount == Self.amount)
        // A member of a newer counter is kept.
        #expect(asked.verification.document["challenge"]?.stringValue == "required")
        // The question itself sends nothing to the counter.
        #expect(transport.calls.map(\.line) == ["GET /app/card_fields"])
        guard case .paid = await checkout.pay(.token(verified), presenter: verifier) else {
            Issue.record("not paid")
            return
        }
        #expect(transport.calls.last?.body == #"{"tender":{"type":"token","token":"nonce-with-the-answer"}}"#)
    }

    @Test("a key without a question asks nobody, and the reference is that of the fields")
    func asksNobody() async throws {
        let stripe = ScriptedTransport.Step.json(200, #"{"provider":"stripe","publishable_key":"pk_test_1"}"#)
        for step in [key(nil), key("null"), stripe] {
            let (checkout, _) = try checkout(step)
            let verifier = Verifier(.closed)
            let fields = try await checkout.cardFields()
            let end = await checkout.verify(nonce, of: fields, presenter: verifier)
            #expect(text(end) == "nonce-of-the-fields" && verifier.all.isEmpty)
        }
    }

    @Test("a question about another amount is none, and neither is one without an amount")
    func otherAmount() async throws {
        for wrong in [
            #"{"amount":"12.51"}"#, #"{"amount":"1250"}"#, #"{"amount":"12.5"}"#, #"{"amount":12.50}"#, "{}", "true",
            #""12.50""#,
        ] {
            let (checkout, _) = try self.checkout(key(wrong))
            await #expect(throws: CounterCheckoutError.self, "\(wrong)") { try await checkout.cardFields() }
        }
        let (checkout, _) = try self.checkout(key(#"{"amount":"12.51"}"#))
        do throws(CounterCheckoutError) {
            _ = try await checkout.cardFields()
            Issue.record("a key")
        } catch { #expect(error == .mismatch(.amount, asked: "12.50", answered: "12.51")) }
    }

    @Test("a customer who leaves, a presenter that asks no bank, and a question without an end bring no nonce")
    func noAnswer() async throws {
        var limits = CounterCheckoutLimits()
        limits.challenge = .seconds(4)
        let ways: [(any ChallengePresenter, CounterCheckoutLimits, String)] = [
            (Verifier(.closed), CounterCheckoutLimits(), "closed"),
            (PagesOnly(), CounterCheckoutLimits(), "not shown"), (Verifier(nil), limits, "closed"),
        ]
        for (presenter, limits, end) in ways {
            let (checkout, transport) = try checkout(key(#"{"amount":"12.50"}"#), limits: limits)
            let fields = try await checkout.cardFields()
            let found = text(await checkout.verify(nonce, of: fields, presenter: presenter))
            #expect(found == end)
            #expect(transport.calls.count == 1)
        }
    }
}
