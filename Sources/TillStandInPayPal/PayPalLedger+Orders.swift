import TillCards
import TillCore

extension PayPalLedger {
    /// The response codes that PayPal's sandbox returns for these cardholder names.
    static let rejections: [String: String] = [
        "CCREJECT-REFUSED": "0500", "CCREJECT-SF": "9500", "CCREJECT-EC": "5400", "CCREJECT-IRC": "5180",
        "CCREJECT-IF": "5120", "CCREJECT-LS": "9520", "CCREJECT-IA": "1330", "CCREJECT-BANK_ERROR": "5100",
        "CCREJECT-CVV_F": "00N7",
    ]
    /// Card numbers that are declined when presented by a wallet, as wallets seldom supply a name.
    static let rejectedNumbers = ["4000000000000002": "0500"]
    /// A cardholder name that makes the issuer require a challenge.
    static let challengeName = "SCA-REQUIRED"
    /// A cardholder name with a challenge that leaves the order `CREATED`, also if it was passed.
    static let createdName = "SCA-CREATED"
    /// A cardholder name with a challenge whose result PayPal does not report.
    static let unreportedName = "SCA-UNREPORTED"
    /// The cardholder names with a challenge.
    static let challengeNames: Set<String> = [challengeName, createdName, unreportedName]
    /// A cardholder name with a capture that stays under review until the clock has advanced by an hour.
    static let reviewName = "PENDING-REVIEW"

    func createOrder(_ body: JSONValue, key: String?, whole: Bool) -> PayPalAnswer {
        if case .order(let id) = done(key, "/v2/checkout/orders", within: PayPalMemory.orders) {
            return PayPalAnswer(200, render(orderID: id, whole: whole))
        }
        var rules = PayPalRequestRules(.create)
        let intent = rules.text(body["intent"], "/intent", required: true, 1...24)
        if let intent, !["CAPTURE", "AUTHORIZE"].contains(intent) { rules.add("INVALID_PARAMETER_VALUE", "/intent") }
        var units: [Unit] = []
        if let list = body["purchase_units"]?.arrayValue {
            if list.isEmpty { rules.add("INVALID_ARRAY_MIN_ITEMS", "/purchase_units") }
            if list.count > 10 { rules.add("INVALID_ARRAY_MAX_ITEMS", "/purchase_units") }
            for (index, value) in list.prefix(10).enumerated() {
                guard let amount = rules.unit(value, "/purchase_units/\(index)") else { continue }
                units.append(PayPalLedger.unit(value, amount))
            }
        } else {
            rules.add(
                body["purchase_units"] == nil ? "MISSING_REQUIRED_PARAMETER" : "INVALID_PARAMETER_SYNTAX",
                "/purchase_units")
        }
        if let source = body["payment_source"] { check(source, &rules) }
        if let refusal = rules.refusal { return refusal }
        guard let intent, !units.isEmpty else { return .badRequest([.init("MALFORMED_REQUEST_JSON")]) }
        if units.count > 1 {
            if intent == "AUTHORIZE" { return .refused("UNSUPPORTED_INTENT", "/intent") }
            let names = units.map { $0["reference_id"]?.stringValue }
            if names.contains(nil) { return .refused("REFERENCE_ID_REQUIRED", "/purchase_units/@/reference_id") }
            if Set(names).count < names.count {
                return .refused("DUPLICATE_REFERENCE_ID", "/purchase_units/@/reference_id")
            }
            if Set(units.map(\.amount.currency)).count > 1 {
                return .refused("MULTI_CURRENCY_ORDER", "/purchase_units")
            }
        }
        if body["payment_source"] != nil, key == nil {
            return .badRequest([.init("PAYPAL_REQUEST_ID_REQUIRED", location: nil)])
        }
        guard orders.count < PayPalLedger.maximumOrders else { return .failure(503) }
        let time = now
        var order = Order(
            id: newID(), intent: intent, status: "CREATED", units: units, created: time, updated: time)
        if let source = body["payment_source"] {
            if PayPalRequestRules.awaitsCard(source) {
                order.alwaysChallenges =
                    source.at("card", "attributes", "verification", "method")?.stringValue == "SCA_ALWAYS"
                order.returnURL = source.at("card", "experience_context", "return_url")?.stringValue
            } else if let refusal = apply(source, to: &order, executes: true) {
                return refusal
            }
        }
        orders[order.id] = order
        orderSequence.append(order.id)
        notePayments(of: order.id)
        remember(key, "/v2/checkout/orders", .order(order.id))
        return PayPalAnswer(201, render(orderID: order.id, whole: whole))
    }

