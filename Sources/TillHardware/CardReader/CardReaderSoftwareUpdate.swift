public import TillCore

/// A software update for a reader.
public struct CardReaderSoftwareUpdate: Hashable, Sendable {
    public let version: String
    /// The vendor's estimate of the duration.
    public let estimate: UpdateTimeEstimate
    /// The date from which the reader does not connect without it; `nil` if no date is known.
    public let requiredAt: Timestamp?

    public init(version: String, estimate: UpdateTimeEstimate = .indeterminate, requiredAt: Timestamp? = nil) {
        self.version = version
        self.estimate = estimate
        self.requiredAt = requiredAt
    }
}

/// The vendor's estimate of an update's duration.
public enum UpdateTimeEstimate: String, Hashable, Sendable, CaseIterable {
    /// Less than a minute.
    case lessThanOneMinute = "less_than_1_minute"
    /// One to two minutes.
    case betweenOneAndTwoMinutes = "1_to_2_minutes"
    /// Two to five minutes.
    case betweenTwoAndFiveMinutes = "2_to_5_minutes"
    /// Five to fifteen minutes.
    case betweenFiveAndFifteenMinutes = "5_to_15_minutes"
    case indeterminate
}
