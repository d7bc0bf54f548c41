/// What a program may do about a failure.
public enum CardReaderRetry: String, Hashable, Sendable, CaseIterable {
    /// Give the command again; nothing has happened.
    case startAgain = "start_again"
    /// Collect again on the same intent: ``CardReaderService/retryActivePayment(beforeConfirmation:)``.
    case sameIntent = "same_intent"
    /// Ask again for the money of the original intent. Never make a new one: it may have been paid.
    case confirmOriginal = "confirm_original"
    /// Put the reader, the phone or the network right first, then as `startAgain`.
    case afterRepair = "after_repair"
    /// Connect the reader again first.
    case reconnect
    /// Change the program or the account's settings first.
    case afterChange = "after_change"
    case no
}
