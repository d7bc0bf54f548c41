import TillCore

/// Sessions: opened by the shop, finished in a customer's browser, and asked for once with the browser's result.
extension AdyenLedger {
    struct Session {
        let id: String
        let data: String
        let reference: String
        let account: String
        let currency: String
        let value: Int64
        let isAtOnce: Bool
        let endsAt: Timestamp
        var status = "active"
        /// The card whose challenge the customer has not answered.
        var asked: String?
        var refusals = 0
        /// What the browser was given last, with the status of that moment.
        var results: [String: String] = [:]
        var payment: String?
    }

    /// The maximum number of sessions; further ones are refused.
    static let mostSessions = 10_000
    /// The number of refused cards after which a session takes none any more.
    static let mostRefusals = 3
    /// The card whose bank asks the customer.
    static let challengedCard = "4000000000003220"
    private static let life = Span.hours(1)

    /// Answers `POST /sessions`.
    func open(_ body: JSONValue, at now: Timestamp) -> Answer {
        guard let account = body["merchantAccount"]?.stringValue, !account.isEmpty else {
            return AdyenLedger.error(403, "901", "Invalid Merchant Account")
        }
        guard let reference = body["reference"]?.stringValue, !reference.isEmpty else {
            return AdyenLedger.error(422, "130", "Required field 'reference' is not provided.")
        }
        guard body["returnUrl"]?.stringValue?.isEmpty == false else {
            return AdyenLedger.error(422, "14_0391", "Required field 'returnUrl' is not provided.")
        }
        guard let amount = body["amount"], let value = amount["value"]?.int64Value, value >= 0,
            let code = amount["currency"]?.stringValue, Currency(ifValid: code) != nil
        else { return AdyenLedger.error(422, "100", "No amount specified") }
        let said = body["expiresAt"]?.stringValue
        let asked = said.map { Timestamp(internetTime: $0) } ?? now.adding(AdyenLedger.life)
        guard let end = asked, end > now, sessions.count < AdyenLedger.mostSessions else {
            return AdyenLedger.error(422, "702", "Unexpected input: expiresAt")
        }
        let name = newName()
        let session = Session(
            id: "CS\(name)", data: "Ab02b4c0!\(name)==", reference: reference, account: account, currency: code,
            value: value,
            isAtOnce: body["captureDelayHours"]?.int64Value == 0
                && body["additionalData"]?["manualCapture"]?.stringValue != "true",
            endsAt: end)
        sessions[session.id] = session
        return Answer(
            status: 201,
            body: SandboxJSON.object([
                ("id", .string(session.id)), ("sessionData", .string(session.data)), ("amount", amount),
                ("merchantAccount", .string(account)), ("reference", .string(reference)),
                ("expiresAt", .string(end.internetTime)), ("mode", .string("embedded")),
            ]))
    }

    /// Answers `GET /sessions/{id}?sessionResult=`: the status of the moment at which the browser was given the result.
    func status(of id: String, result: String?) -> Answer {
        guard let session = sessions[id] else { return AdyenLedger.error(422, "702", "Unknown session") }
        guard let result, let status = session.results[result] else {
            return AdyenLedger.error(422, "702", "Unexpected input: sessionResult")
        }
        var members: [(String, JSONValue)] = [
            ("id", .string(id)), ("reference", .string(session.reference)), ("status", .string(status)),
        ]
        if status == "completed", let payment = session.payment {
            members.append(
                (
                    "payments",
                    .array([
                        SandboxJSON.object([
                            ("pspReference", .string(payment)), ("resultCode", .string("Authorised")),
                            (
                                "amount",
                                SandboxJSON.object([
                                    ("currency", .string(session.currency)), ("value", .number("\(session.value)")),
                                ])
                            ),
                        ])
                    ])
                ))
        }
        return Answer(status: 200, body: SandboxJSON.object(members))
    }

    /// Does what the customer's browser does with a session: `{"id":…,"data":…,"do":"pay","card":…}`.
    ///
    /// Other actions: `pass` and `fail` answer a bank's challenge, `leave` goes away, `expire` ends the session's time,
    /// `look` changes nothing, and `deliver` delivers the events that were kept back. `settle` charges the session's
    /// amount whatever became of the session, as a payment that was under way at its end. `wait` leaves the payment
    /// pending when the customer has finished, and `refuse` has it refused then. `webhook` is `late` or `twice`.
    /// - Returns: `resultCode` and `sessionResult`, as Adyen's components report them; `nil` if it is not possible.
    func browse(_ asked: JSONValue, at now: Timestamp) -> JSONValue? {
        let word = asked["do"]?.stringValue ?? "pay"
        if word == "deliver" { return deliverDelayed() ? SandboxJSON.object([("ok", .bool(true))]) : nil }
        guard let id = asked["id"]?.stringValue, var session = sessions[id],
            asked["data"]?.stringValue == session.data
        else { return nil }
        if session.status == "active", word == "expire" || now >= session.endsAt { session.status = "expired" }
        defer { sessions[id] = session }
        let delivery = asked["webhook"]?.stringValue ?? "now"
        switch (word, session.status) {
        case ("settle", _): return charge(&session, nil, delivery)
        case ("refuse", _): return charge(&session, (code: "2", reason: "Refused"), delivery)
        case ("wait", "active"):
            session.status = "paymentPending"
            return report("Pending", &session, as: session.status)
        case ("pay", "active"):
            let card = asked["card"]?.stringValue ?? "4111111111111111"
            guard card != AdyenLedger.challengedCard else {
                session.asked = card
                return report("ChallengeShopper", &session, as: "active")
            }
            return charge(&session, AdyenLedger.refusals[card], delivery)
        case ("pass", "active") where session.asked != nil: return charge(&session, nil, delivery)
        case ("fail", "active") where session.asked != nil:
            return charge(&session, (code: "11", reason: "3D Not Authenticated"), delivery)
        case ("leave", "active"): return report("Cancelled", &session, as: "canceled")
        case (_, "active"): return report("", &session, as: "active")
        case (_, let status): return report("", &session, as: status)
        }
    }

    /// Charges a session's amount, or has it refused.
    private func charge(
        _ session: inout Session, _ refusal: (code: String, reason: String)?, _ delivery: String
    ) -> JSONValue {
        session.asked = nil
        let name = newName()
        let isPaid = refusal == nil
        payments[name] = Payment(
            name: name, reference: session.reference, currency: session.currency,
            authorized: isPaid ? session.value : 0, isHeld: isPaid,
            captured: isPaid && session.isAtOnce ? session.value : 0, account: session.account)
        order.append(name)
        tell(
            "AUTHORISATION", name: name, original: nil, reference: session.reference, account: session.account,
            value: session.value, currency: session.currency,
            refusal: refusal.map { "\($0.code) : \($0.reason)" })
        deliver(delivery)
        if isPaid {
            session.payment = name
            session.status = "completed"
        } else {
            session.refusals += 1
            if session.refusals >= AdyenLedger.mostRefusals { session.status = "refused" }
        }
        return report(isPaid ? "Authorised" : "Refused", &session, as: session.status)
    }

    private func report(_ code: String, _ session: inout Session, as status: String) -> JSONValue {
        // As long as Adyen's, with characters that an address has to escape.
        let result = "X3XtfGC9!\(newName())+/=="
        session.results[result] = status
        return SandboxJSON.object([("resultCode", .string(code)), ("sessionResult", .string(result))])
    }
}
