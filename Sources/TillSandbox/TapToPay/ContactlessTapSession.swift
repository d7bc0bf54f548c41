import Foundation
import Synchronization
import TillContactless
import TillCore
import TillTapToPay

/// A session of ``ContactlessTapDriver``: one read at a time over its channel.
final class ContactlessTapSession: PaymentCardReaderSessionDriver {
    typealias ReadError = PaymentCardReaderSession.ReadError

    private struct State {
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
        var count = 0
    }
    private let driver: ContactlessTapDriver
    private let token: PaymentCardReader.Token
    private let options: PaymentCardReader.Options
    private let events: @Sendable (PaymentCardReader.Event) -> Void
    private let state = Mutex(State())

    init(
        driver: ContactlessTapDriver, token: PaymentCardReader.Token, options: PaymentCardReader.Options,
        events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) {
        (self.driver, self.token, self.options, self.events) = (driver, token, options, events)
    }

    var currentOSVersionDeprecationDate: Timestamp? { nil }
    func end() async { await driver.channel.powerOff() }

    func readPaymentCard(
        _ request: PaymentCardTransactionRequest
    ) async throws(ReadError) -> PaymentCardReadResult {
        let tap = try tap(request)
        return try await cancellable { () async throws(ReadError) in
            try await self.read(tap, request.reference)
        }
    }

    func readPaymentCard(
        _ request: PaymentCardVerificationRequest
    ) async throws(ReadError) -> PaymentCardReadResult {
        guard let currency = Currency(ifValid: request.currencyCode) else { throw .invalidCurrencyCode }
        let tap = TapRequest(amount: .zero(currency), time: driver.clock.now())
        return try await cancellable { () async throws(ReadError) in try await self.read(tap, nil) }
    }

    func readVAS(_ request: VASRequest) async throws(ReadError) -> VASReadResult {
        let merchants = try ContactlessTapSession.merchants(request)
        return try await cancellable { () async throws(ReadError) in
            self.events(.readyForTap)
            do throws(CardChannelError) { try await self.driver.channel.waitForCard() } catch { throw ReadError(error) }
            self.events(.cardDetected)
            let passes = try await self.passes(merchants, mode: .passOnly)
            await self.driver.channel.powerOff()
            self.events(passes == nil ? .readNotCompleted : .readCompleted)
            guard let passes else { throw .vasReadFail }
            return passes
        }
    }

    func readPaymentCard(
        _ request: PaymentCardTransactionRequest, vasRequest: VASRequest, stopOnVASResult: Bool
    ) async throws(ReadError) -> (PaymentCardReadResult?, VASReadResult?) {
        let tap = try tap(request)
        let merchants = try ContactlessTapSession.merchants(vasRequest)
        return try await cancellable { () async throws(ReadError) in
            self.events(.readyForTap)
            do throws(CardChannelError) { try await self.driver.channel.waitForCard() } catch { throw ReadError(error) }
            let passes = try await self.passes(merchants, mode: stopOnVASResult ? .passOrPayment : .passAndPayment)
            if stopOnVASResult, let passes, passes.entries.contains(where: { $0.status == .success }) {
                await self.driver.channel.powerOff()
                self.events(.readCompleted)
                return (nil, passes)
            }
            do throws(ReadError) {
                return (try await self.read(tap, request.reference), passes)
            } catch {
                // A wallet without a card: the pass is the whole result, and no error.
                guard error == .cardNotSupported, let passes,
                    passes.entries.contains(where: { $0.status == .success })
                else { throw error }
                return (nil, passes)
            }
        }
    }

    func capturePIN(
        using token: PaymentCardReaderSession.PINToken, cardReaderTransactionID: String
    ) async throws(ReadError) -> PaymentCardReadResult { throw .pinNotAllowed }

    func cancelRead() async throws(ReadError) -> Bool {
        let cancel = state.withLock { state in
            state.isCancelled = state.cancel != nil
            return state.cancel
        }
        cancel?()
        return cancel != nil
    }

    // MARK: Reading

    private func tap(_ request: PaymentCardTransactionRequest) throws(ReadError) -> TapRequest {
        // An expired token ends the session, even in the middle of a day.
        do throws(PaymentCardReaderError) { _ = try driver.setup.tokens.merchant(of: token) } catch {
            throw error == .tokenExpired ? .readerTokenExpired : .readerSessionAuthenticationError
        }
        return TapRequest(
            amount: try request.money(), kind: request.type == .refund ? .refund : .purchase, time: driver.clock.now())
    }

    private static func merchants(_ request: VASRequest) throws(ReadError) -> [VASMerchant] {
        var merchants: [VASMerchant] = []
        for merchant in request.vasMerchants {
            guard let known = VASMerchant(passTypeIdentifier: merchant.id, signUpURL: merchant.url?.absoluteString)
            else { throw .invalidVASMerchants(merchant.id) }
            merchants.append(known)
        }
        return merchants
    }

    /// Reads the passes of a phone in the field; returns `nil` if it is no wallet with passes.
    private func passes(_ merchants: [VASMerchant], mode: VASMode) async throws(ReadError) -> VASReadResult? {
        do throws(VASError) {
            let entries = try await VASReader().read(merchants, mode: mode, over: driver.channel)
            return VASReadResult(
                id: nextID(),
                entries: entries.map { entry in
                    VASReadResult.ReadEntry(
                        id: entry.merchant.passTypeIdentifier,
                        customerVASData: entry.cryptogram.map { Data($0.bytes) },
                        status: entry.status.map { VASReadResult.Status(rawValue: $0.rawValue) }
                            ?? .unrecognized(Int(entry.word.rawValue)))
                })
        } catch {
            switch error {
            case .notAWallet: return nil
            case .channel(let failure): throw ReadError(failure)
            default: throw .vasReadFail
            }
        }
    }

