import TillCards
import TillCore
import TillSandbox

/// The ledger of the Braintree stand-in: nonces and transactions. An actor, in memory.
///
/// The amount selects the outcome, as in Braintree's sandbox: from 2000.00 to 2999.99 the processor declines with the
/// amount's whole part as its code; 5001.00 is rejected by the gateway. Transactions settle on request.
actor BraintreeLedger {
    struct Nonce {
        var number: String
        var expiry: String
        var holder: String?
        var isUsed = false
        /// The bank's answer, if it was asked.
        var verification: Verification?
    }

    struct Transaction {
        var id: String
        var type: String
        var status: String { didSet { if status != oldValue { history.append(status) } } }
        var amount: Money
        var orderID: String?
        var code: String
        var nonce: Nonce
        var created: Timestamp
        var updated: Timestamp
        var refunds: [String] = []
        var refunded: String?
        /// The authorized amount, before a smaller capture.
        var held: Money
        /// The transaction's merchant account.
        var account: String
        var settled: Timestamp?
        var payout: BraintreeReporting.Payout?
        /// Every status since the first.
        var history: [String] = []
        var disputes: [Dispute] = []
        var hasMoved: Bool { BraintreeLedger.taken.contains(status) }
        /// The settlement batch: one for each day and merchant account.
        var batch: String? { settled.map { "\($0.internetTime.prefix(10))_\(account)" } }
    }

    struct Dispute {
        var id: String
        /// The dispute kind in Braintree's terms: `chargeback`, `retrieval`, `pre_arbitration`.
        var kind: String
        var status = "open"
        var amount: Money
        var reason: String
        /// The last day to respond, as `YYYY-MM-DD`.
        var replyBy: String
        /// The status changes, each with the day, `YYYY-MM-DD`, on which it moved money, if it did.
        var steps: [(status: String, at: Timestamp, day: String?)] = []
    }

    static let taken: Set<String> = ["submitted_for_settlement", "settled", "settling"]

    var nonces: [String: Nonce] = [:]
    var transactions: [String: Transaction] = [:]
    var sequence: [String] = []
    var reporting = BraintreeReporting()
    private var counter: UInt64 = 0
    let clock: any TillClock
    /// The merchant accounts; each has one permanent currency. A request that names no account uses the default one,
    /// with the same digits whatever its currency.
    static let accounts = [
        "sandbox": Currency.eur, "sandbox_usd": .usd, "sandbox_gbp": .gbp, "sandbox_jpy": .jpy,
    ]
    static let defaultAccount = "sandbox"

    init(clock: any TillClock) { self.clock = clock }

    func newID() -> String {
        counter += 1
        return String(StableHash.hex("braintree \(counter)").prefix(8))
    }

    // MARK: GraphQL

    func tokenize(_ json: JSONValue) -> JSONValue {
        let card = json.at("variables", "input", "creditCard")
        guard json["query"]?.stringValue?.contains("tokenizeCreditCard") ?? false else {
            return failure("Only tokenizeCreditCard and createClientToken are known here.", "VALIDATION", "00000")
        }
        let number = card?["number"]?.stringValue ?? ""
        guard (12...19).contains(number.utf8.count), LuhnChecksum.isValid(number) else {
            return failure("Credit card number is invalid", "VALIDATION", "81715")
        }
        guard let month = card?["expirationMonth"]?.stringValue.flatMap({ Int($0) }), (1...12).contains(month),
            let year = card?["expirationYear"]?.stringValue, year.utf8.count == 4
        else { return failure("Expiration date is invalid", "VALIDATION", "81710") }
        let id = "tokencc_bf_" + StableHash.hex("nonce \(UInt64.random(in: .min ... .max))")
        nonces[id] = Nonce(
            number: number, expiry: "\(month < 10 ? "0" : "")\(month)/\(year)",
            holder: card?["cardholderName"]?.stringValue)
        let brand = CardBrandTable.likeliest(for: number)?.brand.rawValue.uppercased() ?? "UNKNOWN"
        return .members([
            "data": .members([
                "tokenizeCreditCard": .members([
                    "paymentMethod": .members([
                        "id": .string(id),
                        "details": .members(["brandCode": .string(brand), "last4": .string(String(number.suffix(4)))]),
                    ])
                ])
            ]),
            "extensions": .members(["requestId": .string("sandbox")]),
        ])
    }

    /// The response to a call without an API version.
    func unversioned() -> JSONValue {
        failure("The Braintree-Version header is required.", "UNSUPPORTED_CLIENT", "00000")
    }

    func failure(
        _ message: String, _ kind: String, _ code: String, of operation: String = "tokenizeCreditCard"
    ) -> JSONValue {
        .members([
            "errors": .array([
                .members([
                    "message": .string(message),
                    "extensions": .members(["errorClass": .string(kind), "legacyCode": .string(code)]),
                ])
            ]),
            "data": .members([operation: .null]),
        ])
    }

    // MARK: Transactions

    typealias Answer = (status: Int, node: BraintreeElement)

    func create(_ node: BraintreeElement) -> Answer {
        guard node.name == "transaction", let text = node.value("amount") else {
            return refused("transaction", "amount", "81502", "Amount is required.")
        }
        let account = node.value("merchant_account_id") ?? BraintreeLedger.defaultAccount
        guard let currency = BraintreeLedger.accounts[account] else {
            return refused("transaction", "merchant_account_id", "91513", "Merchant account ID is invalid.")
        }
        guard let amount = Money(ifValid: text, currency: currency), amount.isPositive else {
            return refused("transaction", "amount", "81503", "Amount is an invalid format.")
        }
        let nonce: Nonce
        if let id = node.value("payment_method_nonce") {
            if id.hasPrefix("fake-valid") {
                nonce = Nonce(number: "4111111111111111", expiry: "12/2030")
            } else {
                guard var found = nonces[id] else {
                    return refused("transaction", "payment_method_nonce", "91565", "Unknown payment_method_nonce.")
                }
                guard !found.isUsed else {
                    return refused(
                        "transaction", "payment_method_nonce", "91564",
                        "Cannot use a payment_method_nonce more than once.")
                }
                if let verification = found.verification, verification.amount != amount.decimalString {
                    return refused(
                        "transaction", "amount", "91585", "Amount must match the amount that the bank was asked about.")
                }
                found.isUsed = true
                nonces[id] = found
                nonce = found
            }
        } else if let card = node["credit_card"], let number = card.value("number") {
            guard LuhnChecksum.isValid(number) else {
                return refused("credit-card", "number", "81715", "Credit card number is invalid.")
            }
            nonce = Nonce(number: number, expiry: card.value("expiration_date") ?? "12/2030")
        } else {
            return refused("transaction", "base", "91508", "Cannot determine payment method.")
        }
        let whole = Int64(amount.decimalString.prefix { $0 != "." }) ?? 0
        let isSubmitted = node["options"]?.value("submit_for_settlement") == "true"
        var status = isSubmitted ? "submitted_for_settlement" : "authorized"
        var code = "1000"
        if (2000...2999).contains(whole) {
            status = "processor_declined"
            code = String(whole)
        } else if whole == 5001 {
            status = "gateway_rejected"
            code = ""
        }
        let time = clock.now()
        let made = Transaction(
            id: newID(), type: "sale", status: status, amount: amount, orderID: node.value("order_id"), code: code,
            nonce: nonce, created: time, updated: time, held: amount, account: account,
            history: [status])
        transactions[made.id] = made
        sequence.append(made.id)
        if status == "processor_declined" || status == "gateway_rejected" {
            let text = status == "processor_declined" ? "Processor declined" : "Gateway Rejected"
            return (
                422,
                BraintreeElement(
                    "api-error-response",
                    of: [
                        BraintreeElement("errors", of: [BraintreeElement("errors", type: "array", of: [])]),
                        BraintreeElement("message", text),
                        render(made),
                    ])
            )
        }
        return (201, render(made))
    }

    func find(_ id: String) -> Answer {
        transactions[id].map { (200, render($0)) } ?? (404, BraintreeElement("not-found"))
    }

    func submit(_ id: String, _ node: BraintreeElement?) -> Answer {
        guard var found = transactions[id] else { return (404, BraintreeElement("not-found")) }
        guard found.status == "authorized" else {
            return refused(
                "transaction", "base", "91507", "Cannot submit for settlement unless status is authorized.")
        }
        if let text = node?.value("amount") {
            guard let amount = Money(ifValid: text, currency: found.amount.currency), amount.isPositive else {
                return refused("transaction", "amount", "81503", "Amount is an invalid format.")
            }
            guard amount.minorUnits <= found.amount.minorUnits else {
                return refused("transaction", "amount", "91522", "Settlement amount is too large.")
            }
            found.amount = amount
        }
        found.status = "submitted_for_settlement"
        return store(found)
    }

    func void(_ id: String) -> Answer {
        guard var found = transactions[id] else { return (404, BraintreeElement("not-found")) }
        guard ["authorized", "submitted_for_settlement"].contains(found.status) else {
            return refused(
                "transaction", "base", "91504",
                "Transaction can only be voided if status is authorized or submitted_for_settlement.")
        }
        found.status = "voided"
        return store(found)
    }

    func settle(_ id: String) -> Answer {
        guard var found = transactions[id] else { return (404, BraintreeElement("not-found")) }
        if found.status == "submitted_for_settlement" {
            found.status = "settled"
            found.settled = clock.now()
        }
        return store(found)
    }

    /// Runs the nightly settlement: settles everything that was submitted.
    /// - Returns: the settled transactions.
    func settleAll() -> [BraintreeElement] {
        let submitted = transactions.filter { $0.value.status == "submitted_for_settlement" }.map(\.key).sorted()
        for id in submitted {
            transactions[id]?.status = "settled"
            transactions[id]?.settled = clock.now()
        }
        return submitted.map { find($0).node }
    }

    func refund(_ id: String, _ node: BraintreeElement?) -> Answer {
        guard var found = transactions[id] else { return (404, BraintreeElement("not-found")) }
        guard found.type == "sale" else {
            return refused("transaction", "base", "91505", "Cannot refund credit.")
        }
        guard found.status == "settled" || found.status == "settling" else {
            return refused("transaction", "base", "91506", "Cannot refund transaction unless it is settled.")
        }
        let back = found.refunds.reduce(Int64(0)) { sum, id in
            sum + (transactions[id].map { $0.hasMoved ? $0.amount.minorUnits : 0 } ?? 0)
        }
        let left = Money(minorUnits: found.amount.minorUnits - back, currency: found.amount.currency)
        guard left.isPositive else {
            return refused("transaction", "base", "91512", "Transaction has already been completely refunded.")
        }
        var amount = left
        if let text = node?.value("amount") {
            guard let asked = Money(ifValid: text, currency: left.currency), asked.isPositive,
                asked.minorUnits <= left.minorUnits
            else { return refused("transaction", "amount", "91521", "Refund amount is too large.") }
            amount = asked
        }
        let time = clock.now()
        let made = Transaction(
            id: newID(), type: "credit", status: "submitted_for_settlement", amount: amount,
            orderID: node?.value("order_id"), code: "1002", nonce: found.nonce, created: time, updated: time,
            refunded: id, held: amount, account: found.account, history: ["submitted_for_settlement"])
        transactions[made.id] = made
        sequence.append(made.id)
        found.refunds.append(made.id)
        transactions[id] = found
        return (201, render(made))
    }

    private func store(_ transaction: Transaction) -> Answer {
        var changed = transaction
        changed.updated = clock.now()
        transactions[changed.id] = changed
        return (200, render(changed))
    }

    func refused(_ object: String, _ field: String, _ code: String, _ message: String) -> Answer {
        let error = BraintreeElement(
            "error",
            of: [
                BraintreeElement("code", code), BraintreeElement("attribute", field),
                BraintreeElement("message", message),
            ])
        return (
            422,
            BraintreeElement(
                "api-error-response",
                of: [
                    BraintreeElement(
                        "errors",
                        of: [BraintreeElement(object, of: [BraintreeElement("errors", type: "array", of: [error])])]),
                    BraintreeElement("message", message),
                ])
        )
    }

    static func card(of transaction: Transaction) -> String {
        CardBrandTable.likeliest(for: transaction.nonce.number)?.name ?? "Unknown"
    }

    func render(_ transaction: Transaction) -> BraintreeElement {
        let number = transaction.nonce.number
        let expiry = transaction.nonce.expiry.split(separator: "/").map(String.init)
        var children: [BraintreeElement] = [
            BraintreeElement("id", transaction.id), BraintreeElement("status", transaction.status),
            BraintreeElement("type", transaction.type),
            BraintreeElement("currency-iso-code", transaction.amount.currency.code),
            BraintreeElement("amount", transaction.amount.decimalString),
            BraintreeElement("order-id", transaction.orderID ?? ""),
            BraintreeElement("created-at", transaction.created.internetTime, type: "datetime"),
            BraintreeElement("updated-at", transaction.updated.internetTime, type: "datetime"),
            BraintreeElement("processor-response-code", transaction.code),
            BraintreeElement("processor-response-text", transaction.code == "1000" ? "Approved" : "Do Not Honor"),
            BraintreeElement("processor-response-type", transaction.code == "1000" ? "approved" : "soft_declined"),
            BraintreeElement("merchant-account-id", transaction.account),
            BraintreeElement("payment-instrument-type", "credit_card"),
            BraintreeElement(
                "credit-card",
                of: [
                    BraintreeElement("bin", String(number.prefix(6))),
                    BraintreeElement("last-4", String(number.suffix(4))),
                    BraintreeElement("card-type", BraintreeLedger.card(of: transaction)),
                    BraintreeElement("expiration-month", expiry.first ?? "12"),
                    BraintreeElement("expiration-year", expiry.last ?? "2030"),
                    BraintreeElement("cardholder-name", transaction.nonce.holder ?? ""),
                ]),
            BraintreeElement("customer", of: [BraintreeElement("id", "")]),
            BraintreeElement("billing", of: [BraintreeElement("id", "")]),
            BraintreeElement("shipping", of: [BraintreeElement("id", "")]), BraintreeElement("custom-fields", ""),
            BraintreeElement("refund-ids", type: "array", of: transaction.refunds.map { BraintreeElement("item", $0) }),
            BraintreeElement("status-history", type: "array", of: history(of: transaction)),
            BraintreeElement("disputes", type: "array", of: transaction.disputes.map { render($0, of: transaction) }),
            BraintreeElement("add-ons", type: "array", of: []),
            BraintreeElement("discounts", type: "array", of: []),
            disbursement(of: transaction), BraintreeElement("settlement-batch-id", transaction.batch ?? ""),
            BraintreeElement("descriptor", of: [BraintreeElement("name", "")]),
            BraintreeElement(
                "authorization-expires-at", transaction.created.adding(.days(7)).internetTime, type: "datetime"),
        ]
        if transaction.status == "gateway_rejected" {
            children.append(BraintreeElement("gateway-rejection-reason", "fraud"))
        }
        if let refunded = transaction.refunded {
            children.append(BraintreeElement("refunded-transaction-id", refunded))
        }
        return BraintreeElement("transaction", of: children)
    }

    /// Returns the true state in minor units.
    func ledger() -> JSONValue {
        .array(
            sequence.compactMap { transactions[$0] }.map { entry in
                let isTaken = entry.hasMoved
                return .members([
                    "reference": .string(entry.id), "type": .string(entry.type), "state": .string(entry.status),
                    "amount": .number(String(entry.amount.minorUnits)),
                    "currency": .string(entry.amount.currency.code),
                    "captured": .number(String(entry.type == "sale" && isTaken ? entry.amount.minorUnits : 0)),
                    "refunded": .number(String(entry.type == "credit" && isTaken ? entry.amount.minorUnits : 0)),
                    "disputed": .number(String(entry.disputes.map(\.withdrawn).reduce(0, +))),
                    "metadata": .members(["order_id": entry.orderID.json]),
                ])
            })
    }
}
