/// When held money is taken.
public enum CaptureMode: String, Hashable, Sendable {
    /// As soon as the authorization is in the journal.
    case automatic
    /// When the shop says so.
    case manual
}
