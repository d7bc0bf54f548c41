import TillCore

/// A session that stores its reads in the reader, to be sent later. iOS 18.4.
///
/// A stored read is not paid: the issuer has not been asked. It supports neither PIN nor refunds.
public final class StoreAndForwardPaymentCardReaderSession: PaymentCardReaderSession, @unchecked Sendable {
    /// Returns the number of stored reads, and the deadline for storing more.
    public func status() async throws(ReadError) -> StoreAndForwardStatus {
        guard let session = await engine.session(number) as? any StoreAndForwardSessionDriver else {
            throw .readerSessionExpired
        }
        let status = try await session.status()
        await engine.note(.stored(count: status.readCount))
        return status
    }

    /// Withdraws the last stored read, within ``TapToPayDeadlines/offlineDecline`` and while it is in no batch.
    /// - Throws: ``PaymentCardReaderSession/ReadError/storeAndForwardDeclineFailed`` if it is too late: it will be
    ///   sent.
    public func decline() async throws(ReadError) {
        guard let session = await engine.session(number) as? any StoreAndForwardSessionDriver else {
            throw .readerSessionExpired
        }
        guard let last = await engine.lastRead else { throw .storeAndForwardResultNotFound }
        guard await engine.isWithin(engine.deadlines.offlineDecline, of: last) else {
            throw .storeAndForwardDeclineFailed
        }
        try await session.decline()
    }
}
