import TillCore
import TillJournal
import TillStatements

/// One movement of a payment's money at a provider, which must appear on its statement: a projection of the journal's
/// events, one for each event that moves money there.
struct Settlement: RecordDocument, Hashable {
    static let collection: RecordCollection = "settlement"

    enum State: String {
        /// No statement line covers it yet.
        case expected
        case matched
        /// Statements cover its time without a line for it.
        case missing
    }

    /// The payment and the version of the event.
    let id: String
    let payment: PaymentID
    let account: AccountID
    let orderNumber: String
    /// The provider that settles; readers belong to their provider.
    let provider: ProviderName
    let providerAccount: String?
    let isTest: Bool
    let kind: StatementLine.Kind
    /// A positive amount increases the shop's balance.
    private(set) var amount: Money
    let at: Timestamp
    /// The provider's reference for this movement, if it has one.
    let reference: String?
    var state = State.expected
    /// The key of the matched line.
    var line: String?

    static func matching(_ state: State, _ provider: ProviderName) -> RecordMatch {
        RecordMatch("state", "\(state.rawValue) \(provider.rawValue)")
    }
    static func of(_ payment: PaymentID) -> RecordMatch { RecordMatch("payment", payment.rawValue) }

    /// Creates the movement that an event causes at a provider; `nil` if there is none.
    /// - Parameters:
    ///   - payment: the state after the event.
    ///   - moved: the amount the event posts to the provider's receivable, so that movement and ledger agree.
    init?(_ event: StoredEvent, of payment: Payment, moved: Money) {
        guard let (owner, kind, reference) = Settlement.meaning(of: event.record.event, in: payment),
            let attempt = payment.attempts.last(where: { $0.id == owner })
        else { return nil }
        id = "\(event.payment)/\(event.version)"
        self.payment = event.payment
        account = event.account
        orderNumber = payment.order.number
        provider = LedgerAccount.owner(of: attempt.provider)
        providerAccount = attempt.identity?.account
        isTest = attempt.isTest
        self.kind = kind
        amount = moved
        at = event.record.at
        self.reference = reference
    }

    private typealias Meaning = (attempt: AttemptID?, kind: StatementLine.Kind, reference: String?)

    private static func meaning(of event: PaymentEvent, in payment: Payment) -> Meaning? {
        func attempt(of id: CaptureID) -> AttemptID? { payment.captures.last { $0.id == id }?.attempt }
        func refund(_ id: RefundID) -> Refund? { payment.refunds.last { $0.id == id } }
        func attempt(of dispute: ProviderReference) -> AttemptID? {
            payment.disputes.first { $0.facts.reference == dispute }?.attempt
        }
        func name(_ origin: OperationOrigin) -> String? {
            guard case .provider(let reference) = origin else { return nil }
            return reference.rawValue
        }
        return switch event {
        case .authorized(let id, _): (id, .charge, nil)
        case .captured(let id, let reference): (attempt(of: id), .charge, reference?.rawValue)
        case .captureReported(_, let attempt, _, let origin): (attempt, .charge, name(origin))
        case .captureReversed(let id, _): (attempt(of: id), .chargeFailure, nil)
        case .captureRestored(let id): (attempt(of: id), .charge, nil)
        case .refunded(let id, let reference): (refund(id)?.attempt, .refund, reference?.rawValue)
        case .refundReported(_, let attempt, _, let origin): (attempt, .refund, name(origin))
        // One movement, which the dispute shows.
        case .refundReversed(_, .countedAsDispute): nil
        case .refundReversed(let id, _): (refund(id)?.attempt, .refundFailure, refund(id)?.reference?.rawValue)
        case .disputeFundsWithdrawn(let dispute, _): (attempt(of: dispute), .dispute, dispute.rawValue)
        case .disputeFundsReinstated(let dispute, _): (attempt(of: dispute), .disputeReversal, dispute.rawValue)
        default: nil
        }
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        id = stored.id.key
        payment = PaymentID(rawValue: try body.text("payment"))
        account = AccountID(rawValue: try body.text("account"))
        orderNumber = try body.text("order")
        provider = ProviderName(rawValue: try body.text("provider"))
        providerAccount = body.optionalText("provider_account")
        isTest = try body.bool("test")
        guard let kind = StatementLine.Kind(rawValue: try body.text("kind")) else { throw body.damaged("kind") }
        self.kind = kind
        amount = try body.money("amount", "currency")
        at = Timestamp(milliseconds: try body.int("at"))
        reference = body.optionalText("reference")
        guard let state = State(rawValue: try body.text("state")) else { throw body.damaged("state") }
        self.state = state
        line = body.optionalText("line")
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("payment", payment.rawValue)
        writer.field("account", account.rawValue)
        writer.field("order", orderNumber)
        writer.field("provider", provider.rawValue)
        writer.field("provider_account", providerAccount)
        writer.field("test", isTest)
        writer.field("kind", kind.rawValue)
        writer.field("amount", amount.minorUnits)
        writer.field("currency", amount.currency.code)
        writer.field("at", at.milliseconds)
        writer.field("reference", reference)
        writer.field("state", state.rawValue)
        writer.field("line", line)
        writer.endObject()
        return Record(
            RecordID(Settlement.collection, id), body: writer.bytes,
            fields: ["payment": payment.rawValue, "state": "\(state.rawValue) \(provider.rawValue)"])
    }

    func account(_ kind: LedgerAccount.Kind) -> LedgerAccount {
        LedgerAccount(kind, provider: provider, providerAccount: providerAccount, isTest: isTest)
    }

    /// Returns a movement that represents several covered by one line.
    func together(_ amount: Money) -> Settlement {
        var sum = self
        sum.amount = amount
        return sum
    }

    /// `true` if it can appear on the statements of an account; an unknown account on either side matches.
    func isOf(account: String?) -> Bool { providerAccount == nil || account == nil || providerAccount == account }
}

extension RecordBody {
    func money(_ amount: String, _ currency: String) throws(JournalError) -> Money {
        let units = try int(amount)
        let code = try text(currency)
        do throws(MoneyError) { return Money(minorUnits: units, currency: try Currency(code: code)) } catch {
            throw damaged(currency)
        }
    }
}
