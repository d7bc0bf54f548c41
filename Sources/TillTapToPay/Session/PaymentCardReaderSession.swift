public import TillCore

/// A time in which cards can be read: from ``PaymentCardReader/prepare(using:)`` until the app goes to the background,
/// the reader loses it, or its token is over. Any number of reads, one at a time.
///
/// Not made by apps. `@unchecked`: its parts never change and are safe themselves, but a class with a subclass cannot
/// be checked for it.
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
    /// With ``PaymentCardReader/Options/includeErrorInReadResult`` a card that refused or failed is a result too: its
    /// data go to the provider like those of a good one, within ``TapToPayDeadlines/ciphertext``.
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
    /// - Parameter stopOnVASResult: `true`: whichever comes first; `false`: both where the wallet has both.
    /// - Returns: either may be nil: no such pass and no payment card are no errors.
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

    /// Asks for the PIN of a card that was read, when the issuer wants one.
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

    /// Cancels the read and waits until that is certain.
    /// - Returns: `true`: the read ended without a card. `false`: nothing was read, or the card was faster; its result
    ///   is with whoever asked for it.
    public func cancelRead() async throws(ReadError) -> Bool { await engine.cancelRead() }

    /// When this version of the system is taken no more; nil when nobody says. iOS 18.4.
    public var currentOSVersionDeprecationDate: Timestamp? {
        get async { await engine.session?.currentOSVersionDeprecationDate }
    }

    /// Whether it still is the reader's session.
    public var isCurrent: Bool {
        get async { await engine.isCurrent(number) }
    }
}
