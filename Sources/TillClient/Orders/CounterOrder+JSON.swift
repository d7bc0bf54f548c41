import TillCore

extension CounterOrder {
    /// Reads the counter's answer. Everything that decides about money must be there.
    init(_ json: JSONValue) throws(UnreadableAnswer) {
        func text(_ name: String) throws(UnreadableAnswer) -> String {
            guard let text = json[name]?.stringValue, !text.isEmpty else { throw UnreadableAnswer(field: name) }
            return text
        }
        guard let id = OrderID(ifValid: try text("id")) else { throw UnreadableAnswer(field: "id") }
        guard let account = AccountID(ifValid: try text("account")) else { throw UnreadableAnswer(field: "account") }
        guard let currency = Currency(ifValid: try text("currency")) else { throw UnreadableAnswer(field: "currency") }
        guard let units = json["amount"]?.int64Value, units >= 0 else { throw UnreadableAnswer(field: "amount") }
        guard let payment = json["payment"] else { throw UnreadableAnswer(field: "payment") }
        let money = try CounterOrderMoney(payment, currency)
        var payments: [CounterOrderPayment] = []
        if case .known = money {
            guard let all = json["payments"]?.arrayValue else { throw UnreadableAnswer(field: "payments") }
            for one in all { payments.append(try CounterOrderPayment(one)) }
        }
        guard let all = json["lines"]?.arrayValue else { throw UnreadableAnswer(field: "lines") }
        var lines: [CounterOrderLine] = []
        for one in all { lines.append(try CounterOrderLine(one, currency)) }
        self.id = id
        self.account = account
        number = json["number"]?.stringValue ?? id.rawValue
        state = CounterOrderState(rawValue: try text("state"))
        amount = Money(minorUnits: units, currency: currency)
        self.lines = lines
        note = json["note"]?.stringValue
        wantedAt = json["wanted_at"]?.stringValue
        self.money = money
        self.payments = payments
    }
}

extension CounterOrderMoney {
    fileprivate init(_ json: JSONValue, _ currency: Currency) throws(UnreadableAnswer) {
        func money(_ name: String) throws(UnreadableAnswer) -> Money {
            guard let units = json[name]?.int64Value, units >= 0 else { throw UnreadableAnswer(field: name) }
            return Money(minorUnits: units, currency: currency)
        }
        guard let word = json["status"]?.stringValue, !word.isEmpty else { throw UnreadableAnswer(field: "payment") }
        guard word != "unreadable" else {
            self = .unreadable
            return
        }
        self = .known(
            CounterOrderBalance(
                status: CounterOrderBalanceStatus(rawValue: word), paid: try money("paid"),
                reserved: try money("reserved"), open: try money("open"), refunded: try money("refunded")))
    }
}

extension CounterOrderPayment {
    fileprivate init(_ json: JSONValue) throws(UnreadableAnswer) {
        guard let text = json["id"]?.stringValue, let id = PaymentID(ifValid: text),
            let status = json["status"]?.stringValue
        else { throw UnreadableAnswer(field: "payments") }
        self.init(id: id, status: CounterPaymentStatus(status))
    }
}

extension CounterOrderLine {
    fileprivate init(_ json: JSONValue, _ currency: Currency) throws(UnreadableAnswer) {
        guard let name = json["name"]?.stringValue, let quantity = json["quantity"]?.stringValue,
            let units = json["amount"]?.int64Value
        else { throw UnreadableAnswer(field: "lines") }
        self.init(name: name, quantity: quantity, amount: Money(minorUnits: units, currency: currency))
    }
}
