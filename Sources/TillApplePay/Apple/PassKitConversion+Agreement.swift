#if canImport(PassKit)
    import Foundation
    import PassKit
    #if TILL_SHELL_APART
        import TillApplePay
    #endif
    import TillCore

    extension PassKitConversion {
        /// Adds an agreement to PassKit's request.
        /// - Returns: `false` if it cannot be shown whole, because one of its addresses is no URL or its time zone is
        ///   not known, because it is of several merchants, or because it is a deferred payment, which needs iOS 16.4.
        ///   A sheet without it would ask for another consent.
        static func add(_ agreement: PaymentSheetRequest.Agreement, to request: PKPaymentRequest) -> Bool {
            guard case .billing(let agreement) = agreement, let management = URL(string: agreement.managementURL) else {
                return false
            }
            let notification = agreement.notificationURL.map { URL(string: $0) }
            if case .some(.none) = notification { return false }
            switch agreement.terms {
            case .recurring(let regular, let trial):
                let result = PKRecurringPaymentRequest(
                    paymentDescription: agreement.description, regularBilling: item(regular), managementURL: management)
                result.trialBilling = trial.map(item)
                result.billingAgreement = agreement.text
                result.tokenNotificationURL = notification ?? nil
                request.recurringPaymentRequest = result
            case .deferred(let charge, let date, let cancellation):
                guard #available(macOS 13.3, iOS 16.4, *) else { return false }
                let billing = PKDeferredPaymentSummaryItem(label: charge.label, amount: decimal(charge.amount))
                billing.deferredDate = self.date(date)
                let result = PKDeferredPaymentRequest(
                    paymentDescription: agreement.description, deferredBilling: billing, managementURL: management)
                if let cancellation {
                    guard let zone = TimeZone(identifier: cancellation.timeZone) else { return false }
                    result.freeCancellationDate = self.date(cancellation.until)
                    result.freeCancellationDateTimeZone = zone
                }
                result.billingAgreement = agreement.text
                result.tokenNotificationURL = notification ?? nil
                request.deferredPaymentRequest = result
            case .automaticReload(let charge, let threshold):
                let billing = PKAutomaticReloadPaymentSummaryItem(label: charge.label, amount: decimal(charge.amount))
                billing.thresholdAmount = decimal(threshold)
                let result = PKAutomaticReloadPaymentRequest(
                    paymentDescription: agreement.description, automaticReloadBilling: billing,
                    managementURL: management)
                result.billingAgreement = agreement.text
                result.tokenNotificationURL = notification ?? nil
                request.automaticReloadPaymentRequest = result
            }
            return true
        }

        private static func item(_ billing: BillingAgreement.RecurringBilling) -> PKRecurringPaymentSummaryItem {
            let result = PKRecurringPaymentSummaryItem(
                label: billing.item.label, amount: decimal(billing.item.amount))
            result.intervalUnit = unit(billing.unit)
            result.intervalCount = billing.count
            result.startDate = billing.start.map(date)
            result.endDate = billing.end.map(date)
            return result
        }

        private static func unit(_ interval: PaymentSheetRequest.Interval) -> NSCalendar.Unit {
            switch interval {
            case .minute: .minute
            case .hour: .hour
            case .day: .day
            case .month: .month
            case .year: .year
            }
        }

        private static func date(_ moment: Timestamp) -> Date {
            Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
        }
    }
#endif
