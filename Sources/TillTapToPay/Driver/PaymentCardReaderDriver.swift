/// The hardware layer of a card reader: Apple's framework, a virtual reader, a wired reader. Injected.
///
/// The reader's engine makes one call at a time, except for ``PaymentCardReaderSessionDriver/cancelRead()`` and the
/// cancellation of a task. A driver contains no logic: no deadlines, no retries and no visible state. Every call ends
/// soon after its task is canceled.
public protocol PaymentCardReaderDriver: Sendable {
    /// The reason that this device cannot read cards; nil if it can. Apple's answer considers the model only.
    var unsupported: PaymentCardReaderError? { get }
    /// Returns the identifier of the reader, stable for this installation.
    func readerIdentifier() async throws(PaymentCardReaderError) -> String
    /// Returns `true` if the terms are accepted for the token's merchant.
    func isAccountLinked(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) -> Bool
    /// Presents the terms. Ends when they are accepted or rejected.
    func linkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError)
    /// Presents the terms for another account.
    func relinkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError)
    /// Configures the reader; the first time may take minutes.
    /// - Parameter events: receives events in order, also while a session reads.
    func prepare(
        using token: PaymentCardReader.Token, options: PaymentCardReader.Options,
        events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any PaymentCardReaderSessionDriver
    /// Configures the reader for stored reads; needs no token and no network, but a recent online session.
    func prepareStoreAndForward(
        options: PaymentCardReader.Options, events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any StoreAndForwardSessionDriver
    /// Returns the store of offline reads.
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
