import TillCore

extension BillingAgreement {
    /// The member of the browser's `ApplePayPaymentRequest` for this agreement. Times are ISO 8601 text, because JSON
    /// has no dates; the browser client makes `Date` objects of them.
    var member: (String, JSONValue) {
        switch terms {
        case .recurring(let regular, let trial):
            var billings = [("regularBilling", regular.json)]
            if let trial { billings.append(("trialBilling", trial.json)) }
            return ("recurringPaymentRequest", json(with: billings))
        case .deferred(let item, let date, let cancellation):
            let billing = item.json(timed: "deferred", [("deferredPaymentDate", .string(date.description))])
            var members = [("deferredBilling", billing)]
            if let cancellation {
                members.append(("freeCancellationDate", .string(cancellation.until.description)))
                members.append(("freeCancellationDateTimeZone", .string(cancellation.timeZone)))
            }
            return ("deferredPaymentRequest", json(with: members))
        case .automaticReload(let item, let threshold):
            let billing = item.json(
                timed: "automaticReload",
                [("automaticReloadPaymentThresholdAmount", .string(threshold.decimalString))])
            return ("automaticReloadPaymentRequest", json(with: [("automaticReloadBilling", billing)]))
        }
    }

    private func json(with billing: [(String, JSONValue)]) -> JSONValue {
        var members: [(String, JSONValue)] = [("paymentDescription", .string(description))] + billing
        if let text { members.append(("billingAgreement", .string(text))) }
        members.append(("managementURL", .string(managementURL)))
        if let notificationURL { members.append(("tokenNotificationURL", .string(notificationURL))) }
        return JSONValue(members)
    }
}

extension BillingAgreement.RecurringBilling {
    /// The Apple Pay JS representation.
    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("recurringPaymentIntervalUnit", .string(unit.rawValue)),
            ("recurringPaymentIntervalCount", .number(String(count))),
        ]
        if let start { members.append(("recurringPaymentStartDate", .string(start.description))) }
        if let end { members.append(("recurringPaymentEndDate", .string(end.description))) }
        return item.json(timed: "recurring", members)
    }
}

extension SheetItem {
    /// The Apple Pay JS representation of a line that is charged later.
    fileprivate func json(timed timing: String, _ members: [(String, JSONValue)]) -> JSONValue {
        .object(
            (json.objectValue ?? []) + [JSONMember(key: "paymentTiming", value: .string(timing))]
                + members.map { JSONMember(key: $0.0, value: $0.1) })
    }
}

// MARK: Storage

extension BillingAgreement {
    /// The stored form; ``init(kept:currency:)`` parses it.
    var kept: JSONValue {
        var members: [(String, JSONValue)] = [
            ("description", .string(description)), ("managementURL", .string(managementURL)),
        ]
        if let text { members.append(("text", .string(text))) }
        if let notificationURL { members.append(("notificationURL", .string(notificationURL))) }
        switch terms {
        case .recurring(let regular, let trial):
            var billings = [("regular", regular.kept)]
            if let trial { billings.append(("trial", trial.kept)) }
            members.append(("recurring", JSONValue(billings)))
        case .deferred(let item, let date, let cancellation):
            var charge: [(String, JSONValue)] = [("item", item.kept), ("date", date.kept)]
            if let cancellation {
                charge.append(("freeUntil", cancellation.until.kept))
                charge.append(("timeZone", .string(cancellation.timeZone)))
            }
            members.append(("deferred", JSONValue(charge)))
        case .automaticReload(let item, let threshold):
            members.append(
                (
                    "automaticReload",
                    JSONValue([("item", item.kept), ("threshold", .number(String(threshold.minorUnits)))])
                ))
        }
        return JSONValue(members)
    }

    /// Parses a stored agreement; `nil` if the document is not one.
    init?(kept json: JSONValue, currency: Currency) {
        guard let description = json["description"]?.stringValue,
            let managementURL = json["managementURL"]?.stringValue, let terms = Terms(kept: json, currency: currency)
        else { return nil }
        self.init(
            description: description, text: json["text"]?.stringValue, managementURL: managementURL,
            notificationURL: json["notificationURL"]?.stringValue, terms: terms)
    }
}

extension BillingAgreement.Terms {
    fileprivate init?(kept json: JSONValue, currency: Currency) {
        if let recurring = json["recurring"] {
            guard let kept = recurring["regular"],
                let regular = BillingAgreement.RecurringBilling(kept: kept, currency: currency)
            else { return nil }
            var trial: BillingAgreement.RecurringBilling?
            if let kept = recurring["trial"] {
                trial = BillingAgreement.RecurringBilling(kept: kept, currency: currency)
                guard trial != nil else { return nil }
            }
            self = .recurring(regular: regular, trial: trial)
        } else if let deferred = json["deferred"] {
            guard let item = deferred["item"].flatMap({ SheetItem(kept: $0, currency: currency) }),
                let date = deferred["date"].flatMap(Timestamp.init(kept:))
            else { return nil }
            var cancellation: BillingAgreement.FreeCancellation?
            if let kept = deferred["freeUntil"] {
                guard let until = Timestamp(kept: kept), let zone = deferred["timeZone"]?.stringValue else {
                    return nil
                }
                cancellation = BillingAgreement.FreeCancellation(until: until, timeZone: zone)
            }
            self = .deferred(item, on: date, cancellation)
        } else if let reload = json["automaticReload"] {
            guard let item = reload["item"].flatMap({ SheetItem(kept: $0, currency: currency) }),
                let units = reload["threshold"]?.int64Value
            else { return nil }
            self = .automaticReload(item, threshold: Money(minorUnits: units, currency: currency))
        } else {
            return nil
        }
    }
}

extension BillingAgreement.RecurringBilling {
    fileprivate var kept: JSONValue {
        var members: [(String, JSONValue)] = [
            ("item", item.kept), ("count", .number(String(count))), ("unit", .string(unit.rawValue)),
        ]
        if let start { members.append(("start", start.kept)) }
        if let end { members.append(("end", end.kept)) }
        return JSONValue(members)
    }

    fileprivate init?(kept json: JSONValue, currency: Currency) {
        guard let item = json["item"].flatMap({ SheetItem(kept: $0, currency: currency) }),
            let count = json["count"]?.int64Value.flatMap({ Int(exactly: $0) }), count > 0,
            let unit = json["unit"]?.stringValue.flatMap(PaymentSheetRequest.Interval.init(rawValue:))
        else { return nil }
        self.init(
            item: item, every: count, unit, start: json["start"].flatMap(Timestamp.init(kept:)),
            end: json["end"].flatMap(Timestamp.init(kept:)))
    }
}

extension Timestamp {
    /// The moment in milliseconds since 1970.
    fileprivate var kept: JSONValue { .number(String(milliseconds)) }

    fileprivate init?(kept json: JSONValue) {
        guard let milliseconds = json.int64Value else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
