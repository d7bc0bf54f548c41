import Testing
import TillCore
import TillJournal
import TillTestSupport

@testable import TillBooks

/// Payments that are driven by hand.
enum LedgerSamples {
    static let start = Timestamp(milliseconds: 1_800_000_000_000)
    static let stripe = ProviderName(rawValue: "stripe")
    static let decline = Decline(reason: .generic)
    static let dispute = ProviderReference(rawValue: "dp_1")

    static func eur(_ units: Int64) -> Money { Money(minorUnits: units, currency: .eur) }

    static func id(_ number: Int = 1) -> PaymentID { PaymentID(rawValue: "pay_\(number)") }
    static func attempt(_ number: Int = 1) -> AttemptID { AttemptID(rawValue: "pay_\(number)-a1") }
    static func capture(_ number: Int = 1) -> CaptureID { CaptureID(rawValue: "pay_\(number)-c1") }
    static func refund(_ number: Int = 1) -> RefundID { RefundID(rawValue: "pay_\(number)-r1") }

    static func created(_ number: Int = 1, amount: Money = eur(1_250)) throws -> PaymentEvent {
        .created(
            PaymentEvent.Creation(
                payment: id(number), account: .main,
                order: try Order(id: OrderID(rawValue: "o-\(number)"), amount: amount), captureMode: .automatic))
    }

    static func started(_ number: Int = 1, _ provider: ProviderName = stripe, amount: Money = eur(1_250))
        -> PaymentEvent
    {
        .attemptStarted(
            PaymentEvent.AttemptStart(
                attempt: attempt(number), provider: provider, tender: TenderSummary(kind: .card), amount: amount,
                identity: ProviderIdentity(account: "acct_1", mode: .live)))
    }

    static func authorization(
        _ number: Int = 1, _ amount: Money = eur(1_250), tip: Money? = nil, isCaptured: Bool = false
    ) -> Authorization {
        Authorization(
            reference: ProviderReference(rawValue: "pi_\(number)"), amount: amount, isCaptured: isCaptured, tip: tip)
    }

    /// Held and taken.
    static func taken(_ number: Int = 1, _ provider: ProviderName = stripe, tip: Int64 = 0) -> [PaymentEvent] {
        let amount = eur(1_250 + tip)
        return [
            started(number, provider),
            .authorized(
                attempt(number), authorization(number, amount, tip: tip > 0 ? eur(tip) : nil)),
            .captureStarted(capture(number), attempt(number), amount, isFinal: true),
            .captured(capture(number), ProviderReference(rawValue: "pi_\(number)")),
        ]
    }

    static func back(_ number: Int = 1, _ units: Int64 = 1_250) -> [PaymentEvent] {
        [
            .refundStarted(refund(number), attempt(number), eur(units), reason: nil),
            .refunded(refund(number), ProviderReference(rawValue: "re_\(number)")),
        ]
    }

    static func facts(_ amount: Money = eur(1_250)) -> Dispute.Facts {
        Dispute.Facts(reference: dispute, reason: "fraudulent", stage: "needs_response", amount: amount)
    }

    static let disputed: [PaymentEvent] = [
        .disputeOpened(attempt(), facts()), .disputeFundsWithdrawn(dispute, eur(1_250)),
    ]

    /// The events of a payment with the postings of each.
    static func posted(
        _ events: [PaymentEvent], order: Money = eur(1_250)
    ) throws -> (ledger: PaymentLedger, steps: [(name: String, postings: [LedgerPosting])]) {
        guard case .created(let creation) = try created(amount: order) else { throw JournalError.closed }
        var ledger = PaymentLedger(creation, at: start)
        let steps = events.map { ($0.name, ledger.apply(RecordedEvent($0, at: start))) }
        return (ledger, steps)
    }

    /// Writes a payment's events to a journal, a second apart.
    static func write(
        _ events: [PaymentEvent], _ number: Int = 1, at begin: Timestamp = start, amount: Money = eur(1_250),
        to journal: any Journal
    ) async throws {
        let all = [try created(number, amount: amount)] + events
        let recorded = all.enumerated().map {
            RecordedEvent($0.element, at: begin.adding(.seconds(Int64($0.offset))))
        }
        let payment = try #require(Payment(folding: recorded))
        try await journal.write(
            JournalWrite(
                append: JournalWrite.Append(
                    payment: payment, expectedVersion: 0, events: recorded, nextDue: nil, holder: .nobody)))
    }
}