    /// Reads until there is an outcome; a card that requests another presentation may get it, up to the configured
    /// number.
    private func read(_ tap: TapRequest, _ reference: String?) async throws(ReadError) -> PaymentCardReadResult {
        let reader = ContactlessReader(profile: driver.setup.profile, authorities: driver.setup.authorities)
        for presentation in 1...max(1, driver.setup.presentations) {
            let reading: CardReading
            do throws(TapError) {
                reading = try await reader.read(tap, over: driver.channel) { self.events(Event($0)) }
            } catch {
                if case .channel(.canceled) = error { throw .readCancelled }
                return try failure(ReadError(error))
            }
            switch reading.outcome {
            case .tryAgain where presentation < driver.setup.presentations: continue
            case .approved, .onlineRequest: return try result(reading, tap, reference)
            case .declined: return try refused(reading)
            case .tryAgain: return try failure(.cardReadFailed)
            case .tryAnotherInterface, .endApplication: return try failure(.cardNotSupported)
            }
        }
        return try failure(.cardReadFailed)
    }

    private func result(
        _ reading: CardReading, _ tap: TapRequest, _ reference: String?
    ) throws(ReadError) -> PaymentCardReadResult {
        let id = nextID()
        do {
            let sealed = try CardEnvelope.seal(
                reading, for: .init(payment: reference ?? id, amount: tap.amount), reader: driver.setup.name,
                to: driver.setup.key, at: driver.clock.now())
            return shown(reading, id: id, sealed: sealed.reveal(), outcome: .success)
        } catch { throw .paymentReadFailed }
    }

    private func refused(_ reading: CardReading) throws(ReadError) -> PaymentCardReadResult {
        guard options.includeErrorInReadResult else { throw .paymentCardDeclined }
        return shown(reading, id: nextID(), sealed: nil, outcome: .cardDeclined)
    }

    private func failure(_ error: ReadError) throws(ReadError) -> PaymentCardReadResult { throw error }

    private func shown(
        _ reading: CardReading, id: String, sealed: String?, outcome: PaymentCardReadResult.ReadOutcome
    ) -> PaymentCardReadResult {
        PaymentCardReadResult(
            id: id, paymentCardData: sealed,
            generalCardData: Data(reading.general.flatMap(\.encoded)).base64EncodedString(), outcome: outcome,
            applicationTypeIdentifier: String(reading.kernel.rawValue),
            cardExpirationState: PaymentCardReadResult.CardExpirationState(reading.expiration),
            card: CardSummary(
                brand: Scheme(aid: reading.aid)?.brand ?? "unknown", lastFour: reading.lastFour ?? "",
                entryMode: "contactless_emv"))
    }

    private func nextID() -> String {
        let count = state.withLock { state in
            state.count += 1
            return state.count
        }
        return "\(driver.setup.name)-\(driver.clock.now().milliseconds)-\(count)"
    }

    /// Runs a read so that ``cancelRead()`` ends it.
    private func cancellable<Success: Sendable>(
        _ work: @escaping @Sendable () async throws(ReadError) -> Success
    ) async throws(ReadError) -> Success {
        let task = Task { () -> Result<Success, ReadError> in
            do throws(ReadError) { return .success(try await work()) } catch { return .failure(error) }
        }
        state.withLock { ($0.cancel, $0.isCancelled) = ({ task.cancel() }, false) }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        // The card of a failed read is not left in the field for the next one.
        if case .failure = result { await driver.channel.powerOff() }
        let wasCanceled = state.withLock { state in
            defer { (state.cancel, state.isCancelled) = (nil, false) }
            return state.isCancelled
        }
        if wasCanceled, case .failure = result {
            events(.readCancelled)
            throw .readCancelled
        }
        return try result.get()
    }
}

private typealias Event = PaymentCardReader.Event

extension PaymentCardReader.Event {
    /// Creates the reader's event for a progress step.
    init(_ progress: TapProgress) {
        self =
            switch progress {
            case .readyForTap: .readyForTap
            case .cardDetected: .cardDetected
            case .removeCard: .removeCard
            case .retry: .readRetry
            case .completed: .readCompleted
            case .notCompleted: .readNotCompleted
            case .canceled: .readCancelled
            }
    }
}

extension PaymentCardReaderSession.ReadError {
    init(_ error: CardChannelError) { self = error == .canceled ? .readCancelled : .cardReadFailed }

    init(_ error: TapError) {
        switch error {
        case .amountNotAllowed: self = .invalidAmount
        case .noDirectory, .noApplication, .applicationNotOpened: self = .cardNotSupported
        case .channel(let error): self = PaymentCardReaderSession.ReadError(error)
        case .malformed, .cardError: self = .cardReadFailed
        }
    }
}

extension PaymentCardReadResult.CardExpirationState {
    init(_ state: CardReading.ExpirationState) {
        self =
            switch state {
            case .notExpired: .notExpired
            case .expired: .expired
            case .unknown: .unknown
            }
    }
}
