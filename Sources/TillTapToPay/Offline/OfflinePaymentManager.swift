public import Foundation
public import Observation
public import TillCore
public import TillOffline

/// Offline payments for an app's screen: accepts, counts, forwards. Runs wherever Observation does: from iOS 17 on.
///
/// A failing batch never stops the others, a session serves any number of payments, and an accepted payment is
/// `StoredNotAuthorized`: not paid.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@Observable @MainActor
public final class OfflinePaymentManager {
    /// The number of batches being sent.
    public private(set) var pendingBatchCount = 0
    /// The number of stored payments that are not settled.
    public private(set) var pendingTransactionCount = 0
    /// The stored payments' totals and age.
    public private(set) var exposure = OfflineExposure()
    /// The error of the last attempt to read the log: the totals are then outdated, and may miss stored payments. `nil`
    /// while they are current.
    public private(set) var logError: OfflineLogError?
    /// The result of the last forwarding.
    public private(set) var lastReport: OfflineSync.Report?

    private let reader: PaymentCardReader
    private let log: OfflineLog
    private let policy: OfflinePolicy
    private let clock: any TillClock
    private let sync: OfflineSync
    private var session: StoreAndForwardPaymentCardReaderSession?
    private var isSyncing = false

    /// Creates a manager for a reader with a driver that stores into the log, as ``StoringReaderDriver`` does.
    public init(
        reader: PaymentCardReader, log: OfflineLog, policy: OfflinePolicy, clock: any TillClock, sync: OfflineSync
    ) {
        self.reader = reader
        self.log = log
        self.policy = policy
        self.clock = clock
        self.sync = sync
    }

    /// Prepares the reader. Storing needs no token; linking a shop's account needs one.
    public func initialize(token: PaymentCardReader.Token? = nil) async throws {
        if let token, try await !reader.isAccountLinked(using: token) { try await reader.linkAccount(using: token) }
        session = try await reader.prepareStoreAndForward()
        refreshStatus()
    }

    /// Reads a card and stores it.
    /// - Throws: ``TapToPayError/notInitialized``; `OfflineLogError/refused(_:)` with all reasons, before a card is
    ///   requested; errors of the reader.
    @discardableResult
    public func acceptPayment(amount: Decimal, currency: String) async throws -> StoredNotAuthorized {
        guard let session else { throw TapToPayError.notInitialized }
        let money = try Money(exactly: amount, currencyCode: currency)
        let reasons = try log.reasonsAgainst(OfflinePolicy.Request(amount: money), policy: policy)
        guard reasons.isEmpty else { throw OfflineLogError.refused(reasons) }
        let payment = PaymentID.make(
            at: clock.now(), random: (.random(in: .min ... .max), .random(in: .min ... .max)))
        _ = try await session.readPaymentCard(PaymentCardTransactionRequest(money, reference: payment.rawValue))
        refreshStatus()
        guard let found = try log.find(StoringSessionDriver.attempt(of: payment)) else {
            throw OfflineLogError.notFound
        }
        return StoredNotAuthorized(
            payment: payment, order: OrderID(rawValue: payment.rawValue), amount: money, tap: StoredTap(found))
    }

    /// Withdraws the last payment, within the time allowed.
    public func declineLast() async throws {
        guard let session else { throw TapToPayError.notInitialized }
        try await session.decline()
        refreshStatus()
    }

    /// Forwards everything that can be forwarded now. A concurrent second call does nothing.
    public func syncPendingTransactions() async throws {
        guard !isSyncing else { return }
        isSyncing = true
        defer {
            isSyncing = false
            refreshStatus()
        }
        lastReport = try await sync.run()
    }

    /// Updates the totals from the log.
    public func refreshStatus() {
        let book: OfflineLedger
        do throws(OfflineLogError) { book = try log.book() } catch {
            logError = error
            return
        }
        logError = nil
        pendingBatchCount = book.batches.count
        pendingTransactionCount = book.exposure.count
        exposure = book.exposure
    }
}