    /// Creates a purchase unit with only the validated fields, which are stored and echoed.
    static func unit(_ value: JSONValue, _ amount: Money) -> Unit {
        var unit = Unit(members: [], amount: amount)
        for name in ["description", "custom_id", "invoice_id", "soft_descriptor", "amount", "items"] {
            unit.set(name, value[name])
        }
        unit.set("reference_id", value["reference_id"] ?? .string("default"))
        return unit
    }

    func getOrder(_ id: String) -> PayPalAnswer {
        guard orders[id] != nil else { return .missing() }
        return PayPalAnswer(200, render(orderID: id, whole: true))
    }

    func patchOrder(_ id: String, _ body: JSONValue) -> PayPalAnswer {
        guard var order = orders[id] else { return .missing() }
        guard ["CREATED", "APPROVED"].contains(order.status) else {
            return .refused("ORDER_ALREADY_COMPLETED")
        }
        guard let patches = body.arrayValue else { return .badRequest([.init("INVALID_PARAMETER_SYNTAX")]) }
        for (index, patch) in patches.enumerated() {
            guard let operation = patch["op"]?.stringValue else {
                return .badRequest([.init("MISSING_REQUIRED_PARAMETER", "/\(index)/op")])
            }
            guard let path = patch["path"]?.stringValue else {
                return .refused("PATCH_PATH_REQUIRED", "/\(index)/path")
            }
            guard ["add", "replace", "remove"].contains(operation) else {
                return .refused("INVALID_PATCH_OPERATION", "/\(index)/op")
            }
            let value = patch["value"]
            guard value != nil || operation == "remove" else {
                return .refused("PATCH_VALUE_REQUIRED", "/\(index)/value")
            }
            if path == "/intent" {
                guard operation == "replace", let intent = value?.stringValue,
                    ["CAPTURE", "AUTHORIZE"].contains(intent)
                else { return .refused("INVALID_PATCH_OPERATION", "/\(index)/op") }
                order.intent = intent
                continue
            }
            guard let (unit, name) = PayPalLedger.target(path, order) else { return .refused("NOT_PATCHABLE", path) }
            if name == "amount" {
                var rules = PayPalRequestRules(.create)
                guard let amount = rules.money(value, path, required: true) else {
                    return rules.refusal ?? .refused("INVALID_PATCH_OPERATION")
                }
                order.units[unit].amount = amount
            }
            order.units[unit].set(name, operation == "remove" ? nil : value)
        }
        order.updated = now
        orders[id] = order
        return PayPalAnswer(204)
    }

    /// Splits the path of a patch, such as `/purchase_units/@reference_id=='default'/custom_id`, into unit and field.
    private static func target(_ path: String, _ order: Order) -> (Int, String)? {
        let prefix = "/purchase_units/@reference_id=='"
        guard path.hasPrefix(prefix), let end = path.dropFirst(prefix.count).firstRange(of: "'/") else { return nil }
        let reference = String(path.dropFirst(prefix.count)[..<end.lowerBound])
        let name = String(path[end.upperBound...])
        guard ["custom_id", "invoice_id", "description", "soft_descriptor", "amount"].contains(name),
            let unit = order.units.firstIndex(where: { $0.reference == reference })
        else { return nil }
        return (unit, name)
    }

