internal import TillCore

/// Stripe's decline codes and card error codes in our words ("Decline codes" and "Error codes" of its documentation).
/// A code that is not here keeps its raw value. Everything that must not be told to the person with the card is
/// `fraud`.
enum StripeDeclineTable {
    static let reasons: [String: DeclineReason] = {
        var table: [String: DeclineReason] = [:]
        for (reason, codes) in groups {
            for code in codes { table[code] = reason }
        }
        return table
    }()

    private static let groups: [(DeclineReason, [String])] = [
        (.insufficientFunds, ["insufficient_funds", "withdrawal_count_limit_exceeded", "card_velocity_exceeded"]),
        (
            .expiredCard,
            [
                "expired_card", "invalid_expiry_month", "invalid_expiry_year", "new_account_information_available",
            ]
        ),
        (.incorrectPIN, ["incorrect_pin", "invalid_pin", "offline_pin_required", "online_or_offline_pin_required"]),
        (.tooManyPINTries, ["pin_try_exceeded"]),
        (.incorrectCVC, ["incorrect_cvc", "invalid_cvc"]),
        (.incorrectNumber, ["incorrect_number", "invalid_number", "invalid_account", "incorrect_zip"]),
        (
            .fraud,
            [
                "fraudulent", "lost_card", "stolen_card", "pickup_card", "restricted_card", "security_violation",
                "merchant_blacklist", "highest_risk_level", "elevated_risk_level", "stop_payment_order",
                "revocation_of_authorization", "revocation_of_all_authorizations", "do_not_try_again",
            ]
        ),
        (
            .cardNotSupported,
            [
                "card_not_supported", "currency_not_supported", "not_permitted", "service_not_allowed",
                "transaction_not_allowed", "testmode_decline", "live_mode_test_card", "test_mode_live_card",
                "payment_method_unactivated", "country_unsupported",
            ]
        ),
        (.invalidAmount, ["invalid_amount", "amount_too_large", "amount_too_small", "invalid_charge_amount"]),
        (.authorizationExpired, ["charge_expired_for_capture", "capture_charge_authorization_expired"]),
        (
            .invalidRequest,
            [
                "parameter_missing", "parameter_unknown", "parameter_invalid_empty", "parameter_invalid_integer",
                "resource_missing", "payment_intent_unexpected_state", "payment_intent_incompatible_payment_method",
                "charge_already_captured", "url_invalid", "insufficient_capabilities",
            ]
        ),
        (.alreadyRefunded, ["charge_already_refunded"]),
        (.disputed, ["charge_disputed", "refund_disputed_payment"]),
        (
            .generic,
            [
                "generic_decline", "card_declined", "do_not_honor", "call_issuer", "no_action_taken", "approve_with_id",
                "authentication_required", "authentication_not_handled", "mobile_device_authentication_required",
                "payment_intent_authentication_failure", "issuer_not_available", "processing_error",
                "reenter_transaction", "try_again_later", "duplicate_transaction", "expired_or_canceled_card",
                "declined", "unknown",
            ]
        ),
    ]
}
