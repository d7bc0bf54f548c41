import TillCore

/// The stand-in's ledger: payments, modifications, idempotency keys with their responses, and pending events.
actor AdyenLedger {
    struct Answer: Sendable {
        let status: Int
        let body: JSONValue
    }

    struct Payment {
        let name: String
        let reference: String
        let currency: String
        let authorized: Int64
        let isHeld: Bool
        var captured: Int64 = 0
        var refunded: Int64 = 0
        var isCanceled = false
        var account = ""
        var steps: [Step] = []
        var disputes: [Dispute] = []
    }

    /// A completed capture or refund.
    struct Step {
        let name: String
        let kind: String
        let reference: String
        let value: Int64
        var hasFailed = false
    }

    struct Dispute {
        let name: String
        let value: Int64
        var withdrawn: Int64 = 0
    }

    /// The maximum number of remembered idempotency keys.
    static let mostKeys = 100_000

    var payments: [String: Payment] = [:]
    var order: [String] = []
    private var keys: [String: (body: JSONValue, answer: Answer)] = [:]
    private var count = 0
    private var moment: Int64 = 0
    private(set) var notifications: [JSONValue] = []
    /// Events that are not delivered before somebody asks for them.
    private var delayed: [JSONValue] = []
    var sessions: [String: Session] = [:]
    var reports = AdyenReports()

    /// Handles the newest event: keeps it back (`late`), or doubles it (`twice`).
    func deliver(_ word: String) {
        guard let last = notifications.last else { return }
        switch word {
        case "late": delayed.append(notifications.removeLast())
        case "twice": notifications.append(last)
        default: break
        }
    }

    /// Delivers the events that were kept back. Returns `false` if there are none.
    func deliverDelayed() -> Bool {
        defer { delayed = [] }
        notifications += delayed
        return !delayed.isEmpty
    }

    /// Removes and returns the events since the previous call, oldest first.
    func takeReported() -> [JSONValue] {
        defer { notifications = [] }
        return notifications
    }

    func ledger() -> JSONValue {
        .array(
            order.compactMap { payments[$0] }.map { payment in
                SandboxJSON.object([
                    ("reference", .string(payment.reference)), ("id", .string(payment.name)),
                    ("currency", .string(payment.currency)), ("authorized", .number("\(payment.authorized)")),
                    ("captured", .number("\(payment.captured)")), ("refunded", .number("\(payment.refunded)")),
                    ("disputed", .number("\(payment.disputes.map(\.withdrawn).reduce(0, +))")),
                    ("canceled", .bool(payment.isCanceled)),
                ])
            })
    }

    /// Replays the stored response for a key sent again with the same body; refuses the key with another body.
    func once(_ key: String?, _ body: JSONValue, _ work: @Sendable (isolated AdyenLedger) -> Answer) -> Answer {
        guard let key else { return work(self) }
        if let known = keys[key] {
            return known.body == body
                ? known.answer : AdyenLedger.error(422, "705", "The key was used for another request")
        }
        let answer = work(self)
        if keys.count < AdyenLedger.mostKeys, answer.status < 500 { keys[key] = (body, answer) }
        return answer
    }

    static func error(_ status: Int, _ code: String, _ message: String) -> Answer {
        Answer(
            status: status,
            body: SandboxJSON.object([
                ("status", .number("\(status)")), ("errorCode", .string(code)), ("message", .string(message)),
                ("errorType", .string(status == 401 ? "security" : "validation")),
            ]))
    }

    func newName() -> String {
        count += 1
        let digits = String(count, radix: 36, uppercase: true)
        return "TILL" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }

    static let refusals: [String: (code: String, reason: String)] = [
        "4000000000000002": ("2", "Refused"), "4000000000009995": ("12", "Not enough balance"),
        "4000000000000069": ("6", "Expired Card"), "4000000000000127": ("24", "CVC Declined"),
        "4100000000000019": ("20", "FRAUD"),
    ]
    private static let holders: [String: (code: String, reason: String)] = [
        "DECLINED": ("2", "Refused"), "NOT_ENOUGH_BALANCE": ("12", "Not enough balance"),
        "CARD_EXPIRED": ("6", "Expired Card"), "CVC_DECLINED": ("24", "CVC Declined"), "FRAUD": ("20", "FRAUD"),
    ]

    func pay(_ body: JSONValue) -> Answer {
        guard let account = body["merchantAccount"]?.stringValue, !account.isEmpty else {
            return AdyenLedger.error(403, "901", "Invalid Merchant Account")
        }
        guard let reference = body["reference"]?.stringValue, !reference.isEmpty else {
            return AdyenLedger.error(422, "130", "Required field 'reference' is not provided.")
        }
        guard body["returnUrl"]?.stringValue?.isEmpty == false else {
            return AdyenLedger.error(422, "14_0391", "Required field 'returnUrl' is not provided.")
        }
        guard let value = body["amount"]?["value"]?.int64Value, value >= 0,
            let code = body["amount"]?["currency"]?.stringValue, Currency(ifValid: code) != nil
        else { return AdyenLedger.error(422, "100", "No amount specified") }
        let method = body["paymentMethod"]
        guard method?["type"]?.stringValue == "scheme", let number = method?["number"]?.stringValue,
            LuhnChecksum.isValid(number)
        else { return AdyenLedger.error(422, "101", "Invalid card number") }
        guard method?["expiryMonth"]?.stringValue?.count == 2, method?["expiryYear"]?.stringValue?.count == 4 else {
            return AdyenLedger.error(422, "129", "Expiry Date Invalid")
        }
        let name = newName()
        let isAtOnce =
            body["captureDelayHours"]?.int64Value == 0
            && body["additionalData"]?["manualCapture"]?.stringValue != "true"
        let holder = method?["holderName"]?.stringValue ?? ""
        let refusal = AdyenLedger.refusals[number] ?? AdyenLedger.holders[holder]
        payments[name] = Payment(
            name: name, reference: reference, currency: code, authorized: refusal == nil ? value : 0,
            isHeld: refusal == nil, captured: refusal == nil && isAtOnce ? value : 0, account: account)
        order.append(name)
        tell(
            "AUTHORISATION", name: name, original: nil, reference: reference, account: account, value: value,
            currency: code, refusal: refusal.map { "\($0.code) : \($0.reason)" })
        var answer: [(String, JSONValue)] = [("pspReference", .string(name))]
        if let refusal {
            answer += [
                ("resultCode", .string("Refused")), ("refusalReason", .string(refusal.reason)),
                ("refusalReasonCode", .string(refusal.code)),
            ]
        } else {
            answer += [
                ("resultCode", .string("Authorised")),
                ("amount", SandboxJSON.object([("currency", .string(code)), ("value", .number("\(value)"))])),
            ]
        }
        let brand = number.hasPrefix("4") ? "visa" : number.hasPrefix("3") ? "amex" : "mc"
        answer += [
            ("merchantReference", .string(reference)),
            (
                "additionalData",
                SandboxJSON.object([
                    ("cardSummary", .string(String(number.suffix(4)))), ("paymentMethod", .string(brand)),
                ])
            ),
        ]
        return Answer(status: 200, body: SandboxJSON.object(answer))
    }

    /// Applies `captures`, `refunds` or `cancels` to a payment, addressed by PSP reference or by the shop's reference.
    func modify(_ kind: String, of name: String?, _ body: JSONValue) -> Answer {
        guard let account = body["merchantAccount"]?.stringValue, !account.isEmpty else {
            return AdyenLedger.error(403, "901", "Invalid Merchant Account")
        }
        let own = body["paymentReference"]?.stringValue
        let found = name ?? order.last { payments[$0]?.reference == own && payments[$0]?.isHeld == true }
        if name != nil, found.flatMap({ payments[$0] }) == nil {
            return AdyenLedger.error(422, "167", "Original pspReference required for this operation")
        }
        let step = newName()
        let reference = body["reference"]?.stringValue ?? ""
        let value = body["amount"]?["value"]?.int64Value ?? 0
        let code = body["amount"]?["currency"]?.stringValue ?? found.flatMap { payments[$0]?.currency } ?? "EUR"
        guard kind == "cancels" || body["amount"]?["value"]?.int64Value ?? 0 > 0 else {
            return AdyenLedger.error(422, "100", "No amount specified")
        }
        let refusal = apply(kind, to: found, value, code)
        if refusal == nil, kind != "cancels", let found {
            payments[found]?.steps.append(Step(name: step, kind: kind, reference: reference, value: value))
        }
        let event =
            switch kind {
            case "captures": "CAPTURE"
            case "refunds": "REFUND"
            default: name == nil ? "TECHNICAL_CANCEL" : "CANCELLATION"
            }
        tell(
            event, name: step, original: found, reference: reference, account: account, value: value, currency: code,
            refusal: refusal)
        var answer: [(String, JSONValue)] = [("merchantAccount", .string(account)), ("pspReference", .string(step))]
        if let name { answer.append(("paymentPspReference", .string(name))) }
        if let own { answer.append(("paymentReference", .string(own))) }
        if let amount = body["amount"] { answer.append(("amount", amount)) }
        answer += [("reference", .string(reference)), ("status", .string("received"))]
        return Answer(status: 201, body: SandboxJSON.object(answer))
    }

    /// Applies a modification; returns the refusal reason, or `nil` on success.
    private func apply(_ kind: String, to name: String?, _ value: Int64, _ currency: String) -> String? {
        guard let name, var payment = payments[name], payment.isHeld else { return "Transaction not found" }
        defer { payments[name] = payment }
        guard kind == "cancels" || payment.currency == currency else { return "Currency mismatch" }
        switch kind {
        case "captures":
            guard !payment.isCanceled, payment.captured == 0, value <= payment.authorized else {
                return "Insufficient balance on payment"
            }
            payment.captured = value
        case "refunds":
            let (sum, overflow) = payment.refunded.addingReportingOverflow(value)
            guard !overflow, sum <= payment.captured else { return "Insufficient balance on payment" }
            payment.refunded = sum
        default:
            guard payment.captured == 0 || payment.refunded == 0 else { return "Transaction has been refunded" }
            // A technical cancel voids a hold and refunds an immediate capture.
            payment.refunded = payment.captured
            payment.isCanceled = true
        }
        return nil
    }

    func tell(
        _ event: String, name: String, original: String?, reference: String, account: String, value: Int64,
        currency: String, refusal: String?, at time: Timestamp? = nil, more: [(String, JSONValue)] = []
    ) {
        // Gives each event a distinct timestamp, in order of occurrence.
        moment += 1
        let date = (time ?? Timestamp(milliseconds: 1_767_225_600_000).adding(.seconds(moment))).internetTime
        var item: [(String, JSONValue)] = [
            ("amount", SandboxJSON.object([("currency", .string(currency)), ("value", .number("\(value)"))])),
            ("eventCode", .string(event)), ("eventDate", .string(date)),
            ("merchantAccountCode", .string(account)), ("merchantReference", .string(reference)),
        ]
        if let original { item.append(("originalReference", .string(original))) }
        item += [
            ("paymentMethod", .string("visa")), ("pspReference", .string(name)), ("reason", .string(refusal ?? "")),
            ("success", .string(refusal == nil || !more.isEmpty ? "true" : "false")),
        ]
        if !more.isEmpty { item.append(("additionalData", SandboxJSON.object(more))) }
        if notifications.count < AdyenLedger.mostKeys { notifications.append(SandboxJSON.object(item)) }
    }
}

/// JSON objects with the members in the order in which they are written here.
enum SandboxJSON {
    static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONMember(key: $0.0, value: $0.1) })
    }
}
