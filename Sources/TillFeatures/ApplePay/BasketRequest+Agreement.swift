import TillApplePay
import TillCore
import TillWeb

/// The agreement on later charges in a basket's request: `recurring`, `deferred` or `automatic_reload`.
extension BasketRequest {
    /// The kinds of agreement, by the names of their members; a basket has at most one.
    enum AgreementKind: String, CaseIterable {
        case recurring
        case deferred
        case automaticReload = "automatic_reload"

        init(_ terms: BillingAgreement.Terms) {
            self =
                switch terms {
                case .recurring: .recurring
                case .deferred: .deferred
                case .automaticReload: .automaticReload
                }
        }
    }

    /// The maximum size of an agreement's conditions, in bytes: what is shown of a text without being cut.
    static let maximumConditionBytes = 192
    /// The maximum size of an address, in bytes.
    static let maximumAddressBytes = 512
    /// The maximum number of units from one charge to the next: a year of days.
    static let maximumIntervalCount: Int64 = 366
    /// The maximum size of a time zone's name, in bytes.
    static let maximumZoneBytes = 64

    private static let common: Set<String> = [
        "description", "billing_agreement", "management_url", "notification_url",
    ]

    /// Returns the addresses in a request's agreements, with their places. One is never masked, because it would lead
    /// elsewhere.
    static func addresses(in body: JSONValue) -> [(place: String, value: JSONValue)] {
        AgreementKind.allCases.flatMap { kind in
            ["management_url", "notification_url"].compactMap { name in
                body[kind.rawValue]?[name].map { (place: "\(kind.rawValue)/\(name)", value: $0) }
            }
        }
    }

