import Synchronization
import TillCore

/// The counter's figures in the Prometheus text format. No label holds an identifier.
final class ServerMetrics: Sendable {
    private static let bounds: [(label: String, milliseconds: Int64)] = [
        ("0.001", 1), ("0.005", 5), ("0.01", 10), ("0.025", 25), ("0.05", 50), ("0.1", 100), ("0.25", 250),
        ("0.5", 500), ("1", 1000),
        ("2.5", 2500), ("5", 5000), ("10", 10_000), ("30", 30_000),
    ]

    private struct Series: Hashable {
        var route: String
        var status: Int
    }

    private struct State {
        var requests: [Series: Int] = [:]
        var buckets = [Int](repeating: 0, count: ServerMetrics.bounds.count)
        var count = 0
        var microseconds: Int64 = 0
        var created = 0
        var outcomes: [PaymentStatus: Int] = [:]
    }

    private let state = Mutex(State())

    func answered(route: String, status: Int, after duration: Duration) {
        let parts = duration.components
        let micros =
            parts.seconds.multipliedReportingOverflow(by: 1_000_000).partialValue
            &+ parts.attoseconds / 1_000_000_000_000
        state.withLock { state in
            state.requests[Series(route: route, status: status), default: 0] += 1
            state.count += 1
            state.microseconds &+= micros
            for (index, bound) in ServerMetrics.bounds.enumerated() where micros <= bound.milliseconds * 1000 {
                state.buckets[index] += 1
            }
        }
    }

    func created() { state.withLock { $0.created += 1 } }

    func outcome(_ status: PaymentStatus) { state.withLock { $0.outcomes[status, default: 0] += 1 } }

    /// The page, with further figures of others.
    func text(_ gauges: [(name: String, help: String, type: String, value: Int)]) -> String {
        let state = state.withLock { $0 }
        var text = ""
        func head(_ name: String, _ type: String, _ help: String) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        }
        head("payments_created_total", "counter", "Payments created.")
        text += "payments_created_total \(state.created)\n"
        head("payments_by_outcome_total", "counter", "Steps of payments by the status that they led to.")
        for status in PaymentStatus.allCases {
            text += "payments_by_outcome_total{status=\"\(status.rawValue)\"} \(state.outcomes[status] ?? 0)\n"
        }
        head("http_requests_total", "counter", "Requests answered.")
        let requests = state.requests.sorted { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }
        for (series, count) in requests {
            text += "http_requests_total{route=\"\(series.route)\",status=\"\(series.status)\"} \(count)\n"
        }
        head("http_request_duration_seconds", "histogram", "Time to an answer.")
        for (index, bound) in ServerMetrics.bounds.enumerated() {
            text += "http_request_duration_seconds_bucket{le=\"\(bound.label)\"} \(state.buckets[index])\n"
        }
        text += "http_request_duration_seconds_bucket{le=\"+Inf\"} \(state.count)\n"
        let sum = Decimals.seconds(microseconds: state.microseconds)
        text += "http_request_duration_seconds_sum \(sum)\nhttp_request_duration_seconds_count \(state.count)\n"
        for gauge in gauges {
            head(gauge.name, gauge.type, gauge.help)
            text += "\(gauge.name) \(gauge.value)\n"
        }
        return text
    }
}

/// Seconds as decimal text.
private enum Decimals {
    static func seconds(microseconds: Int64) -> String {
        let rest = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - min(6, rest.utf8.count)) + rest
    }
}
