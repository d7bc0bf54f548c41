import TillBooks
import TillCore
@testable import TillFeatureInsights
import TillJournal
import TillTestSupport

/// Some days of a shop in Berlin with a seed, around the end of summer time: sales in two currencies, cards declined,
/// holds voided, captured in parts, refunds with reasons, and captures and refunds that fail later.
final class InsightsWorld {
    private struct Sold {
        var id: PaymentID
        var currency: Currency
        var isRefundable = true
    }

    let world = DayWorld()
    private var random: SeededRandom
    private var sales: [Sold] = []
    private var refunds: [(id: RefundID, payment: PaymentID)] = []
    private var made: UInt64 = 1_000_000

    /// 2026-10-21T22:00:00Z: midnight in Berlin.
    static let start = Timestamp(milliseconds: 1_792_620_000_000)
    /// 2026-10-25T01:00:00Z, at which the clocks of Berlin go back from three to two.
    static let clocksBack = Timestamp(milliseconds: 1_792_890_000_000)

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        world.clock.advance(by: InsightsWorld.start.since(world.clock.now()))
    }

    /// Returns the day of a moment in Berlin, by a table of its own.
    static func day(_ moment: Timestamp) -> Int64 {
        let offset: Int64 = moment < clocksBack ? 7_200_000 : 3_600_000
        return (moment.milliseconds + offset) / 86_400_000
    }

    /// Lives for ten days or so.
    func live() async throws {
        for _ in 0..<90 {
            world.clock.advance(by: .minutes(random.number(20...230)))
            switch random.below(9) {
            case 0, 1: try await sell(.cash)
            case 2, 3: try await sell(.card)
            case 4: try await sellInParts()
            case 5: try await random.chance(500) ? decline() : void()
            case 6, 7: try await refund()
            default: try await fail()
            }
        }
    }

    // MARK: Steps

    private func currency() -> Currency { random.chance(700) ? .eur : .jpy }

    private func sell(_ tender: TenderKind) async throws {
        let currency = self.currency()
        let id = try await world.sell(
            random.number(1...99_999), tender, in: currency, tip: tender == .card ? random.number(0...500) : 0)
        sales.append(Sold(id: id, currency: currency))
    }

    /// Starts an attempt by card, and adds what follows it.
    private func attempt(
        _ amount: Int64, _ currency: Currency, then events: (AttemptID, Money) -> [PaymentEvent]
    ) async throws -> PaymentID {
        made += 1
        let id = PaymentID.make(at: world.clock.now(), random: (made, made))
        let order = try Order(
            id: OrderID(rawValue: "i-\(made)"), amount: Money(minorUnits: amount, currency: currency))
        let attempt = DayWorld.attempt(of: id)
        try await world.append(
            [
                .created(.init(payment: id, account: .main, order: order, captureMode: .manual)),
                .attemptStarted(
                    .init(
                        attempt: attempt, provider: .sandbox, tender: TenderSummary(kind: .card), amount: order.total)
                ),
            ] + events(attempt, order.total), to: id)
        return id
    }

    private func hold(_ amount: Money) -> Authorization {
        Authorization(reference: ProviderReference(rawValue: "hold-\(made)"), amount: amount, isCaptured: false)
    }

    private func sellInParts() async throws {
        let (amount, currency) = (random.number(10...50_000), self.currency())
        let first = random.number(1...amount - 1)
        let id = try await attempt(amount, currency) { attempt, money in
            [.authorized(attempt, hold(money))]
        }
        sales.append(Sold(id: id, currency: currency))
        for (number, part) in [first, amount - first].enumerated() {
            world.clock.advance(by: .hours(random.number(0...6)))
            let capture = CaptureID(rawValue: "\(id)-c\(number)")
            let money = Money(minorUnits: part, currency: currency)
            try await world.append(
                [
                    .captureStarted(capture, DayWorld.attempt(of: id), money, isFinal: number == 1),
                    .captured(capture, nil),
                ], to: id)
        }
    }

    private func decline() async throws {
        let reasons: [DeclineReason] = [.insufficientFunds, .expiredCard, .generic]
        let reason = reasons[random.below(reasons.count)]
        _ = try await attempt(random.number(1...9_999), .eur) { attempt, _ in
            [.attemptDeclined(attempt, Decline(reason: reason, code: "51"))]
        }
    }

    private func void() async throws {
        _ = try await attempt(random.number(1...9_999), .eur) { attempt, money in
            [
                .authorized(attempt, hold(money)), .voidStarted(attempt, reason: .canceled("requested_by_customer")),
                .voided(attempt),
            ]
        }
    }

    private func refund() async throws {
        guard !sales.isEmpty else { return }
        let index = random.below(sales.count)
        let sale = sales[index]
        guard sale.isRefundable, let payment = try await world.till.payment(sale.id) else { return }
        let left = payment.captured.minorUnits - payment.refundedOrPending.minorUnits
        guard left > 0, let attempt = payment.captures.first?.attempt else { return }
        let refund = RefundID(rawValue: "\(sale.id)-b\(payment.version)")
        let reasons: [String?] = ["Broken", "Wrong size", nil]
        try await world.append(
            [
                .refundStarted(
                    refund, attempt, Money(minorUnits: random.number(1...left), currency: sale.currency),
                    reason: reasons[random.below(reasons.count)]),
                .refunded(refund, nil),
            ], to: sale.id)
        refunds.append((id: refund, payment: sale.id))
    }

    /// Has a refund fail that had succeeded, or a capture of a payment without refunds.
    private func fail() async throws {
        if random.chance(500), !refunds.isEmpty {
            let failed = refunds.remove(at: random.below(refunds.count))
            return try await world.fail(failed.id, of: failed.payment)
        }
        guard !sales.isEmpty else { return }
        let index = random.below(sales.count)
        guard sales[index].isRefundable, let payment = try await world.till.payment(sales[index].id),
            payment.refunds.isEmpty, let capture = payment.captures.last, capture.state.isSucceeded
        else { return }
        sales[index].isRefundable = false
        try await world.append([.captureReversed(capture.id, Decline(reason: .generic))], to: payment.id)
    }

    // MARK: Judgment

    /// Returns what the ledger says came in and stayed, by currency and day.
    func ledger() async throws -> [Currency: [Int64: Int64]] {
        var sums: [Currency: [Int64: Int64]] = [:]
        try await Ledger(world.till, account: .main).read { entry in
            for posting in entry.postings {
                switch posting.account.kind {
                case .receivable, .cash, .elsewhere, .disputed, .disputeLosses:
                    sums[posting.amount.currency, default: [:]][InsightsWorld.day(entry.at), default: 0] +=
                        posting.amount.minorUnits
                case .inTransit, .suspense, .refundsDue, .tips, .sales, .returns, .fees, .writeOffs, .exchange: break
                }
            }
            return true
        }
        return sums
    }
}
