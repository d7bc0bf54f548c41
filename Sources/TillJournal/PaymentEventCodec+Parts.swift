package import TillCore

// The parts of events, each next to its decoder.

extension JSONWriter {
    mutating func optional(_ key: String, _ text: String?) {
        if let text { field(key, text) }
    }

    mutating func money(_ money: Money) {
        field("amount", money.minorUnits)
        field("currency", money.currency.code)
    }

    /// Writes it as a member of its own, in the currency of the order.
    mutating func discount(_ discount: Discount) {
        key("discount")
        beginObject()
        field("amount", discount.amount.minorUnits)
        field("reason", discount.reason)
        endObject()
    }

    mutating func operation(_ operation: OperationID) {
        switch operation {
        case .attempt(let id): field("attempt", id.rawValue)
        case .continuation(let id): field("continuation", id.rawValue)
        case .void(let id): field("void", id.rawValue)
        case .capture(let id): field("capture", id.rawValue)
        case .renewal(let id): field("renewal", id.rawValue)
        case .refund(let id): field("refund", id.rawValue)
        }
    }

    mutating func decline(_ decline: Decline) {
        field("decline_reason", decline.reason.rawValue)
        optional("decline_code", decline.code)
        optional("decline_message", decline.message)
        optional("request_id", decline.requestID)
        if let card = decline.card {
            key("declined_card")
            self.card(card)
        }
    }

    mutating func authorization(_ authorization: Authorization) {
        field("reference", authorization.reference.rawValue)
        money(authorization.amount)
        field("captured", authorization.isCaptured)
        if let moment = authorization.captureBefore { field("capture_before", moment.milliseconds) }
        if let moment = authorization.honoredUntil { field("honored_until", moment.milliseconds) }
        if let tip = authorization.tip { field("tip", tip.minorUnits) }
        if let card = authorization.card {
            key("card")
            self.card(card)
        }
    }

    mutating func tender(_ tender: TenderSummary) {
        beginObject()
        field("kind", tender.kind.rawValue)
        if let card = tender.card {
            key("card")
            self.card(card)
        }
        optional("reader", tender.reader)
        if let tendered = tender.tendered { field("tendered", tendered.minorUnits) }
        endObject()
    }

    /// Writes it as a member of its own.
    mutating func identity(_ identity: ProviderIdentity) {
        key("identity")
        beginObject()
        optional("account", identity.account)
        field("mode", identity.mode.rawValue)
        optional("key_fingerprint", identity.keyFingerprint)
        endObject()
    }

    mutating func card(_ card: CardSummary) {
        beginObject()
        field("brand", card.brand)
        field("last_four", card.lastFour)
        optional("network", card.network)
        optional("entry_mode", card.entryMode)
        if let emv = card.emv {
            key("emv")
            beginObject()
            for (key, path) in EMVReceiptData.members { optional(key, emv[keyPath: path]) }
            endObject()
        }
        endObject()
    }
}

extension EMVReceiptData {
    fileprivate static var members: [(String, WritableKeyPath<EMVReceiptData, String?>)] {
        [
            ("application_preferred_name", \.applicationPreferredName),
            ("dedicated_file_name", \.dedicatedFileName),
            ("account_type", \.accountType),
            ("authorization_response_code", \.authorizationResponseCode),
            ("authorization_code", \.authorizationCode),
            ("application_cryptogram", \.applicationCryptogram),
            ("terminal_verification_results", \.terminalVerificationResults),
            ("transaction_status_information", \.transactionStatusInformation),
            ("cardholder_verification_method", \.cardholderVerificationMethod),
        ]
    }
}

extension JSONValue {
    func member(_ key: String) throws(JournalError) -> JSONValue {
        guard let value = self[key] else { throw .corrupted("an event has no “\(key)”") }
        return value
    }

    func text(_ key: String) throws(JournalError) -> String {
        guard let text = try member(key).stringValue else { throw .corrupted("“\(key)” of an event is not text") }
        return text
    }

    func optionalText(_ key: String) throws(JournalError) -> String? {
        self[key] == nil ? nil : try text(key)
    }

    /// Returns the customer's session of an action; `nil` if it has none. One that an earlier event has is repeated
    /// without its data.
    func optionalSession() throws(JournalError) -> CustomerSession? {
        guard let id = try optionalText("session") else { return nil }
        let data = try optionalText("session_data")
        guard let session = CustomerSession(id: id, data: data ?? "-", endsAt: try moment("session_ends")) else {
            throw .corrupted("a customer's session cannot be read")
        }
        return data == nil ? session.withoutData : session
    }

    func id<ID: Identifier>(_ key: String) throws(JournalError) -> ID { ID(rawValue: try text(key)) }

    func optionalID<ID: Identifier>(_ key: String) throws(JournalError) -> ID? {
        self[key] == nil ? nil : try id(key)
    }

    func identity() throws(JournalError) -> ProviderIdentity {
        let identity = try member("identity")
        guard let mode = PaymentMode(rawValue: try identity.text("mode")) else {
            throw .corrupted("the mode of an account is neither test nor live")
        }
        return ProviderIdentity(
            account: try identity.optionalText("account"), mode: mode,
            keyFingerprint: try identity.optionalText("key_fingerprint"))
    }

