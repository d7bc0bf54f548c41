/// What keeps stored reads behind ``PaymentCardReaderStore``.
public protocol PaymentCardReaderStoreDriver: Sendable {
    /// The oldest stored reads that are in no batch; 0: all.
    func fetchBatch(size: Int) async throws(PaymentCardReaderStore.StoreError) -> StoreAndForwardBatch
    /// How many reads are stored.
    func storedCount() async throws(PaymentCardReaderStore.StoreError) -> Int
    /// Deletes a batch with the provider's word; gives how many reads are left.
    func resolveBatch(
        _ token: StoreAndForwardBatchDeletionToken
    ) async throws(PaymentCardReaderStore.StoreError) -> Int
    /// Gives up the batch, not its reads.
    func resetBatch() async throws(PaymentCardReaderStore.StoreError)
}
