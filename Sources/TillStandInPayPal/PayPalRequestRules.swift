import TillCards
import TillCore

/// Validates a request's body against PayPal's API description and collects the faults.
struct PayPalRequestRules {
    typealias Fault = PayPalAnswer.Fault
    /// The call that determines the issue codes: PayPal documents different codes for the same fault in different
    /// calls.
    enum Call { case create, confirm, execute, payments }
    let call: Call
    init(_ call: Call = .payments) { self.call = call }
    private(set) var syntax: [Fault] = []
    private(set) var semantics: [Fault] = []

    /// The first response that refuses the request; `nil` if it may proceed.
    var refusal: PayPalAnswer? {
        if !syntax.isEmpty { return .badRequest(syntax) }
        return semantics.isEmpty ? nil : .refused(semantics)
    }

    mutating func add(_ issue: String, _ field: String) { syntax.append(Fault(issue, field)) }
    mutating func refuse(_ issue: String, _ field: String) { semantics.append(Fault(issue, field)) }

    /// Validates a string's length and format.
    @discardableResult
    mutating func text(
        _ value: JSONValue?, _ field: String, required: Bool = false, _ lengths: ClosedRange<Int>,
        where isRight: (String) -> Bool = { _ in true }
    ) -> String? {
        guard let value else {
            if required { add("MISSING_REQUIRED_PARAMETER", field) }
            return nil
        }
        guard let text = value.stringValue else {
            add("INVALID_PARAMETER_SYNTAX", field)
            return nil
        }
        guard lengths.contains(text.unicodeScalars.count) else {
            add("INVALID_STRING_LENGTH", field)
            return nil
        }
        guard isRight(text) else {
            add("INVALID_PARAMETER_SYNTAX", field)
            return nil
        }
        return text
    }

    static func digits(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }

    static func isExpiry(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2, digits(String(parts[0])),
            digits(String(parts[1])), let month = Int(parts[1]), let year = Int(parts[0])
        else { return false }
        return (1...12).contains(month) && year >= 1000
    }

    /// Validates an amount: currency, decimal string, and PayPal's decimal places.
    @discardableResult
    mutating func money(
        _ value: JSONValue?, _ field: String, required: Bool = false, allowsZero: Bool = false
    ) -> Money? {
        guard let value else {
            if required { add("MISSING_REQUIRED_PARAMETER", field) }
            return nil
        }
        guard value.objectValue != nil else {
            add("INVALID_PARAMETER_SYNTAX", field)
            return nil
        }
        let code = text(value["currency_code"], "\(field)/currency_code", required: true, 3...3)
        let number = text(value["value"], "\(field)/value", required: true, 1...32) { PayPalRequestRules.isDecimal($0) }
        guard let code, let number else { return nil }
        guard let currency = Currency(ifValid: code), PayPalWireAmount.takes(currency) else {
            refuse("INVALID_CURRENCY_CODE", "\(field)/currency_code")
            return nil
        }
        let padded = number.hasPrefix(".") ? "0" + number : number.replacing("-.", with: "-0.")
        guard let money = Money(ifValid: padded, currency: currency) else {
            refuse("DECIMAL_PRECISION", "\(field)/value")
            return nil
        }
        guard PayPalWireAmount.canSay(money) else {
            refuse(call == .create ? "DECIMAL_PRECISION" : "DECIMALS_NOT_SUPPORTED", "\(field)/value")
            return nil
        }
        guard money.isPositive || (allowsZero && money.isZero) else {
            refuse(allowsZero ? "CANNOT_BE_NEGATIVE" : "CANNOT_BE_ZERO_OR_NEGATIVE", "\(field)/value")
            return nil
        }
        return money
    }