    func optionalIdentity() throws(JournalError) -> ProviderIdentity? {
        self["identity"] == nil ? nil : try identity()
    }

    func flag(_ key: String) throws(JournalError) -> Bool {
        guard let flag = try member(key).boolValue else { throw .corrupted("“\(key)” of an event is not a yes or no") }
        return flag
    }

    func count(_ key: String) throws(JournalError) -> Int {
        guard let value = try member(key).int64Value, let count = Int(exactly: value), count > 0 else {
            throw .corrupted("“\(key)” of an event is not a count")
        }
        return count
    }

    func moment(_ key: String) throws(JournalError) -> Timestamp {
        guard let value = try member(key).int64Value else { throw .corrupted("“\(key)” of an event is not a moment") }
        return Timestamp(milliseconds: value)
    }

    func money() throws(JournalError) -> Money {
        guard let units = try member("amount").int64Value else { throw .corrupted("an amount is not an integer") }
        return Money(minorUnits: units, currency: try Currency(stored: try text("currency")))
    }

    func operation() throws(JournalError) -> OperationID {
        if self["attempt"] != nil { return .attempt(try id("attempt")) }
        if self["continuation"] != nil { return .continuation(try id("continuation")) }
        if self["renewal"] != nil { return .renewal(try id("renewal")) }
        if self["void"] != nil { return .void(try id("void")) }
        if self["capture"] != nil { return .capture(try id("capture")) }
        return .refund(try id("refund"))
    }

    func decline() throws(JournalError) -> Decline {
        Decline(
            reason: DeclineReason(rawValue: try text("decline_reason")), code: try optionalText("decline_code"),
            message: try optionalText("decline_message"), requestID: try optionalText("request_id"),
            card: try self["declined_card"].map { (card) throws(JournalError) in try card.card() })
    }

    func authorization() throws(JournalError) -> Authorization {
        let amount = try money()
        let tip = try self["tip"].map { (tip) throws(JournalError) -> Money in
            guard let units = tip.int64Value else { throw .corrupted("a tip is not an integer") }
            return Money(minorUnits: units, currency: amount.currency)
        }
        return Authorization(
            reference: try id("reference"), amount: amount, isCaptured: try flag("captured"),
            captureBefore: self["capture_before"] == nil ? nil : try moment("capture_before"),
            honoredUntil: self["honored_until"] == nil ? nil : try moment("honored_until"),
            card: try self["card"].map { (card) throws(JournalError) in try card.card() }, tip: tip)
    }

    /// - Parameter currency: the currency of the attempt, in which cash is handed over.
    func tender(in currency: Currency) throws(JournalError) -> TenderSummary {
        TenderSummary(
            kind: TenderKind(rawValue: try text("kind")),
            card: try self["card"].map { (card) throws(JournalError) in try card.card() },
            reader: try optionalText("reader"),
            tendered: try self["tendered"].map { (tendered) throws(JournalError) in
                guard let units = tendered.int64Value else { throw .corrupted("the cash handed over is no integer") }
                return Money(minorUnits: units, currency: currency)
            })
    }

    func card() throws(JournalError) -> CardSummary {
        var emv: EMVReceiptData?
        if let json = self["emv"] {
            var data = EMVReceiptData()
            for (key, path) in EMVReceiptData.members { data[keyPath: path] = try json.optionalText(key) }
            emv = data
        }
        return CardSummary(
            brand: try text("brand"), lastFour: try text("last_four"), entryMode: try optionalText("entry_mode"),
            emv: emv, network: try optionalText("network"))
    }

    func creation() throws(JournalError) -> PaymentEvent.Creation {
        guard let mode = CaptureMode(rawValue: try text("capture_mode")) else {
            throw .corrupted("the capture mode of a payment is not known")
        }
        let stored = try member("order")
        let order: Order
        do throws(OrderError) { order = try Order(json: stored) } catch {
            throw .corrupted("the order of a payment cannot be read. \(error)")
        }
        return PaymentEvent.Creation(
            payment: try id("payment"), account: try id("account"), order: order, captureMode: mode,
            acceptedBy: try optionalText("accepted_by"),
            discount: try self["discount"].map { (discount) throws(JournalError) in
                try discount.discount(beside: order.total)
            })
    }

    /// - Parameter charged: the amount of the payment, in whose currency the discount is.
    private func discount(beside charged: Money) throws(JournalError) -> Discount {
        guard let units = try member("amount").int64Value else { throw .corrupted("a discount is not an integer") }
        let amount = Money(minorUnits: units, currency: charged.currency)
        let reason = try text("reason")
        do throws(DiscountError) { return try Discount(stored: amount, reason: reason, beside: charged) } catch {
            throw .corrupted("the discount of a payment cannot be read. \(error)")
        }
    }
}

extension Currency {
    package init(stored code: String) throws(JournalError) {
        do throws(MoneyError) { try self.init(code: code) } catch {
            throw .corrupted("a currency is not known. \(error)")
        }
    }
}
