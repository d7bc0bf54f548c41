import Foundation
import Testing
import TillCore

@testable import TillBooks

/// The table of `docs/LEDGER.md`, made from what the code posts.
@Suite("The table of postings")
struct LedgerTableTests {
    private typealias Samples = LedgerSamples

    /// Histories that together show every event that posts.
    private static func histories() throws -> [[PaymentEvent]] {
        let taken = Samples.taken()
        let elsewhere = OperationOrigin.elsewhere
        let dashboard = OperationOrigin.provider(ProviderReference(rawValue: "re_x"))
        let unbound = PaymentEvent.attemptStarted(
            PaymentEvent.AttemptStart(
                attempt: Samples.attempt(), provider: Samples.stripe, tender: TenderSummary(kind: .card),
                amount: Samples.eur(1_250)))
        let failed: [PaymentEvent] = [
            .refundReversed(Samples.refund(), Samples.decline),
            .attentionRequired(.refund(Samples.refund()), .refundReversed(Samples.eur(1_250))),
        ]
        return [
            taken, Samples.taken(tip: 150), Samples.taken(1, .cash),
            [Samples.started(), .authorized(Samples.attempt(), Samples.authorization(isCaptured: true))],
            [unbound] + taken.dropFirst() + [
                .attemptBound(Samples.attempt(), ProviderIdentity(account: "acct_1", mode: .live))
            ],
            taken + Samples.back(), Samples.taken(tip: 150) + Samples.back(1, 1_400),
            taken + Samples.back() + failed,
            taken + Samples.back() + failed + [
                .attentionClosed(1, AttentionResolution(kind: .writtenOff, evidence: "slip", actor: "Ada"))
            ],
            taken + Samples.back() + failed + [
                .attentionClosed(1, AttentionResolution(kind: .handled, evidence: "slip", actor: "Ada"))
            ],
            taken + [.captureReversed(Samples.capture(), Samples.decline), .captureRestored(Samples.capture())],
            Array(taken.prefix(2)) + [
                .captureReported(Samples.capture(), Samples.attempt(), Samples.eur(1_250), dashboard)
            ],
            Array(taken.prefix(1)) + [
                .attemptDeclined(Samples.attempt(), Samples.decline),
                .captureReported(Samples.capture(), Samples.attempt(), Samples.eur(1_250), elsewhere),
            ],
            taken + [.refundReported(Samples.refund(), Samples.attempt(), Samples.eur(1_250), dashboard)],
            taken + [.refundReported(Samples.refund(), Samples.attempt(), Samples.eur(1_250), elsewhere)],
            taken + Samples.disputed + [.disputeFundsReinstated(Samples.dispute, Samples.eur(1_250))],
            taken + Samples.disputed + [
                .disputeClosed(Samples.dispute, .lost), .disputeUpdated(Samples.facts()),
            ],
        ]
    }

    private struct Row {
        var debits: Set<String> = []
        var credits: Set<String> = []
    }

    private static func rows() throws -> [String: Row] {
        var rows: [String: Row] = [:]
        for history in try histories() {
            for (event, postings) in try Samples.posted(history).steps {
                for posting in postings {
                    let account = posting.account.name.split(separator: ":").prefix(2).joined(separator: ":")
                    if posting.amount.isPositive { rows[event, default: Row()].debits.insert(account) }
                    if posting.amount.isNegative { rows[event, default: Row()].credits.insert(account) }
                }
            }
        }
        return rows
    }

    private static func cell(_ accounts: Set<String>) -> String {
        accounts.sorted().map { "`\($0)`" }.joined(separator: ", ")
    }

