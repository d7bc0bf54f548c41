import TillCore

/// How a request wants documents to be shown.
struct ShopView: Sendable {
    /// The distance of the shop's local time from UTC: two hours, so that a mistaken time zone is seen.
    static let offset = Span.hours(2)

    /// The shop's own address.
    var home: String
    /// Decimal places of amounts; `nil` shows them as they are kept.
    var places: Int?
    /// The members to show, nested ones with a point; `nil` shows all.
    var fields: [String]?

    /// Returns a moment in the shop's time, without a zone as the shop writes it.
    static func local(_ time: Timestamp?) -> JSONValue { time.map { gmt($0.adding(offset)) } ?? .null }

    static func gmt(_ time: Timestamp) -> JSONValue { .string(String(time.internetTime.dropLast())) }

    static func gmt(_ time: Timestamp?) -> JSONValue { time.map { gmt($0) } ?? .null }

    /// Leaves only the wanted members in a document.
    func narrowed(_ document: JSONValue) -> JSONValue {
        guard let fields else { return document }
        return ShopView.narrowed(document, to: fields.map { $0.split(separator: ".")[...] })
    }

    private static func narrowed(_ value: JSONValue, to paths: [ArraySlice<Substring>]) -> JSONValue {
        if case .array(let values) = value { return .array(values.map { narrowed($0, to: paths) }) }
        guard case .object(let members) = value, !paths.contains(where: \.isEmpty) else { return value }
        return .object(
            members.compactMap { member in
                let inner = paths.filter { $0.first.map { $0 == member.key } == true }
                guard !inner.isEmpty else { return nil }
                return JSONMember(key: member.key, value: narrowed(member.value, to: inner.map { $0.dropFirst() }))
            })
    }
}

extension ShopOrder {
    /// The version of WooCommerce that the stand-in says it is.
    static let shopVersion = "11.0.0"

    /// Returns the document of the order.
    func document(_ view: ShopView) -> JSONValue {
        var members: [JSONMember] = []
        func add(_ key: String, _ value: JSONValue) { members.append(JSONMember(key: key, value: value)) }
        func amount(_ name: String) {
            let value = amounts[name] ?? ShopAmount.json(0, currency)
            add(name, view.places.map { ShopAmount.rewritten(value, places: $0) } ?? value)
        }
        add("id", .number(String(id)))
        add("parent_id", .number(String(parent)))
        add("status", .string(status.text))
        add("currency", .string(currency.code))
        add("version", .string(ShopOrder.shopVersion))
        add("prices_include_tax", .bool(pricesIncludeTax))
        add("date_created", ShopView.local(created))
        add("date_modified", ShopView.local(modified))
        for name in ShopOrder.amountNames { amount(name) }
        add("customer_id", .number(String(customer)))
        add("order_key", .string(orderKey))
        add("billing", .object(billing))
        add("shipping", .object(shipping))
        add("payment_method", .string(paymentMethod))
        add("payment_method_title", .string(paymentMethodTitle))
        add("transaction_id", .string(transaction))
        add("customer_ip_address", .string(""))
        add("customer_user_agent", .string(""))
        add("created_via", .string(createdVia))
        add("customer_note", .string(customerNote))
        add("date_completed", ShopView.local(completed))
        add("date_paid", ShopView.local(paid))
        add("cart_hash", .string(""))
        add("number", .string(String(id)))
        add("meta_data", .array(meta))
        add("line_items", .array(shown(.lineItems, view)))
        add("tax_lines", .array(taxLines))
        add("shipping_lines", .array(shown(.shippingLines, view)))
        add("fee_lines", .array(shown(.feeLines, view)))
        add("coupon_lines", .array(shown(.couponLines, view)))
        add(
            "refunds",
            .array(
                refunds.map { refund in
                    .members([
                        "id": .number(String(refund.id)), "reason": .string(refund.reason),
                        "total": ShopAmount.json(-refund.amount, currency),
                    ])
                }))
        add("payment_url", .string("\(view.home)/checkout/order-pay/\(id)/?pay_for_order=true&key=\(orderKey)"))
        add("is_editable", .bool(status == .pending || status == .onHold || status == .autoDraft))
        add("needs_payment", .bool(needsPayment))
        add("needs_processing", .bool(needsProcessing))
        add("date_created_gmt", ShopView.gmt(created))
        add("date_modified_gmt", ShopView.gmt(modified))
        add("date_completed_gmt", ShopView.gmt(completed))
        add("date_paid_gmt", ShopView.gmt(paid))
        members += others
        add("_links", ShopOrder.links("orders/\(id)", list: "orders", view))
        return view.narrowed(.object(members))
    }

    /// Returns the document of a refund.
    func document(of refund: Refund, _ view: ShopView) -> JSONValue {
        view.narrowed(
            .members([
                "id": .number(String(refund.id)), "date_created": ShopView.local(refund.created),
                "date_created_gmt": ShopView.gmt(refund.created), "amount": ShopAmount.json(refund.amount, currency),
                "reason": .string(refund.reason), "refunded_by": .number("1"),
                "refunded_payment": .bool(refund.isByGateway), "meta_data": .array(refund.meta),
                "line_items": .array(refund.lines), "shipping_lines": .array([]), "tax_lines": .array([]),
                "fee_lines": .array([]),
                "_links": ShopOrder.links(
                    "orders/\(id)/refunds/\(refund.id)", list: "orders/\(id)/refunds", view, up: "orders/\(id)"),
            ]))
    }

    /// Returns the document of a note.
    func document(of note: Note, _ view: ShopView) -> JSONValue {
        view.narrowed(
            .members([
                "id": .number(String(note.id)), "author": .string(note.author),
                "date_created": ShopView.local(note.created), "date_created_gmt": ShopView.gmt(note.created),
                "note": .string(note.text), "customer_note": .bool(note.isForCustomer),
                "_links": ShopOrder.links(
                    "orders/\(id)/notes/\(note.id)", list: "orders/\(id)/notes", view, up: "orders/\(id)"),
            ]))
    }

    static func links(_ path: String, list: String, _ view: ShopView, up: String? = nil) -> JSONValue {
        func link(_ path: String) -> JSONValue {
            .array([.members(["href": .string("\(view.home)\(ShopStandIn.prefix)\(path)")])])
        }
        return .members(["self": link(path), "collection": link(list), "up": up.map { link($0) }])
    }

    private static let lineAmounts: Set<String> = ["subtotal", "subtotal_tax", "total", "total_tax", "discount"]

    private func shown(_ part: Part, _ view: ShopView) -> [JSONValue] {
        let lines = parts[part, default: []]
        guard let places = view.places else { return lines }
        return lines.map { line in
            .object(
                (line.objectValue ?? []).map { member in
                    ShopOrder.lineAmounts.contains(member.key)
                        ? JSONMember(key: member.key, value: ShopAmount.rewritten(member.value, places: places))
                        : member
                })
        }
    }
}
