internal import TillCore

extension BraintreeCodes {
    /// Validation errors of a request: of its transaction, card, address or descriptor. A request with such an error
    /// was rejected as a whole.
    static let errors = ProviderCodeTable(
        "braintree.errors", title: "Errors of a request",
        source: "`ErrorCodes` of Braintree's Python library 4.48",
        [
            .init(
                .nothingMoved, .changed, .invalidAmount,
                """
                81501=AmountCannotBeNegative 81502=AmountIsRequired 81503=AmountIsInvalid \
                815193=AmountNotSupportedByProcessor 81528=AmountIsTooLarge 81531=AmountMustBeGreaterThanZero \
                95601=FinalAuthSubmitForSettlementForDifferentAmount
                """),
            .init(
                .nothingMoved, .changed, .cardNotSupported,
                """
                81509=CustomerDefaultPaymentMethodCardTypeIsNotAccepted 81571=ThreeDSecureAuthenticationFailed \
                81703=CreditCardTypeIsNotAccepted 81718=CreditCardTypeIsNotAcceptedBySubscriptionMerchantAccount \
                81750=NumberIsProhibited 83501=ApplePayCardsAreNotAccepted \
                83518=PaymentMethodNonceCardTypeIsNotAccepted 915101=PaymentInstrumentTypeIsNotAccepted \
                915131=ThreeDSecureMerchantAccountDoesNotSupportCardType 91517=PaymentMethodTokenCardTypeIsNotAccepted \
                91567=PaymentMethodNonceCardTypeIsNotAccepted 91577=PaymentInstrumentNotSupportedByMerchantAccount \
                91726=VenmoSDKPaymentMethodCodeCardTypeIsNotAccepted 91734=PaymentMethodNonceCardTypeIsNotAccepted
                """),
            .init(
                .ourSetup, .afterSetup, .invalidRequest,
                """
                81520=ProcessorAuthorizationCodeIsInvalid 815224=TaxAmountIsRequiredForAibSwedish \
                81527=CustomFieldIsTooLong 81534=TaxAmountCannotBeNegative 81535=TaxAmountFormatIsInvalid \
                81536=TaxAmountIsTooLarge 81724=DuplicateCardExists 81725=PaymentMethodConflict \
                81762=NetworkTokenizationAttributeCryptogramIsRequired 81763=DuplicateCardExistsForCustomer \
                81764=LimitExceededforDuplicatePaymentMethodCheckForCustomer 83502=CustomerIdIsRequiredForVaulting \
                83512=DecryptionFailed 83520=InvalidToken 91501=OrderIdIsTooLong 91505=CannotRefundCredit \
                91508=CreditCardIsRequired 91510=CustomerIdIsInvalid 915102=ProcessorDoesNotSupportPartialSettlement \
                915104=ProcessorDoesNotSupportAuths 915107=ProcessorDoesNotSupportUpdatingOrderId \
                915108=ProcessorDoesNotSupportUpdatingDescriptor 91511=CustomerDoesNotHaveCreditCard \
                915113=ThreeDSecureEciFlagIsRequired 915114=ThreeDSecureEciFlagIsInvalid \
                915115=ThreeDSecureXidIsRequired 915116=ThreeDSecureCavvIsRequired \
                915120=ThreeDSecureAuthenticationResponseIsInvalid 915121=ThreeDSecureDirectoryResponseIsInvalid \
                915122=ThreeDSecureCavvAlgorithmIsInvalid \
                915129=CannotUpdateTransactionDetailsNotSubmittedForSettlement 91513=MerchantAccountIdIsInvalid \
                915130=ProcessorDoesNotSupportUpdatingTransactionDetails 915133=TransactionSourceIsInvalid \
                915137=CannotCloneMarketplaceTransaction 91514=MerchantAccountIsSuspended 91515=PaymentMethodConflict \
                915157=TooManyLineItems 915158=LineItemsExpected 915159=DiscountAmountFormatIsInvalid \
                91516=PaymentMethodDoesNotBelongToCustomer 915160=DiscountAmountCannotBeNegative \
                915161=DiscountAmountIsTooLarge 915162=ShippingAmountFormatIsInvalid \
                915163=ShippingAmountCannotBeNegative 915164=ShippingAmountIsTooLarge \
                915165=ShipsFromPostalCodeIsTooLong 915166=ShipsFromPostalCodeIsInvalid \
                915167=ShipsFromPostalCodeInvalidCharacters 915171=UsBankAccountNonceMustBePlaidVerified \
                915172=UsBankAccountNotVerified 915175=StatusIsInvalid \
                915176=PaymentInstrumentWithExternalVaultIsInvalid \
                915177=StatusWithPreviousNetworkTransactionIdIsInvalid 915178=CardTypeIsInvalid \
                915179=PreviousNetworkTransactionIdIsInvalid 91518=PaymentMethodTokenIsInvalid \
                915180=MerchantAccountIdDoesNotMatchSubscription 915184=AccountTypeIsInvalid \
                915185=AccountTypeNotSupported 915186=AccountTypeDebitDoesNotSupportAuths \
                91519=ProcessorAuthorizationCodeCannotBeSet 915195=ProcessorDoesNotSupportMotoForCardType \
                915196=ThreeDSecureAuthenticationIdIsInvalid \
                915197=ThreeDSecureTransactionPaymentMethodDoesntMatchThreeDSecureAuthenticationPaymentMethod \
                915198=ThreeDSecureAuthenticationIdDoesntMatchNonceThreeDSecureAuthentication \
                915199=ThreeDSecureAuthenticationIdWithThreeDSecurePassThruIsInvalid 915202=ProductSkuIsInvalid \
                915203=ShippingMethodIsInvalid 915204=ShippingPhoneNumberIsInvalid 915206=BillingPhoneNumberIsInvalid \
                915213=ScaExemptionInvalid 915219=TransactionIsNotEligibleForAdjustment \
                915220=ProcessorDoesNotSupportIncrementalAuth 915221=ProcessorDoesNotSupportPartialAuthReversal \
                915222=ProcessorDoesNotSupportAuthAdjustment 915229=ExchangeRateQuoteIdIsTooLong 91523=TypeIsInvalid \
                915230=ApiRequestKeyTooLong 915231=ApiRequestKeyNotAllowed 91524=TypeIsRequired 91525=VaultIsDisabled \
                91526=CustomFieldIsInvalid 915265=ProcessingMerchantCategoryCodeIsInvalid \
                91527=PaymentMethodDoesNotBelongToSubscription 915274=CannotCloneThirdPartyCofNetworkTokenTransaction \
                915278=StatusWithPreviousMastercardTransactionLinkIdIsInvalid \
                915279=PreviousMastercardTransactionLinkIdIsInvalid 91528=SubscriptionIdIsInvalid \
                91529=SubscriptionDoesNotBelongToCustomer 91530=BillingAddressConflict \
                91531=SubscriptionStatusMustBePastDue 91537=PurchaseOrderNumberIsTooLong \
                91538=CannotRefundWithSuspendedMerchantAccount 91539=UnsupportedVoiceAuthorization \
                91540=CannotCloneTransactionWithVaultCreditCard 91541=CannotCloneVoiceAuthorizations \
                91542=CannotCloneUnsuccessfulTransaction 91543=CannotCloneCredit \
                91544=SubmitForSettlementIsRequiredForCloning 91545=ProcessorDoesNotSupportVoiceAuthorizations \
                91546=ProcessorDoesNotSupportCredits 91547=MerchantAccountDoesNotSupportRefunds \
                91548=PurchaseOrderNumberIsInvalid 91549=PaymentMethodConflictWithVenmoSDK 91550=ChannelIsTooLong \
                91551=SettlementAmountIsLessThanServiceFeeAmount 91552=ServiceFeeIsNotAllowedOnCredits \
                91554=ServiceFeeAmountCannotBeNegative 91555=ServiceFeeAmountFormatIsInvalid \
                91556=ServiceFeeAmountIsTooLarge 91557=ServiceFeeAmountNotAllowedOnMasterMerchantAccount \
                91558=MerchantAccountDoesNotSupportMOTO 91559=CannotRefundWithPendingMerchantAccount \
                91562=CannotCancelRelease 91565=PaymentMethodNonceUnknown 91568=ThreeDSecureTokenIsInvalid \
                91569=PaymentMethodNonceHasNoValidPaymentInstrumentType \
                91570=ThreeDSecureTransactionDataDoesntMatchVerify 91572=UseBillingForShippingDisabled \
                91573=CannotCloneTransactionWithPayPalAccount 91575=CannotSimulateTransactionSettlement \
                91576=PayPalNotEnabled 91578=ServiceFeeNotAcceptedForPayPal 91580=CustomFieldTooLong \
                91581=ShippingAddressDoesntMatchCustomer 91582=SubmitForSettlementIsRequiredForPayPalUnilateral \
                91583=PayPalVaultRecordMissingData 91584=MerchantAccountDoesNotMatch3DSecureMerchantAccount \
                91585=AmountDoesNotMatch3DSecureAmount 91701=BillingAddressConflict 91702=BillingAddressIdIsInvalid \
                91704=CustomerIdIsRequired 91705=CustomerIdIsInvalid 91718=TokenInvalid 91719=TokenIsInUse \
                91720=TokenIsTooLong 91721=TokenIsNotAllowed 91722=TokenIsRequired 91723=UpdateExistingTokenIsInvalid \
                91727=InvalidVenmoSDKPaymentMethodCode 91728=VerificationMerchantAccountIdIsInvalid \
                91729=UpdateExistingTokenNotAllowed 91730=VerificationNotSupportedOnThisMerchantAccount \
                91732=PaymentMethodNonceUnknown 91735=CannotUpdateCardUsingPaymentMethodNonce \
                91738=PaymentMethodIsNotACreditCard 91739=VerificationAmountCannotBeNegative \
                91740=VerificationAmountFormatIsInvalid 91741=VerificationAmountNotSupportedByProcessor \
                91742=VerificationMerchantAccountIsSuspended 91743=VerificationMerchantAccountIsForbidden \
                91744=BillingAddressFormatIsInvalid 91745=InvalidParamsForCreditCardUpdate \
                91752=VerificationAmountIsTooLarge 91757=VerificationAccountTypeIsInvald \
                91758=VerificationAccountTypeNotSupported 91803=CountryNameIsNotAccepted \
                91814=CountryCodeAlpha2IsNotAccepted 91815=InconsistentCountry 91816=CountryCodeAlpha3IsNotAccepted \
                91817=CountryCodeNumericIsNotAccepted 91818=TooManyAddressesPerCustomer 91819=FirstNameIsInvalid \
                91820=LastNameIsInvalid 91821=CompanyIsInvalid 91822=StreetAddressIsInvalid \
                91823=ExtendedAddressIsInvalid 91824=LocalityIsInvalid 91825=RegionIsInvalid 91826=PostalCodeIsInvalid \
                91828=IsInvalid 92201=NameFormatIsInvalid 92202=PhoneFormatIsInvalid 92203=DynamicDescriptorsDisabled \
                92204=InternationalNameFormatIsInvalid 92205=InternationalPhoneFormatIsInvalid \
                92206=UrlFormatIsInvalid 92912=CannotHaveFundingSourceWithoutAccessToken \
                92913=InvalidFundingSourceSelection 92914=CannotUpdatePayPalAccountUsingPaymentMethodNonce \
                93101=PaymentMethodParamsAreRequired 93102=NonceIsInvalid 93103=NonceIsRequired \
                93104=CustomerIdIsRequired 93105=CustomerIdIsInvalid 93106=CannotForwardPaymentMethodType \
                93108=PaymentMethodNonceUnknown 93117=PaymentMethodNoLongerSupported \
                93121=UsBankAccountVerificationMethodIsInvalid 93401=IndustryTypeIsInvalid 93402=EmptyData \
                93403=FolioNumberIsInvalid 93404=CheckInDateIsInvalid 93405=CheckOutDateIsInvalid \
                93406=CheckOutDateMustFollowCheckInDate 93407=UnknownDataField 93408=EmptyData 93409=UnknownDataField \
                93410=TravelPackageIsInvalid 93411=DepartureDateIsInvalid 93412=LodgingCheckInDateIsInvalid \
                93413=LodgingCheckOutDateIsInvalid 93414=EmptyData 93415=UnknownDataField 93416=CustomerCodeIsTooLong \
                93417=FareAmountCannotBeNegative 93418=FareAmountFormatIsInvalid 93419=FareAmountIsTooLarge \
                93420=FeeAmountCannotBeNegative 93421=FeeAmountFormatIsInvalid 93422=FeeAmountIsTooLarge \
                93423=IssuedDateFormatIsInvalid 93424=IssuingCarrierCodeIsTooLong \
                93425=PassengerMiddleInitialIsTooLong 93426=RestrictedTicketIsRequired 93427=TaxAmountCannotBeNegative \
                93428=TaxAmountFormatIsInvalid 93429=TaxAmountIsTooLarge 93430=TicketNumberIsTooLong \
                93431=LegsExpected 93432=TooManyLegs 93433=RoomRateMustBeGreaterThanZero 93434=RoomRateFormatIsInvalid \
                93435=RoomRateIsTooLarge 93436=RoomTaxMustBeGreaterThanZero 93437=RoomTaxFormatIsInvalid \
                93438=RoomTaxIsTooLarge 93439=NoShowIndicatorIsInvalid 93440=AdvancedDepositIndicatorIsInvalid \
                93441=FireSafetyIndicatorIsInvalid 93442=PropertyPhoneIsInvalid 93503=TokenIsInUse \
                93505=PaymentMethodNonceUnknown 93507=CannotUpdateApplePayCardUsingPaymentMethodNonce \
                93511=CryptogramIsRequired 93513=Disabled 93514=MerchantNotConfigured \
                93515=MerchantKeysAlreadyConfigured 93516=MerchantKeysNotConfigured 93517=CertificateInvalid \
                93519=CertificateMismatch 93521=PrivateKeyMismatch 93522=KeyMismatchStoringCertificate \
                93528=CustomerIdIsInvalid 93529=BillingAddressFormatIsInvalid 93532=NetworkTransactionIdNotAllowed \
                93533=NotSupportedByProcessor 93534=AmountFormatIsInvalid 93535=AmountCannotBeNegative \
                93536=AmountNotSupportedByProcessor 93537=AmountIsTooLarge 93538=AccountTypeIsInvalid \
                93540=MerchantAccountIdIsInvalid 93541=MerchantAccountIsSuspended 93543=AccountTypeNotSupported \
                94701=CustomerBrowserIsTooLong 94702=CustomerDeviceIdIsTooLong \
                94703=CustomerLocationZipInvalidCharacters 94704=CustomerLocationZipIsInvalid \
                94705=CustomerLocationZipIsTooLong 94706=CustomerTenureIsTooLong \
                95606=NoNetAmountToPerformAuthAdjustment 95801=CommodityCodeIsTooLong 95803=DescriptionIsTooLong \
                95804=DiscountAmountFormatIsInvalid 95805=DiscountAmountIsTooLarge \
                95806=DiscountAmountCannotBeNegative 95807=KindIsInvalid 95808=KindIsRequired \
                95809=ProductCodeIsTooLong 95810=QuantityFormatIsInvalid 95811=QuantityIsRequired \
                95812=QuantityIsTooLarge 95813=TotalAmountFormatIsInvalid 95814=TotalAmountIsRequired \
                95815=TotalAmountIsTooLarge 95816=TotalAmountMustBeGreaterThanZero 95817=UnitAmountFormatIsInvalid \
                95818=UnitAmountIsRequired 95819=UnitAmountIsTooLarge 95820=UnitAmountMustBeGreaterThanZero \
                95821=UnitOfMeasureIsTooLarge 95822=NameIsRequired 95823=NameIsTooLong \
                95824=UnitTaxAmountFormatIsInvalid 95825=UnitTaxAmountIsTooLarge 95826=UnitTaxAmountCannotBeNegative \
                95827=TaxAmountFormatIsInvalid 95828=TaxAmountIsTooLarge 95829=TaxAmountCannotBeNegative \
                95830=UPCCodeIsMissing 95831=UPCCodeIsTooLong 95832=UPCTypeIsMissing 95833=UPCTypeIsInvalid \
                96301=ArrivalAirportCodeIsTooLong 96302=ArrivalTimeFormatIsInvalid 96303=CarrierCodeIsTooLong \
                96304=ConjunctionTicketIsTooLong 96305=CouponNumberIsTooLong 96306=DepartureAirportCodeIsTooLong \
                96307=DepartureTimeFormatIsInvalid 96308=ExchangeTicketIsTooLong 96309=FareAmountCannotBeNegative \
                96310=FareAmountFormatIsInvalid 96311=FareAmountIsTooLarge 96312=FareBasisCodeIsTooLong \
                96313=FeeAmountCannotBeNegative 96314=FeeAmountFormatIsInvalid 96315=FeeAmountIsTooLarge \
                96316=ServiceClassIsTooLong 96317=TaxAmountCannotBeNegative 96318=TaxAmountFormatIsInvalid \
                96319=TaxAmountIsTooLarge 96320=TicketNumberIsTooLong 96601=KindIsInvalid 96602=KindMustBeUnique \
                96603=AmountMustBeGreaterThanZero 96604=AmountFormatIsInvalid 96605=AmountIsTooLarge \
                96606=AmountIsRequired 97501=TransferTypeIsInvalid 97502=TransferSenderTaxIdIsNotValid \
                97503=TransferSenderFirstNameIsNotValid 97504=TransferSenderLastNameIsNotValid \
                97505=TransferSenderAccountReferenceNumberIsNotValid 97506=TransferReceiverTaxIdIsNotValid \
                97507=TransferReceiverFirstNameIsNotValid 97508=TransferReceiverLastNameIsNotValid \
                97509=TransferReceiverAccountReferenceNumberIsNotValid 97510=TransferDetailsAreRequired \
                97511=TransferDetailsAreNotApplicableForThisMerchantAccount \
                97513=TransferSenderAccountReferenceNumberTypeIsNotValid \
                97514=TransferReceiverAccountReferenceNumberTypeIsNotValid 97605=OriginalTransactionNotSurcharged
                """),
            .init(
                .nothingMoved, .changed, .incorrectCVC,
                """
                81706=CvvIsRequired 81707=CvvIsInvalid 81736=CvvVerificationFailed
                """),
            .init(
                .nothingMoved, .changed, .expiredCard,
                """
                81709=ExpirationDateIsRequired 81710=ExpirationDateIsInvalid 81711=ExpirationDateYearIsInvalid \
                81712=ExpirationMonthIsInvalid 81713=ExpirationYearIsInvalid 91708=ExpirationDateConflict \
                93509=ExpirationMonthIsRequired 93510=ExpirationYearIsRequired
                """),
            .init(
                .nothingMoved, .changed, .incorrectNumber,
                """
                81714=NumberIsRequired 81715=NumberIsInvalid 81716=NumberHasInvalidLength 81717=NumberMustBeTestNumber \
                81737=PostalCodeVerificationFailed 93508=NumberIsRequired
                """),
            .init(
                .nothingMoved, .changed, .invalidRequest,
                """
                81723=CardholderNameIsTooLong 81801=CannotBeBlank 81802=CompanyIsTooLong \
                81804=ExtendedAddressIsTooLong 81805=FirstNameIsTooLong 81806=LastNameIsTooLong \
                81807=LocalityIsTooLong 81808=PostalCodeIsRequired 81809=PostalCodeIsTooLong 81810=RegionIsTooLong \
                81811=StreetAddressIsRequired 81812=StreetAddressIsTooLong 81813=PostalCodeInvalidCharacters \
                81827=StateIsInvalidForSellerProtection 81828=PostalCodeIsRequiredForCardBrandAndProcessor
                """),
            .init(
                .movedAlready, .afterQuery, .invalidRequest,
                """
                91504=CannotBeVoided 915218=TransactionMustBeInStateAuthorized 91564=PaymentMethodNonceConsumed \
                91731=PaymentMethodNonceConsumed 93107=PaymentMethodNonceConsumed 93504=PaymentMethodNonceConsumed
                """),
            .init(
                .nothingMoved, .later, .invalidRequest,
                """
                91506=CannotRefundUnlessSettled 915201=RefundAuthSoftDeclined 915282=CannotReverseAtThisTime \
                91574=CannotRefundSettlingTransaction 95603=FailedAuthAdjustmentAllowRetry
                """),
            .init(
                .movedAlready, .afterQuery, .alreadyCaptured,
                """
                91507=CannotSubmitForSettlement 915103=CannotSubmitForPartialSettlement
                """),
            .init(.movedAlready, .afterQuery, .alreadyRefunded, "91512=HasAlreadyBeenRefunded"),
            .init(.nothingMoved, .no, .generic, "915200=RefundAuthHardDeclined 95602=FailedAuthAdjustmentHardDecline"),
            .init(
                .movedAlready, .afterQuery, .nothingLeft,
                """
                91521=RefundAmountIsTooLarge 91522=SettlementAmountIsTooLarge
                """),
            .init(
                .notKnown, .afterQuery, .invalidRequest,
                """
                915232=ApiRequestKeyCanBeReusedOnlyWithTheSameRequest 915234=ApiRequestKeyWithFailedRequest \
                915235=ApiRequestKeyServerError 91566=PaymentMethodNonceLocked 91733=PaymentMethodNonceLocked \
                93109=PaymentMethodNonceLocked 93506=PaymentMethodNonceLocked
                """),
            .init(.notKnown, .later, .invalidRequest, "915233=ApiRequestKeyIsInFlight"),
            .init(.nothingMoved, .no, .authorizationExpired, "91579=PayPalAuthExpired 92911=AuthExpired"),
        ])
}
