// The part of ProximityReader's public interface that Till's adapter uses, declared so that the adapter is type-checked
// and run where that framework is not. It is in no product. Tests set what it answers in ``ProximityReaderScript``.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What each is for stands in Apple's documentation.
public import Foundation
public import Synchronization

public final class PaymentCardReader: @unchecked Sendable {
    public static let isSupported = true

    public struct Options: Sendable {
        public var returnReadResultImmediately = false
        public var includeErrorInReadResult = false
        public init() {}
    }

    public enum Event: Hashable, Sendable {
        case updateProgress(Int)
        case notReady, readyForTap, cardDetected, removeCard, readCompleted, readRetry, readCancelled
        case readNotCompleted, pinEntryRequested, pinEntryCompleted, userInterfaceDismissed
        public var name: String { "\(self)" }
    }

    public struct Token: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public let events: AsyncStream<Event>
    public let options: Options
    private let continuation: AsyncStream<Event>.Continuation

    public init(options: Options = .init()) {
        self.options = options
        (events, continuation) = AsyncStream.makeStream(of: Event.self)
        ProximityReaderScript.shared.readerWasMade(continuation)
    }

    public var readerIdentifier: String { get async throws { "apple-reader" } }
    public func isAccountLinked(using token: Token) async throws -> Bool {
        try ProximityReaderScript.shared.isLinked.get()
    }
    public func linkAccount(using token: Token) async throws {
        try ProximityReaderScript.shared.failure.withLock { failure in if let failure { throw failure } }
    }
    public func relinkAccount(using token: Token) async throws {}
    public func prepare(using token: Token) async throws -> PaymentCardReaderSession {
        try ProximityReaderScript.shared.failure.withLock { failure in if let failure { throw failure } }
        continuation.yield(.updateProgress(100))
        return PaymentCardReaderSession()
    }
    public func prepareStoreAndForward() async throws -> StoreAndForwardPaymentCardReaderSession {
        try ProximityReaderScript.shared.failure.withLock { failure in if let failure { throw failure } }
        return StoreAndForwardPaymentCardReaderSession()
    }
    public func fetchPaymentCardReaderStore() throws -> PaymentCardReaderStore { PaymentCardReaderStore() }
}

public enum PaymentCardReaderError: Error {
    case notAllowed, backgroundRequestNotAllowed, unsupported, osVersionNotSupported, modelNotSupported
    case passcodeDisabled, networkError, networkAuthenticationError, serviceConnectionError, notReady
    case emptyReaderToken, invalidReaderToken(String?), prepareFailed(String?), prepareExpired, tokenExpired
    case deviceBanned(Date?), readerMemoryFull, readerBusy, accountNotLinked, accountAlreadyLinked
    case accountLinkingFailed, accountLinkingRequiresiCloudSignIn, accountLinkingCancelled
    case accountLinkingCheckFailed, merchantBlocked, accountDeactivated, invalidMerchant
    case storeAndForwardNotAllowed, storeAndForwardSessionExpired, storeAndForwardSessionInvalidated
    case storeAndForwardTokenIssuerChanged, unknown(code: Int), requestInterrupted
    /// A case of a release after those that the adapter knows, to try what it makes of it.
    case ofALaterRelease
    public var errorName: String { String("\(self)".prefix { $0 != "(" }) }
}

public class PaymentCardReaderSession: @unchecked Sendable {
    public enum ReadError: Error {
        case readNotAllowed, readFromBackgroundError, readerServiceConnectionError, readerServiceError
        case noReaderSession, readerSessionExpired, readerTokenExpired, readerSessionNetworkError
        case readerSessionAuthenticationError, readerSessionBusy, readCancelled, invalidAmount, invalidCurrencyCode
        case invalidPreferredAID, nfcDisabled, readNotAllowedDuringCall, passcodeDisabled, cardReadFailed, vasReadFail
        case paymentReadFailed, paymentCardDeclined, invalidVASMerchants(String?)
        case invalidVASRequestParameters(String?), pinEntryFailed, pinTokenInvalid, pinEntryTimeout, pinCancelled
        case pinNotAllowed, storeAndForwardDeclineFailed, storeAndForwardResultNotFound, unknown(code: Int)
        case readerInitializationFailed, readerNotAvailable, cardNotSupported
        case ofALaterRelease
        public var errorName: String { String("\(self)".prefix { $0 != "(" }) }
    }

    public struct PINToken: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    init() {}

