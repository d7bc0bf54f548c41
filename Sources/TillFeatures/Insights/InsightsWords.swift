import TillCore

extension InsightsReading {
    /// What the answer leaves out, as a sentence; `nil` if nothing.
    package var omission: String? {
        guard let stop else { return nil }
        let what =
            switch stop {
            case .rows: "\(rows) payments were examined, which is the most for one question."
            case .payments: "\(payments) payments were read, which is the most for one question."
            case .events: "\(events) events of payments were read, which is the most for one question."
            case .canceled: "The reading was given up."
            }
        guard let backTo else { return "\(what) Nothing was read." }
        return "\(what) What payments created before \(backTo) moved is in no sum. Ask for fewer days."
    }
}
