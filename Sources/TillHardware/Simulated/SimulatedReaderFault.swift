/// A command of a simulated reader that can be made to fail.
public enum SimulatedReaderCommand: String, Hashable, Sendable, CaseIterable {
    case discover, connect
    case createIntent = "create_intent"
    case retrieveIntent = "retrieve_intent"
    /// Waiting for a card, for an intent or sealed.
    case collect
    case confirm
    case cancelIntent = "cancel_intent"
    case refund, update
}

/// A fault of one command of a simulated reader.
public enum SimulatedReaderFault: Hashable, Sendable {
    /// It does not happen, and fails with this reason.
    case fails(UnderlyingError)
    /// It happens, and its answer is lost: the command fails with ``UnderlyingError/requestTimedOut``.
    case answerLost
    /// It does not happen, and does not return until the reader is released.
    case neverReturns
}
