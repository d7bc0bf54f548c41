import Crypto
public import TillCore

/// An open question about money that staff must resolve and that no payment covers. It is stored until staff has
/// resolved it or, if recovery raised it, until recovery can process the payment again.
public struct Incident: RecordDocument, Hashable {
    /// The kind of incident.
    public enum Kind: String, Hashable, Sendable {
        /// A provider reported an event of a payment that the journal does not contain: one created after the backup
        /// from which the journal was restored, or one of another counter with the same account.
        case unknownPayment = "unknown_payment"
        /// A provider lists, or reports, a charge of a payment or an attempt that the journal does not contain: created
        /// after the backup from which the journal was restored, or by another counter with the same account.
        case unknownCharge = "unknown_charge"
        /// Work is due on a payment with unreadable or contradictory events.
        case unreadablePayment = "unreadable_payment"
        /// Work is due on a payment with an unconfigured provider.
        case absentProvider = "absent_provider"
        /// A provider's statement and the journal disagree.
        case statement
    }

    /// The resolution by staff for the order, or for the money in suspense.
    public enum Outcome: String, CaseIterable, Hashable, Sendable {
        /// The reported charge paid the order: it must not be sold again.
        case paid
        /// It did not, or the money was refunded: the order may be sold.
        case notPaid = "not_paid"
        /// Money that a statement put into suspense is written off.
        case writtenOff = "written_off"
        /// Written-off money was found later: it is in suspense again.
        case recovered
    }

    /// The maximum number of stored bytes of the received document.
    public static let maximumDocumentBytes = 16 << 10
    public static let collection: RecordCollection = "incident"
    /// Open incidents.
    public static let open = RecordMatch("state", "open")
    /// Open incidents of one kind; for webhooks about unknown payments, excluding those of earlier versions.
    public static func openOnes(of kind: Kind) -> RecordMatch { RecordMatch("kind", "open \(kind.rawValue)") }
    /// Open incidents of one provider's statements.
    public static func openOfStatements(of provider: ProviderName) -> RecordMatch {
        RecordMatch("statement", "open \(provider)")
    }

    /// Derived from the subject, so that an incident is stored once.
    public let id: String
    public let kind: Kind
    public let provider: ProviderName
    /// The provider's reference of the reported object; the kind, if no provider reported anything.
    public let event: String
    /// The payment concerned: one that is unknown, has an unknown charge, or cannot be processed; empty if there is
    /// none.
    public let payment: PaymentID
    /// The account and the order it was for, if the provider's data contain them.
    public let owner: Owner?
    public let at: Timestamp
    /// The beginning of the received document, without anything that could be a card number.
    public let document: String
    /// For a statement incident, the discrepancy and the next steps, in a few sentences.
    public let what: String?
    /// The finding of staff; `nil` while the incident is open.
    public var resolution: String?
    /// The resolver; `nil` if only the text names one.
    public var resolvedBy: String?
    public var resolvedAt: Timestamp?
    /// The consequence for the order; `nil` while the incident is open, and if no order was known.
    public var outcome: Outcome?
    /// The order that staff has identified.
    public var foundOrder: Owner?

    /// An order with its account.
    public struct Owner: Hashable, Sendable {
        public let account: AccountID
        public let order: OrderID

        public init(account: AccountID, order: OrderID) {
            self.account = account
            self.order = order
        }
    }

    /// Creates an incident for a webhook about an unknown payment.
    public init(
        webhook event: String, of provider: ProviderName, about payment: PaymentID, for owner: Owner? = nil,
        body: [UInt8], at: Timestamp
    ) {
        self.init(.unknownPayment, event: event, of: provider, about: payment, for: owner, body: body, at: at)
    }

    /// Creates an incident for an object on a provider's list.
    /// - Parameters:
    ///   - reference: the provider's reference, by which it is stored once however often it is listed.
    ///   - document: the provider's data about it, for staff.
    public init(
        listed kind: Kind, _ reference: String, of provider: ProviderName, about payment: PaymentID, for owner: Owner?,
        document: [UInt8], at: Timestamp
    ) {
        self.init(kind, event: reference, of: provider, about: payment, for: owner, body: document, at: at)
    }

    private init(
        _ kind: Kind, event: String, of provider: ProviderName, about payment: PaymentID, for owner: Owner?,
        body: [UInt8], at: Timestamp
    ) {
        // Webhooks were the first kind, and journals contain their names.
        let first = kind == .unknownPayment ? "" : "\(kind.rawValue)\n"
        let name = Array("\(first)\(provider.rawValue)\n\(event)".utf8)
        id = "inc_" + Hex.lowercase(Array(SHA256.hash(data: name)).prefix(12))
        self.kind = kind
        self.provider = provider
        self.event = event
        self.payment = payment
        self.owner = owner
        self.at = at
        what = nil
        document = CardNumberMask.maskedForPeople(
            String(decoding: body.prefix(Incident.maximumDocumentBytes), as: UTF8.self))
    }

    /// Creates an incident for an unreadable payment: one per payment, whatever the reasons.
    public init(unreadable payment: PaymentID, of provider: ProviderName?, because reason: String, at: Timestamp) {
        self.init(.unreadablePayment, payment, provider ?? Incident.noProvider, reason, at)
    }

    /// Creates an incident for a payment with an unconfigured provider: one per payment.
    public init(without provider: ProviderName, payment: PaymentID, at: Timestamp) {
        self.init(.absentProvider, payment, provider, "", at)
    }

