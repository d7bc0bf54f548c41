import TillCore

extension ShopStandIn {
    /// The maximum number of items of a batch.
    static let maximumBatch = 100

    /// Answers `orders` and what is below it.
    func orders(_ call: ShopCall, _ path: [String]) async throws(ShopRefusal) -> ShopAnswer {
        let view = try view(call)
        if path.isEmpty {
            switch call.method {
            case "GET": return try await list(call, view)
            case "POST":
                let order = try await ledger.create(try call.json())
                return ShopAnswer(
                    201, order.document(view), fields: [("Location", "\(home)\(Self.prefix)orders/\(order.id)")])
            default: return .noRoute()
            }
        }
        if path == ["batch"] {
            guard ["POST", "PUT", "PATCH"].contains(call.method) else { return .noRoute() }
            return try await batch(try call.json(), view)
        }
        guard let id = Int64(path[0]), id >= 0 else { return .noRoute() }
        switch (path.count, path.count > 1 ? path[1] : "") {
        case (1, _): return try await order(call, id, view)
        case (2..., "refunds"): return try await refunds(call, id, Array(path.dropFirst(2)), view)
        case (2..., "notes"): return try await notes(call, id, Array(path.dropFirst(2)), view)
        default: return .noRoute()
        }
    }

    private func list(_ call: ShopCall, _ view: ShopView) async throws(ShopRefusal) -> ShopAnswer {
        let listing = try ShopListing(call.query)
        let (orders, total) = listing.page(of: await ledger.orders.values)
        let pages = (total + listing.perPage - 1) / listing.perPage
        var fields = [("X-WP-Total", String(total)), ("X-WP-TotalPages", String(pages))]
        var links: [String] = []
        func link(_ page: Int, _ relation: String) {
            let query = ShopStandIn.query(call.query, page: page)
            links.append("<\(home)\(Self.prefix)orders?\(query)>; rel=\"\(relation)\"")
        }
        if listing.page > 1 { link(min(listing.page - 1, max(1, pages)), "prev") }
        if listing.page < pages { link(listing.page + 1, "next") }
        if !links.isEmpty { fields.append(("Link", links.joined(separator: ", "))) }
        return ShopAnswer(200, .array(orders.map { $0.document(view) }), fields: fields)
    }

    /// Returns the query of another page, without what authenticated this one.
    private static func query(_ parameters: PHPParameters, page: Int) -> String {
        var pairs: [String] = []
        func add(_ name: String, _ value: PHPParameters.Value) {
            switch value {
            case .text(let text): pairs.append("\(name)=\(PercentCoding.encode(text))")
            case .list(let list):
                for entry in list { add("\(name)%5B\(PercentCoding.encode(entry.name))%5D", entry.value) }
            }
        }
        for entry in parameters.entries
        where !entry.name.hasPrefix("oauth_") && !entry.name.hasPrefix("consumer_") && entry.name != "page" {
            add(PercentCoding.encode(entry.name), entry.value)
        }
        return (pairs + ["page=\(page)"]).joined(separator: "&")
    }

    private func order(_ call: ShopCall, _ id: Int64, _ view: ShopView) async throws(ShopRefusal) -> ShopAnswer {
        switch call.method {
        case "GET": return ShopAnswer(200, try await ledger.get(id).document(view))
        case "PUT", "POST", "PATCH":
            return ShopAnswer(200, try await ledger.update(id, try call.json()).document(view))
        case "DELETE":
            let force = try await isForced(call)
            return ShopAnswer(200, try await ledger.delete(id, force: force).document(view))
        default: return .noRoute()
        }
    }

    /// Returns the value of `force`, of the query or of the body.
    func isForced(_ call: ShopCall) async throws(ShopRefusal) -> Bool {
        if let text = call.query.text("force") { return ["true", "1"].contains(text.lowercased()) }
        return try call.json().flag("force") ?? false
    }

