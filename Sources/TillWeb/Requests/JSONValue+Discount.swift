package import TillCore

extension JSONValue {
    /// Returns the members `amount` and `currency` of a sale of an amount.
    package func saleAmount() throws -> Money {
        guard let code = try text("currency", atMost: 3) else { throw Problem.field("currency", "It is missing.") }
        let currency: Currency
        do throws(MoneyError) { currency = try Currency(code: code) } catch {
            throw Problem.field("currency", "\(error)")
        }
        guard let amount = try amount("amount", currency) else {
            throw Problem.field("amount", "It is missing.", code: "invalid_amount")
        }
        return amount
    }

    /// Returns the optional member `discount`: an amount in minor units, a reason, and the payment's currency if it
    /// names one.
    /// - Parameter charged: The amount charged after the discount.
    /// - Throws: ``Problem``; `DiscountError` for a discount that is zero, too large, in another currency or without a
    ///   reason.
    package func discount(beside charged: Money) throws -> Discount? {
        guard let value = self["discount"], !value.isNull else { return nil }
        guard value.objectValue != nil else { throw Problem.field("discount", "It must be an object.") }
        let place = "discount/"
        try value.allow(["amount", "currency", "reason"], in: place)
        guard let units = value["amount"]?.int64Value else {
            throw Problem.field(
                place + "amount", "It must be a whole number of minor units above zero.", code: "invalid_amount")
        }
        var currency = charged.currency
        if let code = try value.text("currency", in: place, atMost: 3) {
            do throws(MoneyError) { currency = try Currency(code: code) } catch {
                throw Problem.field(place + "currency", "\(error)")
            }
        }
        // A scalar has at most four bytes.
        let reason = try value.text("reason", in: place, atMost: Discount.maximumReasonLength * 4) ?? ""
        guard reason.unicodeScalars.count <= Discount.maximumReasonLength else {
            throw Problem.field(place + "reason", "It must have at most \(Discount.maximumReasonLength) characters.")
        }
        return try Discount(Money(minorUnits: units, currency: currency), reason: reason, beside: charged)
    }
}