    func confirm(_ id: String, _ body: JSONValue, whole: Bool) -> PayPalAnswer {
        guard var order = orders[id] else { return .missing() }
        guard let source = body["payment_source"] else {
            return .badRequest([.init("MISSING_REQUIRED_PARAMETER", "/payment_source")])
        }
        var rules = PayPalRequestRules(.confirm)
        check(source, &rules)
        if let refusal = rules.refusal { return refusal }
        guard ["CREATED", "APPROVED", "PAYER_ACTION_REQUIRED"].contains(order.status) else {
            return .refused(order.intent == "CAPTURE" ? "ORDER_ALREADY_CAPTURED" : "ORDER_ALREADY_AUTHORIZED")
        }
        if let refusal = apply(source, to: &order, executes: false) { return refusal }
        orders[id] = order
        noteApproval(of: id)
        return PayPalAnswer(200, render(orderID: id, whole: whole))
    }

    /// Handles `authorize` or `capture` of an order.
    func execute(_ id: String, _ body: JSONValue?, intent: String, key: String?, whole: Bool) -> PayPalAnswer {
        let path = "/v2/checkout/orders/\(id)/\(intent)"
        if case .order(let done) = done(key, path, within: PayPalMemory.orders) {
            return PayPalAnswer(200, render(orderID: done, whole: whole))
        }
        guard var order = orders[id] else { return .missing() }
        var rules = PayPalRequestRules(.execute)
        let source = body?["payment_source"]
        if let source { check(source, &rules) }
        if let refusal = rules.refusal { return refusal }
        guard order.intent == intent else { return .refused("ACTION_DOES_NOT_MATCH_INTENT") }
        switch order.status {
        case "COMPLETED":
            return .refused(intent == "CAPTURE" ? "ORDER_ALREADY_CAPTURED" : "ORDER_ALREADY_AUTHORIZED")
        case "APPROVED", "CREATED", "PAYER_ACTION_REQUIRED": break
        default: return .refused("ORDER_COMPLETED_OR_VOIDED")
        }
        if let source {
            if let refusal = apply(source, to: &order, executes: true) { return refusal }
        } else if order.status == "APPROVED" || order.isAuthenticated, let card = order.waiting {
            pay(&order, with: card)
        } else {
            return .refused(order.status == "PAYER_ACTION_REQUIRED" ? "PAYER_ACTION_REQUIRED" : "ORDER_NOT_APPROVED")
        }
        order.updated = now
        orders[id] = order
        notePayments(of: id)
        remember(key, path, .order(id))
        return PayPalAnswer(201, render(orderID: id, whole: whole))
    }

    /// Returns the amount of an order that awaits the customer; `nil` if it does not.
    func waiting(_ id: String) -> Money? {
        guard let order = orders[id], order.status == "PAYER_ACTION_REQUIRED" else { return nil }
        return order.units.first?.amount
    }

    /// Returns the return URL of an order's customer after the challenge or the approval, if it has one.
    func returnURL(_ id: String, succeeds: Bool) -> String? {
        guard let order = orders[id] else { return nil }
        return succeeds ? order.returnURL : order.cancelURL ?? order.returnURL
    }

    /// `true` if a PayPal account is to pay the order.
    func isOfAccount(_ id: String) -> Bool { orders[id]?.account != nil }

    /// Completes a challenge or a wallet approval for the customer.
    func approve(_ id: String, succeeds: Bool) -> Bool {
        guard var order = orders[id], order.status == "PAYER_ACTION_REQUIRED" else { return false }
        if succeeds {
            let name = order.waiting?["name"]?.stringValue
            order.status = name == PayPalLedger.createdName ? "CREATED" : "APPROVED"
            if let card = order.card, name != PayPalLedger.unreportedName {
                let shift = name == PayPalLedger.createdName ? "YES" : "POSSIBLE"
                order.card = PayPalLedger.authenticated(card, shift: shift, status: "Y")
            }
        } else if order.account == nil {
            // Whoever leaves PayPal's own page may come back to it.
            order.status = "CREATED"
            order.card = order.card.map { PayPalLedger.authenticated($0, shift: "NO", status: "N") }
            order.waiting = nil
        }
        orders[id] = order
        noteApproval(of: id)
        return true
    }

