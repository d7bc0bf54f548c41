internal import TillCore

/// Stripe's codes and their meaning for the money. Reasons that the cardholder must not learn are reported as `fraud`.
enum StripeCodes {
    /// Errors and declines of all calls.
    static let errors = ProviderCodeTable(
        "stripe.errors", title: "Errors and declines",
        source: "Stripe's pages \"Error codes\" and \"Decline codes\"; the codes of its Python library 16.1",
        used + elsewhere)

    /// Reasons for the failure of a refund that Stripe had accepted.
    static let refundFailures = ProviderCodeTable(
        "stripe.refund_failures", title: "Why a refund failed that was taken",
        source: "the field `failure_reason` of Stripe's refunds",
        [
            .init(.nothingMoved, .changed, .fraud, "lost_or_stolen_card"),
            .init(.nothingMoved, .changed, .cardNotSupported, "expired_or_canceled_card"),
            .init(.nothingMoved, .no, .disputed, "charge_for_pending_refund_disputed"),
            .init(.nothingMoved, .afterSetup, .generic, "insufficient_funds"),
            .init(.nothingMoved, .changed, .generic, "declined unknown"),
            .init(.nothingMoved, .no, .generic, "merchant_request canceled failed"),
        ])

    /// Reasons for the end of a card reader's action. The reader reports finished actions only, so nothing is in
    /// progress.
    static let reader = ProviderCodeTable(
        "stripe.reader", title: "How a card reader ended an action",
        source: "the field `failure_code` of Stripe's readers",
        [
            .init(.nothingMoved, .changed, .canceledAtReader, "customer_canceled canceled"),
            .init(.nothingMoved, .changed, .noCardPresented, "reader_timeout terminal_reader_timeout"),
            .init(.nothingMoved, .later, .readerBusy, "terminal_reader_busy"),
            .init(.nothingMoved, .later, .readerOffline, "terminal_reader_offline"),
            .init(.nothingMoved, .later, .readerFault, "terminal_reader_hardware_fault"),
            .init(
                .ourSetup, .afterSetup, .readerInOtherCountry,
                """
                terminal_reader_invalid_location_for_payment terminal_location_country_unsupported
                """),
            .init(.movedAlready, .afterQuery, .invalidRequest, "intent_invalid_state"),
        ])

    /// Returns the decline reason for a code reported by a card reader or by Stripe for a sale at a reader.
    static func readerReason(_ code: String) -> DeclineReason? { (reader[code] ?? errors[code])?.reason }

