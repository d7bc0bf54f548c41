public import TillCore

/// A driver's session: lives from ``PaymentCardReaderDriver/prepare(using:options:events:)`` until ``end()``.
public protocol PaymentCardReaderSessionDriver: Sendable {
    /// Reads a card for an amount.
    func readPaymentCard(
        _ request: PaymentCardTransactionRequest
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult
    /// Reads a card without an amount.
    func readPaymentCard(
        _ request: PaymentCardVerificationRequest
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult
    func readVAS(_ request: VASRequest) async throws(PaymentCardReaderSession.ReadError) -> VASReadResult
    /// Reads a card and passes in one tap; either may be nil.
    func readPaymentCard(
        _ request: PaymentCardTransactionRequest, vasRequest: VASRequest, stopOnVASResult: Bool
    ) async throws(PaymentCardReaderSession.ReadError) -> (PaymentCardReadResult?, VASReadResult?)
    /// Asks for the PIN of a card that was read.
    func capturePIN(
        using token: PaymentCardReaderSession.PINToken, cardReaderTransactionID: String
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult
    /// Cancels the read; false when it is too late or nothing is read.
    func cancelRead() async throws(PaymentCardReaderSession.ReadError) -> Bool
    /// When this version of the system is taken no more.
    var currentOSVersionDeprecationDate: Timestamp? { get }
    /// The session is over; the reader may switch off.
    func end() async
}

/// A driver's session whose reads are stored.
public protocol StoreAndForwardSessionDriver: PaymentCardReaderSessionDriver {
    /// How many are stored, and until when more may be.
    func status() async throws(PaymentCardReaderSession.ReadError) -> StoreAndForwardStatus
    /// Takes the last stored read back, within ``TapToPayDeadlines/offlineDecline`` and while it is in no batch.
    func decline() async throws(PaymentCardReaderSession.ReadError)
}

extension StoreAndForwardSessionDriver {
    /// No PIN can be asked for without the issuer.
    public func capturePIN(
        using token: PaymentCardReaderSession.PINToken, cardReaderTransactionID: String
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult { throw .pinNotAllowed }
}
