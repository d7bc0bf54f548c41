import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillCanvas
import TillCheckout
import TillCore
import TillHardware
import TillJournal
import TillPrinting
import TillReceipts

extension CounterResponder {
    /// Receipts beyond their reading: `GET /r/…` for customers, `POST /v1/payments/{id}/receipt/` with `link`, `print`
    /// and `send`, `GET /v1/payments/{id}/receipt/mails`, and `GET /v1/printers`. `nil` for every other address.
    func receiptAnswer(_ request: Request, route: inout String) async throws -> Response? {
        let path = request.uri.path
        if path.hasPrefix("/r/") {
            route = "/r/{link}"
            guard request.method == .get || request.method == .head else { throw Problem.notFound }
            return try await linked(path)
        }
        if path == "/v1/printers" || path.hasPrefix("/v1/printers/"), request.method == .get {
            return try await printers(path, request, route: &route)
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard parts.count == 5, parts[0] == "v1", parts[1] == "payments", parts[3] == "receipt" else { return nil }
        let verb = parts[4]
        let isListing = verb == "mails" && request.method == .get
        guard isListing || ["link", "print", "send"].contains(verb) && request.method == .post else { return nil }
        route = "/v1/payments/{id}/receipt/\(verb)"
        let incoming = Incoming(
            request: request, account: try await authenticator.account(of: request), maximumBodyBytes: 4_096)
        let id: PaymentID
        do { id = try PaymentID(validating: parts[2]) } catch { throw Problem.notFound }
        let payment = try await checkout.payment(id, account: incoming.account)
        if isListing { return try await mails(payment) }
        let body = try await incoming.document()
        switch verb {
        case "link": return try makeLink(payment, body, request)
        case "print": return try await printed(payment, body)
        default: return try await sent(payment, body)
        }
    }

    // MARK: Reading

    /// The receipt of an order's latest payment.
    func receipt(ofOrder order: OrderID, _ incoming: Incoming) async throws -> Response {
        let filter = PaymentFilter(account: incoming.account, order: order, limit: 1)
        var payment = try await journal.livePayment(account: incoming.account, order: order)
        if payment == nil, let id = try await journal.payments(filter).first?.id {
            payment = try await journal.payment(id)
        }
        guard let payment else {
            throw Problem(
                .notFound, "order_not_found", "There is no payment for order \(order).", next: "Check the identifier.")
        }
        return try await receipt(of: payment, incoming)
    }

    /// The receipt of a payment.
    func receipt(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        try await receipt(of: try await checkout.payment(id, account: incoming.account), incoming)
    }

    private func receipt(of payment: Payment, _ incoming: Incoming) async throws -> Response {
        let defaultValue = Accepted(incoming.request.headers[.accept]).best(of: [
            ("text/html", "html"), ("application/json", "json"), ("text/plain", "text"),
        ])
        guard let format = ReceiptForm.Format(rawValue: try incoming.query("format") ?? defaultValue ?? "html") else {
            let known = ReceiptForm.Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.field("format", "It must be one of \(known).")
        }
        let form: ReceiptForm
        do throws(ReceiptFormError) {
            form = try ReceiptForm(format, width: try queried("width", incoming) ?? "80")
        } catch { throw Problem.field("width", error.next) }
        let content = try content(
            payment, copy: try incoming.query("copy"), refund: try incoming.query("refund"))
        return try await response(content, form)
    }

    /// A parameter, or `nil` where it is given twice: the form then has its usual width.
    private func queried(_ name: String, _ incoming: Incoming) throws(ReceiptFormError) -> String? {
        do { return try incoming.query(name) } catch { throw .unknownWidth("that is given twice") }
    }

    private func content(_ payment: Payment, copy: String?, refund: String?) throws -> ReceiptContent {
        guard let copy = ReceiptCopy(rawValue: copy ?? "customer") else {
            throw Problem.field("copy", "It must be customer or merchant.")
        }
        let links = options.receipts.url == nil ? nil : try ReceiptLink(besideJournal: journal.path)
        let content: ReceiptContent
        do throws(ReceiptError) {
            content = try options.receipts.content(
                payment, copy: copy, refund: refund.map { RefundID(rawValue: $0) }, links: links)
        } catch {
            throw Problem(
                refund == nil ? .unprocessableContent : .notFound, error.code, error.what, next: error.next)
        }
        if let sentence = gaps.sentence(for: content) { logger.error("\(sentence)") }
        return content
    }

    private func response(_ content: ReceiptContent, _ form: ReceiptForm) async throws -> Response {
        let bytes: [UInt8]
        do {
            // Drawing takes milliseconds, which others need not wait for.
            bytes = try await Task.detached { try form.write(content).bytes }.value
        } catch let error as CanvasError {
            throw Problem(.serviceUnavailable, error.code, error.what, next: error.next)
        }
        var headers = HTTPFields()
        headers[.contentType] = form.format.mediaType
        if form.format == .html {
            headers[.contentSecurityPolicy] = ReceiptRenderer.contentSecurityPolicy
            headers[Incoming.name("X-Robots-Tag")] = "noindex"
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
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
        return try await response(try content(payment, copy: nil, refund: nil), try ReceiptForm(.html))
    }

    // MARK: Handing over

    private func makeLink(_ payment: Payment, _ body: JSONValue, _ request: Request) throws -> Response {
        try body.allow(["days"])
        let days = body["days"].map { $0.int64Value ?? 0 } ?? 90
        guard (1...730).contains(days) else { throw Problem.field("days", "It must be a number from 1 to 730.") }
        let expires = clock.now().adding(.days(days))
        let path = try ReceiptLink(besideJournal: journal.path).path(payment.id, expires: expires)
        let here = "\(options.isLoopback ? "http" : "https")://\(request.head.authority ?? options.host)"
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("path", path)
        writer.field("url", (options.receipts.url ?? here) + path)
        writer.field("expires_at", expires.description)
        writer.endObject()
        return payments.json(writer.bytes)
    }

    private func printed(_ payment: Payment, _ body: JSONValue) async throws -> Response {
        try body.allow(["printer", "copy", "refund", "width"])
        // Only printers that the shop named: an address in a request would let anybody reach into the network.
        guard let name = body["printer"]?.stringValue,
            try await PrinterRegistry(journal).known(name) != nil
        else { throw Problem.field("printer", "It must be the name of a printer that was added.") }
        guard let copy = ReceiptCopy(rawValue: body["copy"].map { $0.stringValue ?? "" } ?? "customer") else {
            throw Problem.field("copy", "It must be customer or merchant.")
        }
        let refund = try body.text("refund", atMost: 128).map { RefundID(rawValue: $0) }
        let job: PrintJob
        do {
            job = try await desk.print(
                payment, on: name, copy: copy, refund: refund, width: try body.text("width", atMost: 20))
        } catch let error as ReceiptFormError {
            throw Problem.field("width", error.next)
        } catch let error as ReceiptError {
            throw Problem(
                refund == nil ? .unprocessableContent : .notFound, error.code, error.what, next: error.next)
        }
        return answer(job.id, job.state.rawValue, job.note)
    }

    /// Prints, and tells the log what a card demands and nobody gave.
    private var desk: ReceiptService {
        let logger = logger
        return options.receipts.desk(journal, clock) { logger.error("\($0)") }
    }

    private func sent(_ payment: Payment, _ body: JSONValue) async throws -> Response {
        try body.allow(["to", "copy", "refund"])
        let post: ReceiptPost
        do throws(ReceiptPostError) {
            post = try ReceiptPost(journal: journal, setup: options.receipts, clock: clock)
        } catch { throw Problem(.conflict, error.code, error.what, next: error.next) }
        guard let to = EmailAddress(try body.text("to", atMost: 254) ?? "") else {
            throw Problem.field("to", ReceiptPostError.address.what, code: ReceiptPostError.address.code)
        }
        let content = try content(
            payment, copy: try body.text("copy", atMost: 20), refund: try body.text("refund", atMost: 128))
        do {
            let job = try await post.send(content, to: to)
            if job.state != .sent { logger.error("\(job.note)") }
            return answer(job.id, job.state.rawValue, job.note)
        } catch let error as ReceiptPostError {
            throw Problem(.conflict, error.code, error.what, next: error.next)
        }
    }

    private func answer(_ id: String, _ state: String, _ message: String) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.field("state", state)
        writer.field("message", message)
        writer.endObject()
        return payments.json(writer.bytes)
    }

    private func mails(_ payment: Payment) async throws -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("can_send", options.receipts.mail != nil)
        writer.key("mails")
        writer.beginArray()
        for mail in try await ReceiptMails(journal).mails(of: payment.id) {
            writer.beginObject()
            writer.field("id", mail.id)
            writer.field("to", mail.to)
            writer.field("state", mail.state.rawValue)
            writer.field("message", mail.note)
            writer.field("created_at", mail.createdAt.description)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return payments.json(writer.bytes)
    }

    // MARK: Printers

    private func printers(_ path: String, _ request: Request, route: inout String) async throws -> Response {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        route = parts.count == 3 ? path : "/v1/printers/{name}"
        _ = try await authenticator.account(of: request)
        let registry = PrinterRegistry(journal, clock: clock)
        let known = try await registry.all()
        var writer = JSONWriter()
        writer.beginObject()
        if parts.count == 4 {
            guard let name = parts[3][...].removingURLPercentEncoding(),
                let printer = known.first(where: { $0.name == name })
            else { throw Problem.notFound }
            writer.field("name", printer.name)
            writer.field("profile", printer.profile)
            do {
                let state = try await registry.printer(printer.name).state()
                writer.field("state", state.activity.rawValue)
                writer.field("needs_help", state.needsHelp)
                writer.key("reasons")
                writer.beginArray()
                for reason in state.reasons { writer.string(reason.rawValue) }
                writer.endArray()
                writer.field("message", state.sentence)
            } catch let error as any ExplainedError {
                writer.field("state", "unknown")
                writer.field("needs_help", true)
                writer.key("reasons")
                writer.beginArray()
                writer.endArray()
                writer.field("message", error.what)
            }
        } else {
            guard parts.count == 3 else { throw Problem.notFound }
            writer.key("printers")
            writer.beginArray()
            for printer in known {
                writer.beginObject()
                writer.field("name", printer.name)
                writer.field("address", printer.address)
                writer.field("profile", printer.profile)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        return payments.json(writer.bytes)
    }
}