    private static let used: [ProviderCodeTable.Group] = [
        .init(.movedAlready, .afterQuery, .alreadyRefunded, "charge_already_refunded"),
        .init(.movedAlready, .afterQuery, .alreadyCaptured, "charge_already_captured"),
        .init(
            .movedAlready, .afterQuery, .invalidRequest,
            """
            payment_intent_unexpected_state intent_invalid_state charge_not_refundable return_intent_already_processed \
            token_already_used status_transition_invalid
            """),
        .init(.notKnown, .later, .invalidRequest, "idempotency_key_in_use lock_timeout token_in_use"),
        .init(.notKnown, .afterQuery, .generic, "duplicate_transaction payment_method_provider_timeout"),
        .init(.nothingMoved, .no, .disputed, "charge_disputed refund_disputed_payment"),
        .init(
            .nothingMoved, .changed, .insufficientFunds,
            """
            insufficient_funds withdrawal_count_limit_exceeded card_velocity_exceeded
            """),
        .init(
            .nothingMoved, .changed, .expiredCard,
            """
            expired_card invalid_expiry_month invalid_expiry_year new_account_information_available \
            expired_payment_method
            """),
        .init(
            .nothingMoved, .changed, .incorrectPIN,
            """
            incorrect_pin invalid_pin offline_pin_required online_or_offline_pin_required
            """),
        .init(.nothingMoved, .changed, .tooManyPINTries, "pin_try_exceeded"),
        .init(.nothingMoved, .changed, .incorrectCVC, "incorrect_cvc invalid_cvc"),
        .init(
            .nothingMoved, .changed, .incorrectNumber,
            """
            incorrect_number invalid_number invalid_account incorrect_zip incorrect_address incorrect_postal_code
            """),
        .init(
            .nothingMoved, .changed, .fraud,
            """
            fraudulent lost_card stolen_card pickup_card restricted_card security_violation merchant_blacklist \
            highest_risk_level elevated_risk_level stop_payment_order revocation_of_authorization \
            revocation_of_all_authorizations do_not_try_again request_blocked action_blocked \
            anomalous_money_movement_request payment_method_restricted
            """),
        .init(
            .nothingMoved, .changed, .cardNotSupported,
            """
            card_not_supported currency_not_supported not_permitted service_not_allowed transaction_not_allowed \
            testmode_decline live_mode_test_card test_mode_live_card country_unsupported invalid_card_type \
            payment_method_unsupported_type payment_method_currency_mismatch \
            payment_intent_incompatible_payment_method token_card_network_invalid \
            three_d_secure_authentication_not_supported payment_method_not_available
            """),
        .init(
            .nothingMoved, .changed, .invalidAmount,
            """
            invalid_amount amount_too_large amount_too_small invalid_charge_amount charge_exceeds_source_limit \
            charge_exceeds_transaction_limit
            """),
        .init(
            .nothingMoved, .no, .authorizationExpired,
            """
            charge_expired_for_capture capture_charge_authorization_expired payment_intent_payment_attempt_expired
            """),
        .init(
            .nothingMoved, .changed, .generic,
            """
            generic_decline card_declined do_not_honor call_issuer no_action_taken approve_with_id \
            authentication_required authentication_not_handled mobile_device_authentication_required \
            authentication_failure payment_intent_authentication_failure payment_intent_action_required \
            payment_intent_payment_attempt_failed payment_method_customer_decline payment_method_provider_decline \
            expired_or_canceled_card declined unknown refer_to_customer approval_required transaction_canceled
            """),
        .init(
            .nothingMoved, .later, .generic,
            """
            issuer_not_available processing_error reenter_transaction try_again_later card_decline_rate_limit_exceeded \
            payment_intent_rate_limit_exceeded rate_limit three_d_secure_authentication_upstream_error try_again
            """),
        .init(
            .ourSetup, .afterSetup, .invalidRequest,
            """
            api_key_expired platform_api_key_expired platform_account_required secret_key_required livemode_mismatch \
            testmode_charges_only tls_version_unsupported insufficient_capabilities capability_not_active \
            account_invalid account_closed payment_method_unactivated resource_missing url_invalid \
            capture_unauthorized_payment not_allowed_on_standard_account application_fees_not_allowed \
            storer_capability_missing storer_capability_not_active progressive_onboarding_limit_exceeded \
            authentication_test_mode_unavailable
            """),
        .init(
            .ourSetup, .afterSetup, .invalidRequest,
            """
            parameter_missing parameter_unknown parameter_invalid_empty parameter_invalid_integer \
            parameter_invalid_string_blank parameter_invalid_string_empty parameters_exclusive \
            payment_intent_invalid_parameter payment_method_invalid_parameter \
            payment_method_invalid_parameter_testmode charge_invalid_parameter missing \
            payment_evaluation_on_api_version_not_supported payment_method_billing_details_address_missing \
            cardholder_phone_number_required shipping_address_invalid country_code_invalid email_invalid \
            postal_code_invalid invalid_characters state_unsupported
            """),
        .init(.nothingMoved, .later, .readerBusy, "terminal_reader_busy"),
        .init(.nothingMoved, .later, .readerOffline, "terminal_reader_offline"),
        .init(.nothingMoved, .later, .readerFault, "terminal_reader_hardware_fault"),
        .init(.notKnown, .afterQuery, .noCardPresented, "terminal_reader_timeout"),
        .init(
            .ourSetup, .afterSetup, .readerInOtherCountry,
            """
            terminal_reader_invalid_location_for_payment terminal_reader_invalid_location_for_activation \
            terminal_location_country_unsupported
            """),
    ]

