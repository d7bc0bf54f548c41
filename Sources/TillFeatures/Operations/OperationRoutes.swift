import HTTPTypes
import Hummingbird
import NIOCore
package import TillCheckout
package import TillCore
package import TillCounter
package import TillJournal
package import TillProvider
package import TillWeb

/// The operator routes: liveness, readiness, and metrics.
package struct OperationRoutes: Sendable {
    package let authenticator: RequestAuthenticator
    package let metrics: ServerMetrics
    package let calls: ProviderCalls?
    package let readiness: Readiness
    package let journal: any CounterStore
    package let checkout: Checkout
    package let feed: EventFeed
    package let options: ServerOptions
    /// The metrics of features, in Prometheus's text format.
    let features: [@Sendable () -> String]
    package let clock: any TillClock
    package let afterSale: AfterSalePoll
    package let copier: (any JournalCopying)?
    package let gates: [ConnectionGate]
    let signIns: SignInLog
    package let modules: [any ProviderModule]

    package init(
        authenticator: RequestAuthenticator, metrics: ServerMetrics, calls: ProviderCalls?, readiness: Readiness,
        journal: any CounterStore, checkout: Checkout, feed: EventFeed, options: ServerOptions,
        features: [@Sendable () -> String], clock: any TillClock, afterSale: AfterSalePoll,
        copier: (any JournalCopying)?, gates: [ConnectionGate], signIns: SignInLog, modules: [any ProviderModule]
    ) {
        self.authenticator = authenticator
        self.metrics = metrics
        self.calls = calls
        self.readiness = readiness
        self.journal = journal
        self.checkout = checkout
        self.feed = feed
        self.options = options
        self.features = features
        self.clock = clock
        self.afterSale = afterSale
        self.copier = copier
        self.gates = gates
        self.signIns = signIns
        self.modules = modules
    }

    package func register(on router: CounterRouter) {
        router.open([.get, .head], "/healthz", for: .operator) { _, _ in text("ok\n") }
        router.open([.get, .head], "/readyz", for: .operator) { _, _ in
            try await readiness.check()
            // Sales continue, so this is no reason to fail the probe.
            return text("ready\n" + doubts + (await warnings()))
        }
        // The metrics count the payments of every account.
        if options.isMetricsOpen {
            router.open([.get, .head], "/metrics", for: .operator) { _, _ in try await metrics() }
        } else {
            router.get("/metrics", for: .read, of: .counter, needs: .totals) { _ in try await metrics() }
        }
    }

    private func metrics() async throws -> Response {
        let all = try await samples() + features.map { $0() }.joined()
        return text(all, type: "text/plain; version=0.0.4; charset=utf-8")
    }

    /// Returns the providers' warnings, such as missing read access.
    private func warnings() async -> String {
        var lines = ""
        for module in modules {
            for warning in await module.warnings() { lines += "\(type(of: module).name): \(warning)\n" }
        }
        return lines
    }

    /// The problems that do not affect readiness.
    private var doubts: String {
        var lines = ""
        if let doubt = clock.standing.doubt { lines += "clock in doubt: \(doubt.sentence)\n" }
        guard let tls = options.tls else { return lines }
        if let problem = tls.problem { lines += "tls: \(problem.what)\n" }
        if tls.expires <= clock.now() { lines += "tls: the certificate has ended on \(tls.expires)\n" }
        return lines
    }

    private func samples() async throws -> String {
        var text = PrometheusText()
        metrics.write(into: &text)
        text.single(
            "till_sign_in_refused_total", .counter, "Attempts to sign in to the page with a wrong key or address.",
            authenticator.throttle.refused)
        text.single("till_pins_wrong_total", .counter, "Wrong PINs at the page.", signIns.wrong)
        text.single(
            "till_pin_lockouts_total", .counter, "People and devices locked out after wrong PINs.", signIns.lockouts)
        text.single(
            "till_passwords_wrong_total", .counter, "Wrong passwords and codes at the back office.",
            signIns.wrongPasswords)
        text.single(
            "till_passkeys_wrong_total", .counter, "Passkeys at the back office that were not taken.",
            signIns.wrongPasskeys)
        text.single(
            "till_office_lockouts_total", .counter,
            "Sign-ins at the back office that were not looked at, after too many wrong ones.", signIns.officeLockouts)
        calls?.write(into: &text)
        let (samples, waiting) = try await readiness.samples()
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
            checkout.skippedPayments.count)
        let lag = samples.oldestDue.map { clock.now().since($0).milliseconds } ?? 0
        text.seconds(
            "outbox_oldest_due_seconds", "For how long the most overdue payment is due.", milliseconds: lag)
        text.single(
            "incidents_open", .gauge,
            "What providers reported that no payment accounts for, and payments that recovery cannot work on.",
            waiting.incidents)
        text.single(
            "restore_sweep_due", .gauge,
            "1 while the journal was restored or set back and what was sold since is not known: nothing is sold.",
            waiting.sweepsDue)
        text.single(
            "orders_held", .gauge, "Orders that are not sold because of an incident, or because one has paid them.",
            waiting.ordersHeld)
        text.single(
            "reconciliation_open", .gauge,
            "What does not match between statements and the journal, and is not resolved.",
            waiting.statementIncidents)
        checkout.recovery.write(into: &text, at: clock.now())
        text.single(
            "attention_open", .gauge, "Payments with something that a person must review, and open incidents.",
            waiting.payments + waiting.incidents)
        let age = waiting.oldest.map { max(0, clock.now().since($0).milliseconds) } ?? 0
        text.seconds(
            "attention_oldest_seconds", "For how long the oldest of it waits for a person.", milliseconds: age)
        text.head(
            "aftersale_polls_total", .counter, "Queries of settled payments that nobody had reported anything of.")
        let results = afterSale.results
        for result in Checkout.PollResult.allCases {
            text.line("aftersale_polls_total", [("result", result.rawValue)], results[result] ?? 0)
        }
        text.single(
            "aftersale_poll_failures_total", .counter, "Passes of those queries that the journal has ended.",
            afterSale.failures)
        let statistics = journal.statistics
        text.head("journal_commit_batch_size", .summary, "Writes in one commit, each one sync of the disk.")
        text.line("journal_commit_batch_size_sum", [], statistics.writes)
        text.line("journal_commit_batch_size_count", [], statistics.commits)
        text.single(
            "journal_commit_batch_size_max", .gauge, "The most writes in one commit.", statistics.largestBatch)
        text.single("journal_writes_total", .counter, "Writes that the journal took.", statistics.writes)
        text.single("journal_commits_total", .counter, "Commits, each one sync of the disk.", statistics.commits)
        if let copier {
            text.seconds(
                "copy_lag_seconds", "For how long the copy of the journal may lack something that was written.",
                milliseconds: try copier.lag(at: clock.now()).milliseconds)
        }
        let doubt = clock.standing.doubt
        text.single("clock_in_doubt", .gauge, "1 while the machine's clock is not relied upon.", doubt == nil ? 0 : 1)
        text.seconds(
            "clock_off_seconds",
            "How far the machine's clock is from what it is held against; 0 while it is relied upon.",
            milliseconds: doubt?.off.milliseconds ?? 0)
        text.single(
            "till_keys_refused_total", .counter, "Requests with a key that is unknown.", authenticator.guesses.refused)
        text.single(
            "till_receipt_links_refused_total", .counter, "Requests with a receipt link that the counter never made.",
            authenticator.linkGuesses.refused)
        text.single("event_streams", .gauge, "Streams of events that are open.", feed.count)
        text.connections(gates)
        if let tls = options.tls {
            text.single(
                "till_tls_certificate_expires_timestamp_seconds", .gauge, "When the certificate that is shown ends.",
                Int(tls.expires.milliseconds / 1000))
            text.single(
                "till_tls_certificate_refused", .gauge,
                "1 while the files of the certificate cannot be used and the one before is shown.",
                tls.problem == nil ? 0 : 1)
        }
        return text.text
    }

    private func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Response {
        Response(
            status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
