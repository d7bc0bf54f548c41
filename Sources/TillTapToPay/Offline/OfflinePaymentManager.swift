public import Foundation
public import Observation
public import TillCore
public import TillOffline

/// Payments without a connection for an app's screen: accepts, counts, forwards.
///
/// A failing batch never stops the others, a session serves any number of payments, and what was accepted
/// is `StoredNotAuthorized`: not paid.
@Observable @MainActor
public final class OfflinePaymentManager {
    /// Batches that are on their way.
    public private(set) var pendingBatchCount = 0
    /// Payments that are stored and not done.
    public private(set) var pendingTransactionCount = 0
    /// What is stored, with its sums and its age.
    public private(set) var exposure = OfflineExposure()
    /// Why the log could not be read when its totals were last read: they are older then, and payments may be stored
    /// that they do not count. `nil` while they are right.
    public private(set) var logError: OfflineLogError?
    /// What the last forwarding did.
    public private(set) var lastReport: OfflineSync.Report?

    private let reader: PaymentCardReader
    private let log: OfflineLog
    private let policy: OfflinePolicy
    private let clock: any TillClock
    private let sync: OfflineSync
    private var session: StoreAndForwardPaymentCardReaderSession?
    private var isSyncing = false

    /// Makes one over a reader whose driver stores into the log, as ``StoringReaderDriver`` does.
    public init(
        reader: PaymentCardReader, log: OfflineLog, policy: OfflinePolicy, clock: any TillClock, sync: OfflineSync
    ) {
        self.reader = reader
        self.log = log
        self.policy = policy
        self.clock = clock
        self.sync = sync
    }

    /// Prepares the reader. The token is not needed to store; a shop's account must be linked, which needs one.
    public func initialize(token: PaymentCardReader.Token? = nil) async throws {
        if let token, try await !reader.isAccountLinked(using: token) { try await reader.linkAccount(using: token) }
        session = try await reader.prepareStoreAndForward()
        refreshStatus()
    }

    /// Reads a card and stores it.
    /// - Throws: ``TapToPayError/notInitialized``; `OfflineLogError/refused(_:)` with all reasons, before a card is
    ///   asked for; what the reader throws.
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

    /// Takes the last payment back, within its time.
    public func declineLast() async throws {
        guard let session else { throw TapToPayError.notInitialized }
        try await session.decline()
        refreshStatus()
    }

    /// Forwards everything that can be forwarded now. A second call while one runs does nothing.
    public func syncPendingTransactions() async throws {
        guard !isSyncing else { return }
        isSyncing = true
        defer {
            isSyncing = false
            refreshStatus()
        }
        lastReport = try await sync.run()
    }

    /// Examines what is stored.
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