    public var currentOSVersionDeprecationDate: Date? { Date(timeIntervalSince1970: 1_900_000_000) }
    public func readPaymentCard(_ request: PaymentCardTransactionRequest) async throws -> PaymentCardReadResult {
        try await ProximityReaderScript.shared.read(request)
    }
    public func readPaymentCard(_ request: PaymentCardVerificationRequest) async throws -> PaymentCardReadResult {
        try await ProximityReaderScript.shared.read(nil)
    }
    public func readVAS(_ request: VASRequest) async throws -> VASReadResult {
        _ = try await ProximityReaderScript.shared.read(nil)
        return VASReadResult(request)
    }
    public func readPaymentCard(
        _ request: PaymentCardTransactionRequest, vasRequest: VASRequest, stopOnVASResult: Bool
    ) async throws -> (PaymentCardReadResult?, VASReadResult?) {
        let card = try await ProximityReaderScript.shared.read(request)
        return (stopOnVASResult ? nil : card, VASReadResult(vasRequest))
    }
    public func capturePIN(
        using token: PINToken, cardReaderTransactionID: String
    ) async throws -> PaymentCardReadResult { try await ProximityReaderScript.shared.read(nil) }
    public func cancelRead() async throws -> Bool { ProximityReaderScript.shared.cancel() }
}

public struct PaymentCardTransactionRequest: Sendable {
    public enum TransactionType: Sendable { case purchase, refund }
    public enum PaymentCycle: Sendable { case weekly, monthly, yearly }
    public enum TransactionAmountDescription: Sendable {
        case surchargePercent(Double), surchargeAmount(Decimal)
        case installment(PaymentCycle, amount: Decimal, payments: Int)
        case membership(PaymentCycle)
        case preauthorizationAmount(Decimal), preauthorization, preauthorizationRelease
    }
    public let amount: Decimal
    public let currencyCode: String
    public let type: TransactionType
    public var preferredAIDList: [Data] = []
    public var userInterfaceLanguage: Locale.Language?
    public var transactionDescription: TransactionAmountDescription?
    public init(amount: Decimal, currencyCode: String, for type: TransactionType = .purchase) {
        (self.amount, self.currencyCode, self.type) = (amount, currencyCode, type)
    }
}

public struct PaymentCardVerificationRequest: Sendable {
    public enum Reason: Sendable { case lookUp, saveCard, openTab, other }
    public var userInterfaceLanguage: Locale.Language?
    public init(currencyCode: String, for reason: Reason = .other) {}
}

public struct PaymentCardReadResult: Identifiable, Sendable {
    public enum ReadOutcome: Sendable { case success, cardDeclined, failure }
    public enum CardEffectiveState: Sendable { case active, inactive, invalid, unknown }
    public enum CardExpirationState: Sendable { case notExpired, expired, invalid, unknown }
    public let id: String
    public let paymentCardData: String?
    public let generalCardData: String?
    public let outcome: ReadOutcome
    public let pinBypassed = false
    public let isPINFallback = true
    public let applicationTypeIdentifier: String? = "3"
    public let cardEffectiveState: CardEffectiveState? = .active
    public let cardExpirationState: CardExpirationState? = .notExpired
    init(id: String, outcome: ReadOutcome) {
        (self.id, self.outcome) = (id, outcome)
        paymentCardData = "c2VhbGVk"
        generalCardData = nil
    }
}

public class VASRequest: @unchecked Sendable {
    public struct Merchant: Identifiable, Sendable {
        public let id: String
        public let url: URL?
        public let localizedName: String
        public init(id: String, url: URL? = nil, localizedName: String = "") {
            (self.id, self.url, self.localizedName) = (id, url, localizedName)
        }
    }
    public let vasMerchants: [Merchant]
    public let localizedVASType: String
    public var userInterfaceLanguage: Locale.Language?
    public init(vasMerchants: [Merchant] = [], localizedVASType: String = "") {
        (self.vasMerchants, self.localizedVASType) = (vasMerchants, localizedVASType)
    }
}

public struct VASReadResult: Identifiable, Sendable {
    public enum Status: Int, Sendable {
        case success, vasDataNotFound, vasDataNotActivated, wrongP1P2, wrongCommandLength, userInterventionRequired
        case incorrectData, unsupportedApplicationVersion
    }
    public struct ReadEntry: Identifiable, Sendable {
        public let id: String
        public let customerVASData: Data?
        public let status: Status
    }
    public let id: String
    public let entries: [ReadEntry]
    init(_ request: VASRequest) {
        id = "vas-1"
        entries = request.vasMerchants.map { ReadEntry(id: $0.id, customerVASData: nil, status: .wrongP1P2) }
    }
}

