import HTTPTypes
import Hummingbird
import NIOCore
import TillBooks
import TillCheckout
import TillCore
import TillCounter
import TillJournal
package import TillWeb

/// `GET /v1/payments` and `GET /v1/payments.csv`: payments by what is known of them, newest first.
package struct PaymentListRoutes: Sendable {
    private let requests: PaymentRequests

    package init(requests: PaymentRequests) { self.requests = requests }

    /// The number of payments of a page without `limit`, and the most.
    private static let usualPage = 20
    private static let maximumPage = 100
    /// The most payments in a file; it says so in its last row.
    private static let maximumRows = 100_000
    /// The most pages that are examined for a file, however little they have.
    private static let maximumPages = 1_000

    private var checkout: Checkout { requests.checkout }

    package func register(on router: CounterRouter) {
        let named = QueryParameters.named(PaymentSearchQuery.names + ["limit", "order_id"])
        router.get("/v1/payments", for: .read, of: .caller, query: named) { try await list($0) }
        let inFile = QueryParameters.named(PaymentSearchQuery.names)
        router.get("/v1/payments.csv", for: .read, of: .caller, needs: .totals, query: inFile) { try await file($0) }
    }

    // MARK: A page

    private func list(_ incoming: Incoming) async throws -> Response {
        var limit = PaymentListRoutes.usualPage
        if let text = try incoming.query("limit") {
            guard let number = Int(text), (1...PaymentListRoutes.maximumPage).contains(number) else {
                throw Problem.field("limit", "It must be 1 to \(PaymentListRoutes.maximumPage).")
            }
            limit = number
        }
        // One more says whether there are more.
        let search = try PaymentSearchQuery.search(incoming, limit: limit + 1)
        var found: PaymentFindings
        if let order = try order(incoming) {
            found = PaymentFindings()
            found.payments = try await payments(of: order, search)
        } else {
            found = try await checkout.find(search)
        }
        if found.payments.count > limit {
            found.payments = Array(found.payments.prefix(limit))
            found.next = found.payments.last?.id
            found.examinedTo = found.payments.last?.createdAt
        }
        return .json(PaymentListRoutes.document(found))
    }

    private static func document(_ found: PaymentFindings) -> [UInt8] {
        var writer = JSONWriter(reserving: 1_024 * (found.payments.count + 1))
        writer.beginObject()
        if !found.exact.isEmpty {
            writer.key("exact")
            writer.beginArray()
            for payment in found.exact { PaymentJSON.write(payment, into: &writer) }
            writer.endArray()
        }
        writer.key("payments")
        writer.beginArray()
        for payment in found.payments { PaymentJSON.write(payment, into: &writer) }
        writer.endArray()
        writer.field("has_more", found.next != nil)
        writer.field("next", found.next?.rawValue)
        writer.field("examined_to", found.examinedTo?.description)
        writer.endObject()
        return writer.bytes
    }

    private func order(_ incoming: Incoming) throws -> OrderID? {
        guard let text = try incoming.query("order_id") else { return nil }
        for name in PaymentSearchQuery.names where !["status", "before"].contains(name) {
            guard try incoming.query(name) == nil else { throw Problem.field(name, "It does not go with order_id.") }
        }
        do throws(IdentifierError) { return try OrderID(validating: text) } catch {
            throw Problem.field("order_id", error.description)
        }
    }

    /// Returns the payments of an order and of its parts; an order has few.
    private func payments(of order: OrderID, _ search: PaymentSearch) async throws -> [ListedPayment] {
        var filter = PaymentFilter(
            account: search.account, order: order, status: search.statuses.first, before: search.before,
            limit: search.limit)
        guard search.statuses.count <= 1 else { throw Problem.field("status", "With order_id it is one status.") }
        if let scope = requests.options.orderScope {
            do throws(IdentifierError) { filter.order = try scope.id(of: order) } catch {
                // Too long for an order of the scope: query the literal name, never all orders.
                filter.order = order
            }
        }
        let listed = try await checkout.listWithParts(filter)
        guard listed.isEmpty, filter.order != order else { return listed }
        // The order was named by this page, or sold before the shop set its scope.
        filter.order = order
        return try await checkout.listWithParts(filter)
    }

    // MARK: A file

    /// Answers with a file of all payments that are looked for (RFC 4180), written as it is read.
    private func file(_ incoming: Incoming) async throws -> Response {
        let search = try PaymentSearchQuery.search(incoming, limit: PaymentListRoutes.maximumPage)
        let checkout = checkout
        let body = ResponseBody { writer in
            var search = search
            var (rows, pages) = (0, 0)
            try await writer.write(ByteBuffer(string: PaymentRowText.head))
            repeat {
                let found = try await checkout.find(search)
                var text = ""
                for payment in found.payments {
                    text += PaymentRowText.row(payment, from: try await checkout.creation(of: payment.id))
                }
                rows += found.payments.count
                if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
                search.before = found.next
                pages += 1
            } while search.before != nil && rows < PaymentListRoutes.maximumRows
                && pages < PaymentListRoutes.maximumPages && !Task.isCancelled
            if search.before != nil { try await writer.write(ByteBuffer(string: PaymentRowText.cut(rows))) }
            try await writer.finish(nil)
        }
        let name = "payments-\(requests.clock.now().description.prefix(10)).csv"
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8", .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: body)
    }
}

