import Synchronization
import TillApplePay
import TillCore

/// What is counted of Apple Pay: in the Prometheus text format, and to StatsD as it happens. No
/// label holds an identifier.
final class ApplePayMetrics: Sendable {
    private struct State {
        var sessions: [String: Int] = [:]
        var tokens: [String: Int] = [:]
        var payments: [String: Int] = [:]
        var notifications: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let statsD: StatsD?

    init(statsD: StatsD? = nil) { self.statsD = statsD }

    /// A session was given or not: `given`, Apple's status as `apple_417`, or why it was not asked for.
    func session(_ outcome: String) {
        state.withLock { $0.sessions[outcome, default: 0] += 1 }
        statsD?.count("applepay.sessions.\(outcome)")
    }

    /// A token was accepted, or refused for this reason.
    func token(_ outcome: String) {
        state.withLock { $0.tokens[outcome, default: 0] += 1 }
        statsD?.count("applepay.tokens.\(outcome)")
    }

    /// What a sheet was answered.
    func payment(_ outcome: String) {
        state.withLock { $0.payments[outcome, default: 0] += 1 }
        statsD?.count("applepay.payments.\(outcome)")
    }

    /// A notification of a merchant's token came, or its details.
    func notification(_ outcome: String) {
        state.withLock { $0.notifications[outcome, default: 0] += 1 }
        statsD?.count("applepay.notifications.\(outcome)")
    }

    /// A request was answered. Prometheus has this of every route (`http_request_duration_seconds`).
    func answered(_ route: String, status: Int, after span: Span) {
        guard let statsD else { return }
        let name = route.split(separator: "/").map { $0.filter { $0 != "{" && $0 != "}" && $0 != "." } }
            .joined(separator: ".")
        statsD.time("requests.\(name)", span)
        statsD.count("requests.\(name).\(status)")
    }

    /// Sends how long certificates are still valid.
    func send(daysLeft: [(kind: String, days: Int64)]) {
        guard let statsD else { return }
        // Of several of a kind the one that ends first is what somebody must act on.
        for (kind, every) in Dictionary(grouping: daysLeft, by: \.kind) {
            statsD.gauge("applepay.certificate_days_left.\(kind)", every.map(\.days).min() ?? 0)
        }
    }

    var sends: Bool { statsD != nil }

    func close() async { await statsD?.close() }

    func text(daysLeft: [(kind: String, days: Int64)]) -> String {
        let state = state.withLock { $0 }
        var text = PrometheusText()
        func series(_ name: String, _ help: String, _ label: String, _ values: [String: Int]) {
            text.head(name, .counter, help)
            for (key, value) in values.sorted(by: { $0.key < $1.key }) { text.line(name, [(label, key)], value) }
        }
        series("applepay_sessions_total", "Merchant sessions by outcome.", "outcome", state.sessions)
        series("applepay_tokens_total", "Tokens by outcome of their checks.", "outcome", state.tokens)
        series("applepay_payments_total", "Payments by what the sheet was answered.", "outcome", state.payments)
        series(
            "applepay_notifications_total", "Notifications of merchants' tokens.", "outcome", state.notifications)
        text.head(
            "applepay_certificate_days_left", .gauge, "Days until a certificate ends; alert at 30 and at 7.")
        // Two certificates of a kind are two lines only if something tells them apart: their place.
        var places: [String: Int] = [:]
        for (kind, days) in daysLeft {
            let place = places[kind, default: 0]
            places[kind] = place + 1
            text.line(
                "applepay_certificate_days_left", [("kind", kind), ("place", String(place))], Int(clamping: days))
        }
        if let statsD {
            text.single("statsd_dropped_total", .counter, "Metrics that StatsD was not sent.", statsD.dropped)
        }
        return text.text
    }
}
