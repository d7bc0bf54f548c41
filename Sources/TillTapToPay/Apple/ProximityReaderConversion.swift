#if canImport(ProximityReader)
    import Foundation
    import ProximityReader
    import TillCore
    #if TILL_SHELL_APART
        import TillTapToPay
    #endif

    // Both modules use the same names.
    typealias TillReader = TillTapToPay.PaymentCardReader
    typealias TillReaderError = TillTapToPay.PaymentCardReaderError
    typealias TillSession = TillTapToPay.PaymentCardReaderSession
    typealias TillTransaction = TillTapToPay.PaymentCardTransactionRequest
    typealias TillVerification = TillTapToPay.PaymentCardVerificationRequest
    typealias TillReadResult = TillTapToPay.PaymentCardReadResult
    typealias TillVASRequest = TillTapToPay.VASRequest
    typealias TillVASResult = TillTapToPay.VASReadResult
    typealias TillStore = TillTapToPay.PaymentCardReaderStore
    typealias TillBatch = TillTapToPay.StoreAndForwardBatch
    typealias TillStored = TillTapToPay.StoredPaymentCardReadResult
    typealias TillStoreStatus = TillTapToPay.StoreAndForwardStatus
    typealias TillDeletionToken = TillTapToPay.StoreAndForwardBatchDeletionToken

    /// Converts between Till's values and ProximityReader's. Pure functions.
    @available(iOS 18.4, *)
    enum ProximityReaderConversion {
        static func request(_ request: TillTransaction) -> ProximityReader.PaymentCardTransactionRequest {
            var result = ProximityReader.PaymentCardTransactionRequest(
                amount: request.amount, currencyCode: request.currencyCode,
                for: request.type == .refund ? .refund : .purchase)
            result.preferredAIDList = request.preferredAIDList
            result.userInterfaceLanguage = request.userInterfaceLanguage.map(Locale.Language.init(identifier:))
            result.transactionDescription = request.transactionDescription.map(description)
            return result
        }

        static func request(_ request: TillVerification) -> ProximityReader.PaymentCardVerificationRequest {
            var result = ProximityReader.PaymentCardVerificationRequest(
                currencyCode: request.currencyCode, for: reason(request.reason))
            result.userInterfaceLanguage = request.userInterfaceLanguage.map(Locale.Language.init(identifier:))
            return result
        }

        static func request(_ request: TillVASRequest) -> ProximityReader.VASRequest {
            let result = ProximityReader.VASRequest(
                vasMerchants: request.vasMerchants.map {
                    .init(id: $0.id, url: $0.url, localizedName: $0.localizedName)
                }, localizedVASType: request.localizedVASType)
            result.userInterfaceLanguage = request.userInterfaceLanguage.map(Locale.Language.init(identifier:))
            return result
        }

        private static func reason(
            _ reason: TillVerification.Reason
        ) -> ProximityReader.PaymentCardVerificationRequest.Reason {
            switch reason {
            case .lookUp: .lookUp
            case .saveCard: .saveCard
            case .openTab: .openTab
            case .other, .unrecognized: .other
            }
        }

        private static func description(
            _ description: TillTransaction.TransactionAmountDescription
        ) -> ProximityReader.PaymentCardTransactionRequest.TransactionAmountDescription {
            switch description {
            case .surcharge(let basisPoints): .surchargePercent(Double(basisPoints) / 100)
            case .surchargeAmount(let amount): .surchargeAmount(amount)
            case .installment(let period, let amount, let payments):
                .installment(cycle(period), amount: amount, payments: payments)
            case .membership(let period): .membership(cycle(period))
            case .preauthorizationAmount(let amount): .preauthorizationAmount(amount)
            case .preauthorization: .preauthorization
            case .preauthorizationRelease: .preauthorizationRelease
            }
        }

        private static func cycle(
            _ cycle: TillTransaction.PaymentCycle
        ) -> ProximityReader.PaymentCardTransactionRequest.PaymentCycle {
            switch cycle {
            case .weekly: .weekly
            case .monthly: .monthly
            case .yearly: .yearly
            }
        }

        static func event(_ event: ProximityReader.PaymentCardReader.Event) -> TillReader.Event {
            switch event {
            case .updateProgress(let percent): .updateProgress(percent)
            case .notReady: .notReady
            case .readyForTap: .readyForTap
            case .cardDetected: .cardDetected
            case .removeCard: .removeCard
            case .readCompleted: .readCompleted
            case .readRetry: .readRetry
            case .readCancelled: .readCancelled
            case .readNotCompleted: .readNotCompleted
            case .pinEntryRequested: .pinEntryRequested
            case .pinEntryCompleted: .pinEntryCompleted
            case .userInterfaceDismissed: .userInterfaceDismissed
            @unknown default: .unrecognized(event.name)
            }
        }

        static func result(_ result: ProximityReader.PaymentCardReadResult) -> TillReadResult {
            TillReadResult(
                id: result.id, paymentCardData: result.paymentCardData, generalCardData: result.generalCardData,
                outcome: outcome(result.outcome), pinBypassed: result.pinBypassed, isPINFallback: result.isPINFallback,
                applicationTypeIdentifier: result.applicationTypeIdentifier,
                cardEffectiveState: result.cardEffectiveState.map(effective),
                cardExpirationState: result.cardExpirationState.map(expiration))
        }

        private static func outcome(
            _ outcome: ProximityReader.PaymentCardReadResult.ReadOutcome
        ) -> TillReadResult.ReadOutcome {
            switch outcome {
            case .success: .success
            case .cardDeclined: .cardDeclined
            case .failure: .failure
            @unknown default: .unrecognized("\(outcome)")
            }
        }

        private static func effective(
            _ state: ProximityReader.PaymentCardReadResult.CardEffectiveState
        ) -> TillReadResult.CardEffectiveState {
            switch state {
            case .active: .active
            case .inactive: .inactive
            case .invalid: .invalid
            case .unknown: .unknown
            @unknown default: .unrecognized("\(state)")
            }
        }

        private static func expiration(
            _ state: ProximityReader.PaymentCardReadResult.CardExpirationState
        ) -> TillReadResult.CardExpirationState {
            switch state {
            case .notExpired: .notExpired
            case .expired: .expired
            case .invalid: .invalid
            case .unknown: .unknown
            @unknown default: .unrecognized("\(state)")
            }
        }

        static func result(_ result: ProximityReader.VASReadResult) -> TillVASResult {
            TillVASResult(
                id: result.id,
                entries: result.entries.map { entry in
                    TillVASResult.ReadEntry(
                        id: entry.id, customerVASData: entry.customerVASData,
                        status: TillVASResult.Status(rawValue: entry.status.rawValue))
                })
        }

        static func timestamp(_ date: Date) -> Timestamp {
            Timestamp(milliseconds: Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? .max)
        }

        // MARK: Errors

        /// Returns the case of the same name, with its payload. An error of another framework keeps its type's name.
        static func readerError(_ error: any Error) -> TillReaderError {
            guard let error = error as? ProximityReader.PaymentCardReaderError else {
                return error is CancellationError
                    ? .requestInterrupted : .unrecognized(name: String(describing: type(of: error)))
            }
            switch error {
            case .invalidReaderToken(let reason): return .invalidReaderToken(reason)
            case .prepareFailed(let reason): return .prepareFailed(reason)
            case .deviceBanned(let date): return .deviceBanned(until: date.map(timestamp))
            case .unknown(let code): return .unknown(code: code)
            default: return TillReaderError(errorName: error.errorName)
            }
        }

        /// Returns the case of the same name, with its payload. An error of another framework keeps its type's name.
        static func readError(_ error: any Error) -> TillSession.ReadError {
            guard let error = error as? ProximityReader.PaymentCardReaderSession.ReadError else {
                return error is CancellationError
                    ? .readCancelled : .unrecognized(name: String(describing: type(of: error)))
            }
            switch error {
            case .invalidVASMerchants(let reason): return .invalidVASMerchants(reason)
            case .invalidVASRequestParameters(let reason): return .invalidVASRequestParameters(reason)
            case .unknown(let code): return .unknown(code: code)
            default: return TillSession.ReadError(errorName: error.errorName)
            }
        }

        /// Returns the case of the same name.
        static func storeError(_ error: any Error) -> TillStore.StoreError {
            guard let error = error as? ProximityReader.PaymentCardReaderStore.StoreError else {
                return .unrecognized(name: String(describing: type(of: error)))
            }
            if case .unknown(let code) = error { return .unknown(code: code) }
            return TillStore.StoreError(errorName: "\(error)")
        }
    }
#endif
