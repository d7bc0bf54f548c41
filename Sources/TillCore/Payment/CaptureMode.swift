/// The time at which a hold is captured.
public enum CaptureMode: String, Hashable, Sendable {
    /// Immediately after the authorization is in the journal.
    case automatic
    /// On the shop's request.
    case manual
}
