public import TillCore

/// The provider's side of stored payments: accepts batches and decides each payment in them.
///
/// Rules for every implementation:
/// - A batch is processed at most once by its identifier, and a payment by its attempt: repeats receive the same
///   decision, in another batch too.
/// - It never throws and never retries on its own. A call without an answer is `unknown`, and is sent again unchanged.
public protocol OfflineForwarder: Sendable {
    /// The provider's identity and public keys.
    var keys: OfflineProviderKeys { get }
    func forward(_ upload: BatchUpload) async -> ForwardAnswer
    /// Reports that this device is online; the provider keeps the checkpoint.
    func contact(_ checkpoint: LogCheckpoint, from header: LogHeader) async -> ContactAnswer
}

/// The result of sending a batch.
public enum ForwardAnswer: Hashable, Sendable {
    /// Decided, payment by payment.
    case accepted(BatchReceipt)
    /// The provider permanently rejects this batch.
    case refused(reason: String)
    /// The provider accepts no more for now.
    case busy(retryAfter: Span)
    /// Not a single byte was sent.
    case notSent(reason: String)
    /// The batch may have been decided.
    case unknown(reason: String)
}

/// The result of a contact.
public enum ContactAnswer: Hashable, Sendable {
    case reached
    /// The provider has seen more of this log than exists now, or different entries in its place.
    case refused(reason: String)
    /// The provider was not reached.
    case notReached(reason: String)
}

/// A batch as sent to the provider.
public struct BatchUpload: Hashable, Sendable {
    /// One stored payment of the batch.
    public struct Record: Hashable, Sendable {
        public var sequence: UInt64
        public var hash: [UInt8]
        /// The payment with its sealed card.
        public var record: StoredRecord
    }

    public var header: LogHeader
    /// The signed contents.
    public var content: BatchContent
    /// The payments, oldest first.
    public var records: [Record]
    /// The device's signature over the chain at the time of sending.
    public var checkpoint: LogCheckpoint
}
