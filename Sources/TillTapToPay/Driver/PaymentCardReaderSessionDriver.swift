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
    /// Reads a card and passes in one tap; either result may be nil.
    func readPaymentCard(
        _ request: PaymentCardTransactionRequest, vasRequest: VASRequest, stopOnVASResult: Bool
    ) async throws(PaymentCardReaderSession.ReadError) -> (PaymentCardReadResult?, VASReadResult?)
    /// Captures the PIN of a card that was read.
    func capturePIN(
        using token: PaymentCardReaderSession.PINToken, cardReaderTransactionID: String
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult
    /// Cancels the read; returns `false` if it is too late or nothing is being read.
    func cancelRead() async throws(PaymentCardReaderSession.ReadError) -> Bool
    /// The date from which this version of the system is no longer accepted.
    var currentOSVersionDeprecationDate: Timestamp? { get }
    /// Ends the session; the reader may switch off.
    func end() async
}

/// A session driver for stored reads.
public protocol StoreAndForwardSessionDriver: PaymentCardReaderSessionDriver {
    /// Returns the number of stored reads, and the deadline for storing more.
    func status() async throws(PaymentCardReaderSession.ReadError) -> StoreAndForwardStatus
    /// Withdraws the last stored read, within ``TapToPayDeadlines/offlineDecline`` and while it is in no batch.
    func decline() async throws(PaymentCardReaderSession.ReadError)
}

extension StoreAndForwardSessionDriver {
    /// Refuses: a PIN cannot be requested without the issuer.
    public func capturePIN(
        using token: PaymentCardReaderSession.PINToken, cardReaderTransactionID: String
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult { throw .pinNotAllowed }
}
