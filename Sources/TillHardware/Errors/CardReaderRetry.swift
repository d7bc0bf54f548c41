/// A program's options after a failure.
public enum CardReaderRetry: String, Hashable, Sendable, CaseIterable {
    /// Repeat the command; nothing has happened.
    case startAgain = "start_again"
    /// Collect again on the same intent: ``CardReaderService/retryActivePayment(beforeConfirmation:)``.
    case sameIntent = "same_intent"
    /// Confirm the original intent again. Never create a new one: the original may have been paid.
    case confirmOriginal = "confirm_original"
    /// Fix the reader, the phone or the network first, then proceed as for `startAgain`.
    case afterRepair = "after_repair"
    /// Connect the reader again first.
    case reconnect
    /// Change the program or the account's settings first.
    case afterChange = "after_change"
    case no
}