    /// Returns `true` if a string matches PayPal's amount pattern, `^((-?[0-9]+)|(-?([0-9]+)?[.][0-9]+))$`.
    private static func isDecimal(_ text: String) -> Bool {
        let body = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = body.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ digits(String($0)) }) else { return false }
        return parts.count == 1 ? !parts[0].isEmpty : parts.count == 2 && !parts[1].isEmpty
    }

    /// Validates a purchase unit and returns its amount.
    mutating func unit(_ value: JSONValue, _ field: String) -> Money? {
        guard value.objectValue != nil else {
            add("INVALID_PARAMETER_SYNTAX", field)
            return nil
        }
        for (name, limit) in [
            ("reference_id", 256), ("description", 127), ("custom_id", 127), ("invoice_id", 127),
            ("soft_descriptor", 22),
        ] { text(value[name], "\(field)/\(name)", 1...limit) }
        let amount = money(value["amount"], "\(field)/amount", required: true)
        let breakdown = value.at("amount", "breakdown")
        if let amount, let breakdown { check(breakdown, makes: amount, "\(field)/amount") }
        if let items = value["items"] { check(items, breakdown, "\(field)/items") }
        return amount
    }

    private mutating func check(_ breakdown: JSONValue, makes amount: Money, _ field: String) {
        var sum = Money.zero(amount.currency)
        for (name, isAdded) in [
            ("item_total", true), ("shipping", true), ("handling", true), ("tax_total", true), ("insurance", true),
            ("shipping_discount", false), ("discount", false),
        ] {
            guard let value = breakdown[name] else { continue }
            guard let part = money(value, "\(field)/breakdown/\(name)", allowsZero: true) else { return }
            guard let next = isAdded ? sum.adding(ifExact: part) : sum.subtracting(ifExact: part) else {
                return refuse("MULTI_CURRENCY_ORDER", "\(field)/breakdown/\(name)")
            }
            sum = next
        }
        if sum != amount { refuse("AMOUNT_MISMATCH", "\(field)/value") }
    }

    private mutating func check(_ items: JSONValue, _ breakdown: JSONValue?, _ field: String) {
        guard let list = items.arrayValue else { return add("INVALID_PARAMETER_SYNTAX", field) }
        var sum: Money?
        for (index, item) in list.enumerated() {
            let place = "\(field)/\(index)"
            text(item["name"], "\(place)/name", required: true, 1...127)
            let count = text(item["quantity"], "\(place)/quantity", required: true, 1...10) {
                PayPalRequestRules.digits($0)
            }
            let price = money(item["unit_amount"], "\(place)/unit_amount", required: true, allowsZero: true)
            guard let price, let count = count.flatMap({ Int64($0) }) else { return }
            let (units, overflow) = price.minorUnits.multipliedReportingOverflow(by: count)
            guard !overflow else { return refuse("ITEM_TOTAL_MISMATCH", place) }
            let line = Money(minorUnits: units, currency: price.currency)
            sum = sum == nil ? line : sum.flatMap { $0.adding(ifExact: line) }
        }
        guard let sum else { return }
        guard let total = breakdown?["item_total"] else { return refuse("ITEM_TOTAL_REQUIRED", field) }
        if PayPalWireAmount.read(total) != sum { refuse("ITEM_TOTAL_MISMATCH", field) }
    }

    /// Returns `true` for the payment source of a new order whose card PayPal's fields attach later: it has the
    /// conditions of the card, and no part of it.
    static func awaitsCard(_ source: JSONValue) -> Bool {
        guard let members = source["card"]?.objectValue, !members.isEmpty else { return false }
        return members.allSatisfy { ["attributes", "experience_context"].contains($0.key) }
    }

    /// Validates a card as a payment source.
    mutating func card(_ card: JSONValue, _ field: String, now: Timestamp) {
        guard card.objectValue != nil else { return add("INVALID_PARAMETER_SYNTAX", field) }
        text(card["name"], "\(field)/name", 1...300)
        text(card["vault_id"], "\(field)/vault_id", 1...255)
        let isStored = card["vault_id"] != nil || card["network_token"] != nil || card["single_use_token"] != nil
        let number = text(card["number"], "\(field)/number", 13...19) { PayPalRequestRules.digits($0) }
        let expiry = text(card["expiry"], "\(field)/expiry", 7...7) { PayPalRequestRules.isExpiry($0) }
        text(card["security_code"], "\(field)/security_code", 3...4) { PayPalRequestRules.digits($0) }
        for name in ["return_url", "cancel_url"] {
            text(card.at("experience_context", name), "\(field)/experience_context/\(name)", 10...4000) {
                $0.contains("://")
            }
        }
        if let address = card["billing_address"] {
            text(address["country_code"], "\(field)/billing_address/country_code", required: true, 2...2)
            for (name, limit) in [
                ("address_line_1", 300), ("address_line_2", 300), ("admin_area_2", 120), ("admin_area_1", 300),
                ("postal_code", 60),
            ] { text(address[name], "\(field)/billing_address/\(name)", 0...limit) }
        }
        guard syntax.isEmpty, !isStored else { return }
        if call == .create, PayPalRequestRules.awaitsCard(.members(["card": card])) { return }
        guard let number else {
            return call == .create
                ? add("MISSING_REQUIRED_PARAMETER", "\(field)/number")
                : refuse("CARD_NUMBER_REQUIRED", "\(field)/number")
        }
        guard let expiry else {
            return call == .create
                ? add("MISSING_REQUIRED_PARAMETER", "\(field)/expiry")
                : refuse("CARD_EXPIRY_REQUIRED", "\(field)/expiry")
        }
        if !LuhnChecksum.isValid(number) {
            let issue = call == .execute ? "TRANSACTION_REFUSED" : "PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED"
            return refuse(issue, "\(field)/number")
        }
        if let read = try? Expiry(expiry, now: now) {
            do { try read.check(at: now) } catch { refuse("CARD_EXPIRED", "\(field)/expiry") }
        }
        let wanted = number.hasPrefix("34") || number.hasPrefix("37") ? 4 : 3
        if let code = card["security_code"]?.stringValue, code.utf8.count != wanted {
            refuse("INVALID_SECURITY_CODE_LENGTH", "\(field)/security_code")
        }
        if card.at("stored_credential", "payment_initiator")?.stringValue == "MERCHANT", card["security_code"] != nil {
            refuse("MERCHANT_INITIATED_WITH_SECURITY_CODE", "\(field)/security_code")
        }
    }

    /// Validates the amount of a wallet's token. An amount that PayPal does not support matches no order and is refused
    /// as a mismatch.
    private mutating func amountOfToken(_ amount: JSONValue, _ field: String) {
        guard amount.objectValue != nil else { return add("INVALID_PARAMETER_SYNTAX", field) }
        let code = text(amount["currency_code"], "\(field)/currency_code", required: true, 3...3)
        let number = text(amount["value"], "\(field)/value", required: true, 1...32) {
            PayPalRequestRules.isDecimal($0)
        }
        guard code != nil, number != nil, PayPalWireAmount.read(amount) == nil else { return }
        refuse("APPLE_PAY_AMOUNT_MISMATCH", field)
    }

    /// Validates Apple Pay as a payment source.
    mutating func applePay(_ wallet: JSONValue, _ field: String, now: Timestamp) {
        guard wallet.objectValue != nil else { return add("INVALID_PARAMETER_SYNTAX", field) }
        text(wallet["id"], "\(field)/id", 1...250)
        guard let opened = wallet["decrypted_token"] else { return }
        let place = "\(field)/decrypted_token"
        guard let card = opened["tokenized_card"] else {
            return add("MISSING_REQUIRED_PARAMETER", "\(place)/tokenized_card")
        }
        self.card(card, "\(place)/tokenized_card", now: now)
        if let amount = opened["transaction_amount"] { amountOfToken(amount, "\(place)/transaction_amount") }
        text(opened["device_manufacturer_id"], "\(place)/device_manufacturer_id", 1...2000)
        let kind = text(opened["payment_data_type"], "\(place)/payment_data_type", 1...16) {
            ["3DSECURE", "EMV"].contains($0)
        }
        for (name, limit) in [("cryptogram", 2000), ("eci_indicator", 256), ("emv_data", 2000), ("pin", 2000)] {
            text(opened.at("payment_data", name), "\(place)/payment_data/\(name)", 1...limit)
        }
        let proof = kind == "EMV" ? "emv_data" : "cryptogram"
        if kind != nil, opened.at("payment_data", proof) == nil {
            add("MISSING_REQUIRED_PARAMETER", "\(place)/payment_data/\(proof)")
        }
    }
}
