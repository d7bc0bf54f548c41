/// When a hold is captured.
public enum CaptureMode: String, Hashable, Sendable {
    /// As soon as the authorization is in the journal.
    case automatic
    /// When the shop asks for it.
    case manual
}