    /// Codes of Stripe products that Till does not use: each rejects a request.
    private static let elsewhere: [ProviderCodeTable.Group] = [
        .init(
            .notKnown, .afterQuery, .invalidRequest,
            """
            forwarding_api_retryable_upstream_error forwarding_api_upstream_connection_error \
            forwarding_api_upstream_connection_timeout forwarding_api_upstream_error \
            payment_method_microdeposit_verification_timeout
            """),
        .init(
            .ourSetup, .afterSetup, .invalidRequest,
            """
            account_country_invalid_address account_error_country_change_requires_additional_steps \
            account_information_mismatch account_number_invalid account_token_required_for_v2_account \
            acss_debit_session_incomplete alipay_upgrade_required balance_insufficient balance_invalid_parameter \
            bank_account_bad_routing_numbers bank_account_declined bank_account_exists bank_account_restricted \
            bank_account_unusable bank_account_unverified bank_account_verification_failed billing_invalid_mandate \
            bitcoin_upgrade_required clearing_code_unsupported coupon_expired customer_max_payment_methods \
            customer_max_subscriptions customer_session_expired customer_tax_location_invalid debit_not_authorized \
            dispute_evidence_page_limit_exceeded failed_tax_calculation \
            financial_account_balance_does_not_support_currency financial_account_capability_not_enabled \
            financial_account_capability_restricted financial_connections_account_inactive \
            financial_connections_account_pending_account_numbers \
            financial_connections_account_unavailable_account_numbers financial_connections_consent_locale_invalid \
            financial_connections_consent_locale_unsupported financial_connections_no_successful_transaction_refresh \
            forwarding_api_inactive forwarding_api_invalid_parameter india_recurring_payment_mandate_canceled \
            instant_payouts_config_disabled instant_payouts_currency_disabled instant_payouts_limit_exceeded \
            instant_payouts_unsupported intent_verification_method_missing invalid_canceled_subscription_fields \
            invalid_mandate_reference_prefix_format invalid_source_usage invalid_tax_location \
            invoice_no_customer_line_items invoice_no_payment_method_types invoice_no_subscription_line_items \
            invoice_not_editable invoice_on_behalf_of_not_editable invoice_payment_intent_requires_action \
            invoice_upcoming_none no_account out_of_inventory ownership_declaration_not_allowed \
            payment_intent_konbini_rejected_confirmation_number payment_intent_mandate_invalid \
            payment_method_bank_account_already_verified payment_method_bank_account_blocked \
            payment_method_configuration_failures payment_method_microdeposit_failed \
            payment_method_microdeposit_processing_error payment_method_microdeposit_verification_amounts_invalid \
            payment_method_microdeposit_verification_amounts_mismatch \
            payment_method_microdeposit_verification_attempts_exceeded \
            payment_method_microdeposit_verification_descriptor_code_mismatch payment_method_unexpected_state \
            payout_reconciliation_not_ready payouts_limit_exceeded payouts_not_allowed product_inactive \
            resource_already_exists routing_number_invalid sepa_unsupported_account \
            service_period_coupon_with_metered_tiered_item_unsupported setup_attempt_failed \
            setup_intent_authentication_failure setup_intent_invalid_parameter setup_intent_mandate_invalid \
            setup_intent_mobile_wallet_unsupported setup_intent_setup_attempt_expired setup_intent_unexpected_state \
            shipping_calculation_failed siret_invalid sku_inactive smart_disputes_not_available stripe_tax_inactive \
            subscription_update_trial_after_billing_cycle_anchor tax_id_invalid tax_id_prohibited \
            taxes_calculation_failed transfer_source_balance_parameters_mismatch transfers_not_allowed
            """),
    ]
}
