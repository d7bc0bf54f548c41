/// A histogram of durations with buckets from 1 ms to 30 s.
package struct DurationHistogram: Sendable {
    /// The upper bounds: the label in seconds, and the value in microseconds.
    static let bounds: [(label: String, microseconds: Int64)] = [
        ("0.001", 1_000), ("0.005", 5_000), ("0.01", 10_000), ("0.025", 25_000), ("0.05", 50_000), ("0.1", 100_000),
        ("0.25", 250_000), ("0.5", 500_000), ("1", 1_000_000), ("2.5", 2_500_000), ("5", 5_000_000),
        ("10", 10_000_000), ("30", 30_000_000),
    ]

    /// The count of each bucket; the last one counts longer durations.
    private(set) var buckets = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var count = 0
    private(set) var microseconds: Int64 = 0

    package init(microseconds: Int64 = 0) {
        self.microseconds = microseconds
    }

    package mutating func add(_ duration: Duration) {
        let parts = duration.components
        let micros =
            parts.seconds.multipliedReportingOverflow(by: 1_000_000).partialValue
            &+ parts.attoseconds / 1_000_000_000_000
        count += 1
        microseconds &+= micros
        buckets[DurationHistogram.bounds.firstIndex { micros <= $0.microseconds } ?? DurationHistogram.bounds.count] +=
            1
    }
}
