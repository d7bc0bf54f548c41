import HTTPTypes
import Hummingbird
import NIOCore
import TillCheckout
import TillCore
import TillJournal

/// What those who run a counter ask: whether it lives and takes writes, its metrics, and its description.
struct OperationRoutes: Sendable {
    let authenticator: RequestAuthenticator
    let metrics: ServerMetrics
    let calls: ProviderCalls?
    let readiness: Readiness
    let journal: any CounterStore
    let checkout: Checkout
    let feed: EventFeed
    let options: ServerOptions
    let applePay: ApplePayMount?
    let clock: any TillClock

    func register(on router: CounterRouter) {
        router.open([.get, .head], "/healthz") { _, _ in text("ok\n") }
        router.open([.get, .head], "/readyz") { _, _ in
            try await readiness.check()
            return text("ready\n")
        }
        // Whoever is on this machine may read them without a key.
        router.open([.get, .head], "/metrics") { request, _ in
            if !options.isLoopback { _ = try await authenticator.account(of: request) }
            let all = try await samples() + (applePay?.opened?.metrics() ?? "")
            return text(all, type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    private func samples() async throws -> String {
        var text = PrometheusText()
        metrics.write(into: &text)
        calls?.write(into: &text)
        let samples = try await readiness.metrics()
        text.head("payments", .gauge, "Payments in the journal by status.")
        for status in PaymentStatus.allCases {
            text.line("payments", [("status", status.rawValue)], samples.payments[status] ?? 0)
        }
        text.single(
            "payments_unknown", .gauge, "Payments whose outcome is not known.", samples.payments[.unknown] ?? 0)
        text.single("outbox_pending", .gauge, "Payments on which something is to be done.", samples.pending)
        text.single("outbox_due", .gauge, "Payments on which something is overdue.", samples.due)
        text.single(
            "payments_of_other_accounts", .gauge,
            "Open payments that are left alone because another account of their provider is configured.",
            checkout.leftAlone.count)
        let lag = samples.oldestDue.map { clock.now().since($0).milliseconds } ?? 0
        text.seconds(
            "outbox_oldest_due_seconds", "For how long the most overdue payment is due.", milliseconds: lag)
        text.single(
            "incidents_open", .gauge, "What providers reported that no payment accounts for, and nobody has resolved.",
            try await journal.count(Incident.collection, matching: Incident.open))
        let open = try await AttentionQueue(journal).open(account: nil)
        text.single("attention_open", .gauge, "What a person must review.", open.count)
        let age = open.first.map { max(0, clock.now().since($0.item.since).milliseconds) } ?? 0
        text.seconds(
            "attention_oldest_seconds", "For how long the oldest of it waits for a person.", milliseconds: age)
        let statistics = journal.statistics
        text.head("journal_commit_batch_size", .summary, "Writes in one commit, each one sync of the disk.")
        text.line("journal_commit_batch_size_sum", [], statistics.writes)
        text.line("journal_commit_batch_size_count", [], statistics.commits)
        text.single(
            "journal_commit_batch_size_max", .gauge, "The most writes in one commit.", statistics.largestBatch)
        text.single("journal_writes_total", .counter, "Writes that the journal took.", statistics.writes)
        text.single("journal_commits_total", .counter, "Commits, each one sync of the disk.", statistics.commits)
        text.single("event_streams", .gauge, "Streams of events that are open.", feed.count)
        return text.text
    }

    private func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Response {
        Response(
            status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
