import HTTPTypes
import Hummingbird
import NIOCore
import TillCheckout
import TillCore
import TillJournal
import TillReceipts

extension CounterResponder {
    /// Receipts beyond their page: `GET /r/…` for customers, `POST /v1/payments/{id}/receipt/link` and
    /// `POST /v1/payments/{id}/receipt/print`, `GET /v1/printers`. `nil` for every other address.
    func receiptAnswer(_ request: Request, route: inout String) async throws -> Response? {
        let path = request.uri.path
        if path.hasPrefix("/r/") {
            route = "/r/{link}"
            guard request.method == .get || request.method == .head else { throw Problem.notFound }
            return try await linked(path)
        }
        if path == "/v1/printers", request.method == .get {
            route = path
            _ = try await doorkeeper.account(of: request)
            return try await knownPrinters()
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard parts.count == 5, parts[0] == "v1", parts[1] == "payments", parts[3] == "receipt",
            parts[4] == "link" || parts[4] == "print", request.method == .post
        else { return nil }
        route = "/v1/payments/{id}/receipt/\(parts[4])"
        let incoming = Incoming(
            request: request, account: try await doorkeeper.account(of: request), maximumBodyBytes: 4_096)
        let id: PaymentID
        do { id = try PaymentID(validating: parts[2]) } catch { throw Problem.notFound }
        let payment = try await checkout.payment(id, account: incoming.account)
        let body = try await incoming.document()
        return parts[4] == "link"
            ? try makeLink(payment, body, request) : try await printed(payment, body)
    }

    private func linked(_ path: String) async throws -> Response {
        let link = try ReceiptLink(besideJournal: journal.path)
        let id: PaymentID
        do {
            id = try link.payment(path: path, now: clock.now())
        } catch {
            throw Problem(error == .expired ? .gone : .notFound, error.code, error.what, next: error.next)
        }
        guard let payment = try await journal.payment(id) else { throw Problem.notFound }
        let content = ReceiptContent(payment: payment, store: options.store, locale: options.locale)
        var headers = HTTPFields()
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] = ReceiptRenderer.contentSecurityPolicy
        headers[Incoming.name("X-Robots-Tag")] = "noindex"
        let page = ByteBuffer(bytes: ReceiptRenderer.htmlBytes(ReceiptDocument(content)))
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: page))
    }

    private func makeLink(_ payment: Payment, _ body: JSONValue, _ request: Request) throws -> Response {
        try body.allow(["days"])
        let days = body["days"].map { $0.int64Value ?? 0 } ?? 90
        guard (1...730).contains(days) else { throw Problem.field("days", "It must be a number from 1 to 730.") }
        let expires = clock.now().adding(.days(days))
        let path = try ReceiptLink(besideJournal: journal.path).path(payment.id, expires: expires)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("path", path)
        writer.field(
            "url", "\(options.isLoopback ? "http" : "https")://\(request.head.authority ?? options.host)\(path)")
        writer.field("expires_at", expires.description)
        writer.endObject()
        return payments.json(writer.bytes)
    }

    private func printed(_ payment: Payment, _ body: JSONValue) async throws -> Response {
        try body.allow(["printer", "copy"])
        // Only printers that the shop named: an address in a request would let anybody reach into the network.
        guard let name = body["printer"]?.stringValue,
            try await journal.printers().contains(where: { $0.name == name })
        else { throw Problem.field("printer", "It must be the name of a printer that was added.") }
        guard let copy = ReceiptCopy(rawValue: body["copy"].map { $0.stringValue ?? "" } ?? "customer") else {
            throw Problem.field("copy", "It must be customer or merchant.")
        }
        let desk = ReceiptDesk(journal: journal, clock: clock, content: options.receipt)
        let job = try await desk.print(payment, on: name, copy: copy)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", job.id)
        writer.field("state", job.state.rawValue)
        writer.field("message", job.note)
        writer.endObject()
        return payments.json(writer.bytes)
    }

    private func knownPrinters() async throws -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("printers")
        writer.beginArray()
        for printer in try await journal.printers() {
            writer.beginObject()
            writer.field("name", printer.name)
            writer.field("address", printer.address)
            writer.field("profile", printer.profile)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return payments.json(writer.bytes)
    }
}
