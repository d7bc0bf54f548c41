import Synchronization
package import TillCore
package import TillCounter

/// The counter's request and payment metrics since startup. Labels never contain identifiers.
package final class ServerMetrics: Sendable {
    private struct Series: Hashable {
        var route: String
        var status: Int
    }

    private struct State {
        var requests: [Series: Int] = [:]
        var durations: [String: DurationHistogram] = [:]
        var created = 0
        var outcomes: [PaymentStatus: Int] = [:]
        var replays = 0
        var conflicts = 0
        var mismatches = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts an answered request.
    /// - Parameters:
    ///   - isReplay: `true` for a replayed response.
    ///   - code: The code of a problem response.
    package func answered(
        route: String, status: Int, after duration: Duration, isReplay: Bool = false, code: String? = nil
    ) {
        state.withLock { state in
            state.requests[Series(route: route, status: status), default: 0] += 1
            state.durations[route, default: DurationHistogram()].add(duration)
            if isReplay { state.replays += 1 }
            switch code {
            case "request_in_progress": state.conflicts += 1
            case "idempotency_mismatch": state.mismatches += 1
            default: break
            }
        }
    }

    package func created() { state.withLock { $0.created += 1 } }

    package func outcome(_ status: PaymentStatus) { state.withLock { $0.outcomes[status, default: 0] += 1 } }

    package func write(into text: inout PrometheusText) {
        let state = state.withLock { $0 }
        text.single("payments_created_total", .counter, "Payments created.", state.created)
        text.head("payments_by_outcome_total", .counter, "Steps of payments by the status that they led to.")
        for status in PaymentStatus.allCases {
            text.line("payments_by_outcome_total", [("status", status.rawValue)], state.outcomes[status] ?? 0)
        }
        text.head("http_requests_total", .counter, "Requests answered.")
        for (series, count) in state.requests.sorted(by: {
            ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
        }) {
            text.line("http_requests_total", [("route", series.route), ("status", String(series.status))], count)
        }
        text.head("http_request_duration_seconds", .histogram, "Time to an answer.")
        for (route, histogram) in state.durations.sorted(by: { $0.key < $1.key }) {
            text.histogram("http_request_duration_seconds", [("route", route)], histogram)
        }
        text.single(
            "idempotency_replays_total", .counter, "Requests that got the answer of an earlier one.", state.replays)
        text.single(
            "idempotency_conflicts_total", .counter, "Requests refused because the same key was being worked on.",
            state.conflicts)
        text.single(
            "idempotency_mismatches_total", .counter, "Requests refused because their key was used for another one.",
            state.mismatches)
    }
}
