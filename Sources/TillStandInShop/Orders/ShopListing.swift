import TillCore

/// A list of orders, as a query asks for it.
struct ShopListing: Sendable {
    /// The largest page.
    static let maximumPage = 100

    enum Order: String, Sendable {
        case date
        case id
        case include
        case modified
        case title
        case slug
        case total
    }

    var page: Int
    var perPage: Int
    var offset: Int?
    private let query: PHPParameters
    private let order: Order
    private let isAscending: Bool
    private let statuses: Set<ShopOrderStatus>?
    private let includes: [Int64]?
    private let excludes: Set<Int64>
    private let after: Timestamp?
    private let before: Timestamp?
    private let modifiedAfter: Timestamp?
    private let modifiedBefore: Timestamp?

    init(_ query: PHPParameters) throws(ShopRefusal) {
        self.query = query
        page = try ShopListing.integer("page", query, 1...1_000_000) ?? 1
        perPage = try ShopListing.integer("per_page", query, 1...ShopListing.maximumPage) ?? 10
        offset = try ShopListing.integer("offset", query, 0...1_000_000)
        guard let order = Order(rawValue: query.text("orderby") ?? "date") else {
            throw .init(.invalid("orderby", "orderby is not one of date, id, include, title, slug, modified, total."))
        }
        self.order = order
        switch query.text("order") ?? "desc" {
        case "asc": isAscending = true
        case "desc": isAscending = false
        default: throw .init(.invalid("order", "order is not one of asc, desc."))
        }
        let named = query.texts("status")?.map { ShopOrderStatus($0.hasPrefix("wc-") ? String($0.dropFirst(3)) : $0) }
        statuses = named?.contains(.other("any")) == true ? nil : named.map { Set($0) }
        includes = try ShopListing.integers("include", query)
        excludes = Set(try ShopListing.integers("exclude", query) ?? [])
        after = try ShopListing.date("after", query)
        before = try ShopListing.date("before", query)
        modifiedAfter = try ShopListing.date("modified_after", query)
        modifiedBefore = try ShopListing.date("modified_before", query)
        _ = try ShopListing.integer("customer", query, 0...Int.max)
        _ = try ShopListing.integer("product", query, 0...Int.max)
        _ = try ShopListing.integers("parent", query)
    }

    /// Returns the orders of the page, and the number of all.
    func page(of orders: some Sequence<ShopOrder>) -> (orders: [ShopOrder], total: Int) {
        let found = sorted(orders.filter { matches($0) })
        let start = min(found.count, offset ?? (page - 1) * perPage)
        return (Array(found[start..<min(found.count, start + perPage)]), found.count)
    }

    private func matches(_ order: ShopOrder) -> Bool {
        if let statuses { guard statuses.contains(order.status) else { return false } }
        if statuses == nil, order.status.isHidden { return false }
        if let includes, !includes.contains(order.id) { return false }
        guard !excludes.contains(order.id) else { return false }
        // Dates are compared in whole seconds, and a limit itself is outside.
        func second(_ time: Timestamp) -> Int64 { time.milliseconds / 1000 }
        if let after, second(order.created) <= second(after) { return false }
        if let before, second(order.created) >= second(before) { return false }
        if let modifiedAfter, second(order.modified) <= second(modifiedAfter) { return false }
        if let modifiedBefore, second(order.modified) >= second(modifiedBefore) { return false }
        if let customer = query.text("customer"), String(order.customer) != customer { return false }
        if let parents = query.texts("parent"), !parents.contains(String(order.parent)) { return false }
        if let via = query.texts("created_via"), !via.contains(order.createdVia) { return false }
        if let product = query.text("product").flatMap({ Int64($0) }) {
            guard order.parts[.lineItems, default: []].contains(where: { $0["product_id"]?.int64Value == product })
            else { return false }
        }
        if let text = query.text("search") { return order.contains(text.lowercased()) }
        return true
    }

    private func sorted(_ orders: [ShopOrder]) -> [ShopOrder] {
        if order == .include, let includes {
            return includes.compactMap { id in orders.first { $0.id == id } }
        }
        func key(_ one: ShopOrder) -> Int64 {
            switch order {
            case .date: one.created.milliseconds / 1000
            case .modified: one.modified.milliseconds / 1000
            case .total: one.total
            case .id, .include, .title, .slug: one.id
            }
        }
        return orders.sorted { a, b in
            let (left, right) = ((key(a), a.id), (key(b), b.id))
            return isAscending ? left < right : left > right
        }
    }

    private static func integer(_ name: String, _ query: PHPParameters, _ range: ClosedRange<Int>) throws(ShopRefusal)
        -> Int?
    {
        guard let text = query.text(name) else { return nil }
        guard let value = Int(text) else { throw .init(.invalid(name, "\(name) is not of type integer.")) }
        guard range.contains(value) else {
            throw .init(
                .invalid(
                    name, "\(name) must be between \(range.lowerBound) (inclusive) and \(range.upperBound) (inclusive)")
            )
        }
        return value
    }

    private static func integers(_ name: String, _ query: PHPParameters) throws(ShopRefusal) -> [Int64]? {
        guard let texts = query.texts(name) else { return nil }
        let values = texts.compactMap { Int64($0) }
        guard values.count == texts.count else { throw .init(.invalid(name, "\(name)[0] is not of type integer.")) }
        return values
    }

    /// Reads a moment; one without a zone is in the shop's time, or in UTC with `dates_are_gmt`.
    private static func date(_ name: String, _ query: PHPParameters) throws(ShopRefusal) -> Timestamp? {
        guard let text = query.text(name) else { return nil }
        if let time = Timestamp(internetTime: text) { return time }
        guard let time = Timestamp(internetTime: text + "Z") else { throw .init(.invalid(name, "Invalid date.")) }
        let isUTC = ["true", "1"].contains(query.text("dates_are_gmt")?.lowercased() ?? "")
        return isUTC ? time : time.adding(Span(milliseconds: -ShopView.offset.milliseconds))
    }
}

extension ShopOrder {
    /// `true` if a search finds the order by its number, its customer or its lines.
    /// - Parameter text: in lower case.
    func contains(_ text: String) -> Bool {
        if String(id).contains(text) { return true }
        let values = (billing + shipping).map(\.value) + parts[.lineItems, default: []].compactMap { $0["name"] }
        return values.contains { $0.stringValue?.lowercased().contains(text) == true }
    }
}