    private func noteApproval(of id: String) {
        guard orders[id]?.status == "APPROVED" else { return }
        note("CHECKOUT.ORDER.APPROVED", render(orderID: id, whole: true))
    }

    /// Records the webhooks for the payments of an order that was just executed.
    private func notePayments(of id: String) {
        guard let order = orders[id], order.status == "COMPLETED" else { return }
        note("CHECKOUT.ORDER.COMPLETED", render(orderID: id, whole: true))
        for payment in order.payments {
            switch payment {
            case .authorization(let id):
                if let hold = authorizations[id], hold.status == "CREATED" {
                    note("PAYMENT.AUTHORIZATION.CREATED", render(hold))
                }
            case .capture(let id):
                if let capture = captures[id] { note("PAYMENT.CAPTURE.\(capture.status)", render(capture)) }
            case .refund: break
            }
        }
    }

    private static func authenticated(_ card: JSONValue, shift: String, status: String) -> JSONValue {
        var members = (card.objectValue ?? []).filter { $0.key != "authentication_result" }
        members.append(
            JSONMember(
                key: "authentication_result",
                value: .members([
                    "liability_shift": .string(shift),
                    "three_d_secure": .members([
                        "authentication_status": .string(status), "enrollment_status": .string("Y"),
                    ]),
                ])))
        return .object(members)
    }

    private func check(_ source: JSONValue, _ rules: inout PayPalRequestRules) {
        guard let members = source.objectValue else { return rules.add("INVALID_PARAMETER_SYNTAX", "/payment_source") }
        if members.count > 1, rules.call == .confirm {
            rules.refuse("ONLY_ONE_PAYMENT_SOURCE_ALLOWED", "/payment_source")
        }
        if let card = source["card"] { rules.card(card, "/payment_source/card", now: now) }
        if let wallet = source["apple_pay"] { rules.applePay(wallet, "/payment_source/apple_pay", now: now) }
        if let token = source["token"] {
            rules.text(token["id"], "/payment_source/token/id", required: true, 1...255)
            rules.text(token["type"], "/payment_source/token/type", required: true, 1...255)
        }
    }

