import TillAdyen
import TillCards
import TillCore

/// The books of the Adyen stand-in: payments and what was done to them. An actor, in memory.
///
/// The holder's name decides, as on Adyen's test platform: `NOT_ENOUGH_BALANCE`, `CARD_EXPIRED`, `CVC_DECLINED`,
/// `BLOCK_CARD`, `DECLINED`, `THREEDS`; anything else is authorised. What a capture, cancellation or refund leads to is
/// told by webhook alone.
actor AdyenBooks {
    struct Payment {
        var reference: String
        var ours: String
        var amount: Money
        var isNow: Bool
        var lastFour: String
        var isAuthorised: Bool
        var isCancelled = false
        var captured: Int64 = 0
        var refunded: Int64 = 0
    }

    /// What a webhook tells.
    struct Notice: Sendable {
        var event: String
        var succeeded: Bool
        var reference: String
        var original: String?
        var ours: String
        var amount: Money
        var reason: String?
    }

    struct Answer: Sendable {
        var status: Int
        var body: JSONValue
        var notices: [Notice] = []
    }

    private struct Kept {
        var request: JSONValue
        var path: String
        var answer: Answer
    }

    private var payments: [String: Payment] = [:]
    private var order: [String] = []
    private var kept: [String: Kept] = [:]
    private var counter: UInt64 = 0
    /// The most payments that are kept.
    static let maximumPayments = 200_000

    /// Adyen's names have sixteen capitals and digits.
    private func newReference() -> String {
        counter += 1
        return "TILL" + StableHash.hex("adyen \(counter)").uppercased().prefix(12)
    }

    /// One request. The same key with the same request is answered as before, and tells nothing again.
    func answer(_ path: [String], _ body: JSONValue, key: String?) -> Answer {
        let place = path.joined(separator: "/")
        if let key, let before = kept[key] {
            guard before.request == body, before.path == place else {
                return AdyenBooks.error(422, "704", "request already processed or in progress")
            }
            var again = before.answer
            again.notices = []
            return again
        }
        let answer = route(path, body)
        if let key, answer.status < 300 { kept[key] = Kept(request: body, path: place, answer: answer) }
        return answer
    }

    private func route(_ path: [String], _ body: JSONValue) -> Answer {
        guard body["merchantAccount"]?.stringValue != nil else {
            return AdyenBooks.error(403, "901", "Invalid Merchant Account", type: "security")
        }
        switch (path.count, path.first, path.last) {
        case (1, "payments", _): return pay(body)
        case (1, "cancels", _): return cancelByName(body)
        case (3, "payments", "captures"): return change(path[1], body, capture)
        case (3, "payments", "cancels"): return change(path[1], body, cancel)
        case (3, "payments", "refunds"): return change(path[1], body, refund)
        default: return AdyenBooks.error(404, nil, "Not found")
        }
    }

    private func pay(_ body: JSONValue) -> Answer {
        guard let amount = AdyenBooks.money(body["amount"]) else {
            return AdyenBooks.error(422, "137", "Invalid amount specified")
        }
        guard amount.isPositive else { return AdyenBooks.error(422, "137", "Invalid amount specified") }
        guard let ours = body["reference"]?.stringValue, (1...80).contains(ours.utf8.count) else {
            return AdyenBooks.error(422, "130", "Required field 'reference' is not provided.")
        }
        let method = body["paymentMethod"]
        let number = method?["number"]?.stringValue ?? ""
        guard method?["type"]?.stringValue == "scheme", (12...19).contains(number.utf8.count),
            LuhnChecksum.isValid(number)
        else { return AdyenBooks.error(422, "101", "Invalid card number") }
        guard let month = method?["expiryMonth"]?.stringValue.flatMap({ Int($0) }), (1...12).contains(month),
            method?["expiryYear"]?.stringValue?.utf8.count == 4
        else { return AdyenBooks.error(422, "129", "Expiry Date Invalid") }
        guard payments.count < AdyenBooks.maximumPayments else { return AdyenBooks.error(500, "905", "The books are full") }
        let reference = newReference()
        var payment = Payment(
            reference: reference, ours: ours, amount: amount, isNow: body["captureDelayHours"]?.int64Value == 0,
            lastFour: String(number.suffix(4)), isAuthorised: true)
        let holder = method?["holderName"]?.stringValue ?? ""
        let refusal: (String, String)? =
            switch holder {
            case "NOT_ENOUGH_BALANCE": ("Not enough balance", "12")
            case "CARD_EXPIRED": ("Expired Card", "6")
            case "CVC_DECLINED": ("CVC Declined", "24")
            case "BLOCK_CARD": ("Blocked Card", "5")
            case "DECLINED": ("Refused", "2")
            default: nil
            }
        var members: [JSONMember] = [JSONMember(key: "pspReference", value: .string(reference))]
        var notice = Notice(
            event: "AUTHORISATION", succeeded: true, reference: reference, original: nil, ours: ours, amount: amount,
            reason: nil)
        if holder == "THREEDS" {
            payment.isAuthorised = false
            store(payment)
            members += [
                JSONMember(key: "resultCode", value: .string("RedirectShopper")),
                JSONMember(
                    key: "action",
                    value: .members([
                        "type": .string("redirect"), "method": .string("GET"),
                        "url": .string("https://checkoutshopper-test.adyen.com/3ds"),
                    ])),
            ]
            return Answer(status: 200, body: .object(members))
        }
        if let (reason, code) = refusal {
            payment.isAuthorised = false
            notice.succeeded = false
            notice.reason = reason
            members += [
                JSONMember(key: "refusalReason", value: .string(reason)),
                JSONMember(key: "resultCode", value: .string("Refused")),
                JSONMember(key: "refusalReasonCode", value: .string(code)),
            ]
        } else {
            if payment.isNow { payment.captured = amount.minorUnits }
            members += [
                JSONMember(key: "resultCode", value: .string("Authorised")),
                JSONMember(key: "amount", value: body["amount"] ?? .null),
                JSONMember(
                    key: "additionalData",
                    value: .members([
                        "authCode": .string("012345"), "cardSummary": .string(payment.lastFour),
                    ])),
            ]
        }
        members.append(JSONMember(key: "merchantReference", value: .string(ours)))
        store(payment)
        return Answer(status: 200, body: .object(members), notices: [notice])
    }

    private func store(_ payment: Payment) {
        payments[payment.reference] = payment
        order.append(payment.reference)
    }

    private typealias Change = (inout Payment, JSONValue, inout Notice) -> Void

    private func change(_ reference: String, _ body: JSONValue, _ change: Change) -> Answer {
        guard var payment = payments[reference], payment.isAuthorised else {
            return AdyenBooks.error(422, "167", "Original pspReference required for this operation")
        }
        if let amount = body["amount"], AdyenBooks.money(amount)?.currency != payment.amount.currency {
            return AdyenBooks.error(422, "137", "Invalid amount specified")
        }
        var notice = Notice(
            event: "", succeeded: true, reference: newReference(), original: reference,
            ours: body["reference"]?.stringValue ?? "", amount: AdyenBooks.money(body["amount"]) ?? payment.amount,
            reason: nil)
        change(&payment, body, &notice)
        payments[reference] = payment
        return received(body, notice, of: reference)
    }

    private func received(_ body: JSONValue, _ notice: Notice, of reference: String?) -> Answer {
        Answer(
            status: 201,
            body: .members([
                "merchantAccount": body["merchantAccount"], "paymentPspReference": reference.map { .string($0) },
                "paymentReference": body["paymentReference"], "pspReference": .string(notice.reference),
                "reference": .string(notice.ours), "status": .string("received"), "amount": body["amount"],
            ]),
            notices: [notice])
    }

    private func capture(_ payment: inout Payment, _ body: JSONValue, _ notice: inout Notice) {
        notice.event = "CAPTURE"
        guard !payment.isCancelled, payment.captured == 0, notice.amount.minorUnits <= payment.amount.minorUnits else {
            notice.succeeded = false
            notice.reason = "Insufficient balance on payment"
            return
        }
        payment.captured = notice.amount.minorUnits
    }

    private func cancel(_ payment: inout Payment, _ body: JSONValue, _ notice: inout Notice) {
        notice.event = "CANCELLATION"
        guard payment.captured == 0 else {
            notice.succeeded = false
            notice.reason = "Transaction hasn't been cancelled: already captured"
            return
        }
        payment.isCancelled = true
    }

    private func refund(_ payment: inout Payment, _ body: JSONValue, _ notice: inout Notice) {
        notice.event = "REFUND"
        let (sum, overflow) = payment.refunded.addingReportingOverflow(notice.amount.minorUnits)
        guard !overflow, sum <= payment.captured else {
            notice.succeeded = false
            notice.reason = "Insufficient balance on payment"
            return
        }
        payment.refunded = sum
    }

    private func cancelByName(_ body: JSONValue) -> Answer {
        guard let name = body["paymentReference"]?.stringValue else {
            return AdyenBooks.error(422, "130", "Required field 'paymentReference' is not provided.")
        }
        var notice = Notice(
            event: "TECHNICAL_CANCEL", succeeded: false, reference: newReference(), original: nil,
            ours: body["reference"]?.stringValue ?? "", amount: Money.zero(.eur), reason: "Transaction not found")
        for reference in order.reversed() {
            guard var payment = payments[reference], payment.ours == name, payment.isAuthorised else { continue }
            notice.original = reference
            notice.amount = payment.amount
            notice.succeeded = true
            notice.reason = nil
            cancel(&payment, body, &notice)
            notice.event = "TECHNICAL_CANCEL"
            payments[reference] = payment
            break
        }
        return received(body, notice, of: nil)
    }

    /// The truth in minor units.
    func ledger() -> JSONValue {
        .array(
            order.compactMap { payments[$0] }.map { payment in
                .members([
                    "reference": .string(payment.reference), "ours": .string(payment.ours),
                    "currency": .string(payment.amount.currency.code),
                    "authorized": .number(String(payment.isAuthorised && !payment.isCancelled ? payment.amount.minorUnits : 0)),
                    "captured": .number(String(payment.captured)), "refunded": .number(String(payment.refunded)),
                    "canceled": .bool(payment.isCancelled),
                ])
            })
    }

    private static func money(_ json: JSONValue?) -> Money? {
        guard let value = json?["value"]?.int64Value,
            let currency = json?["currency"]?.stringValue.flatMap({ try? Currency(code: $0) })
        else { return nil }
        return try? AmountCodec.adyen.money(fromWire: value, currency: currency)
    }

    static func error(_ status: Int, _ code: String?, _ message: String, type: String = "validation") -> Answer {
        Answer(
            status: status,
            body: .members([
                "status": .number(String(status)), "errorCode": code.map { .string($0) }, "message": .string(message),
                "errorType": .string(type),
            ]))
    }
}
