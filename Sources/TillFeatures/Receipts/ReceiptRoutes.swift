import HTTPTypes
package import Hummingbird
package import Logging
import TillCheckout
package import TillCore
import TillCounter
package import TillJournal
import TillPrinting
import TillReceipts
package import TillWeb

/// The receipt routes: viewing, and delivery to customers.
package struct ReceiptRoutes: Sendable {
    /// The maximum body size of a delivery request.
    private static let maximumBodyBytes = 4_096
    /// The maximum number of receipts concurrently mailed, and concurrently printed, by all accounts.
    static let maximumAtOnce = 64
    /// The maximum number of queued receipts of an account on printers of another account.
    package static let maximumWaiting = PrintJobs.maximumWaiting
    private static let form: QueryParameters = ["format", "width", "copy", "refund"]

    package let payments: PaymentRequests
    package let journal: any CounterStore
    package let options: ServerOptions
    package let clock: any TillClock
    package let logger: Logger
    /// Slows down the guessing of receipt links.
    private let guesses: GuessLimiter
    private let gaps = ReceiptGapLog()
    private let mailing: AccountPlaces
    private let printingNow: AccountPlaces

    private var checkout: Checkout { payments.checkout }

    package init(
        payments: PaymentRequests, journal: any CounterStore, options: ServerOptions, guesses: GuessLimiter,
        clock: any TillClock, logger: Logger
    ) {
        self.guesses = guesses
        self.payments = payments
        self.journal = journal
        self.options = options
        self.clock = clock
        self.logger = logger
        let shares = AccountShares(all: ReceiptRoutes.maximumAtOnce, owner: options.account)
        (mailing, printingNow) = (AccountPlaces(shares), AccountPlaces(shares))
    }

    package func register(on router: CounterRouter) {
        // Opened from e-mails and messages, which append parameters of their own.
        router.open([.get, .head], "/r/{link}", for: .customer, query: .any) { request, _ in
            try await linked(request.uri.path)
        }
        router.get("/v1/payments/{id}/receipt", for: .read, of: .caller, query: ReceiptRoutes.form) {
            try await receipt($0.parameters.identifier(), $0)
        }
        router.get("/v1/orders/{id}/receipt", for: .read, of: .caller, query: ReceiptRoutes.form) {
            try await receipt(ofOrder: $0.parameters.identifier(), $0)
        }
        router.get("/v1/payments/{id}/receipt/mails", for: .read, of: .caller) {
            try await mails(try await payment($0))
        }
        handOver("link") { try makeLink($0, $1, $2) }
        handOver("print") { payment, body, _ in try await printed(payment, body) }
        handOver("send") { payment, body, _ in try await sent(payment, body) }
        func handOver(
            _ verb: String, _ work: @escaping @Sendable (Payment, JSONValue, Request) async throws -> Response
        ) {
            router.post(
                "/v1/payments/{id}/receipt/\(verb)", for: .sell, of: .caller,
                maximumBodyBytes: ReceiptRoutes.maximumBodyBytes
            ) {
                try await work(try await payment($0), try await $0.document(), $0.request)
            }
        }
    }

    private func payment(_ incoming: Incoming) async throws -> Payment {
        try await checkout.payment(try incoming.parameters.identifier(), account: incoming.account)
    }

    // MARK: Reading

    /// Returns the receipt of an order's latest payment.
    private func receipt(ofOrder order: OrderID, _ incoming: Incoming) async throws -> Response {
        let filter = PaymentFilter(account: incoming.account, order: order, limit: 1)
        // Of an order that is paid in parts, each payment is for a part, and a payment of the whole may have been
        // canceled before them.
        var onTab: [Payment] = []
        if let kept = try await journal.record(OrderTab.id(account: incoming.account, order: order)) {
            onTab = try await checkout.payments(on: try OrderTab(kept))
        }
        var payment = onTab.last(where: \.isLive)
        if payment == nil { payment = try await journal.livePayment(account: incoming.account, order: order) }
        payment = payment ?? onTab.last
        if payment == nil, let id = try await journal.rowReadings(filter).first?.id {
            payment = try await journal.payment(id)
        }
        guard let payment else {
            throw Problem(
                .notFound, "order_not_found", "There is no payment for order \(order).", next: "Check the identifier.")
        }
        return try await receipt(of: payment, incoming)
    }

    /// Returns the receipt of a payment.
    private func receipt(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        try await receipt(of: try await checkout.payment(id, account: incoming.account), incoming)
    }

    /// Returns the customer's copy of a receipt as a page, for a caller that has checked whose payment it is.
    package func customerCopy(of payment: Payment) async throws -> Response {
        try await ReceiptForm(.html).response(try content(payment, copy: nil, refund: nil))
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
        return try await form.response(content)
    }

    /// Returns a parameter or `nil`; a duplicate one is an unknown width.
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

    private func linked(_ path: String) async throws -> Response {
        let link = try ReceiptLink(besideJournal: journal.path)
        let id: PaymentID
        do {
            id = try link.payment(path: path, now: clock.now())
        } catch {
            if error == .invalid { try await guesses.refuse(from: RequestOrigin.current.bucket) }
            throw Problem(error == .expired ? .gone : .notFound, error.code, error.what, next: error.next)
        }
        guard let payment = try await journal.payment(id) else { throw Problem.notFound }
        return try await customerCopy(of: payment)
    }

    // MARK: Delivery

    private func makeLink(_ payment: Payment, _ body: JSONValue, _ request: Request) throws -> Response {
        try body.allow(["days"])
        let days = body["days"].map { $0.int64Value ?? 0 } ?? 90
        guard (1...730).contains(days) else { throw Problem.field("days", "It must be a number from 1 to 730.") }
        let expires = clock.now().adding(.days(days))
        let path = try ReceiptLink(besideJournal: journal.path).path(payment.id, expires: expires)
        let here = "\(RequestOrigin.current.isSecure ? "https" : "http")://\(request.head.authority ?? options.host)"
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("path", path)
        writer.field("url", (options.receipts.url ?? here) + path)
        writer.field("expires_at", expires.description)
        writer.endObject()
        return .json(writer.bytes)
    }

    private func printed(_ payment: Payment, _ body: JSONValue) async throws -> Response {
        try body.allow(["printer", "copy", "refund", "width"])
        // Only registered printers: an address in a request would give callers access to the shop's network.
        guard let name = body["printer"]?.stringValue, options.hasHardware(payment.account),
            try await PrinterRegistry(journal).known(name) != nil
        else { throw Problem.field("printer", "It must be the name of a printer that was added.") }
        guard let copy = ReceiptCopy(rawValue: body["copy"].map { $0.stringValue ?? "" } ?? "customer") else {
            throw Problem.field("copy", "It must be customer or merchant.")
        }
        let refund = try body.text("refund", atMost: 128).map { RefundID(rawValue: $0) }
        let job: PrintJob
        do {
            let width = try body.text("width", atMost: 20)
            try await checkWaiting(payment.account)
            job = try await printingNow.withPlace(of: payment.account, else: ReceiptRoutes.full) {
                try await printing.print(payment, on: name, copy: copy, refund: refund, width: width)
            }
        } catch let error as ReceiptFormError {
            throw Problem.field("width", error.next)
        } catch let error as ReceiptError {
            throw Problem(
                refund == nil ? .unprocessableContent : .notFound, error.code, error.what, next: error.next)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", job.id)
        writer.field("state", job.state.rawValue)
        writer.field("message", job.note)
        writer.field("reason", job.reason)
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Limits the queue of an account on another account's printers.
    private func checkWaiting(_ account: AccountID) async throws {
        guard account != options.account else { return }
        let waiting = try await PrintJobs(journal).count(waitingOf: account)
        guard waiting < ReceiptRoutes.maximumWaiting else { throw ReceiptRoutes.full }
    }

    private static let full = Problem(
        .tooManyRequests, "too_many_receipts",
        "This account has too many receipts under way. This one was neither printed nor sent.",
        next: "Wait until some have finished."
    ).retrying(after: 10)

    /// A print service that logs missing card-mandated fields.
    private var printing: ReceiptService {
        let logger = logger
        return options.receipts.printing(journal, clock) { logger.error("\($0)") }
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
            let job = try await mailing.withPlace(of: payment.account, else: ReceiptRoutes.full) {
                try await post.send(content, to: to)
            }
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
        return .json(writer.bytes)
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
        return .json(writer.bytes)
    }
}
