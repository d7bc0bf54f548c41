import Testing
import TillCore
import TillJournal
import TillTestSupport

@testable import TillBooks

/// Whatever events come, in whatever order, the ledger says what the payment says.
@Suite("The ledger holds over random histories")
struct LedgerPropertyTests {
    private typealias Samples = LedgerSamples

    private func event(_ payment: Payment, _ dice: inout SeededRandom) -> PaymentEvent {
        let attempt = AttemptID(rawValue: "pay_1-a\(dice.number(1...2))")
        let capture = CaptureID(rawValue: "pay_1-c\(dice.number(1...3))")
        let refund = RefundID(rawValue: "pay_1-r\(dice.number(1...3))")
        let dispute = ProviderReference(rawValue: "dp_\(dice.number(1...2))")
        let currency: Currency = dice.chance(900) ? .eur : .jpy
        let amount = Money(minorUnits: dice.number(1...1_400), currency: .eur)
        let facts = Dispute.Facts(
            reference: dispute, reason: "x", stage: "y", amount: Money(minorUnits: 900, currency: currency))
        let reference = ProviderReference(rawValue: "ref_\(dice.number(1...4))")
        let origin: OperationOrigin = dice.chance(500) ? .elsewhere : .provider(reference)
        switch dice.number(0...27) {
        case 0, 1, 2:
            let providers = [Samples.stripe, ProviderName(rawValue: "stripe-terminal"), .cash, .sandbox]
            return .attemptStarted(
                PaymentEvent.AttemptStart(
                    attempt: attempt, provider: providers[Int(dice.number(0...3))],
                    tender: TenderSummary(kind: .card), amount: Samples.eur(1_250),
                    identity: dice.chance(500) ? ProviderIdentity(account: "acct_1", mode: .live) : nil))
        case 3, 4, 5, 6:
            return .authorized(
                attempt,
                Authorization(
                    reference: reference, amount: Samples.eur(1_400), isCaptured: dice.chance(300),
                    tip: dice.chance(500) ? Samples.eur(150) : nil))
        case 7, 8, 9: return .captureStarted(capture, attempt, amount, isFinal: dice.chance(500))
        case 10, 11, 12: return .captured(capture, reference)
        case 13, 14: return .refundStarted(refund, attempt, amount, reason: nil)
        case 15, 16: return .refunded(refund, reference)
        case 17: return .refundReversed(refund, Samples.decline)
        case 18: return .attentionRequired(.refund(refund), .refundReversed(amount))
        case 19:
            return .attentionClosed(
                1, AttentionResolution(kind: .writtenOff, evidence: "slip", actor: "Ada"))
        case 20: return dice.chance(500) ? .captureReversed(capture, Samples.decline) : .captureRestored(capture)
        case 21: return .captureReported(capture, attempt, amount, origin)
        case 22: return .refundReported(refund, attempt, amount, origin)
        case 23: return dice.chance(500) ? .disputeOpened(attempt, facts) : .disputeUpdated(facts)
        case 24: return .disputeFundsWithdrawn(dispute, Money(minorUnits: 900, currency: currency))
        case 25: return .disputeFundsReinstated(dispute, Money(minorUnits: 900, currency: currency))
        case 26: return .disputeClosed(dispute, dice.chance(500) ? .won : .lost)
        default:
            return [
                .attemptExpired(attempt), .voidStarted(attempt, reason: .abandoned), .voided(attempt),
                .refused(.capture(capture), Samples.decline), .cancelRequested(reason: "x"),
                .outcomeUnknown(.refund(refund), nextCheck: Samples.start, reason: .unclear("x")),
                .attemptBound(attempt, ProviderIdentity(account: "acct_2", mode: .live)),
            ][Int(dice.number(0...6))]
        }
    }