    /// Returns the agreement of a request; `nil` if it has none.
    /// - Parameter now: the time before which nothing can be agreed on.
    static func agreement(
        in body: JSONValue, _ currency: Currency, now: Timestamp
    ) throws -> BillingAgreement? {
        let given = AgreementKind.allCases.filter { !(body[$0.rawValue]?.isNull ?? true) }
        guard let kind = given.first, let value = body[kind.rawValue] else { return nil }
        guard given.count == 1 else {
            throw Problem.field(
                given[1].rawValue, "A basket has one agreement, and it has \(kind.rawValue), too. Nothing was opened.")
        }
        let place = kind.rawValue + "/"
        let terms: BillingAgreement.Terms
        switch kind {
        case .recurring:
            try checkObject(value, common.union(["regular", "trial"]), place)
            terms = try recurring(value, place, currency, now: now)
        case .deferred:
            try checkObject(value, common.union(["payment", "free_cancellation"]), place)
            terms = try deferred(value, place, currency, now: now)
        case .automaticReload:
            try checkObject(value, common.union(["reload", "threshold"]), place)
            let reload = value["reload"] ?? .null
            try checkObject(reload, ["label", "amount"], place + "reload/")
            terms = .automaticReload(
                try item(reload, place + "reload/", currency, isFree: false),
                threshold: try amount("threshold", of: value, place, currency, isFree: true))
        }
        let conditions = try value.text("billing_agreement", in: place, atMost: maximumConditionBytes)
        return BillingAgreement(
            description: try label("description", of: value, place),
            text: conditions.map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 },
            managementURL: try address(value["management_url"] ?? .null, place + "management_url"),
            notificationURL: try optional(value["notification_url"]).map {
                try address($0, place + "notification_url")
            }, terms: terms)
    }

    // MARK: Kinds

    private static func recurring(
        _ value: JSONValue, _ place: String, _ currency: Currency, now: Timestamp
    ) throws -> BillingAgreement.Terms {
        let regular = try billing(value["regular"] ?? .null, place + "regular/", currency, isFree: false, now: now)
        let trial = try optional(value["trial"]).map {
            try billing($0, place + "trial/", currency, isFree: true, now: now)
        }
        if let end = trial?.end, end > regular.start ?? now {
            throw Problem.field(
                place + "trial/ends_at", "The regular charges begin before it: give regular/starts_at as well.")
        }
        return .recurring(regular: regular, trial: trial)
    }

    private static func billing(
        _ value: JSONValue, _ place: String, _ currency: Currency, isFree: Bool, now: Timestamp
    ) throws -> BillingAgreement.RecurringBilling {
        try checkObject(value, ["label", "amount", "unit", "count", "starts_at", "ends_at"], place)
        let item = try item(value, place, currency, isFree: isFree)
        guard let unit = value["unit"]?.stringValue.flatMap(PaymentSheetRequest.Interval.init(rawValue:)) else {
            let known = PaymentSheetRequest.Interval.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.field(place + "unit", "It must be one of \(known).")
        }
        let given = optional(value["count"]) ?? .number("1")
        guard let count = given.int64Value, (1...maximumIntervalCount).contains(count) else {
            throw Problem.field(place + "count", "It must be a whole number from 1 to \(maximumIntervalCount).")
        }
        let start = try moment("starts_at", of: value, place)
        let end = try moment("ends_at", of: value, place)
        if let end { try checkFuture(end, place + "ends_at", now: now) }
        if let start, let end, end <= start {
            throw Problem.field(place + "ends_at", "It is not after starts_at, so nothing would be charged.")
        }
        return BillingAgreement.RecurringBilling(item: item, every: Int(count), unit, start: start, end: end)
    }

    private static func deferred(
        _ value: JSONValue, _ place: String, _ currency: Currency, now: Timestamp
    ) throws -> BillingAgreement.Terms {
        let (payment, inside) = (value["payment"] ?? .null, place + "payment/")
        try checkObject(payment, ["label", "amount", "due_at"], inside)
        let item = try item(payment, inside, currency, isFree: false)
        guard let due = try moment("due_at", of: payment, inside) else {
            throw Problem.field(inside + "due_at", "It is missing.")
        }
        try checkFuture(due, inside + "due_at", now: now)
        guard let term = optional(value["free_cancellation"]) else { return .deferred(item, on: due, nil) }
        let free = place + "free_cancellation/"
        try checkObject(term, ["until", "time_zone"], free)
        guard let until = try moment("until", of: term, free) else {
            throw Problem.field(free + "until", "It is missing.")
        }
        try checkFuture(until, free + "until", now: now)
        let form = /[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}/
        guard let zone = term["time_zone"]?.stringValue, zone.utf8.count <= maximumZoneBytes,
            zone.utf8.allSatisfy({ $0 < 0x80 }), zone.wholeMatch(of: form) != nil
        else {
            throw Problem.field(free + "time_zone", "It must be the name of a time zone, such as Europe/London.")
        }
        return .deferred(item, on: due, BillingAgreement.FreeCancellation(until: until, timeZone: zone))
    }

    // MARK: Values

    private static func optional(_ value: JSONValue?) -> JSONValue? { value.flatMap { $0.isNull ? nil : $0 } }

    private static func item(
        _ value: JSONValue, _ place: String, _ currency: Currency, isFree: Bool
    ) throws -> SheetItem {
        SheetItem(
            label: try label("label", of: value, place),
            amount: try amount("amount", of: value, place, currency, isFree: isFree))
    }

    /// Returns an amount of a later charge.
    /// - Parameter isFree: `true` if it may be zero.
    private static func amount(
        _ name: String, of value: JSONValue, _ place: String, _ currency: Currency, isFree: Bool
    ) throws -> Money {
        let amount = try money(name, of: value, place, currency)
        guard amount.isPositive || (isFree && amount.isZero) else {
            throw Problem.field(
                place + name, isFree ? "It must not be below zero." : "It must be above zero.", code: "invalid_amount")
        }
        return amount
    }

    private static func moment(_ name: String, of value: JSONValue, _ place: String) throws -> Timestamp? {
        guard let value = optional(value[name]) else { return nil }
        guard let time = value.stringValue.flatMap({ time(in: $0) }) else {
            throw Problem.field(place + name, timeRule)
        }
        return time
    }

    private static func checkFuture(_ time: Timestamp, _ place: String, now: Timestamp) throws {
        guard time > now else { throw Problem.field(place, "It is in the past. Nothing was opened.") }
    }

    /// Returns an address that browsers and phones open over TLS.
    private static func address(_ value: JSONValue, _ place: String) throws -> String {
        let host = /https:\/\/[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[1-9][0-9]{0,4})?/
        let rest = /([\/?#][A-Za-z0-9._~:\/?#@!$&'()*+,;=%-]*)?/
        guard let text = value.stringValue, text.utf8.count <= maximumAddressBytes,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let start = text.prefixMatch(of: host),
            text[start.range.upperBound...].wholeMatch(of: rest) != nil
        else {
            throw Problem.field(
                place, "It must be an address that begins with https://, of at most \(maximumAddressBytes) bytes.")
        }
        return text
    }
}
