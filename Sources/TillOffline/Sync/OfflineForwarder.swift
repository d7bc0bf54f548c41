public import TillCore

/// The provider's side of stored payments: takes batches and decides about each payment in them.
///
/// Rules for every implementation:
/// - A batch is taken at most once by its name, and a payment by its attempt: the same one again gets the same
///   decision, also in another batch.
/// - It never throws and never retries on its own. A call without an answer is `unknown`, and is sent again as it is.
public protocol OfflineForwarder: Sendable {
    /// Who it is and what is sealed to it.
    var keys: OfflineProviderKeys { get }
    func forward(_ upload: BatchUpload) async -> ForwardAnswer
    /// Says that this device is there; the provider keeps the mark.
    func contact(_ checkpoint: LogCheckpoint, from header: LogHeader) async -> ContactAnswer
}

/// How the sending of a batch ended.
public enum ForwardAnswer: Hashable, Sendable {
    /// Decided, payment by payment.
    case accepted(BatchReceipt)
    /// The provider will not take this batch, whatever is tried.
    case refused(reason: String)
    /// The provider takes no more for now.
    case busy(retryAfter: Span)
    /// Not one byte left.
    case notSent(reason: String)
    /// It may have been decided.
    case unknown(reason: String)
}

/// How a contact ended.
public enum ContactAnswer: Hashable, Sendable {
    case reached
    /// The provider has seen more of this log than there is now, or something else in its place.
    case refused(reason: String)
    /// The provider was not reached.
    case notReached(reason: String)
}

/// A batch as it is sent.
public struct BatchUpload: Hashable, Sendable {
    /// One stored payment in it.
    public struct Record: Hashable, Sendable {
        public var sequence: UInt64
        public var hash: [UInt8]
        /// The payment with its sealed card.
        public var record: StoredRecord
    }

    public var header: LogHeader
    /// What is in it, signed.
    public var content: BatchContent
    /// The payments, oldest first.
    public var records: [Record]
    /// The device's signature under the chain when it was sent.
    public var checkpoint: LogCheckpoint
}