/// A payment as a row of a file.
enum PaymentRowText {
    static let head = line([
        "created_at", "order", "status", "tender", "card", "amount", "captured", "refunded", "currency", "provider",
        "payment", "discount", "discount_reason", "tip", "staff", "staff_name", "shop", "drawer",
    ])

    /// Returns the row of a payment.
    /// - Parameter creation: The event that created it, which says who sold it and for which shop; `nil` if it cannot
    ///   be read.
    static func row(_ listed: ListedPayment, from creation: RecordedEvent?) -> String {
        switch listed {
        case .payment(let payment):
            let tender = payment.tender
            var seller = ""
            if case .staff(_, let name)? = creation?.by?.actor { seller = name }
            return line([
                payment.createdAt.description, CSVText.cell(payment.order.number), payment.status.rawValue,
                CSVText.cell(tender?.kind.rawValue ?? ""),
                CSVText.cell([tender?.card?.brand, tender?.card?.lastFour].compactMap { $0 }.joined(separator: " ")),
                payment.amount.decimalString, payment.captured.decimalString, payment.refunded.decimalString,
                payment.currency.code, CSVText.cell(payment.provider?.rawValue ?? ""), payment.id.rawValue,
                payment.discount?.amount.decimalString ?? "", CSVText.cell(payment.discount?.reason ?? ""),
                payment.tip?.decimalString ?? "", CSVText.cell(creation?.seller?.rawValue ?? ""),
                CSVText.cell(seller), CSVText.cell(creation?.shop ?? ""), CSVText.cell(drawer(of: payment)),
            ])
        case .unreadable(let row):
            return line([
                row.createdAt.description, CSVText.cell(row.orderNumber), "unreadable", "", "",
                row.amount?.decimalString ?? "", "", "", row.amount?.currency.code ?? "",
                CSVText.cell(row.provider?.rawValue ?? ""), row.id.rawValue, "", "", "", "", "", "", "",
            ])
        }
    }

    /// Returns the drawer that a sale's cash is in; empty for any other tender.
    private static func drawer(of payment: Payment) -> String {
        guard let attempt = payment.currentAttempt ?? payment.attempts.last, attempt.tender.kind == .cash else {
            return ""
        }
        return (attempt.drawer ?? .main).rawValue
    }

    /// Returns the last row of a file that was cut.
    static func cut(_ rows: Int) -> String {
        line([
            CSVText.cell("Cut after \(rows) payments: ask for a shorter time."), "", "", "", "", "", "", "", "", "", "",
            "", "", "", "", "", "", "",
        ])
    }

    private static func line(_ cells: [String]) -> String { cells.joined(separator: ",") + "\r\n" }
}

extension ListedPayment {
    fileprivate var createdAt: Timestamp {
        switch self {
        case .payment(let payment): payment.createdAt
        case .unreadable(let row): row.createdAt
        }
    }
}
