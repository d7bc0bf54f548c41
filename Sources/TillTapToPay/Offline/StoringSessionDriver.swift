import Foundation
public import TillCore
import TillOffline

/// A session that seals its reads into the log before they are returned to the app.
public final class StoringSessionDriver: StoreAndForwardSessionDriver {
    private let base: any PaymentCardReaderSessionDriver
    private let log: OfflineLog
    private let policy: OfflinePolicy
    private let account: AccountID
    private let clock: any TillClock
    private let last = Guarded<UInt64?>(nil)

    init(
        _ base: any PaymentCardReaderSessionDriver, log: OfflineLog, policy: OfflinePolicy, account: AccountID,
        clock: any TillClock
    ) {
        self.base = base
        self.log = log
        self.policy = policy
        self.account = account
        self.clock = clock
    }

    /// Returns the attempt under which a stored read is kept.
    static func attempt(of payment: PaymentID) -> AttemptID { AttemptID(rawValue: "\(payment)-a1") }

    /// Reads a card and stores it. The result is returned only once it is durable: stored, not authorized.
    public func readPaymentCard(
        _ request: PaymentCardTransactionRequest
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult {
        let amount = try request.money()
        let asked = OfflinePolicy.Request(amount: amount, isRefund: request.type == .refund)
        let reasons: [RiskReason]
        // An unreadable log is not one of the shop's rules.
        do throws(OfflineLogError) { reasons = try log.reasonsAgainst(asked, policy: policy) } catch {
            throw .readerServiceError
        }
        guard reasons.isEmpty else { throw .readNotAllowed }
        let result = try await base.readPaymentCard(request)
        guard case .success = result.outcome, let data = result.paymentCardData else { return result }
        let now = clock.now()
        let payment =
            request.reference.map { PaymentID(rawValue: $0) }
            ?? PaymentID.make(at: now, random: (.random(in: .min ... .max), .random(in: .min ... .max)))
        let record = StoredRecord(
            payment: payment, attempt: StoringSessionDriver.attempt(of: payment), account: account,
            order: OrderID(rawValue: payment.rawValue), amount: amount, at: now, expires: now.adding(policy.itemAge),
            reader: result.id, card: result.card)
        var facts = TapFacts()
        switch result.cardExpirationState {
        case .expired: facts.isExpired = true
        case .notExpired: facts.isExpired = false
        case .invalid, .unknown, .unrecognized, nil: break
        }
        do throws(OfflineLogError) {
            let mark = try await log.store(Secret(data), record, facts: facts, policy: policy)
            last.withLock { $0 = mark.sequence }
        } catch {
            if case .refused = error { throw .readNotAllowed }
            throw .readerServiceError
        }
        return result
    }

    /// Refuses: nothing is stored without an amount.
    public func readPaymentCard(
        _ request: PaymentCardVerificationRequest
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult { throw .readNotAllowed }

    /// Forwards to the base driver.
    public func readVAS(_ request: VASRequest) async throws(PaymentCardReaderSession.ReadError) -> VASReadResult {
        try await base.readVAS(request)
    }

    /// Refuses: a pass and a card need two reads here.
    public func readPaymentCard(
        _ request: PaymentCardTransactionRequest, vasRequest: VASRequest, stopOnVASResult: Bool
    ) async throws(PaymentCardReaderSession.ReadError) -> (PaymentCardReadResult?, VASReadResult?) {
        throw .readNotAllowed
    }

    /// Forwards to the base driver.
    public func cancelRead() async throws(PaymentCardReaderSession.ReadError) -> Bool { try await base.cancelRead() }
    /// The base driver's date.
    public var currentOSVersionDeprecationDate: Timestamp? { base.currentOSVersionDeprecationDate }
    /// Forwards to the base driver.
    public func end() async { await base.end() }

    /// Returns the number of stored reads, and the deadline for storing more.
    public func status() async throws(PaymentCardReaderSession.ReadError) -> StoreAndForwardStatus {
        do throws(OfflineLogError) {
            let book = try log.book()
            let end = book.lastContact?.adding(policy.contactAge) ?? clock.now()
            return StoreAndForwardStatus(readCount: book.exposure.count, expiration: end)
        } catch {
            throw .readerServiceError
        }
    }

    /// Withdraws the last stored read.
    public func decline() async throws(PaymentCardReaderSession.ReadError) {
        guard let sequence = last.withLock({ $0 }) else { throw .storeAndForwardResultNotFound }
        do throws(OfflineLogError) {
            try await log.decline(sequence, reason: "declined", window: policy.declineWindow)
        } catch {
            if case .notFound = error { throw .storeAndForwardResultNotFound }
            throw .storeAndForwardDeclineFailed
        }
    }
}
