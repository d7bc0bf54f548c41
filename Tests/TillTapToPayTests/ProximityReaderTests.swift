#if os(Linux)
    import Foundation
    import ProximityReader
    import Synchronization
    import Testing
    import TillCore
    import TillTapToPay
    import TillTapToPayShell

    /// Apple's adapter against the declared interface: every value goes over and comes back, every error keeps its
    /// name.
    @Suite(.serialized) final class ProximityReaderTests {
        typealias Reader = TillTapToPay.PaymentCardReader
        typealias ReadError = TillTapToPay.PaymentCardReaderSession.ReadError
        let script = ProximityReaderScript.shared
        let token = Reader.Token(rawValue: "token")

        deinit {
            script.failure.withLock { $0 = nil }
            script.readFailure.withLock { $0 = nil }
            script.waits.withLock { $0 = false }
            script.outcome.withLock { $0 = .success }
        }

        @Test func aWholeReadGoesThroughTheFramework() async throws {
            let reader = Reader(driver: ProximityReaderDriver())
            #expect(try await reader.isAccountLinked(using: token))
            let session = try await reader.prepare(using: token)
            var request = TillTapToPay.PaymentCardTransactionRequest(amount: 12, currencyCode: "EUR", for: .refund)
            request.preferredAIDList = [Data([0xA0, 0, 0, 0, 3])]
            request.userInterfaceLanguage = "fr-CA"
            request.transactionDescription = .surcharge(basisPoints: 250)
            let result = try await session.readPaymentCard(request)
            #expect(result.paymentCardData == "c2VhbGVk")
            #expect(result.isPINFallback)
            #expect(result.cardEffectiveState == .active)
            #expect(result.cardExpirationState == .notExpired)
            #expect(result.readAt != nil)
            let asked = try #require(script.lastRequest.withLock { $0 })
            #expect(asked.amount == 12)
            #expect(asked.preferredAIDList == request.preferredAIDList)
            guard case .refund = asked.type, case .surchargePercent(2.5) = asked.transactionDescription else {
                Issue.record("the request did not arrive whole")
                return
            }
            #expect(try await reader.readerIdentifier == "apple-reader")
            await reader.close()
        }

        @Test func theFrameworksOneStreamServesAnyNumberOfListeners() async throws {
            let reader = Reader(driver: ProximityReaderDriver())
            let gone = Task { for await _ in reader.events {} }
            gone.cancel()
            await gone.value
            let session = try await reader.prepare(using: token)
            _ = try await session.readPaymentCard(.init(amount: 1, currencyCode: "EUR"))
            for await event in reader.events where event == .readCompleted { break }
        }

        @Test func passesAndCardsComeTogether() async throws {
            let session = try await Reader(driver: ProximityReaderDriver()).prepare(using: token)
            let request = TillTapToPay.VASRequest(vasMerchants: [.init(id: "pass.a"), .init(id: "pass.b")])
            let (card, passes) = try await session.readPaymentCard(
                .init(amount: 1, currencyCode: "EUR"), vasRequest: request, stopOnVASResult: true)
            #expect(card == nil)
            #expect(passes?.entries.map(\.id) == ["pass.a", "pass.b"])
            #expect(passes?.entries.first?.status == .wrongP1P2)
            #expect(try await session.readVAS(request).entries.count == 2)
            #expect(try await session.readPaymentCard(.init(currencyCode: "EUR", for: .saveCard)).id == "apple-1")
        }

        @Test func aReadIsCalledOff() async throws {
            script.waits.withLock { $0 = true }
            let session = try await Reader(driver: ProximityReaderDriver()).prepare(using: token)
            let read = Task { try await session.readPaymentCard(.init(amount: 1, currencyCode: "EUR")) }
            while try await !session.cancelRead() { await Task.yield() }
            await #expect(throws: ReadError.readCancelled) { _ = try await read.value }
        }

        @Test func everyErrorOfAPreparationKeepsItsNameAndWhatItCarries() async throws {
            let date = Date(timeIntervalSince1970: 1_900_000_000)
            let errors: [(ProximityReader.PaymentCardReaderError, TillTapToPay.PaymentCardReaderError)] = [
                (.networkError, .networkError), (.invalidReaderToken("why"), .invalidReaderToken("why")),
                (.prepareFailed("2999"), .prepareFailed("2999")), (.unknown(code: -2023), .unknown(code: -2023)),
                (.deviceBanned(date), .deviceBanned(until: Timestamp(milliseconds: 1_900_000_000_000))),
                (.requestInterrupted, .requestInterrupted), (.ofALaterRelease, .unrecognized(name: "ofALaterRelease")),
                (.storeAndForwardTokenIssuerChanged, .storeAndForwardTokenIssuerChanged),
                (.accountLinkingRequiresiCloudSignIn, .accountLinkingRequiresiCloudSignIn),
            ]
            for (theirs, ours) in errors {
                script.failure.withLock { $0 = theirs }
                await #expect(throws: ours) {
                    _ = try await Reader(driver: ProximityReaderDriver()).prepare(using: self.token)
                }
            }
        }

        @Test func everyErrorOfAReadKeepsItsNameAndWhatItCarries() async throws {
            let errors: [(ProximityReader.PaymentCardReaderSession.ReadError, ReadError)] = [
                (.cardReadFailed, .cardReadFailed), (.unknown(code: 7), .unknown(code: 7)),
                (.invalidVASMerchants("x"), .invalidVASMerchants("x")), (.pinNotAllowed, .pinNotAllowed),
                (.cardNotSupported, .cardNotSupported), (.ofALaterRelease, .unrecognized(name: "ofALaterRelease")),
            ]
            let session = try await Reader(driver: ProximityReaderDriver()).prepare(using: token)
            for (theirs, ours) in errors {
                script.readFailure.withLock { $0 = theirs }
                await #expect(throws: ours) {
                    _ = try await session.readPaymentCard(.init(amount: 1, currencyCode: "EUR"))
                }
            }
        }

        @Test func aReadThatTheCardRefusedIsAResult() async throws {
            script.outcome.withLock { $0 = .cardDeclined }
            let session = try await Reader(driver: ProximityReaderDriver()).prepare(using: token)
            let result = try await session.readPaymentCard(.init(amount: 1, currencyCode: "EUR"))
            #expect(result.outcome == .cardDeclined)
            #expect(result.paymentCardData != nil)
        }

        @Test func storedReadsGoAndAreDeletedWithTheProvidersWordOnly() async throws {
            let reader = Reader(driver: ProximityReaderDriver())
            let session = try await reader.prepareStoreAndForward()
            #expect(try await session.status().readCount == 2)
            let store = try reader.fetchPaymentCardReaderStore()
            let batch = try await store.fetchStoredPaymentCardReadResultBatch()
            #expect(batch.payments.map(\.id) == ["s-1"])
            #expect(batch.intermediateCertificate == ["above"])
            await #expect(throws: TillTapToPay.PaymentCardReaderStore.StoreError.storeAndForwardBatchAlreadyExists) {
                _ = try await store.fetchStoredPaymentCardReadResultBatch(size: 7)
            }
            await #expect(throws: TillTapToPay.PaymentCardReaderStore.StoreError.storeAndForwardBatchSizeInvalid) {
                _ = try await store.fetchStoredPaymentCardReadResultBatch(size: -1)
            }
            await #expect(throws: TillTapToPay.PaymentCardReaderStore.StoreError.storeAndForwardDeletionTokenInvalid) {
                _ = try await store.resolveBatch(batchDeletionToken: .init(rawValue: "forged"))
            }
            #expect(try await store.resolveBatch(batchDeletionToken: .init(rawValue: "good")) == 0)
            try await store.resetBatchState()
        }
    }
#endif