    /// The placeholder for an unknown provider.
    private static let noProvider = ProviderName(rawValue: "none")

    private init(
        _ kind: Kind, _ payment: PaymentID, _ provider: ProviderName, _ document: String, _ at: Timestamp
    ) {
        let name = Array("\(kind.rawValue)\n\(payment.rawValue)".utf8)
        id = "inc_" + Hex.lowercase(Array(SHA256.hash(data: name)).prefix(12))
        self.kind = kind
        self.provider = provider
        event = kind.rawValue
        self.payment = payment
        owner = nil
        self.at = at
        what = nil
        self.document = CardNumberMask.maskedForPeople(String(document.prefix(Incident.maximumDocumentBytes)))
    }

    /// `true` until the incident is resolved.
    public var isOpen: Bool { resolution == nil }
    /// `true` if a resolution must state whether the order was paid.
    public var needsOutcome: Bool { owner != nil || kind == .unknownCharge }
    /// The command that resolves it; capital letters mark the placeholders.
    public var resolvingCommand: String {
        let outcome = needsOutcome ? " --outcome paid|not_paid" + (owner == nil ? " --order ORDER" : "") : ""
        return "till journal incidents --resolve \(id) --note TEXT\(outcome)"
    }

    /// Creates an incident for a discrepancy in a statement.
    /// - Parameter name: its subject, the same each time it is found.
    public init(
        statementOf provider: ProviderName, name: String, about payment: PaymentID?, what: String, document: String,
        at: Timestamp
    ) {
        id = Incident.id(of: name, provider)
        kind = .statement
        self.provider = provider
        event = name
        self.payment = payment ?? PaymentID(rawValue: "")
        owner = nil
        self.at = at
        self.what = what
        self.document = CardNumberMask.maskedForPeople(String(document.prefix(Incident.maximumDocumentBytes / 4)))
    }

    /// Returns the identifier of the incident about a subject in a statement.
    public static func id(of name: String, _ provider: ProviderName) -> String {
        let name = Array("statement\n\(provider.rawValue)\n\(name)".utf8)
        return "inc_" + Hex.lowercase(Array(SHA256.hash(data: name)).prefix(12))
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let kind = Kind(rawValue: try body.text("kind")) else { throw body.damaged("kind") }
        id = stored.id.key
        self.kind = kind
        provider = ProviderName(rawValue: try body.text("provider"))
        event = try body.text("event")
        payment = PaymentID(rawValue: try body.text("payment"))
        at = Timestamp(milliseconds: try body.int("at"))
        document = try body.text("document")
        what = body.optionalText("what")
        resolution = body.optionalText("resolution")
        resolvedBy = body.optionalText("resolved_by")
        resolvedAt = body.optionalInt("resolved_at").map(Timestamp.init(milliseconds:))
        outcome = body.optionalText("outcome").flatMap(Outcome.init(rawValue:))
        owner = Incident.owner(body, "account", "order")
        foundOrder = Incident.owner(body, "found_account", "found_order")
    }

    private static func owner(_ body: RecordBody, _ account: String, _ order: String) -> Owner? {
        guard let account = body.optionalText(account), let order = body.optionalText(order) else { return nil }
        return Owner(account: AccountID(rawValue: account), order: OrderID(rawValue: order))
    }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("kind", kind.rawValue)
        writer.field("provider", provider.rawValue)
        writer.field("event", event)
        writer.field("payment", payment.rawValue)
        writer.field("at", at.milliseconds)
        writer.field("document", document)
        if let what { writer.field("what", what) }
        writer.field("resolution", resolution)
        if let resolvedBy { writer.field("resolved_by", resolvedBy) }
        if let resolvedAt { writer.field("resolved_at", resolvedAt.milliseconds) }
        if let owner {
            writer.field("account", owner.account.rawValue)
            writer.field("order", owner.order.rawValue)
        }
        if let foundOrder {
            writer.field("found_account", foundOrder.account.rawValue)
            writer.field("found_order", foundOrder.order.rawValue)
        }
        if let outcome { writer.field("outcome", outcome.rawValue) }
        writer.endObject()
        let state = isOpen ? "open" : "resolved"
        var fields = ["state": state, "payment": payment.rawValue, "kind": "\(state) \(kind.rawValue)"]
        if kind == .statement { fields["statement"] = "\(state) \(provider)" }
        return Record(RecordID(Incident.collection, id), body: writer.bytes, fields: fields)
    }
}

extension Incident: CustomStringConvertible {
    /// A human-readable sentence.
    public var description: String {
        let order = owner.map { " Order \($0.order) is not sold until a person has said what it was." } ?? ""
        return switch kind {
        case .unknownPayment:
            "\(provider) reported something about payment \(payment), which this journal does not know. Look it up at "
                + "the provider: its order may have been paid.\(order)"
        case .unknownCharge:
            "\(provider) has the charge \(event) of payment \(payment), which this journal does not know. Look it up "
                + "at the provider: its order may have been paid.\(order)"
        case .unreadablePayment:
            "The events of payment \(payment) cannot be read, so nothing is done on it. `till journal verify` says "
                + "what is wrong; look it up at the provider."
        case .absentProvider:
            "Something is to be done on payment \(payment), and its provider \(provider) is not configured. Configure "
                + "it, or settle the payment there."
        case .statement: what ?? "\(provider)'s statement and the journal do not say the same (\(event))."
        }
    }
}
