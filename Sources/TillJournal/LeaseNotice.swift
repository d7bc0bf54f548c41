public import TillCore

/// A change of lease, for the operators of a counter.
public enum LeaseNotice: Hashable, Sendable, CustomStringConvertible {
    /// Another process was stalled for longer than its lease, and this one takes over what it held.
    /// - Parameters:
    ///   - process: its number in the journal.
    ///   - description: the description it gave when it opened the journal.
    ///   - lease: the minimum duration of its silence.
    case tookOver(process: Int64, description: String, lease: Span)
    /// This process was stalled, and another one has taken over what it held. It writes nothing more.
    case lost

    public var description: String {
        switch self {
        case .tookOver(let process, let description, let lease):
            "Took over from process \(process) (\(description)), whose lease ended: it exists and has not renewed it "
                + "for "
                + "\(lease.milliseconds / 1000) s. What it held is finished here; should it resume, it is refused and "
                + "ends."
        case .lost:
            "This process was stalled for longer than its lease, and another one has taken over its payments. It "
                + "takes no payments any more and ends."
        }
    }
}
