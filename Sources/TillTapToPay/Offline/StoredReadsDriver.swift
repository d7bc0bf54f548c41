import Foundation
import TillCore
public import TillOffline

/// The log in the form of Apple's store: one batch at a time, deleted with the provider's deletion token.
public struct StoredReadsDriver: PaymentCardReaderStoreDriver {
    private let log: OfflineLog

    public init(log: OfflineLog) { self.log = log }

    /// Returns the oldest stored reads that are in no batch.
    public func fetchBatch(size: Int) async throws(PaymentCardReaderStore.StoreError) -> StoreAndForwardBatch {
        guard size >= 0, size <= BatchContent.mostMembers else { throw .storeAndForwardBatchSizeInvalid }
        return try await mapped { () async throws(OfflineLogError) in
            if try !log.book().batches.isEmpty { throw .wrongState("a batch is on its way already") }
            let batch = try await log.fetchBatch(size: size)
            // The recipient may send the batch from here on.
            try await log.submit(batch.content.id)
            let upload = try log.upload(batch)
            let payments = upload.records.map { record in
                StoredPaymentCardReadResult(
                    id: record.record.payment.rawValue,
                    paymentCardData: Data(record.record.sealed).base64EncodedString(),
                    generalCardData: Data(record.record.readable).base64EncodedString(),
                    signature: Data(record.hash).base64EncodedString())
            }
            return StoreAndForwardBatch(
                id: batch.content.id, payments: payments,
                signature: Data(batch.content.signature).base64EncodedString(),
                leafCertificate: Data(upload.header.deviceKey).base64EncodedString())
        }
    }

    /// Accepts the provider's decisions. Without them no deletion token has an effect.
    public func take(_ receipt: BatchReceipt) async throws(PaymentCardReaderStore.StoreError) {
        try await mapped { () async throws(OfflineLogError) in try await log.accept(receipt) }
    }

    /// Returns the number of stored reads.
    public func storedCount() async throws(PaymentCardReaderStore.StoreError) -> Int {
        try await mapped { () async throws(OfflineLogError) in try log.book().exposure.count }
    }

    /// Deletes a batch with the provider's deletion token.
    public func resolveBatch(
        _ token: StoreAndForwardBatchDeletionToken
    ) async throws(PaymentCardReaderStore.StoreError) -> Int {
        try await mapped { () async throws(OfflineLogError) in
            try await log.resolve(token.rawValue)
            try log.compact()
            return try log.book().exposure.count
        }
    }

    /// Discards the batch but keeps its reads.
    public func resetBatch() async throws(PaymentCardReaderStore.StoreError) {
        try await mapped { () async throws(OfflineLogError) in
            guard let batch = try log.book().batches.first else { throw .notFound }
            try await log.reset(batch.content.id, reason: "given up")
        }
    }

    private func mapped<Value: Sendable>(
        _ body: () async throws(OfflineLogError) -> Value
    ) async throws(PaymentCardReaderStore.StoreError) -> Value {
        do throws(OfflineLogError) { return try await body() } catch {
            switch error {
            case .notFound: throw .storeAndForwardResultsNotFound
            case .wrongState: throw .storeAndForwardBatchAlreadyExists
            case .token(.expired): throw .storeAndForwardDeletionTokenExpired
            case .token(.otherBatch): throw .storeAndForwardBatchNotFound
            case .token: throw .storeAndForwardDeletionTokenInvalid
            case .queueFull: throw .busy
            case .noLog, .refused: throw .notAllowed
            case .damaged, .disk, .attemptVoided, .attemptStored, .declineOver, .tooLarge, .notSealed:
                throw .unrecognized(name: error.code)
            }
        }
    }
}