    @Test(
        "each event sums to zero, and all of them are what was captured, refunded, disputed and is owed",
        arguments: UInt64(1)...8)
    func balances(seed: UInt64) throws {
        var dice = SeededRandom(seed: seed)
        var posting = 0
        for _ in 0..<300 {
            guard case .created(let creation) = try Samples.created() else { return }
            var ledger = PaymentLedger(creation, at: Samples.start)
            var balances = LedgerBalances()
            let begun = dice.chance(700) ? Samples.taken(1, tip: dice.chance(500) ? 150 : 0) : []
            for step in 0..<40 where ledger.payment.broken == nil {
                let event = step < begun.count ? begun[step] : event(ledger.payment, &dice)
                var next = ledger
                let postings = next.apply(RecordedEvent(event, at: Samples.start))
                // A history that breaks the payment's rules ends there; most go on without what would break them.
                if next.payment.broken != nil, dice.chance(950) { continue }
                ledger = next
                posting += postings.isEmpty ? 0 : 1
                var sums = LedgerSums()
                for posting in postings {
                    sums.add(posting.amount)
                    balances.add(posting)
                }
                #expect(sums.isZero, "\(event.name)")
                let payment = ledger.payment
                for (place, units) in PaymentLedger.balances(of: payment) {
                    #expect(balances[place.account, place.currency] == Int128(units), "\(event.name) \(place.account)")
                }
                let holders: Set<LedgerAccount.Kind> = [.receivable, .cash, .elsewhere]
                #expect(balances.sum(of: holders, in: .eur) == Int128(payment.net.minorUnits), "\(event.name)")
                #expect(
                    balances.sum(of: [.disputed, .disputeLosses], in: .eur) == Int128(payment.disputed.minorUnits))
                #expect(balances.sum(of: [.refundsDue], in: .eur) == Int128(-payment.refundDue.minorUnits))
                #expect(
                    balances.sum(of: [.sales, .tips, .returns, .writeOffs], in: .eur)
                        == Int128(
                            payment.refunded.minorUnits + payment.refundDue.minorUnits - payment.captured.minorUnits))
            }
        }
        #expect(posting > 500)
    }

    @Test("reading in parts, after each event, with payments that are let go of in between, gives the same ledger")
    func parts() async throws {
        let journal = MemoryJournal()
        for number in 1...40 {
            try await Samples.write(
                Samples.taken(number) + Samples.back(number, 500), number,
                at: Samples.start.adding(.minutes(Int64(number))), to: journal)
        }
        let ledger = Ledger(journal, account: .main)
        var whole: [LedgerEntry] = []
        try await ledger.read {
            whole.append($0); return true
        }
        #expect(whole.count == 80)
        #expect(!whole.contains { !$0.isBalanced })
        var parts: [LedgerEntry] = []
        var position = Ledger.Position()
        while true {
            let (next, isComplete) = try await ledger.read(after: position, limit: 3) {
                parts.append($0); return true
            }
            if isComplete { break }
            position = next
        }
        #expect(parts == whole)
        let begun = try await ledger.balances(limit: 100)
        #expect(!begun.isComplete)
        let (balances, _, isComplete) = try await ledger.balances()
        #expect(isComplete && balances.isZero)
        let account = LedgerAccount(.receivable, provider: Samples.stripe, providerAccount: "acct_1", isTest: false)
        #expect(balances[account, .eur] == 40 * 750)
        let others = try await Ledger(journal, account: AccountID(rawValue: "other")).balances()
        #expect(others.balances.all.isEmpty)
        let report = try journal.verify()
        #expect(await LedgerCheck(journal).problems(against: report) == [])
    }

    @Test("balances that an earlier release kept, by other rules of posting, are not read on from")
    func earlierRules() async throws {
        let journal = MemoryJournal()
        try await Samples.write(Samples.taken(1, tip: 150), to: journal)
        let ledger = Ledger(journal, account: nil)
        let whole = try await ledger.balances().balances
        #expect(!whole.all.isEmpty)
        let kept = #"{"rules":2,"account":null,"sequence":1000,"statement":0,"balances":[]}"#
        let id = RecordID(LedgerCheckpoint.collection, LedgerCheckpoint.key(nil))
        try await journal.change([.insert(Record(id, body: Array(kept.utf8)))])
        #expect(try await ledger.balances().balances == whole)
    }
}