    @Test("the page has exactly the rows that the code posts")
    func page() throws {
        let rows = try Self.rows()
        let table = rows.keys.sorted().map { event in
            "| `\(event)` | \(Self.cell(rows[event]?.debits ?? [])) | \(Self.cell(rows[event]?.credits ?? [])) |"
        }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/LEDGER.md"), encoding: .utf8)
        let lines = page.components(separatedBy: "\n")
        let documented = lines.drop { $0 != "| event | debit | credit |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(Array(documented) == table, "\(table.joined(separator: "\n"))")
        #expect(table.count > 10)
    }

    @Test("a capture is owed by the provider, its tip to the staff, and a refund gives the order back before the tip")
    func tips() throws {
        let taken = try Samples.posted(Samples.taken(tip: 150)).steps.flatMap(\.postings)
        #expect(taken.map(\.account.name) == ["Assets:Receivable:Stripe:Acct-1", "Income:Sales", "Liabilities:Tips"])
        #expect(taken.map(\.amount.minorUnits) == [1_400, -1_250, -150])
        let part = try Samples.posted(Samples.taken(tip: 150) + Samples.back(1, 1_300)).steps.last?.postings ?? []
        #expect(part.map(\.account.name) == ["Assets:Receivable:Stripe:Acct-1", "Income:Returns", "Liabilities:Tips"])
        #expect(part.map(\.amount.minorUnits) == [-1_300, 1_250, 50])
    }

    @Test("the rest of a hold that is let go of after a part of the order was captured brings no tip")
    func rest() throws {
        let (amount, tip, part) = (Samples.eur(1_400), Samples.eur(150), Samples.eur(600))
        let steps = try Samples.posted([
            Samples.started(), .authorized(Samples.attempt(), Samples.authorization(1, amount, tip: tip)),
            .captureStarted(Samples.capture(), Samples.attempt(), part, isFinal: false),
            .captured(Samples.capture(), nil), .voidStarted(Samples.attempt(), reason: .canceled("rest")),
            .voided(Samples.attempt()),
        ]).steps
        let names = steps.flatMap(\.postings).map(\.account.name)
        #expect(names == ["Assets:Receivable:Stripe:Acct-1", "Income:Sales"])
    }

    @Test("what was captured of a hold beyond the order is tip, and stays it when the rest is let go of or ends")
    func keptTip() throws {
        let hold = Samples.authorization(1, Samples.eur(6_250), tip: Samples.eur(5_000))
        let begun: [PaymentEvent] = [
            Samples.started(), .authorized(Samples.attempt(), hold),
            .captureStarted(Samples.capture(), Samples.attempt(), Samples.eur(2_000), isFinal: false),
            .captured(Samples.capture(), nil),
        ]
        let second = CaptureID(rawValue: "pay_1-c2")
        let ends: [[PaymentEvent]] = [
            [.voidStarted(Samples.attempt(), reason: .canceled("rest")), .voided(Samples.attempt())],
            [
                .captureStarted(second, Samples.attempt(), Samples.eur(4_250), isFinal: true),
                .refused(.capture(second), Samples.decline), .attemptExpired(Samples.attempt()),
            ],
        ]
        for end in ends {
            let postings = try Samples.posted(begun + end).steps.flatMap(\.postings)
            let names = postings.map(\.account.name)
            #expect(names == ["Assets:Receivable:Stripe:Acct-1", "Income:Sales", "Liabilities:Tips"])
            #expect(postings.map(\.amount.minorUnits) == [2_000, -1_250, -750])
        }
    }

    @Test("a refund that fails later is owed to the customer, and another one pays that debt")
    func refundDue() throws {
        let again = RefundID(rawValue: "pay_1-r2")
        let (ledger, steps) = try Samples.posted(
            Samples.taken() + Samples.back() + [
                .refundReversed(Samples.refund(), Samples.decline),
                .attentionRequired(.refund(Samples.refund()), .refundReversed(Samples.eur(1_250))),
                .refundStarted(again, Samples.attempt(), Samples.eur(1_250), reason: nil), .refunded(again, nil),
            ])
        let names = steps.map { $0.postings.map(\.account.name) }
        #expect(names[7] == ["Income:Returns", "Liabilities:RefundsDue"])
        #expect(names[9] == ["Assets:Receivable:Stripe:Acct-1", "Liabilities:RefundsDue"])
        #expect(ledger.payment.refundDue.isZero)
    }

    @Test(
        "providers whose names begin alike have accounts of their own",
        arguments: [
            ("my_psp", "my_psp"), ("my_bank", "my_bank"), ("my_psp-terminal", "my_psp"), ("stripe-terminal", "stripe"),
            ("adyen_terminal", "adyen"), ("adyen", "adyen"),
        ])
    func owner(_ name: String, _ owner: String) {
        #expect(LedgerAccount.owner(of: ProviderName(rawValue: name)).rawValue == owner)
        let account = LedgerAccount(
            .receivable, provider: ProviderName(rawValue: name), providerAccount: nil, isTest: false)
        #expect(account.provider?.rawValue == owner)
    }

    @Test("play money has accounts of its own, and readers are settled with their provider")
    func accounts() {
        let test = LedgerAccount(.receivable, provider: .sandbox, providerAccount: nil, isTest: true)
        #expect(test.name == "Assets:Test:Receivable:Sandbox")
        let reader = LedgerAccount(
            .receivable, provider: ProviderName(rawValue: "stripe-terminal"), providerAccount: "acct_1", isTest: false)
        #expect(
            reader == LedgerAccount(.receivable, provider: Samples.stripe, providerAccount: "acct_1", isTest: false))
        let odd = LedgerAccount(
            .fees, provider: ProviderName(rawValue: "9\";x"), providerAccount: "_ü", isTest: false)
        #expect(odd.name == "Expenses:Fees:9--x:X---")
    }
}
