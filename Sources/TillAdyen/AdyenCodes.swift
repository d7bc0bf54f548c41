internal import TillCore

/// Adyen's codes and their consequences for the money.
enum AdyenCodes {
    /// The refusal reasons of payments.
    static let refusals = ProviderCodeTable(
        "adyen.refusals", title: "Why a payment was refused",
        source: "Adyen's page \"Refusal reasons\", the field `refusalReasonCode`",
        [
            .init(.notKnown, .afterQuery, .generic, "0=None"),
            .init(
                .nothingMoved, .changed, .generic,
                """
                2=Refused 3=Referral 11=3DNotAuthenticated 26=RevocationOfAuth 27=DeclinedNonGeneric 32=AVSDeclined \
                37=ContactlessFallback 38=AuthenticationRequired 42=3DSAuthenticationError 50=TokenRevoked
                """),
            .init(
                .nothingMoved, .later, .generic,
                """
                4=AcquirerError 9=IssuerUnavailable 21=NotSubmitted 39=RReqNotReceivedFromDS \
                40=CurrentAIDIsInPenaltyBox 41=CVMRequiredRestartPayment
                """),
            .init(.nothingMoved, .no, .generic, "46=TransactionBlockedToPreventExcessiveRetryFees"),
            .init(
                .nothingMoved, .changed, .cardNotSupported,
                """
                5=BlockedCard 10=NotSupported 23=TransactionNotPermitted 25=RestrictedCard \
                34=NoCheckingAccountAvailableOnCard 35=NoSavingsAccountAvailableOnCard
                """),
            .init(.nothingMoved, .changed, .expiredCard, "6=ExpiredCard"),
            .init(.nothingMoved, .changed, .invalidAmount, "7=InvalidAmount 28=WithdrawalAmountExceeded"),
            .init(.nothingMoved, .changed, .insufficientFunds, "12=NotEnoughBalance 29=WithdrawalCountExceeded"),
            .init(.nothingMoved, .changed, .incorrectNumber, "8=InvalidCardNumber"),
            .init(
                .nothingMoved, .changed, .fraud,
                """
                14=AcquirerFraud 20=Fraud 22=FraudCancelled 31=IssuerSuspectedFraud
                """),
            .init(.nothingMoved, .changed, .canceledAtReader, "15=Cancelled 16=ShopperCancelled"),
            .init(
                .nothingMoved, .changed, .incorrectPIN,
                """
                17=InvalidPin 19=PinValidationNotPossible 33=CardRequiresOnlinePin 36=MobilePinRequired
                """),
            .init(.nothingMoved, .changed, .tooManyPINTries, "18=PinTriesExceeded"),
            .init(.nothingMoved, .changed, .incorrectCVC, "24=CVCDeclined"),
        ])

    /// The error codes of API requests.
    static let errors = ProviderCodeTable(
        "adyen.errors", title: "Errors of a request",
        source: "Adyen's page \"Error codes and messages\" and its interface description, Checkout 71",
        [
            .init(.notKnown, .later, .invalidRequest, "704=RequestAlreadyProcessedOrInProgress"),
            .init(.movedAlready, .afterQuery, .invalidRequest, "106=ThisSessionWasAlreadyUsedPreviously"),
            .init(.nothingMoved, .changed, .incorrectNumber, "101=InvalidCardNumber 102=UnableToDetermineVariant"),
            .init(.nothingMoved, .changed, .incorrectCVC, "103=CVCIsNotTheRightLength"),
            .init(
                .nothingMoved, .changed, .expiredCard,
                """
                129=ExpiryDateInvalid 140=InvalidExpiryMonth 141=InvalidExpiryYear
                """),
            .init(
                .nothingMoved, .changed, .invalidAmount,
                """
                100=NoAmountSpecified 137=InvalidAmountSpecified 138=UnsupportedCurrencySpecified
                """),
            .init(.nothingMoved, .changed, .invalidRequest, "104=BillingAddressProblem 128=CardHolderMissing"),
            .init(
                .ourSetup, .afterSetup, .invalidRequest,
                """
                000=SeveralMessages 010=NotAllowed 107=RecurringIsNotEnabled 130=ReferenceMissing \
                14_030=ReturnURLIsMissing 14_0391=ReturnURLIsNotProvided 167=OriginalPspReferenceRequired \
                174=UnableToDecryptData 187=InvalidAdditionalData 702=UnexpectedInput 901=InvalidMerchantAccount \
                905=PaymentDetailsAreNotSupported
                """),
        ])

    /// The reasons for a failed capture, cancel or refund in its webhook: Adyen's sentences, with `_` for spaces.
    static let modifications = ProviderCodeTable(
        "adyen.modifications", title: "Why a capture, a cancel or a refund was not done",
        source: "the field `reason` of Adyen's webhooks CAPTURE, CANCELLATION, TECHNICAL_CANCEL and REFUND",
        [
            .init(.movedAlready, .afterQuery, .nothingLeft, "Insufficient_balance_on_payment")
        ])

    /// The failures after acceptance by Adyen. Adyen may collect a capture again, which a webhook reports.
    static let failures = ProviderCodeTable(
        "adyen.failures", title: "What came to nothing after it was taken",
        source: "Adyen's page \"CAPTURE_FAILED and REFUND_FAILED reasons\"; the field `eventCode`",
        [
            .init(.nothingMoved, .later, .generic, "CAPTURE_FAILED"),
            .init(.nothingMoved, .changed, .generic, "REFUND_FAILED REFUNDED_REVERSED"),
        ])

    /// Returns the row of a webhook's reason.
    static func modification(_ reason: String) -> ProviderCode? { modifications[reason.replacing(" ", with: "_")] }
}
