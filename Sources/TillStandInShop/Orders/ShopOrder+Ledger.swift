import TillCore

extension ShopOrder {
    /// The entry of `GET /_sandbox/ledger`.
    var ledgerEntry: JSONValue {
        .members([
            "id": .number(String(id)), "status": .string(status.text), "currency": .string(currency.code),
            "total": .number(String(total)), "transaction_id": .string(transaction),
            "needs_payment": .bool(needsPayment),
            "paid": .number(String(payments.count)),
            "payments": .array(
                payments.map {
                    .members([
                        "transaction_id": .string($0.transaction), "at": .string($0.at.internetTime),
                        "at_ms": .number(String($0.at.milliseconds)),
                    ])
                }),
            "marked_paid": .number(String(markedPaid)),
            "refunded": .number(String(refunded)),
            "refunded_by_gateway": .number(
                String(refunds.filter(\.isByGateway).reduce(Int64(0)) { $0 + $1.amount })),
            "refunds": .array(
                refunds.map {
                    .members([
                        "id": .number(String($0.id)), "amount": .number(String($0.amount)),
                        "reason": .string($0.reason), "by_gateway": .bool($0.isByGateway),
                        "meta_data": .array($0.meta),
                    ])
                }),
            "notes": .array(
                notes.map {
                    .members([
                        "id": .number(String($0.id)), "note": .string($0.text),
                        "customer_note": .bool($0.isForCustomer), "author": .string($0.author),
                    ])
                }),
            "meta_data": .array(meta),
        ])
    }

    /// Members that ``take(_:next:)`` does not keep as they are, since the order computes them itself.
    private static let own: Set<String> = [
        "id", "parent_id", "status", "currency", "version", "prices_include_tax", "date_created", "date_modified",
        "customer_id", "order_key", "billing", "shipping", "payment_method", "payment_method_title", "transaction_id",
        "customer_ip_address", "customer_user_agent", "created_via", "customer_note", "date_completed", "date_paid",
        "cart_hash", "number", "meta_data", "tax_lines", "refunds", "payment_url", "is_editable", "needs_payment",
        "needs_processing", "date_created_gmt", "date_modified_gmt", "date_completed_gmt", "date_paid_gmt", "_links",
    ]

    /// Takes the content of a document of a shop as it is written, amounts and lines included.
    mutating func take(_ document: JSONValue, next: () -> Int64) throws(ShopRefusal) {
        let lists = Set(Part.allCases.map(\.rawValue))
        let plain = (document.objectValue ?? []).filter {
            !lists.contains($0.key) && !["id", "status"].contains($0.key)
        }
        _ = try apply(ShopBody(json: .object(plain)), next: next)
        let body = ShopBody(json: document)
        for part in Part.allCases { parts[part] = try body.list(part.rawValue) ?? [] }
        taxLines = try body.list("tax_lines") ?? []
        pricesIncludeTax = try body.flag("prices_include_tax") ?? false
        createdVia = try body.text("created_via") ?? "checkout"
        for name in ["date_created_gmt", "date_modified_gmt"] {
            guard let text = try body.text(name) else { continue }
            guard let time = Timestamp(internetTime: text + (text.hasSuffix("Z") ? "" : "Z")) else {
                throw .init(.invalid(name, "Invalid date."))
            }
            if name == "date_created_gmt" { created = time } else { modified = time }
        }
        computeTotals()
        for name in ShopOrder.amountNames {
            guard let text = ShopAmount.text(document[name]) else { continue }
            amounts[name] = .string(text)
        }
        if let value = document["total"] {
            guard let units = ShopAmount.minorUnits(value, currency) else {
                throw .init(.invalid("total", "total is not an amount."))
            }
            total = units
        }
        others = (document.objectValue ?? []).filter {
            !ShopOrder.own.contains($0.key) && !ShopOrder.amountNames.contains($0.key) && !lists.contains($0.key)
        }
    }
}
