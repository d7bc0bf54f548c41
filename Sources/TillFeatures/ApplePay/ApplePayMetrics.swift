import Synchronization
import TillApplePay
package import TillCore
package import TillCounter

/// The Apple Pay metrics, in the Prometheus text format and sent to StatsD as they occur. No label holds an identifier.
package final class ApplePayMetrics: Sendable {
    /// The standing of a domain that the settings offer Apple Pay on.
    package struct DomainStanding: Hashable, Sendable {
        /// `true` if its pages offer Apple Pay.
        var isOffered: Bool
        /// The time for which its association file cannot be read, in seconds; 0 if it can, or if none is named.
        var secondsWithoutFile: Int64
    }

    private struct State {
        var sessions: [String: Int] = [:]
        var tokens: [String: Int] = [:]
        var payments: [String: Int] = [:]
        var notifications: [String: Int] = [:]
        var quotes: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let statsD: StatsD?

    package init(statsD: StatsD? = nil) { self.statsD = statsD }

    /// Counts a merchant session by outcome: `given`, Apple's status such as `apple_417`, or the reason that none was
    /// requested.
    package func session(_ outcome: String) {
        state.withLock { $0.sessions[outcome, default: 0] += 1 }
        statsD?.count("applepay.sessions.\(outcome)")
    }

    /// Counts a token as accepted or by its reason for rejection.
    package func token(_ outcome: String) {
        state.withLock { $0.tokens[outcome, default: 0] += 1 }
        statsD?.count("applepay.tokens.\(outcome)")
    }

    /// Counts a payment by the sheet's answer.
    package func payment(_ outcome: String) {
        state.withLock { $0.payments[outcome, default: 0] += 1 }
        statsD?.count("applepay.payments.\(outcome)")
    }

    /// Counts a question for a price by its answer: `priced`, `refused`, or the fault.
    func quote(_ outcome: String) {
        state.withLock { $0.quotes[outcome, default: 0] += 1 }
        statsD?.count("applepay.quotes.\(outcome)")
    }

    /// Counts a merchant-token notification or its details.
    func notification(_ outcome: String) {
        state.withLock { $0.notifications[outcome, default: 0] += 1 }
        statsD?.count("applepay.notifications.\(outcome)")
    }

    /// Records a response in StatsD. Prometheus has it for every route (`http_request_duration_seconds`).
    package func answered(_ route: String, status: Int, after span: Span) {
        guard let statsD else { return }
        let name = route.split(separator: "/").map { $0.filter { $0 != "{" && $0 != "}" && $0 != "." } }
            .joined(separator: ".")
        statsD.time("requests.\(name)", span)
        statsD.count("requests.\(name).\(status)")
    }

    /// Sends the remaining validity of certificates, and the standing of the domains.
    package func send(daysLeft: [(kind: String, days: Int64)], domains: [DomainStanding]) {
        guard let statsD else { return }
        statsD.gauge("applepay.domains_off", Int64(domains.count { !$0.isOffered }))
        statsD.gauge("applepay.association_missing_seconds", domains.map(\.secondsWithoutFile).max() ?? 0)
        // Of several certificates of a kind, the first to expire determines the action.
        for (kind, every) in Dictionary(grouping: daysLeft, by: \.kind) {
            statsD.gauge("applepay.certificate_days_left.\(kind)", every.map(\.days).min() ?? 0)
        }
    }

    var sends: Bool { statsD != nil }

    package func close() async { await statsD?.close() }

    package func text(daysLeft: [(kind: String, days: Int64)], domains: [DomainStanding]) -> String {
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
        series("applepay_quotes_total", "Prices asked of shops by outcome.", "outcome", state.quotes)
        text.head(
            "applepay_certificate_days_left", .gauge, "Days until a certificate ends; alert at 30 and at 7.")
        // Two certificates of a kind need a distinguishing label: their place.
        var places: [String: Int] = [:]
        for (kind, days) in daysLeft {
            let place = places[kind, default: 0]
            places[kind] = place + 1
            text.line(
                "applepay_certificate_days_left", [("kind", kind), ("place", String(place))], Int(clamping: days))
        }
        text.head("applepay_offered", .gauge, "1 if a domain that is switched on offers Apple Pay; alert at 0.")
        for (place, domain) in domains.enumerated() {
            text.line("applepay_offered", [("place", String(place))], domain.isOffered ? 1 : 0)
        }
        text.head(
            "applepay_association_missing_seconds", .gauge,
            "Seconds for which a domain's association file cannot be read; alert above 0.")
        for (place, domain) in domains.enumerated() {
            text.line(
                "applepay_association_missing_seconds", [("place", String(place))],
                Int(clamping: domain.secondsWithoutFile))
        }
        if let statsD {
            text.single("statsd_dropped_total", .counter, "Metrics that StatsD was not sent.", statsD.dropped)
        }
        return text.text
    }
}