public final class StoreAndForwardPaymentCardReaderSession: PaymentCardReaderSession, @unchecked Sendable {
    public func status() async throws -> StoreAndForwardStatus {
        StoreAndForwardStatus(readCount: 2, expiration: Date(timeIntervalSince1970: 1_795_000_000))
    }
    public func decline() async throws {}
}

public struct StoreAndForwardStatus: Sendable {
    public let readCount: Int
    public let expiration: Date
}

public struct StoreAndForwardBatch: Encodable, Identifiable, Sendable {
    public let id: String
    public let count: Int
    public let payments: [StoredPaymentCardReadResult]
    public let signature: String
    public let leafCertificate: String
    public let intermediateCertificate: [String]
}

public struct StoredPaymentCardReadResult: Encodable, Identifiable, Sendable {
    public let id: String
    public let paymentCardData: String?
    public let generalCardData: String?
    public let signature: String
}

public struct StoreAndForwardBatchDeletionToken: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct PaymentCardReaderStore: Sendable {
    public enum StoreError: Error {
        case networkError, notAllowed, passcodeDisabled, storeAndForwardBatchNotFound, storeAndForwardResultsNotFound
        case storeAndForwardBatchSizeInvalid, storeAndForwardBatchAlreadyExists, storeAndForwardDeletionTokenExpired
        case storeAndForwardDeletionTokenInvalid, busy, unknown(code: Int)
    }
    public func fetchStoredPaymentCardReadResultBatch(size: Int = 0) async throws -> StoreAndForwardBatch {
        guard size != 7 else { throw StoreError.storeAndForwardBatchAlreadyExists }
        let payment = StoredPaymentCardReadResult(
            id: "s-1", paymentCardData: "c2VhbGVk", generalCardData: nil, signature: "c2ln")
        return StoreAndForwardBatch(
            id: "b-1", count: 1, payments: [payment], signature: "c2ln", leafCertificate: "leaf",
            intermediateCertificate: ["above"])
    }
    public func fetchStoredPaymentCardReadResultCount() async throws -> Int { 1 }
    public func resolveBatch(batchDeletionToken: StoreAndForwardBatchDeletionToken) async throws -> Int {
        guard batchDeletionToken.rawValue == "good" else { throw StoreError.storeAndForwardDeletionTokenInvalid }
        return 0
    }
    public func resetBatchState() async throws {}
}

/// What the declared framework answers. For tests.
public final class ProximityReaderScript: Sendable {
    public static let shared = ProximityReaderScript()
    public let failure = Mutex<(any Error)?>(nil)
    public let readFailure = Mutex<(any Error)?>(nil)
    public let outcome = Mutex(PaymentCardReadResult.ReadOutcome.success)
    public let linked = Mutex(true)
    public let waits = Mutex(false)
    public let lastRequest = Mutex<PaymentCardTransactionRequest?>(nil)
    public let readersMade = Mutex(0)
    private let cancelled = Mutex(false)
    private let events = Mutex<AsyncStream<PaymentCardReader.Event>.Continuation?>(nil)

    var isLinked: Result<Bool, any Error> {
        if let failure = failure.withLock({ $0 }) { return .failure(failure) }
        return .success(linked.withLock { $0 })
    }

    func readerWasMade(_ continuation: AsyncStream<PaymentCardReader.Event>.Continuation) {
        readersMade.withLock { $0 += 1 }
        events.withLock { $0 = continuation }
    }

    func cancel() -> Bool {
        cancelled.withLock { $0 = true }
        return true
    }

    func read(_ request: PaymentCardTransactionRequest?) async throws -> PaymentCardReadResult {
        lastRequest.withLock { $0 = request }
        cancelled.withLock { $0 = false }
        events.withLock { _ = $0?.yield(.readyForTap) }
        while waits.withLock({ $0 }) {
            if cancelled.withLock({ $0 }) { throw PaymentCardReaderSession.ReadError.readCancelled }
            await Task.yield()
        }
        if let failure = readFailure.withLock({ $0 }) { throw failure }
        events.withLock { _ = $0?.yield(.readCompleted) }
        return PaymentCardReadResult(id: "apple-1", outcome: outcome.withLock { $0 })
    }
}
