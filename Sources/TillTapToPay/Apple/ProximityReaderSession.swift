#if canImport(ProximityReader)
    import Foundation
    import ProximityReader
    import TillCore
    #if TILL_SHELL_APART
        import TillTapToPay
    #endif

    /// Apple's session as a session driver.
    @available(iOS 18.4, *)
    class ProximityReaderSession: PaymentCardReaderSessionDriver, @unchecked Sendable {
        private let session: ProximityReader.PaymentCardReaderSession

        init(_ session: ProximityReader.PaymentCardReaderSession) { self.session = session }

        var currentOSVersionDeprecationDate: Timestamp? {
            session.currentOSVersionDeprecationDate.map(ProximityReaderConversion.timestamp)
        }

        func readPaymentCard(_ request: TillTransaction) async throws(TillSession.ReadError) -> TillReadResult {
            let session = session
            return try await reading {
                let request = ProximityReaderConversion.request(request)
                return ProximityReaderConversion.result(try await session.readPaymentCard(request))
            }
        }

        func readPaymentCard(_ request: TillVerification) async throws(TillSession.ReadError) -> TillReadResult {
            let session = session
            return try await reading {
                let request = ProximityReaderConversion.request(request)
                return ProximityReaderConversion.result(try await session.readPaymentCard(request))
            }
        }

        func readVAS(_ request: TillVASRequest) async throws(TillSession.ReadError) -> TillVASResult {
            let session = session
            return try await reading {
                ProximityReaderConversion.result(try await session.readVAS(ProximityReaderConversion.request(request)))
            }
        }

        func readPaymentCard(
            _ request: TillTransaction, vasRequest: TillVASRequest, stopOnVASResult: Bool
        ) async throws(TillSession.ReadError) -> (TillReadResult?, TillVASResult?) {
            let session = session
            return try await reading {
                let (card, passes) = try await session.readPaymentCard(
                    ProximityReaderConversion.request(request),
                    vasRequest: ProximityReaderConversion.request(vasRequest), stopOnVASResult: stopOnVASResult)
                return (card.map(ProximityReaderConversion.result), passes.map(ProximityReaderConversion.result))
            }
        }

        func capturePIN(
            using token: TillSession.PINToken, cardReaderTransactionID: String
        ) async throws(TillSession.ReadError) -> TillReadResult {
            let session = session
            return try await reading {
                ProximityReaderConversion.result(
                    try await session.capturePIN(
                        using: .init(rawValue: token.rawValue), cardReaderTransactionID: cardReaderTransactionID))
            }
        }

        func cancelRead() async throws(TillSession.ReadError) -> Bool {
            do { return try await session.cancelRead() } catch { throw ProximityReaderConversion.readError(error) }
        }

        /// Does nothing: the framework ends a session when its last reference is released.
        func end() async {}

        /// Runs a read; canceling the task cancels it.
        private func reading<Success: Sendable>(
            _ work: @escaping @Sendable () async throws -> Success
        ) async throws(TillSession.ReadError) -> Success {
            if Task.isCancelled { throw .readCancelled }
            let session = session
            do {
                return try await withTaskCancellationHandler {
                    try await work()
                } onCancel: {
                    Task { _ = try? await session.cancelRead() }
                }
            } catch { throw ProximityReaderConversion.readError(error) }
        }
    }

    /// Apple's session for stored reads as a session driver.
    @available(iOS 18.4, *)
    final class ProximityReaderStoringSession: ProximityReaderSession, StoreAndForwardSessionDriver, @unchecked Sendable
    {
        private let storing: ProximityReader.StoreAndForwardPaymentCardReaderSession

        init(_ session: ProximityReader.StoreAndForwardPaymentCardReaderSession) {
            storing = session
            super.init(session)
        }

        func status() async throws(TillSession.ReadError) -> TillStoreStatus {
            do {
                let status = try await storing.status()
                return TillStoreStatus(
                    readCount: status.readCount, expiration: ProximityReaderConversion.timestamp(status.expiration))
            } catch { throw ProximityReaderConversion.readError(error) }
        }

        func decline() async throws(TillSession.ReadError) {
            do { try await storing.decline() } catch { throw ProximityReaderConversion.readError(error) }
        }
    }

    /// Apple's store as a store driver.
    @available(iOS 18.4, *)
    struct ProximityReaderStore: PaymentCardReaderStoreDriver {
        private let store: ProximityReader.PaymentCardReaderStore

        init(_ store: ProximityReader.PaymentCardReaderStore) { self.store = store }

        func fetchBatch(size: Int) async throws(TillStore.StoreError) -> TillBatch {
            do {
                let batch = try await store.fetchStoredPaymentCardReadResultBatch(size: size)
                return TillBatch(
                    id: batch.id,
                    payments: batch.payments.map {
                        TillStored(
                            id: $0.id, paymentCardData: $0.paymentCardData, generalCardData: $0.generalCardData,
                            signature: $0.signature)
                    }, signature: batch.signature, leafCertificate: batch.leafCertificate,
                    intermediateCertificate: batch.intermediateCertificate)
            } catch { throw ProximityReaderConversion.storeError(error) }
        }

        func storedCount() async throws(TillStore.StoreError) -> Int {
            do { return try await store.fetchStoredPaymentCardReadResultCount() } catch {
                throw ProximityReaderConversion.storeError(error)
            }
        }

        func resolveBatch(_ token: TillDeletionToken) async throws(TillStore.StoreError) -> Int {
            do { return try await store.resolveBatch(batchDeletionToken: .init(rawValue: token.rawValue)) } catch {
                throw ProximityReaderConversion.storeError(error)
            }
        }

        func resetBatch() async throws(TillStore.StoreError) {
            do { try await store.resetBatchState() } catch { throw ProximityReaderConversion.storeError(error) }
        }
    }
#endif
