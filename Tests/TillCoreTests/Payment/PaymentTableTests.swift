import Testing
import TillCore

/// Each pair of state and command, and of state and answer, decided on purpose. A change of any cell is a change of
/// what Till does with money, so the whole table is written out.
@Suite("What each command and each answer leads to, in each state")
struct PaymentTableTests {
    private typealias Examples = PaymentExamples

    private static let commands: [(String, PaymentCommand)] = [
        ("attempt", .attempt(provider: .sandbox, tender: Examples.tender)),
        ("capture", .capture(nil, isFinal: true)),
        ("capture 40", .capture(Examples.eur(40), isFinal: false)),
        ("capture 101", .capture(Examples.eur(101), isFinal: true)),
        ("cancel", .cancel(reason: "x")),
        ("renew", .renew(honorPeriod: .seconds(1))),
        ("renew early", .renew(honorPeriod: .seconds(2))),
        ("refund", .refund(nil, reason: nil)),
        ("refund 60", .refund(Examples.eur(60), reason: nil)),
        ("refund -1", .refund(Examples.eur(-1), reason: nil)),
        ("refund 1 USD", .refund(Money(minorUnits: 1, currency: .usd), reason: nil)),
    ]

    private static let answers: [(String, PaymentAnswer)] = {
        let attempt = Examples.attempt
        let done = ProviderAnswer<TillCore.Confirmation>.approved(Confirmation(reference: Examples.reference))
        func seen(_ standing: ProviderSnapshot.Standing, _ captured: Int64) -> PaymentAnswer {
            .snapshot(
                attempt,
                .approved(
                    ProviderSnapshot(
                        reference: Examples.reference, standing: standing, captured: Examples.eur(captured))))
        }
        /// All of it captured, with a refund as it stands at the provider.
        func refund(_ status: ProviderSnapshot.Refund.Status, _ name: RefundID?) -> PaymentAnswer {
            let refund = ProviderSnapshot.Refund(
                reference: name == nil ? Examples.other : Examples.reference, refund: name, amount: Examples.eur(100),
                status: status)
            return .snapshot(
                attempt,
                .approved(
                    ProviderSnapshot(
                        reference: Examples.reference, standing: .authorized(Examples.authorization),
                        captured: Examples.eur(100), refunds: [refund])))
        }
        func disputed(_ withdrawn: Int64, _ outcome: Dispute.Outcome?) -> PaymentAnswer {
            var snapshot = ProviderSnapshot(
                reference: Examples.reference, standing: .authorized(Examples.authorization),
                captured: Examples.eur(100))
            snapshot.disputes = [
                ProviderSnapshot.Dispute(
                    facts: Examples.dispute, withdrawn: Examples.eur(withdrawn), outcome: outcome)
            ]
            return .snapshot(attempt, .approved(snapshot))
        }
        var captureFailed = ProviderSnapshot(
            reference: Examples.reference, standing: .authorized(Examples.authorization), captured: Examples.eur(0))
        captureFailed.failedCaptures = [
            ProviderSnapshot.FailedCapture(reference: nil, capture: Examples.capture, decline: Examples.decline)
        ]
        return [
            ("prepared", .prepared(attempt, done)),
            ("prepare lost", .prepared(attempt, .unknown(reason: "x"))),
            ("approved", .authorized(attempt, .approved(Examples.authorization))),
            ("declined", .authorized(attempt, .declined(Examples.decline))),
            ("auth lost", .authorized(attempt, .unknown(reason: "x"))),
            ("auth unsent", .authorized(attempt, .notSent(reason: "x"))),
            ("auth asks", .authorized(attempt, .requiresAction(CustomerAction(kind: "x")))),
            ("continued", .continued(attempt, .approved(Examples.authorization))),
            ("continue no", .continued(attempt, .declined(Examples.decline))),
            ("continue lost", .continued(attempt, .unknown(reason: "x"))),
            ("continue unsent", .continued(attempt, .notSent(reason: "x"))),
            ("continue asks", .continued(attempt, .requiresAction(CustomerAction(kind: "x")))),
            ("renewed", .renewed(Examples.renewal, .approved(Examples.renewed))),
            ("renewal no", .renewed(Examples.renewal, .declined(Examples.decline))),
            ("renewal lost", .renewed(Examples.renewal, .unknown(reason: "x"))),
            ("captured", .captured(Examples.capture, done)),
            ("capture lost", .captured(Examples.capture, .unknown(reason: "x"))),
            ("capture no", .captured(Examples.capture, .declined(Examples.decline))),
            ("voided", .voided(attempt, done)),
            ("void lost", .voided(attempt, .unknown(reason: "x"))),
            ("void no", .voided(attempt, .declined(Examples.decline))),
            ("refunded", .refunded(Examples.refund, done)),
            ("refund lost", .refunded(Examples.refund, .unknown(reason: "x"))),
            ("refund unsent", .refunded(Examples.refund, .notSent(reason: "x"))),
            ("seen continuable", seen(.continuable, 0)),
            ("seen renewed", seen(.authorized(Examples.renewed), 0)),
            ("seen nothing", seen(.notFound, 0)),
            ("seen held", seen(.authorized(Examples.authorization), 0)),
            ("seen taken", seen(.authorized(Examples.authorization), 100)),
            ("seen declined", seen(.declined(Examples.decline), 0)),
            ("seen voided", seen(.voided, 0)),
            ("seen rest voided", seen(.voided, 40)),
            ("seen refund failed", refund(.failed(Examples.decline), Examples.refund)),
            ("seen refund of others", refund(.succeeded, nil)),
            ("seen refund begun by others", refund(.pending, nil)),
            ("seen capture failed", .snapshot(attempt, .approved(captureFailed))),
            ("seen inquiry", disputed(0, nil)),
            ("seen chargeback", disputed(100, nil)),
            ("seen dispute won", disputed(0, .won)),
            ("seen dispute lost", disputed(100, .lost)),
            ("not seen", .snapshot(attempt, .unknown(reason: "x"))),
        ]
    }()