    /// Carries out the items of a batch one by one; each has an answer or an error of its own.
    private func batch(_ body: ShopBody, _ view: ShopView) async throws(ShopRefusal) -> ShopAnswer {
        let creates = try body.list("create") ?? []
        let updates = try body.list("update") ?? []
        let deletes = body.json["delete"]?.arrayValue ?? []
        guard creates.count + updates.count + deletes.count <= Self.maximumBatch else {
            throw .init(
                .error(
                    413, "woocommerce_rest_request_entity_too_large",
                    "Unable to accept more than \(Self.maximumBatch) items for this request."))
        }
        var answers: [JSONMember] = []
        func add(_ name: String, _ items: [JSONValue]) {
            if !items.isEmpty { answers.append(JSONMember(key: name, value: .array(items))) }
        }
        var made: [JSONValue] = []
        for item in creates {
            do throws(ShopRefusal) {
                made.append(try await ledger.create(ShopBody(json: item)).document(view))
            } catch { made.append(Self.item(0, error)) }
        }
        add("create", made)
        made = []
        for item in updates {
            let id = item["id"]?.int64Value ?? 0
            do throws(ShopRefusal) {
                made.append(try await ledger.update(id, ShopBody(json: item)).document(view))
            } catch { made.append(Self.item(id, error)) }
        }
        add("update", made)
        made = []
        for item in deletes {
            let id = item.int64Value ?? 0
            do throws(ShopRefusal) {
                made.append(try await ledger.delete(id, force: true).document(view))
            } catch { made.append(Self.item(id, error)) }
        }
        add("delete", made)
        return ShopAnswer(200, .object(answers))
    }

    private static func item(_ id: Int64, _ refusal: ShopRefusal) -> JSONValue {
        .members(["id": .number(String(id)), "error": refusal.answer.body])
    }

    private func refunds(
        _ call: ShopCall, _ id: Int64, _ path: [String], _ view: ShopView
    ) async throws(ShopRefusal) -> ShopAnswer {
        if call.method == "POST", path.isEmpty {
            let (order, refund) = try await ledger.refund(id, try call.json())
            return ShopAnswer(201, order.document(of: refund, view))
        }
        guard let order = await ledger.orders[id] else {
            throw .init(.error(404, "woocommerce_rest_invalid_order_id", "Invalid order ID."))
        }
        switch (call.method, path.count) {
        case ("GET", 0):
            let listing = try ShopListing(call.query)
            let newestFirst = order.refunds.reversed().map { order.document(of: $0, view) }
            return Self.page(newestFirst, listing)
        case ("GET", 1):
            guard let refund = order.refunds.first(where: { String($0.id) == path[0] }) else {
                throw .init(.unknown("shop_order_refund"))
            }
            return ShopAnswer(200, order.document(of: refund, view))
        case ("DELETE", 1):
            return .error(501, "woocommerce_rest_trash_not_supported", "The sandbox keeps refunds.")
        default: return .noRoute()
        }
    }

    /// Returns a page of documents, with the counts in the head.
    private static func page(_ documents: [JSONValue], _ listing: ShopListing) -> ShopAnswer {
        let start = min(documents.count, listing.offset ?? (listing.page - 1) * listing.perPage)
        let pages = (documents.count + listing.perPage - 1) / listing.perPage
        return ShopAnswer(
            200, .array(Array(documents[start..<min(documents.count, start + listing.perPage)])),
            fields: [("X-WP-Total", String(documents.count)), ("X-WP-TotalPages", String(pages))])
    }

    private func notes(
        _ call: ShopCall, _ id: Int64, _ path: [String], _ view: ShopView
    ) async throws(ShopRefusal) -> ShopAnswer {
        if call.method == "POST", path.isEmpty {
            let (order, note) = try await ledger.note(id, try call.json())
            return ShopAnswer(201, order.document(of: note, view))
        }
        guard let order = await ledger.orders[id] else {
            throw .init(.error(404, "woocommerce_rest_order_invalid_id", "Invalid order ID."))
        }
        if call.method == "GET", path.isEmpty {
            let type = call.query.text("type") ?? "any"
            let notes = order.notes.reversed().filter { type == "any" || (type == "customer") == $0.isForCustomer }
            return ShopAnswer(200, .array(notes.map { order.document(of: $0, view) }))
        }
        guard path.count == 1 else { return .noRoute() }
        guard let note = order.notes.first(where: { String($0.id) == path[0] }) else {
            throw .init(.error(404, "woocommerce_rest_invalid_id", "Invalid resource ID."))
        }
        switch call.method {
        case "GET": return ShopAnswer(200, order.document(of: note, view))
        case "DELETE":
            guard try await isForced(call) else {
                return .error(501, "woocommerce_rest_trash_not_supported", "Notes do not support trashing.")
            }
            await ledger.removeNote(note.id, of: id)
            return ShopAnswer(200, order.document(of: note, view))
        default: return .noRoute()
        }
    }
}
