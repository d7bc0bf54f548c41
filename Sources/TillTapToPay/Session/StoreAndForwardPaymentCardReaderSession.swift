import TillCore

/// A session whose reads are stored in the reader and sent later. iOS 18.4.
///
/// A stored read is not paid: nobody has asked the customer's bank. It asks for no PIN and gives nothing back.
public final class StoreAndForwardPaymentCardReaderSession: PaymentCardReaderSession, @unchecked Sendable {
    /// How many reads are stored, and until when more may be.
    public func status() async throws(ReadError) -> StoreAndForwardStatus {
        guard let session = await engine.session(number) as? any StoreAndForwardSessionDriver else {
            throw .readerSessionExpired
        }
        let status = try await session.status()
        await engine.note(.stored(count: status.readCount))
        return status
    }

    /// Takes the last stored read back, within ``TapToPayDeadlines/offlineDecline`` and while it is in no batch.
    /// - Throws: ``PaymentCardReaderSession/ReadError/storeAndForwardDeclineFailed`` when it is too late:
    ///   it will be sent.
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