    @Test("commands") func commands() throws {
        var lines: [String] = []
        for (state, payment) in try Examples.all() {
            for (name, command) in Self.commands {
                let cell: String
                do throws(PaymentRefusal) {
                    cell = try payment.decide(command, at: Examples.now).map(\.name).joined(separator: " ")
                } catch {
                    cell = "! \(error.code)"
                }
                lines.append("\(state) | \(name) | \(cell)")
            }
        }
        #expect(lines == PaymentTable.commands.split(separator: "\n").map(String.init))
    }

    @Test("answers") func answers() throws {
        var lines: [String] = []
        for (state, payment) in try Examples.all() {
            for (name, answer) in Self.answers {
                let events = payment.observe(answer, at: Examples.now)
                lines.append(
                    "\(state) | \(name) | \(events.isEmpty ? "-" : events.map(\.name).joined(separator: " "))")
            }
        }
        #expect(lines == PaymentTable.answers.split(separator: "\n").map(String.init))
    }

    @Test("an event about something that the payment does not have changes nothing but the version") func foreign()
        throws
    {
        let (attempt, capture) = (AttemptID(rawValue: "pay_x-a9"), CaptureID(rawValue: "pay_x-c9"))
        let refund = RefundID(rawValue: "pay_x-r9")
        let taken = Authorization(reference: Examples.reference, amount: Examples.eur(100), isCaptured: true)
        let renewal = RenewalID(rawValue: "pay_x-h9")
        let operations: [OperationID] = [
            .attempt(attempt), .continuation(attempt), .void(attempt), .capture(capture), .renewal(renewal),
            .refund(refund),
        ]
        let events: [PaymentEvent] =
            [
                .attemptPrepared(attempt, Examples.reference), .attemptDeclined(attempt, Examples.decline),
                .actionRequired(attempt, CustomerAction(kind: "x")), .attemptNotSent(attempt, reason: "x"),
                .attemptExpired(attempt), .voidStarted(attempt, reason: .canceled("x")), .voided(attempt),
                .authorized(attempt, Examples.authorization), .authorized(attempt, taken), .captured(capture, nil),
                .refunded(refund, nil), .continuationStarted(attempt, number: 1), .renewed(renewal, Examples.renewed),
                .refundReversed(refund, Examples.decline), .captureReversed(capture, Examples.decline),
                .captureRestored(capture), .disputeFundsWithdrawn(Examples.other, Examples.eur(1)),
                .disputeFundsReinstated(Examples.other, Examples.eur(1)), .disputeClosed(Examples.other, .lost),
                .attentionClosed(99, AttentionResolution(kind: .handled, evidence: "x", actor: "x")),
            ]
            + operations.flatMap { operation -> [PaymentEvent] in
                [
                    .refused(operation, Examples.decline),
                    .deferred(operation, until: Examples.now, reason: .notSent("x")),
                    .outcomeUnknown(operation, nextCheck: Examples.now, reason: .unclear("x")),
                ]
            }
        for (state, payment) in try Examples.all() {
            for event in events {
                var after = payment
                after.evolve(RecordedEvent(event, at: payment.updatedAt))
                #expect(after.version == payment.version + 1)
                #expect(after.attempts == payment.attempts, "\(state), \(event.name)")
                #expect(after.captures == payment.captures, "\(state), \(event.name)")
                #expect(after.renewals == payment.renewals, "\(state), \(event.name)")
                #expect(after.refunds == payment.refunds, "\(state), \(event.name)")
                #expect(after.status == payment.status, "\(state), \(event.name)")
            }
        }
    }

    @Test("the same answer twice leads to nothing the second time, unless it is still not known") func repeated() throws
    {
        for (state, payment) in try Examples.all() {
            for (name, answer) in Self.answers {
                var next = payment
                for event in payment.observe(answer, at: Examples.now) {
                    next.evolve(RecordedEvent(event, at: Examples.now))
                }
                let again = next.observe(answer, at: Examples.now).filter {
                    switch $0 {
                    case .outcomeUnknown, .deferred, .attentionRequired, .attemptPrepared: false
                    default: true
                    }
                }
                // A second look at something that is still not there gives it up; that is the next step, not a repeat.
                if name.hasPrefix("seen") { continue }
                #expect(again.isEmpty, "\(state), \(name) twice: \(again.map(\.name))")
            }
        }
    }
}
