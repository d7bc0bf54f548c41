/// The storage behind ``PaymentCardReaderStore``.
public protocol PaymentCardReaderStoreDriver: Sendable {
    /// Returns the oldest stored reads that are in no batch; 0: all.
    func fetchBatch(size: Int) async throws(PaymentCardReaderStore.StoreError) -> StoreAndForwardBatch
    /// Returns the number of stored reads.
    func storedCount() async throws(PaymentCardReaderStore.StoreError) -> Int
    /// Deletes a batch with the provider's deletion token; returns the number of remaining reads.
    func resolveBatch(
        _ token: StoreAndForwardBatchDeletionToken
    ) async throws(PaymentCardReaderStore.StoreError) -> Int
    /// Discards the batch but keeps its reads.
    func resetBatch() async throws(PaymentCardReaderStore.StoreError)
}
