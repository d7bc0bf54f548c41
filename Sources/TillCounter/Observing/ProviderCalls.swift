import Synchronization
package import TillCore

/// The outcomes of provider calls, counted by provider, step and outcome. Labels never contain identifiers.
public final class ProviderCalls: Sendable {
    /// The operation called.
    package enum Step: String, Sendable {
        case prepare, authorize, continuation, renewal, capture, void, refund, query
    }

    private struct Series: Hashable {
        var provider: String
        var step: String
        var outcome: String
    }

    private struct Times: Hashable {
        var provider: String
        var step: String
    }

    private struct State {
        var counts: [Series: Int] = [:]
        var times: [Times: DurationHistogram] = [:]
    }

    private let state = Mutex(State())

    /// Creates counters at zero.
    public init() {}

    package func ended(_ step: Step, of provider: ProviderName, outcome: String, after duration: Duration) {
        let series = Series(provider: provider.rawValue, step: step.rawValue, outcome: outcome)
        let times = Times(provider: provider.rawValue, step: step.rawValue)
        state.withLock { state in
            state.counts[series, default: 0] += 1
            state.times[times, default: DurationHistogram()].add(duration)
        }
    }

    /// Writes the metrics.
    package func write(into text: inout PrometheusText) {
        let state = state.withLock { $0 }
        text.head("provider_calls_total", .counter, "Calls to providers by how they ended.")
        let sorted = state.counts.sorted {
            ($0.key.provider, $0.key.step, $0.key.outcome) < ($1.key.provider, $1.key.step, $1.key.outcome)
        }
        for (series, count) in sorted {
            text.line(
                "provider_calls_total",
                [("provider", series.provider), ("step", series.step), ("outcome", series.outcome)], count)
        }
        text.head("provider_call_duration_seconds", .histogram, "Time of a call to a provider.")
        let times = state.times.sorted { ($0.key.provider, $0.key.step) < ($1.key.provider, $1.key.step) }
        for (key, histogram) in times {
            text.histogram(
                "provider_call_duration_seconds", [("provider", key.provider), ("step", key.step)], histogram)
        }
    }
}
