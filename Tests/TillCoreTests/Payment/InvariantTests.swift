import Foundation
import Testing
import TillCore

@Suite("A history that cannot be right")
struct InvariantTests {
    private typealias Examples = PaymentExamples
    typealias Rule = BrokenInvariant.Rule

    private static let second = AttemptID(rawValue: "pay_x-a2")
    private static let usd = Money(minorUnits: 10, currency: .usd)
    private static func capture(_ number: Int, _ amount: Money, of attempt: AttemptID = Examples.attempt)
        -> PaymentEvent
    {
        .captureStarted(CaptureID(rawValue: "pay_x-c\(number)"), attempt, amount, isFinal: false)
    }
    private static func refund(_ number: Int, _ amount: Money) -> PaymentEvent {
        .refundStarted(RefundID(rawValue: "pay_x-r\(number)"), Examples.attempt, amount, reason: nil)
    }
    private static func attempt(_ amount: Money) -> PaymentEvent {
        .attemptStarted(.init(attempt: second, provider: .sandbox, tender: Examples.tender, amount: amount))
    }
    private static func authorized(_ amount: Money, tip: Money? = nil) -> PaymentEvent {
        .authorized(Examples.attempt, Authorization(reference: Examples.reference, amount: amount, tip: tip))
    }

    private static let held = Examples.held
    private static let taken = held + [capture(1, Examples.eur(100)), .captured(CaptureID(rawValue: "pay_x-c1"), nil)]

    /// What was right, the event that is not, and the rule that it breaks.
    private static let histories: [(String, [PaymentEvent], PaymentEvent, Rule)] = [
        ("more captured than authorized", held, capture(1, Examples.eur(101)), .capturedAtMostAuthorized),
        (
            "two captures of one hold", held + [capture(1, Examples.eur(60))], capture(2, Examples.eur(41)),
            .capturedAtMostAuthorized
        ),
        ("a capture of nothing", held, capture(1, Examples.eur(0)), .amount),
        ("a capture below zero", held, capture(1, Examples.eur(-1)), .amount),
        ("a capture in another currency", held, capture(1, usd), .amount),
        (
            "a capture before there is a hold", [Examples.started], capture(1, Examples.eur(1)),
            .capturedAtMostAuthorized
        ),
        ("a capture of no attempt", held, capture(1, Examples.eur(1), of: second), .knownAttempt),
        ("more refunded than captured", taken, refund(1, Examples.eur(101)), .refundedAtMostCaptured),
        (
            "two refunds of one capture", taken + [refund(1, Examples.eur(60))], refund(2, Examples.eur(60)),
            .refundedAtMostCaptured
        ),
        (
            "a refund of what is not captured yet", held + [capture(1, Examples.eur(100))], refund(1, Examples.eur(1)),
            .refundedAtMostCaptured
        ),
        ("a refund below zero", taken, refund(1, Examples.eur(-5)), .amount),
        ("a refund in another currency", taken, refund(1, usd), .amount),
        (
            "a refund larger than can be counted", taken + [refund(1, Examples.eur(1))],
            refund(2, Examples.eur(.max)), .amount
        ),
        ("more authorized than asked for", [Examples.started], authorized(Examples.eur(101)), .authorizedAtMostAsked),
        (
            "a tip larger than what it is a part of", [Examples.started],
            authorized(Examples.eur(50), tip: Examples.eur(60)), .amount
        ),
        ("an authorization in another currency", [Examples.started], authorized(usd), .amount),
        (
            "a second attempt while the first may take the money", [Examples.started], attempt(Examples.eur(100)),
            .oneLiveAttempt
        ),
        ("a second attempt beside a hold", held, attempt(Examples.eur(100)), .oneLiveAttempt),
        ("canceled while money is held", held, .canceled, .canceledWithoutMoney),
        ("canceled with money", taken, .canceled, .canceledWithoutMoney),
        ("an attempt after the end", [.canceled], attempt(Examples.eur(100)), .canceledWithoutMoney),
    ]

    @Test("is found at the event that breaks a rule, and nothing is applied any further", arguments: histories)
    func broken(name: String, sound: [PaymentEvent], event: PaymentEvent, rule: Rule) throws {
        var payment = try Examples.payment(.manual, sound)
        #expect(payment.broken == nil, "\(name): \(payment.broken?.description ?? "")")
        payment.evolve(RecordedEvent(event, at: Examples.now))
        #expect(payment.broken?.rule == rule && payment.broken?.version == sound.count + 2, "\(name)")
        var after = payment
        for event in Self.taken { after.evolve(RecordedEvent(event, at: Examples.now)) }
        #expect(
            after.captures == payment.captures && after.attempts == payment.attempts && after.broken == payment.broken)
        #expect(after.version == payment.version + Self.taken.count)
    }

    @Test("is never the end of the process, whatever amounts it names") func extremes() throws {
        for first in [Int64.min, -1, 0, 1, .max] {
            for second in [Int64.min, -1, 1, .max] {
                var payment = try Examples.payment(.manual, [Examples.started])
                for event in [
                    Self.authorized(Examples.eur(first), tip: Examples.eur(second)),
                    Self.capture(1, Examples.eur(second)),
                    .captured(CaptureID(rawValue: "pay_x-c1"), nil), .voidStarted(Examples.attempt, reason: .abandoned),
                    .voided(Examples.attempt), Self.refund(1, Examples.eur(first)),
                    Self.refund(2, Examples.eur(second)),
                ] { payment.evolve(RecordedEvent(event, at: Examples.now)) }
                _ = (payment.status, payment.held, payment.released, payment.captured, payment.refundedOrPending)
                #expect(payment.broken != nil || payment.captured.minorUnits <= 100)
            }
        }
    }

    @Test("no example of the table is one") func examples() throws {
        for (state, payment) in try Examples.all() {
            #expect(payment.broken == nil, "\(state): \(payment.broken?.description ?? "")")
        }
    }

    /// Ten times the refunds may cost ten times as much, not a hundred times. The processor's time of this thread alone
    /// is measured, not the clock's, so that a busy machine changes nothing.
    @Test("is looked for at the same cost for the thousandth refund as for the first") func linear() throws {
        func fold(_ refunds: Int) throws -> Int {
            let total = Examples.eur(100)
            var events = Self.taken
            events.reserveCapacity(refunds)
            for number in 0..<refunds {
                let id = RefundID(rawValue: "pay_x-r\(number)")
                events += [
                    .refundStarted(id, Examples.attempt, total, reason: nil),
                    .refused(.refund(id), Examples.decline),
                ]
            }
            return try (0..<3).map { _ -> Int in
                var payment = try Examples.payment(.manual, [])
                let before = processorTime()
                for event in events { payment.evolve(RecordedEvent(event, at: Examples.now)) }
                let cost = processorTime() - before
                #expect(payment.broken == nil)
                return cost
            }.min() ?? 0
        }
        let (few, many) = (try fold(1_000), try fold(10_000))
        print("folding 1,000 refunds: \(few) µs of the processor; 10,000: \(many) µs")
        #expect(many < few * 40)
    }
}

/// What this thread has had of the processor, in µs.
private func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
}
