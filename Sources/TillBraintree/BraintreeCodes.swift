internal import TillCore

/// Braintree's codes and their meaning for the money.
enum BraintreeCodes {
    /// The processor's response codes: of authorizations, and from 4000 on of settlements.
    static let processor = ProviderCodeTable(
        "braintree.processor", title: "Answers of a card's processor",
        source: "Braintree's pages \"Authorization responses\" and \"Settlement responses\"",
        [
            .init(
                .nothingMoved, .changed, .generic,
                """
                2000=DoNotHonor 2011=VoiceAuthorizationRequired 2017=CardholderStoppedBilling \
                2018=CardholderStoppedAllBilling 2035=PartialApprovalForAmountInGroupIIIVersion 2038=ProcessorDeclined \
                2041=DeclinedCallForApproval 2044=DeclinedCallIssuer 2046=Declined \
                2070=PayPalBuyerRevokedAuthorization 2074=PayPalFundingInstrumentDeclined \
                2075=PayerAccountIsLockedOrClosed 2076=PayerCannotPayWithPayPal 2078=InvalidSecurePaymentData \
                2082=PayPalDomesticTransactionRequired 2083=PayPalPhoneNumberRequired \
                2086=PayPalTransactionLimitExceeded 2093=PayPalPaymentMethodIsInvalid 2096=PayPalBuyerSameAsSeller \
                2099=CardholderAuthenticationRequired 2101=AdditionalAuthorizationRequired 2104=OfflineIssuerDeclined \
                2105=CannotAuthorizeAtThisTimeLifeCycle 2106=CannotAuthorizeAtThisTimePolicy 4001=SettlementDeclined
                """),
            .init(
                .nothingMoved, .changed, .insufficientFunds,
                """
                2001=InsufficientFunds 2002=LimitExceeded 2003=CardholdersActivityLimitExceeded
                """),
            .init(
                .nothingMoved, .changed, .expiredCard,
                """
                2004=ExpiredCard 2006=InvalidExpirationDate 2022=DeclinedUpdatedCardholderAvailable
                """),
            .init(
                .nothingMoved, .changed, .incorrectNumber,
                """
                2005=InvalidCreditCardNumber 2007=NoAccount 2008=CardAccountLengthError 2009=NoSuchIssuer \
                2051=NumberDoesNotMatchMethodOfPayment 2059=AddressVerificationFailed
                """),
            .init(
                .nothingMoved, .changed, .incorrectCVC,
                """
                2010=CardIssuerDeclinedCVV 2060=AddressVerificationAndCardSecurityCodeFailed
                """),
            .init(
                .nothingMoved, .changed, .fraud,
                """
                2012=PossibleLostCard 2013=PossibleStolenCard 2014=FraudSuspected 2020=Violation \
                2021=SecurityViolation 2043=ErrorDoNotRetryCallIssuer 2047=CallIssuerPickUpCard \
                2053=CardReportedAsLostOrStolen 2077=RefusedDueToPayPalRiskModel 4005=PayPalRiskRejected
                """),
            .init(
                .nothingMoved, .changed, .cardNotSupported,
                """
                2015=TransactionNotAllowed 2019=InvalidTransaction 2024=CardTypeNotEnabled 2029=SetUpErrorCard \
                2057=IssuerOrCardholderRestrictedTheCard 2107=CardNotActivated 2108=ClosedCard
                """),
            .init(
                .movedAlready, .afterQuery, .generic,
                """
                2016=DuplicateTransaction 2069=PayPalBlockingDuplicateOrderIDs 2094=PayPalPaymentAlreadyCompleted
                """),
            .init(
                .ourSetup, .afterSetup, .generic,
                """
                2023=ProcessorDoesNotSupportThisFeature 2025=SetUpErrorMerchant 2026=InvalidMerchantID \
                2027=SetUpErrorAmount 2028=SetUpErrorHierarchy 2030=SetUpErrorTerminal 2031=EncryptionError \
                2032=SurchargeNotPermitted 2039=InvalidAuthorizationCode 2040=InvalidStore 2042=InvalidClientID \
                2045=InvalidMerchantNumber 2049=InvalidSKUNumber 2050=InvalidCreditPlan 2052=InvalidLevelIIIPurchase \
                2055=InvalidTransactionDivisionNumber 2058=MerchantNotMastercardSecureCodeEnabled \
                2061=InvalidTransactionData 2062=InvalidTaxAmount 2063=PayPalBusinessAccountPreference \
                2064=InvalidCurrencyCode 2065=RefundTimeLimitExceeded 2066=PayPalBusinessAccountRestricted \
                2068=PayPalBusinessAccountLockedOrClosed 2071=PayPalPayeeAccountInvalid \
                2072=PayPalPayeeEmailIncorrectlyFormatted 2073=PayPalValidationError \
                2079=PayPalMerchantAccountConfigurationError 2080=InvalidUserCredentials \
                2081=PayPalPendingPaymentsNotSupported 2084=PayPalTaxInfoRequired 2085=PayPalPayeeBlockedTransaction \
                2087=PayPalReferenceTransactionsNotEnabled 2088=CurrencyNotEnabledForPayPalAccount \
                2089=PayPalPayeeEmailPermissionDenied 2090=AccountNotConfiguredToRefundMoreThanSettled \
                2091=CurrencyMustMatchPayPalAccount 2095=PayPalRefundNotAllowedAfterPartialRefund \
                2097=PayPalAuthorizationAmountLimitExceeded 2098=PayPalAuthorizationCountLimitExceeded \
                2100=PayPalChannelInitiatedBillingNotEnabled 4018=PayPalPendingPaymentsNotSupported \
                4021=PayPalRefundTransactionNotAllowed 4023=PayPalRefundMerchantAccountMissingACH \
                4024=RefundTimeLimitExceeded
                """),
            .init(
                .nothingMoved, .later, .generic,
                """
                2033=InconsistentData 2034=NoActionTaken 2092=NoDataFoundTryAnotherVerificationMethod \
                3000=ProcessorNetworkUnavailable
                """),
            .init(
                .nothingMoved, .no, .authorizationExpired,
                """
                2036=AuthorizationCouldNotBeFound 2037=AlreadyReversed 2067=AuthorizationExpired
                """),
            .init(
                .nothingMoved, .changed, .invalidAmount,
                """
                2048=InvalidAmount 2056=AmountExceedsTheTransactionDivisionLimit \
                4006=CaptureAmountExceededAllowableLimit
                """),
            .init(
                .movedAlready, .afterQuery, .nothingLeft,
                """
                2054=ReversalAmountDoesNotMatchAuthorizationAmount 4020=PayPalRefundAttemptLimitReached \
                4022=PayPalRefundInvalidPartialAmount
                """),
            .init(.nothingMoved, .changed, .incorrectPIN, "2102=IncorrectPIN"),
            .init(.nothingMoved, .changed, .tooManyPINTries, "2103=PINTryExceeded"),
            .init(.movedAlready, .afterQuery, .alreadyCaptured, "4003=AlreadyCaptured"),
            .init(.movedAlready, .afterQuery, .alreadyRefunded, "4004=AlreadyRefunded"),
            .init(.nothingMoved, .no, .disputed, "4019=PayPalRefundTransactionWithAnOpenCaseNotAllowed"),
        ])

    /// The gateway's own rejection reasons for a transaction.
    static let gatewayRejections = ProviderCodeTable(
        "braintree.gateway", title: "Why the gateway rejected a transaction",
        source: "`GatewayRejectionReason` of Braintree's Python library 4.48",
        [
            .init(.movedAlready, .afterQuery, .generic, "duplicate"),
            .init(.nothingMoved, .changed, .incorrectCVC, "cvv avs_and_cvv"),
            .init(.nothingMoved, .changed, .incorrectNumber, "avs"),
            .init(.nothingMoved, .changed, .fraud, "fraud risk_threshold"),
            .init(.nothingMoved, .changed, .generic, "three_d_secure"),
            .init(.nothingMoved, .no, .generic, "excessive_retry"),
            .init(.ourSetup, .afterSetup, .generic, "application_incomplete token_issuance"),
        ])

    /// Returns the first error that leaves open that something was done; if there is none, the first of all.
    static func decisive(_ codes: [String]) -> ProviderCode? {
        let rows = codes.compactMap { errors[$0] }
        return rows.first { $0.money.needsQuery } ?? rows.first
    }
}
