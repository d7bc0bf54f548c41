import Crypto
public import TillCore

/// Something about money that a person must clear up and that no payment says of itself. It is kept until a person has
/// said what it was, or, where recovery has raised it, until recovery can work on the payment again.
public struct Incident: RecordDocument, Hashable {
    /// What kind of trouble it is.
    public enum Kind: String, Hashable, Sendable {
        /// A provider reported something about a payment that the journal does not know: one that was made after the
        /// backup from which the journal was restored, or one of another counter with the same account.
        case unknownPayment = "unknown_payment"
        /// A provider lists a charge of a payment or an attempt that the journal does not know: it was made after the
        /// backup from which the journal was restored, or by another counter with the same account.
        case unknownCharge = "unknown_charge"
        /// Something is to be done on a payment whose events cannot be read, or contradict each other.
        case unreadablePayment = "unreadable_payment"
        /// Something is to be done on a payment whose provider is not configured.
        case absentProvider = "absent_provider"
        /// A provider's statement and the journal do not say the same.
        case statement
    }

    /// What a person has said of the order, or of the money in suspense.
    public enum Outcome: String, CaseIterable, Hashable, Sendable {
        /// What is reported paid for the order: it is not to be sold again.
        case paid
        /// It did not, or the money was refunded: the order may be sold.
        case notPaid = "not_paid"
        /// What a statement has put into suspense is written off.
        case writtenOff = "written_off"
        /// What was written off was found later: it is in suspense again.
        case recovered
    }

    /// Of what was delivered this many bytes are kept at most.
    public static let maximumDocumentBytes = 16 << 10
    public static let collection: RecordCollection = "incident"
    /// Those that wait for a person.
    public static let open = RecordMatch("state", "open")
    /// Those of one kind that wait for a person; of webhooks about unknown payments, not those of earlier versions.
    public static func openOnes(of kind: Kind) -> RecordMatch { RecordMatch("kind", "open \(kind.rawValue)") }
    /// Those of one provider's statements that wait for a person.
    public static func openOfStatements(of provider: ProviderName) -> RecordMatch {
        RecordMatch("statement", "open \(provider)")
    }

    /// Made from what it is about, so that it is kept once.
    public let id: String
    public let kind: Kind
    public let provider: ProviderName
    /// The provider's name for what it reported; the kind, where no provider reported anything.
    public let event: String
    /// The payment that it is about: one that is not known, has what is not known, or cannot be worked on; empty: none.
    public let payment: PaymentID
    /// The account and the order that it was for, where the provider's own data say so.
    public let owner: Owner?
    public let at: Timestamp
    /// The beginning of what was delivered, without anything that could be a card number.
    public let document: String
    /// For one of a statement: what does not match and what to do, as a few sentences.
    public let what: String?
    /// What a person found out; `nil`: nobody has checked yet.
    public var resolution: String?
    /// Who has said so, and when; `nil` where only the words themselves say it.
    public var resolvedBy: String?
    public var resolvedAt: Timestamp?
    /// What that means for the order; `nil` while nobody has checked, and where no order was known.
    public var outcome: Outcome?
    /// The order that a person has found it to be for.
    public var foundOrder: Owner?

    /// The account whose order it is, and the order.
    public struct Owner: Hashable, Sendable {
        public let account: AccountID
        public let order: OrderID

        public init(account: AccountID, order: OrderID) {
            self.account = account
            self.order = order
        }
    }

    /// A webhook about a payment that is not known.
    public init(
        webhook event: String, of provider: ProviderName, about payment: PaymentID, for owner: Owner? = nil,
        body: [UInt8], at: Timestamp
    ) {
        self.init(.unknownPayment, event: event, of: provider, about: payment, for: owner, body: body, at: at)
    }

    /// Something that a provider lists.
    /// - Parameters:
    ///   - reference: the provider's name for it, by which it is kept once however often it is listed.
    ///   - document: what the provider says of it, for a person.
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
        // Webhooks were the first kind, and their names are in journals.
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
        document = CardScrubbing.withoutNumbers(
            String(decoding: body.prefix(Incident.maximumDocumentBytes), as: UTF8.self))
    }

    /// A payment that cannot be read. One a payment, whatever the reasons are.
    public init(unreadable payment: PaymentID, of provider: ProviderName?, because reason: String, at: Timestamp) {
        self.init(.unreadablePayment, payment, provider ?? Incident.noProvider, reason, at)
    }

    /// A payment that waits for a provider that is not configured. One a payment.
    public init(without provider: ProviderName, payment: PaymentID, at: Timestamp) {
        self.init(.absentProvider, payment, provider, "", at)
    }

    /// Stands where nobody knows the provider.
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
        self.document = CardScrubbing.withoutNumbers(String(document.prefix(Incident.maximumDocumentBytes)))
    }

    /// Nobody has said what it was.
    public var isOpen: Bool { resolution == nil }
    /// Who resolves it must say whether the order was paid.
    public var needsOutcome: Bool { owner != nil || kind == .unknownCharge }
    /// The command with which a person resolves it; what is in capital letters is the person's to fill in.
    public var resolvingCommand: String {
        let outcome = needsOutcome ? " --outcome paid|not_paid" + (owner == nil ? " --order ORDER" : "") : ""
        return "till journal incidents --resolve \(id) --note TEXT\(outcome)"
    }

    /// Something in a statement that does not match.
    /// - Parameter name: what it is about, the same each time it is found.
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
        self.document = CardScrubbing.withoutNumbers(String(document.prefix(Incident.maximumDocumentBytes / 4)))
    }

    /// The name of the incident about something in a statement.
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
    /// One sentence for people.
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
