public import TillCore

/// A session in which cards can be read: from ``PaymentCardReader/prepare(using:)`` until the app goes to the
/// background, the reader loses it, or its token expires. Any number of reads, one at a time.
///
/// Not created by apps. `@unchecked`: its parts are immutable and safe themselves, but a class with a subclass cannot
/// be checked for that.
public class PaymentCardReaderSession: @unchecked Sendable {
    let engine: ReaderEngine
    let number: Int

    init(engine: ReaderEngine, number: Int) { (self.engine, self.number) = (engine, number) }

    /// A provider's request for a PIN. It is a credential and prints as a mask.
    public struct PINToken: RawRepresentable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The provider's text, unchanged.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Always the same mask.
        public var description: String { "••••" }
        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// Reads a card for an amount.
    ///
    /// With ``PaymentCardReader/Options/includeErrorInReadResult`` a declined or failed card is a result too: its data
    /// are sent to the provider like those of a good one, within ``TapToPayDeadlines/ciphertext``.
    public func readPaymentCard(
        _ request: PaymentCardTransactionRequest
    ) async throws(ReadError) -> PaymentCardReadResult {
        try request.check()
        let output = try await engine.read(session: number) { session throws(ReadError) in
            ReadOutput(payment: try await session.readPaymentCard(request))
        }
        guard let payment = output.payment else { throw .paymentReadFailed }
        return payment
    }

    /// Reads a card without an amount.
    public func readPaymentCard(
        _ request: PaymentCardVerificationRequest
    ) async throws(ReadError) -> PaymentCardReadResult {
        try request.check()
        let output = try await engine.read(session: number) { session throws(ReadError) in
            ReadOutput(payment: try await session.readPaymentCard(request))
        }
        guard let payment = output.payment else { throw .paymentReadFailed }
        return payment
    }

    public func readVAS(_ request: VASRequest) async throws(ReadError) -> VASReadResult {
        try request.check()
        let output = try await engine.read(session: number) { session throws(ReadError) in
            ReadOutput(pass: try await session.readVAS(request))
        }
        guard let pass = output.pass else { throw .vasReadFail }
        return pass
    }

    /// Reads a card and passes in one tap.
    /// - Parameter stopOnVASResult: `true`: the first of the two; `false`: both if the wallet has both.
    /// - Returns: either may be nil: a missing pass or payment card is not an error.
    public func readPaymentCard(
        _ request: PaymentCardTransactionRequest, vasRequest: VASRequest, stopOnVASResult: Bool
    ) async throws(ReadError) -> (PaymentCardReadResult?, VASReadResult?) {
        try request.check()
        try vasRequest.check()
        let output = try await engine.read(session: number) { session throws(ReadError) in
            let (payment, pass) = try await session.readPaymentCard(
                request, vasRequest: vasRequest, stopOnVASResult: stopOnVASResult)
            return ReadOutput(payment: payment, pass: pass)
        }
        return (output.payment, output.pass)
    }

    /// Captures the PIN of a card that was read, if the issuer requires one.
    /// - Throws: ``ReadError/pinNotAllowed`` later than ``TapToPayDeadlines/pin`` after the read, or for a read that
    ///   this reader did not make.
    public func capturePIN(
        using token: PINToken, cardReaderTransactionID: String
    ) async throws(ReadError) -> PaymentCardReadResult {
        guard !token.rawValue.isEmpty else { throw .pinTokenInvalid }
        guard await engine.isWithin(engine.deadlines.pin, of: cardReaderTransactionID) else { throw .pinNotAllowed }
        let output = try await engine.read(session: number) { session throws(ReadError) in
            ReadOutput(
                payment: try await session.capturePIN(using: token, cardReaderTransactionID: cardReaderTransactionID))
        }
        guard let payment = output.payment else { throw .pinEntryFailed }
        return payment
    }

    /// Cancels the read and waits for its end.
    /// - Returns: `true`: the read ended without a card. `false`: nothing was being read, or the card came first; its
    ///   result is returned to the read's caller.
    public func cancelRead() async throws(ReadError) -> Bool { await engine.cancelRead() }

    /// The date from which this version of the system is no longer accepted; nil if not reported. iOS 18.4.
    public var currentOSVersionDeprecationDate: Timestamp? {
        get async { await engine.session?.currentOSVersionDeprecationDate }
    }

    /// A Boolean value that indicates whether this is still the reader's session.
    public var isCurrent: Bool {
        get async { await engine.isCurrent(number) }
    }
}
