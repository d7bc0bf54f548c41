/// What makes a device a card reader: Apple's framework, a virtual reader, a reader on a wire. Passed in.
///
/// The reader's engine calls it one call at a time, but for ``PaymentCardReaderSessionDriver/cancelRead()`` and the
/// cancellation of a task. A driver decides nothing: it has no deadlines, no tries and no state of its own to show.
/// Every call ends soon after its task is canceled.
public protocol PaymentCardReaderDriver: Sendable {
    /// Why this device cannot read cards; nil when it can. Apple's answer considers the model only.
    var unsupported: PaymentCardReaderError? { get }
    /// The name of the reader, stable for this installation.
    func readerIdentifier() async throws(PaymentCardReaderError) -> String
    /// Whether somebody has accepted the terms for the token's merchant.
    func isAccountLinked(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) -> Bool
    /// Shows the terms. Ends when they are accepted or not.
    func linkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError)
    /// Shows the terms for another account.
    func relinkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError)
    /// Configures the reader; the first time may take minutes.
    /// - Parameter events: delivered in their order; also while a session reads.
    func prepare(
        using token: PaymentCardReader.Token, options: PaymentCardReader.Options,
        events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any PaymentCardReaderSessionDriver
    /// Configures the reader for reads that are stored; needs no token and no network, but a recent session online.
    func prepareStoreAndForward(
        options: PaymentCardReader.Options, events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any StoreAndForwardSessionDriver
    /// What keeps stored reads.
    func store() throws(PaymentCardReaderError) -> any PaymentCardReaderStoreDriver
}

extension PaymentCardReaderDriver {
    public func prepareStoreAndForward(
        options: PaymentCardReader.Options, events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any StoreAndForwardSessionDriver { throw .storeAndForwardNotAllowed }
    public func store() throws(PaymentCardReaderError) -> any PaymentCardReaderStoreDriver {
        throw .storeAndForwardNotAllowed
    }
}