    /// Attaches a payment source to an order, and executes the order if requested.
    private func apply(_ source: JSONValue, to order: inout Order, executes: Bool) -> PayPalAnswer? {
        if source["token"] != nil, source["card"] == nil {
            return .refused("TOKEN_ID_NOT_FOUND", "/payment_source/token/id")
        }
        if let wallet = source["apple_pay"] {
            guard let opened = wallet["decrypted_token"], let card = opened["tokenized_card"] else {
                let issue = executes ? "TRANSACTION_REFUSED" : "PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED"
                return .refused(issue, "/payment_source/apple_pay")
            }
            if let amount = opened["transaction_amount"].flatMap(PayPalWireAmount.read),
                order.units.count != 1 || order.units.first?.amount != amount
            {
                return .refused("AMOUNT_MISMATCH", "/payment_source/apple_pay/decrypted_token/transaction_amount")
            }
            order.card = PayPalLedger.shown(card)
            if executes {
                pay(&order, with: card)
            } else {
                order.status = "APPROVED"
                order.waiting = card
            }
            return nil
        }
        guard var card = source["card"] else {
            guard source.objectValue?.isEmpty == false else { return nil }
            // A wallet: the customer approves on its page.
            order.status = "PAYER_ACTION_REQUIRED"
            order.waiting = .members(["name": .string("Wallet")])
            if let account = source["paypal"] {
                order.card = nil
                order.account = .members([
                    "email_address": .string("buyer@example.com"), "account_id": .string("QYR5Z8XDVJNXQ"),
                    "account_status": .string("VERIFIED"),
                ])
                order.returnURL = account.at("experience_context", "return_url")?.stringValue
                order.cancelURL = account.at("experience_context", "cancel_url")?.stringValue
            }
            return nil
        }
        if let vault = card["vault_id"]?.stringValue {
            guard let stored = cards[vault], !stored.isSetup else {
                return .refused("TOKEN_ID_NOT_FOUND", "/payment_source/card/vault_id")
            }
            card = stored.card
        }
        order.card = PayPalLedger.shown(card)
        order.account = nil
        let method = source.at("card", "attributes", "verification", "method")?.stringValue
        let name = card["name"]?.stringValue ?? ""
        if method == "SCA_ALWAYS" || order.alwaysChallenges || PayPalLedger.challengeNames.contains(name) {
            order.status = "PAYER_ACTION_REQUIRED"
            order.waiting = .members(["name": card["name"]])
            order.returnURL =
                source.at("card", "experience_context", "return_url")?.stringValue ?? order.returnURL
            return nil
        }
        if executes {
            pay(&order, with: card)
        } else {
            order.status = "APPROVED"
            order.waiting = .members(["name": card["name"]])
        }
        return nil
    }

    /// Captures or authorizes each unit. A declined card leaves the order `COMPLETED`, as at PayPal.
    private func pay(_ order: inout Order, with card: JSONValue) {
        let code =
            PayPalLedger.rejections[card["name"]?.stringValue ?? ""]
            ?? PayPalLedger.rejectedNumbers[card["number"]?.stringValue ?? ""]
        let processor = JSONValue.members([
            "avs_code": .string(code == nil ? "A" : "G"), "cvv_code": .string(code == nil ? "M" : "P"),
            "response_code": .string(code ?? "0000"),
        ])
        let isPending = card["name"]?.stringValue == PayPalLedger.reviewName
        let time = now
        for (index, unit) in order.units.enumerated() {
            let id = newID()
            if order.intent == "CAPTURE" {
                captures[id] = Capture(
                    id: id, order: order.id, unit: index, authorization: nil,
                    status: code != nil ? "DECLINED" : isPending ? "PENDING" : "COMPLETED", amount: unit.amount,
                    isFinal: true, created: time, processor: processor, reason: isPending ? "PENDING_REVIEW" : nil)
                order.payments.append(.capture(id))
            } else {
                authorizations[id] = Authorization(
                    id: id, order: order.id, unit: index,
                    status: code != nil ? "DENIED" : isPending ? "PENDING" : "CREATED", amount: unit.amount,
                    created: time, expires: time.adding(.days(29)), processor: processor)
                order.payments.append(.authorization(id))
            }
        }
        order.status = "COMPLETED"
        order.waiting = nil
        order.updated = time
    }

    /// Returns the card details that PayPal reports, which never include the number.
    static func shown(_ card: JSONValue) -> JSONValue {
        let number = card["number"]?.stringValue ?? ""
        let brands: [CardBrand: String] = [
            .visa: "VISA", .mastercard: "MASTERCARD", .amex: "AMEX", .discover: "DISCOVER", .jcb: "JCB",
            .maestro: "MAESTRO", .unionpay: "CHINA_UNION_PAY",
        ]
        let brand = CardBrandTable.likeliest(for: number).flatMap { brands[$0.brand] }
        let name = card["name"]?.stringValue.flatMap { $0.unicodeScalars.count > 1 ? $0 : nil }
        return .members([
            "name": name.json, "last_digits": number.isEmpty ? nil : .string(String(number.suffix(4))),
            "brand": brand.json, "type": .string("CREDIT"), "expiry": card["expiry"],
        ])
    }
}
