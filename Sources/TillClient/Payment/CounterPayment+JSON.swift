import TillCore

/// The part of an answer that cannot be read.
struct UnreadableAnswer: Error, Hashable {
    var field: String
}

extension CounterPayment {
    /// The most attempts that are read.
    static let maximumAttempts = 1000

    /// Reads the counter's answer. Everything that decides about money must be there.
    init(_ json: JSONValue) throws(UnreadableAnswer) {
        func text(_ name: String) throws(UnreadableAnswer) -> String {
            guard let text = json[name]?.stringValue, !text.isEmpty else { throw UnreadableAnswer(field: name) }
            return text
        }
        guard let id = PaymentID(ifValid: try text("id")) else { throw UnreadableAnswer(field: "id") }
        guard let account = AccountID(ifValid: try text("account")) else { throw UnreadableAnswer(field: "account") }
        guard let order = OrderID(ifValid: try text("order_id")) else { throw UnreadableAnswer(field: "order_id") }
        guard let currency = Currency(ifValid: try text("currency")) else { throw UnreadableAnswer(field: "currency") }
        func money(_ name: String) throws(UnreadableAnswer) -> Money {
            guard let units = json[name]?.int64Value, units >= 0 else { throw UnreadableAnswer(field: name) }
            return Money(minorUnits: units, currency: currency)
        }
        guard let all = json["attempts"]?.arrayValue, all.count <= CounterPayment.maximumAttempts else {
            throw UnreadableAnswer(field: "attempts")
        }
        var attempts: [CounterAttempt] = []
        for one in all { attempts.append(try CounterAttempt(one, currency)) }
        guard let moved = MoneyMoved(rawValue: try text("money_moved")) else {
            throw UnreadableAnswer(field: "money_moved")
        }
        guard let captureMode = CaptureMode(rawValue: try text("capture")) else {
            throw UnreadableAnswer(field: "capture")
        }
        self.id = id
        self.account = account
        self.order = order
        status = CounterPaymentStatus(try text("status"))
        amount = try money("amount")
        tip = try money("tip")
        captured = try money("captured")
        held = try money("held")
        refunded = try money("refunded")
        self.captureMode = captureMode
        self.attempts = attempts
        card = json["tender"].flatMap { CounterCard($0) }
        isTest = json["test"]?.boolValue ?? false
        moneyMoved = moved
        message = json["message"]?.stringValue ?? ""
    }
}

extension CounterAttempt {
    init(_ json: JSONValue, _ currency: Currency) throws(UnreadableAnswer) {
        guard let text = json["id"]?.stringValue, let id = AttemptID(ifValid: text),
            let state = json["status"]?.stringValue, let units = json["amount"]?.int64Value, units >= 0
        else { throw UnreadableAnswer(field: "attempts") }
        self.id = id
        self.state = CounterAttemptState(rawValue: state)
        amount = Money(minorUnits: units, currency: currency)
        reference = json["reference"]?.stringValue.flatMap { ProviderReference(ifValid: $0) }
        // A void that cannot be read is open, too.
        void = json["void"].flatMap { void in void == .null ? nil : void.stringValue ?? "unknown" }
        decline = json["decline"].flatMap { decline in
            decline["reason"]?.stringValue.map { reason in
                Decline(
                    reason: DeclineReason(rawValue: reason), code: decline["code"]?.stringValue,
                    requestID: decline["request_id"]?.stringValue)
            }
        }
    }
}

extension CounterCard {
    init?(_ tender: JSONValue) {
        guard let brand = tender["brand"]?.stringValue else { return nil }
        self.brand = brand
        lastFour = tender["last_four"]?.stringValue
        entryMode = tender["entry_mode"]?.stringValue
        network = tender["network"]?.stringValue
    }
}
