import TillCheckout
package import TillCore

extension RecoveryStanding {
    /// Writes the recovery metrics: the loop's progress, each provider's lane, and payments set aside.
    package func write(into text: inout PrometheusText, at now: Timestamp) {
        var silence: Int64 = 0
        if case .running(let last, _) = loop { silence = now.since(last).milliseconds }
        text.seconds(
            "recovery_last_round_seconds", "How long ago recovery last came round.", milliseconds: max(0, silence))
        text.single("recovery_rounds_total", .counter, "Rounds of recovery.", rounds)
        text.single(
            "recovery_failures_total", .counter, "Rounds of recovery and payments of it that ended in an error.",
            failures)
        text.single(
            "recovery_quarantined", .gauge,
            "Payments that recovery cannot work on: unreadable, or of a provider that is not configured.",
            quarantined.count)
        text.single(
            "recovery_set_aside", .gauge, "Payments that recovery leaves alone for a while, quarantined ones included.",
            setAside.count)
        each("recovery_lane_waiting", .gauge, "Payments that wait for a worker.", into: &text) { $0.waiting }
        each("recovery_lane_working", .gauge, "Payments that are worked on now.", into: &text) { $0.working }
        each("recovery_lane_handled_total", .counter, "Payments that were worked on.", into: &text) { $0.handled }
        each(
            "recovery_lane_silent", .gauge, "1 while the provider does not answer and only probes go to it.",
            into: &text
        ) { if case .closed = $0.breaker { 0 } else { 1 } }
    }

    private func each(
        _ name: String, _ kind: PrometheusText.Kind, _ help: String, into text: inout PrometheusText,
        _ value: (Lane) -> Int
    ) {
        text.head(name, kind, help)
        for lane in lanes { text.line(name, [("provider", lane.provider?.rawValue ?? "none")], value(lane)) }
    }
}
