import TillCore

/// Payments in each state, built as the journal builds them: from events.
enum PaymentExamples {
    static let start = Timestamp(milliseconds: 1_795_000_000_000)
    static let now = start.adding(.seconds(1))
    static let attempt = AttemptID(rawValue: "pay_x-a1")
    static let capture = CaptureID(rawValue: "pay_x-c1")
    static let refund = RefundID(rawValue: "pay_x-r1")
    static let renewal = RenewalID(rawValue: "pay_x-h1")
    static let reference = ProviderReference(rawValue: "sb_1")
    /// Of a refund that Till did not ask for.
    static let other = ProviderReference(rawValue: "re_x")
    static let tender = TenderSummary(kind: .card)
    static let decline = Decline(reason: .insufficientFunds)

    static func eur(_ units: Int64) -> Money { Money(minorUnits: units, currency: .eur) }

    static func created(_ mode: CaptureMode) throws -> Payment {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: eur(100))
        let id = PaymentID(rawValue: "pay_x")
        return Payment(
            PaymentEvent.Creation(payment: id, account: .main, order: order, captureMode: mode), at: start)
    }

    static func payment(_ mode: CaptureMode, _ events: [PaymentEvent]) throws -> Payment {
        var payment = try created(mode)
        for event in events { payment.evolve(RecordedEvent(event, at: start)) }
        return payment
    }

    static let started = PaymentEvent.attemptStarted(
        PaymentEvent.AttemptStart(attempt: attempt, provider: .sandbox, tender: tender, amount: eur(100)))
    static let authorization = Authorization(
        reference: reference, amount: eur(100), captureBefore: start.adding(.days(7)))
    static let held: [PaymentEvent] = [started, .authorized(attempt, authorization)]
    static let taken: [PaymentEvent] =
        held + [.captureStarted(capture, attempt, eur(100), isFinal: true), .captured(capture, nil)]
    static func back(_ units: Int64) -> [PaymentEvent] {
        taken + [.refundStarted(refund, attempt, eur(units), reason: nil)]
    }
    /// The hold under its new name.
    static let renewed = Authorization(
        reference: ProviderReference(rawValue: "sb_1.r1"), amount: eur(100), captureBefore: start.adding(.days(9)),
        honoredUntil: start.adding(.days(3)))
    /// Interrupted by a challenge, then asked for again.
    static let continuing: [PaymentEvent] = [
        started, .actionRequired(attempt, CustomerAction(kind: "redirect")), .continuationStarted(attempt, number: 1),
    ]
    static let dispute = Dispute.Facts(
        reference: ProviderReference(rawValue: "dp_1"), reason: "fraudulent", stage: "needs_response", amount: eur(100),
        respondBy: start.adding(.days(7)))
    static func lost(_ operation: OperationID) -> PaymentEvent {
        .outcomeUnknown(operation, nextCheck: start, reason: .unclear("timed out"))
    }

    /// Every state that the shop or the engine can tell apart.
    static func all() throws -> [(name: String, payment: Payment)] {
        let partly: [PaymentEvent] =
            held + [.captureStarted(capture, attempt, eur(40), isFinal: false), .captured(capture, nil)]
        let states: [(String, CaptureMode, [PaymentEvent])] = [
            ("created", .automatic, []),
            ("in flight", .automatic, [started]),
            ("challenge", .automatic, [started, .actionRequired(attempt, CustomerAction(kind: "redirect"))]),
            ("unknown", .automatic, [started, lost(.attempt(attempt))]),
            ("declined", .automatic, [started, .attemptDeclined(attempt, decline)]),
            ("not sent", .automatic, [started, .attemptNotSent(attempt, reason: "refused")]),
            ("held", .manual, held),
            ("capturing", .manual, held + [.captureStarted(capture, attempt, eur(100), isFinal: true)]),
            (
                "capture unknown", .manual,
                held + [.captureStarted(capture, attempt, eur(100), isFinal: true), lost(.capture(capture))]
            ),
            ("partly captured", .manual, partly),
            ("partly, letting go", .manual, partly + [.voidStarted(attempt, reason: .canceled("x"))]),
            ("partly, let go", .manual, partly + [.voidStarted(attempt, reason: .canceled("x")), .voided(attempt)]),
            (
                "partly, all back", .manual,
                partly + [.refundStarted(refund, attempt, eur(40), reason: nil), .refunded(refund, nil)]
            ),
            ("captured", .automatic, taken),
            ("refunding 60", .automatic, back(60)),
            ("refunded 60", .automatic, back(60) + [.refunded(refund, nil)]),
            ("refunded", .automatic, back(100) + [.refunded(refund, nil)]),
            ("refund refused", .automatic, back(60) + [.refused(.refund(refund), decline)]),
            ("canceling", .automatic, [started, .cancelRequested(reason: "x")]),
            (
                "voiding", .manual,
                held + [.cancelRequested(reason: "x"), .voidStarted(attempt, reason: .canceled("x"))]
            ),
            ("abandoning", .automatic, [started, lost(.attempt(attempt)), .voidStarted(attempt, reason: .abandoned)]),
            ("abandoned", .automatic, [started, .voidStarted(attempt, reason: .abandoned), .voided(attempt)]),
            (
                "canceled", .manual,
                held + [
                    .cancelRequested(reason: "x"), .voidStarted(attempt, reason: .canceled("x")), .voided(attempt),
                    .canceled,
                ]
            ),
            ("expired", .manual, held + [.attemptExpired(attempt)]),
            ("continuing", .automatic, continuing),
            ("continuation unknown", .automatic, continuing + [lost(.continuation(attempt))]),
            ("continuing, canceled", .automatic, continuing + [.cancelRequested(reason: "x")]),
            ("renewing", .manual, held + [.renewalStarted(renewal, attempt, eur(100))]),
            ("renewed", .manual, held + [.renewalStarted(renewal, attempt, eur(100)), .renewed(renewal, renewed)]),
            (
                "refund failed later", .automatic,
                back(100) + [.refunded(refund, nil), .refundReversed(refund, decline)]
            ),
            ("capture failed later", .automatic, taken + [.captureReversed(capture, decline)]),
            (
                "disputed", .automatic,
                taken + [.disputeOpened(attempt, dispute), .disputeFundsWithdrawn(dispute.reference, eur(100))]
            ),
            (
                "dispute won", .automatic,
                taken + [
                    .disputeOpened(attempt, dispute), .disputeFundsWithdrawn(dispute.reference, eur(100)),
                    .disputeFundsReinstated(dispute.reference, eur(100)), .disputeClosed(dispute.reference, .won),
                ]
            ),
            (
                "captured by others", .manual,
                held + [.captureReported(capture, attempt, eur(100), .provider(reference))]
            ),
            ("refunded by others", .automatic, taken + [.refundReported(refund, attempt, eur(100), .provider(other))]),
        ]
        return try states.map { ($0.0, try payment($0.1, $0.2)) }
    }
}
