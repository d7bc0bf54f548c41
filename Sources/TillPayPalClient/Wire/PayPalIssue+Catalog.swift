package import TillCore

/// The issues in PayPal's published API descriptions (Orders 2.13, Payments 2.5, Vault 3.1), and the few others that
/// its servers send, by remedy and by consequence for the money.
extension PayPalIssue {
    /// The consequence of each known issue for the money.
    package static let codes = ProviderCodeTable(
        "paypal.issues", title: "Issues of errors",
        source: "PayPal's interface descriptions, Orders 2.13, Payments 2.5 and Vault 3.1",
        groups.flatMap { $0.1 })

    /// The kind of each known issue.
    static let catalog: [String: Kind] = {
        var table: [String: Kind] = [:]
        for (kind, rows) in groups {
            for code in ProviderCodeTable("", title: "", source: "", rows).codes { table[code.rawValue] = kind }
        }
        return table
    }()

    private static let groups: [(Kind, [ProviderCodeTable.Group])] = [
        (
            .otherCard,
            [
                .init(
                    .nothingMoved, .changed, .generic,
                    """
                    ALIAS_DECLINED_BY_PROCESSOR AUTHORIZATION_DENIED DECLINED_DUE_TO_RELATED_TXN INSTRUMENT_DECLINED \
                    PAYER_ACCOUNT_LOCKED_OR_CLOSED PAYER_ACCOUNT_RESTRICTED PAYER_CANNOT_PAY PAYMENT_DENIED \
                    PAYMENT_SOURCE_DECLINED_BY_PROCESSOR REDIRECT_PAYER_FOR_ALTERNATE_FUNDING
                    """),
                .init(
                    .nothingMoved, .changed, .cardNotSupported,
                    """
                    CARD_BRAND_NOT_SUPPORTED CARD_TYPE_NOT_SUPPORTED CURRENCY_NOT_SUPPORTED_FOR_CARD_TYPE \
                    DOMESTIC_TRANSACTION_REQUIRED PAYMENT_SOURCE_CANNOT_BE_USED
                    """),
                .init(.nothingMoved, .changed, .expiredCard, "REFERENCED_CARD_EXPIRED"),
                .init(.nothingMoved, .changed, .fraud, "TRANSACTION_BLOCKED_BY_PAYEE TRANSACTION_REFUSED"),
            ]
        ),
        (
            .fixField,
            [
                .init(
                    .nothingMoved, .changed, .invalidRequest,
                    """
                    BILLING_ADDRESS_INVALID CITY_REQUIRED POSTAL_CODE_REQUIRED SHIPPING_ADDRESS_INVALID
                    """),
                .init(.nothingMoved, .changed, .expiredCard, "CARD_EXPIRED CARD_EXPIRY_REQUIRED INVALID_EXPIRY_DATE"),
                .init(
                    .nothingMoved, .changed, .incorrectNumber,
                    """
                    CARD_NUMBER_REQUIRED PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED
                    """),
                .init(.nothingMoved, .changed, .incorrectCVC, "INVALID_SECURITY_CODE_LENGTH"),
            ]
        ),
        (
            .payerAction,
            [
                .init(
                    .nothingMoved, .changed, .invalidRequest,
                    """
                    CONSENT_NEEDED ORDER_NOT_APPROVED PAYER_ACTION_REQUIRED
                    """),
                .init(.nothingMoved, .later, .invalidRequest, "ORDER_IS_PENDING_APPROVAL"),
            ]
        ),
        (
            .alreadyDone,
            [
                .init(
                    .movedAlready, .afterQuery, .alreadyCaptured,
                    """
                    AUTHORIZATION_ALREADY_CAPTURED ORDER_ALREADY_CAPTURED ORDER_ALREADY_COMPLETED \
                    ORDER_COMPLETED_OR_VOIDED PREVIOUSLY_CAPTURED
                    """),
                .init(.movedAlready, .afterQuery, .alreadyRefunded, "CAPTURE_FULLY_REFUNDED"),
                .init(
                    .movedAlready, .afterQuery, .invalidRequest,
                    """
                    DUPLICATE_INVOICE_ID ORDER_ALREADY_AUTHORIZED PAYMENT_ALREADY_APPROVED \
                    PAYPAL_REQUEST_ID_PREVIOUSLY_USED
                    """),
                .init(.movedAlready, .no, .authorizationExpired, "PREVIOUSLY_VOIDED"),
            ]
        ),
        (
            .limit,
            [
                .init(
                    .nothingMoved, .changed, .invalidAmount,
                    """
                    AUTHORIZATION_AMOUNT_EXCEEDED TRANSACTION_LIMIT_EXCEEDED
                    """),
                .init(
                    .nothingMoved, .no, .authorizationExpired,
                    """
                    AUTHORIZATION_EXPIRED ORDER_EXPIRED PAYPAL_TRANSACTION_ID_EXPIRED PNREF_EXPIRED TOKEN_EXPIRED
                    """),
                .init(.movedAlready, .no, .authorizationExpired, "AUTHORIZATION_VOIDED"),
                .init(
                    .nothingMoved, .no, .invalidRequest,
                    """
                    CANNOT_BE_VOIDED MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED REAUTHORIZATION_NOT_SUPPORTED \
                    REFUND_TIME_LIMIT_EXCEEDED TRANSACTION_RECEIVING_LIMIT_EXCEEDED
                    """),
                .init(.movedAlready, .afterQuery, .invalidRequest, "MAX_AUTHORIZATION_COUNT_EXCEEDED"),
                .init(
                    .movedAlready, .afterQuery, .nothingLeft,
                    """
                    MAX_CAPTURE_AMOUNT_EXCEEDED MAX_CAPTURE_COUNT_EXCEEDED MAX_NUMBER_OF_REFUNDS_EXCEEDED \
                    REFUND_AMOUNT_EXCEEDED
                    """),
                .init(.nothingMoved, .later, .invalidRequest, "PENDING_CAPTURE REAUTHORIZATION_TOO_SOON"),
            ]
        ),
        (
            .account,
            [
                .init(
                    .ourSetup, .afterSetup, .invalidRequest,
                    """
                    AUTH_CAPTURE_NOT_ENABLED INVALID_ACCOUNT_STATUS NOT_ENABLED_FOR_APPLE_PAY \
                    NOT_ENABLED_FOR_BANK_PROCESSING NOT_ENABLED_FOR_CARD_PROCESSING NOT_ENABLED_FOR_GOOGLE_PAY \
                    NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE PAYEE_ACCOUNT_INVALID PAYEE_ACCOUNT_LOCKED_OR_CLOSED \
                    PAYEE_ACCOUNT_NOT_VERIFIED PAYEE_ACCOUNT_RESTRICTED PAYEE_BLOCKED_TRANSACTION \
                    PAYEE_NOT_ENABLED_FOR_BANK_PROCESSING PAYEE_NOT_ENABLED_FOR_CARD_PROCESSING \
                    PAYEE_PRICING_TIER_ID_NOT_ENABLED PERMISSION_DENIED PLATFORM_FEE_NOT_ENABLED \
                    REFUND_FAILED_INSUFFICIENT_FUNDS
                    """),
                .init(.ourSetup, .afterSetup, .fraud, "COMPLIANCE_VIOLATION"),
            ]
        ),
        (
            .retrySameKey,
            [
                .init(
                    .notKnown, .later, .invalidRequest,
                    """
                    INTERNAL_SERVICE_ERROR ORDER_COMPLETION_IN_PROGRESS PREVIOUS_REQUEST_IN_PROGRESS
                    """),
                .init(.nothingMoved, .later, .invalidRequest, "RATE_LIMIT_REACHED"),
            ]
        ),
        (
            .merchantFault,
            [
                .init(
                    .ourSetup, .afterSetup, .invalidRequest,
                    """
                    ACTION_DOES_NOT_MATCH_INTENT AGREEMENT_ALREADY_CANCELLED AMOUNT_CANNOT_BE_SPECIFIED \
                    AMOUNT_CHANGE_NOT_ALLOWED AMOUNT_NOT_PATCHABLE APPLE_PAY_AMOUNT_MISMATCH \
                    AUTHORIZATION_CURRENCY_MISMATCH AUTH_CAPTURE_CURRENCY_MISMATCH AUTH_CURRENCY_MISMATCH \
                    BANK_NOT_SUPPORTED_FOR_VERIFICATION BILLING_AGREEMENT_ID_MISMATCH BILLING_AGREEMENT_NOT_FOUND \
                    BLIK_ONE_CLICK_MISSING_REQUIRED_PARAMETER CANCEL_URL_REQUIRED CANNOT_BE_NEGATIVE \
                    CAPTURE_ID_NOT_FOUND CAPTURE_STATUS_NOT_VALID COUNTRY_NOT_SUPPORTED_BY_PAYMENT_SOURCE \
                    CRYPTOGRAM_REQUIRED CURRENCY_MISMATCH CURRENCY_NOT_SUPPORTED_FOR_BANK \
                    CURRENCY_NOT_SUPPORTED_FOR_COUNTRY DEVICE_DATA_NOT_AVAILABLE DONATION_ITEMS_NOT_SUPPORTED \
                    DUPLICATE_REFERENCE_ID EMV_DATA_REQUIRED FIELD_NOT_PATCHABLE \
                    GOOGLE_PAY_GATEWAY_MERCHANT_ID_MISMATCH IBAN_COUNTRY_NOT_SUPPORTED IDENTIFIER_NOT_FOUND \
                    INCOMPATIBLE_PARAMETER_VALUE INVALID_ARRAY_MAX_ITEMS INVALID_ARRAY_MIN_ITEMS INVALID_COUNTRY_CODE \
                    INVALID_CURRENCY_CODE INVALID_FX_RATE_ID INVALID_GOOGLE_PAY_TOKEN INVALID_IBAN \
                    INVALID_JSON_POINTER_FORMAT INVALID_PARAMETER INVALID_PARAMETER_SYNTAX INVALID_PARAMETER_VALUE \
                    INVALID_PATCH_OPERATION INVALID_PAYEE_PRICING_TIER_ID INVALID_PAYER_ID INVALID_PICKUP_ADDRESS \
                    INVALID_PLATFORM_FEES_ACCOUNT INVALID_PLATFORM_FEES_AMOUNT INVALID_PREVIOUS_TRANSACTION_REFERENCE \
                    INVALID_REQUEST INVALID_RESOURCE_ID INVALID_STRING_LENGTH INVALID_STRING_MAX_LENGTH \
                    ITEM_CATEGORY_NOT_SUPPORTED_BY_PAYMENT_SOURCE ITEM_SKU_MISMATCH ITEM_TOTAL_MISMATCH \
                    ITEM_TOTAL_REQUIRED MALFORMED_REQUEST_JSON MERCHANT_INITIATED_WITH_AUTHENTICATION_RESULTS \
                    MERCHANT_INITIATED_WITH_MULTIPLE_PURCHASE_UNITS MERCHANT_INITIATED_WITH_SECURITY_CODE \
                    MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE MISSING_CRYPTOGRAM MISSING_PICKUP_ADDRESS \
                    MISSING_PREVIOUS_REFERENCE MISSING_REQUIRED_PARAMETER MSP_NOT_SUPPORTED MULTIPLE_ITEM_CATEGORIES \
                    MULTIPLE_SHIPPING_ADDRESS_NOT_SUPPORTED MULTIPLE_SHIPPING_OPTION_SELECTED \
                    MULTIPLE_SHIPPING_TYPE_NOT_SUPPORTED MULTI_CURRENCY_ORDER \
                    NOT_ELIGIBLE_FOR_PAYPAL_TRANSACTION_ID_PROCESSING NOT_ELIGIBLE_FOR_PNREF_PROCESSING \
                    NOT_ELIGIBLE_FOR_TOKEN_PROCESSING NOT_PATCHABLE NOT_SUPPORTED NO_PAYMENT_SOURCE_PROVIDED \
                    ONE_OF_PARAMETERS_REQUIRED ONE_OF_THE_PARAMETERS_REQUIRED ONLY_ONE_BANK_SOURCE_ALLOWED \
                    ONLY_ONE_PAYMENT_SOURCE_ALLOWED ORDER_CANNOT_BE_SAVED ORDER_COMPLETE_ON_PAYMENT_APPROVAL \
                    PATCH_PATH_REQUIRED PATCH_VALUE_REQUIRED PAYEE_COUNTRY_NOT_SUPPORTED_FOR_PAYMENT_SOURCE \
                    PAYEE_FX_RATE_ID_CURRENCY_MISMATCH PAYEE_FX_RATE_ID_EXPIRED PAYMENT_SOURCE_MISMATCH \
                    PAYMENT_SOURCE_NOT_SUPPORTED PAYMENT_TYPE_NOT_SUPPORTED_FOR_INTENT PAYPAL_REQUEST_ID_REQUIRED \
                    PAYPAL_TRANSACTION_ID_NOT_FOUND PERMISSION_DENIED_FOR_DONATION_ITEMS PLATFORM_FEES_NOT_SUPPORTED \
                    PLATFORM_FEE_EXCEEDED PLATFORM_FEE_PAYEE_CANNOT_BE_SAME_AS_PAYER PNREF_NOT_FOUND \
                    PREFERRED_PAYMENT_SOURCE_MISMATCH PREFERRED_SHIPPING_OPTION_AMOUNT_MISMATCH \
                    PREVIOUS_TRANSACTION_REFERENCE_HAS_CHARGEBACK PREVIOUS_TRANSACTION_REFERENCE_VOIDED \
                    REFERENCE_ID_NOT_FOUND REFERENCE_ID_REQUIRED REFUND_CAPTURE_CURRENCY_MISMATCH \
                    REQUIRED_PARAMETER_FOR_CUSTOMER_INITIATED_PAYMENT REQUIRED_PARAMETER_FOR_PAYMENT_SOURCE \
                    RETURN_URL_REQUIRED SAVE_ORDER_NOT_SUPPORTED SETUP_ERROR_FOR_BANK SHIPPING_OPTIONS_NOT_SUPPORTED \
                    SHIPPING_OPTION_NOT_SELECTED SHIPPING_TYPE_NOT_SUPPORTED_FOR_CLIENT TAX_TOTAL_MISMATCH \
                    TAX_TOTAL_REQUIRED TOKEN_ID_NOT_FOUND TRACKER_ID_NOT_FOUND UNSUPPORTED_INTENT \
                    UNSUPPORTED_INTENT_FOR_PAYMENT_SOURCE UNSUPPORTED_PATCH_PARAMETER_VALUE \
                    UNSUPPORTED_PAYMENT_INSTRUCTION UNSUPPORTED_PROCESSING_INSTRUCTION UNSUPPORTED_SHIPPING_TYPE \
                    VAULT_INSTRUCTION_DUPLICATED VAULT_INSTRUCTION_REQUIRED
                    """),
                .init(
                    .nothingMoved, .changed, .invalidAmount,
                    """
                    AMOUNT_MISMATCH CANNOT_BE_ZERO_OR_NEGATIVE DECIMALS_NOT_SUPPORTED DECIMAL_PRECISION \
                    MAX_VALUE_EXCEEDED REFUND_AMOUNT_TOO_LOW
                    """),
                .init(.movedAlready, .afterQuery, .alreadyCaptured, "ORDER_CANNOT_BE_CONFIRMED"),
                .init(.nothingMoved, .no, .invalidRequest, "PARTIAL_REFUND_NOT_ALLOWED REFUND_IS_RESTRICTED"),
                .init(.movedAlready, .afterQuery, .nothingLeft, "REFUND_NOT_ALLOWED"),
                .init(.nothingMoved, .no, .disputed, "REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK TRANSACTION_DISPUTED"),
            ]
        ),
    ]
}
