/// The reason that an interaction with a reader failed. Open: an unknown reason keeps its raw value, such as
/// `terminal_sdk_12345` for a code of an SDK newer than Till.
///
/// The meaning and remedy of each is in ``UnderlyingErrorTable``; the mapping of a vendor's codes is a table in the
/// vendor's module.
public struct UnderlyingError: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// A one-sentence description; `nil` for an unknown reason.
    public var sentence: String? { UnderlyingErrorTable.facts(of: self)?.sentence }
    /// The instruction for the user, in one sentence.
    public var next: String { remedy.sentence }
    /// The program's next step, provided that no money is at stake.
    public var retry: CardReaderRetry { remedy.retry }
    /// `true` if a command that ends with this error may have been carried out anyway. Applies to every unknown reason.
    public var leavesOutcomeOpen: Bool { UnderlyingErrorTable.facts(of: self)?.leavesOutcomeOpen ?? true }
    /// `true` for a decline by the issuer, the provider or the card.
    public var isDecline: Bool {
        self == .paymentDeclinedByPaymentProcessor || self == .paymentDeclinedByCardReader || self == .offlineDeclined
    }
    /// `true` for everything about the reader's software.
    public var isSoftwareUpdateError: Bool { rawValue.hasPrefix("reader_software_update_failed") }
    /// The remedy.
    public var remedy: CardReaderRemedy { UnderlyingErrorTable.facts(of: self)?.remedy ?? .lookUp }
}

// MARK: Reader and command
extension UnderlyingError {
    /// No card reader is connected.
    public static let notConnectedToReader = UnderlyingError(rawValue: "not_connected_to_reader")
    /// A card reader is connected already.
    public static let alreadyConnectedToReader = UnderlyingError(rawValue: "already_connected_to_reader")
    /// There is no such card reader.
    public static let readerNotFound = UnderlyingError(rawValue: "reader_not_found")
    /// The card reader is busy with something else.
    public static let readerBusy = UnderlyingError(rawValue: "reader_busy")
    /// The payment was canceled at the reader.
    public static let commandCanceled = UnderlyingError(rawValue: "command_canceled")
    /// It cannot be canceled: it was done already.
    public static let cancelFailedAlreadyCompleted = UnderlyingError(rawValue: "cancel_failed_already_completed")
    /// It cannot be canceled at this moment.
    public static let cancelFailedUnavailable = UnderlyingError(rawValue: "cancel_failed_unavailable")
    /// It cannot be canceled: the money is being asked for.
    public static let confirmInFlight = UnderlyingError(rawValue: "confirm_in_flight")
    /// The connection attempt was abandoned.
    public static let connectionAttemptInvalidated = UnderlyingError(rawValue: "connection_attempt_invalidated")
    /// A newer command superseded this one.
    public static let canceledByNewerCommand = UnderlyingError(rawValue: "canceled_by_newer_command")
    /// No card reader was chosen in time.
    public static let discoveryTimedOut = UnderlyingError(rawValue: "discovery_timed_out")
    /// The card reader did not connect in time.
    public static let connectTimedOut = UnderlyingError(rawValue: "connect_timed_out")
    /// The card reader could not be reached.
    public static let readerCommunicationError = UnderlyingError(rawValue: "reader_communication_error")
    /// The card reader is not on the network.
    public static let readerOffline = UnderlyingError(rawValue: "reader_offline")
    /// The card reader disconnected and is reconnecting.
    public static let readerReconnecting = UnderlyingError(rawValue: "reader_reconnecting")
    /// The card reader did not answer in time.
    public static let readerTimedOut = UnderlyingError(rawValue: "reader_timed_out")
    /// The card reader has a fault.
    public static let readerHardwareFault = UnderlyingError(rawValue: "reader_hardware_fault")
    /// The card reader reports tampering.
    public static let readerTampered = UnderlyingError(rawValue: "reader_tampered")
    /// This card reader does not work with this program.
    public static let readerIncompatible = UnderlyingError(rawValue: "reader_incompatible")
    /// The card reader's session has ended.
    public static let readerSessionExpired = UnderlyingError(rawValue: "reader_session_expired")
    /// The card reader has lost its keys and is restarting.
    public static let readerMissingEncryptionKeys = UnderlyingError(rawValue: "reader_missing_encryption_keys")
    /// Another device is using the card reader.
    public static let connectFailedReaderIsInUse = UnderlyingError(rawValue: "connect_failed_reader_is_in_use")
    /// The card reader is connected to another device.
    public static let readerConnectedToAnotherDevice = UnderlyingError(rawValue: "reader_connected_to_another_device")
    /// The card reader has no network address.
    public static let unknownReaderAddress = UnderlyingError(rawValue: "unknown_reader_address")
    /// The card reader's software is too old.
    public static let unsupportedReaderVersion = UnderlyingError(rawValue: "unsupported_reader_version")
    /// This card reader cannot do that.
    public static let featureNotAvailableWithConnectedReader = UnderlyingError(
        rawValue: "feature_not_available_with_connected_reader")
    /// This is not available for the account.
    public static let featureNotAvailable = UnderlyingError(rawValue: "feature_not_available")
    /// A card reader cannot be used while the app is in the background.
    public static let readerNotAccessibleInBackground = UnderlyingError(rawValue: "reader_not_accessible_in_background")
    /// The card reader did not return from a command.
    public static let commandTimedOut = UnderlyingError(rawValue: "command_timed_out")
    /// The card reader failed without giving a reason.
    public static let unexpectedReaderError = UnderlyingError(rawValue: "unexpected_reader_error")
    /// The card reader reports an error that its SDK does not know.
    public static let genericReaderError = UnderlyingError(rawValue: "generic_reader_error")
}

// MARK: Bluetooth, USB and network
extension UnderlyingError {
    /// Bluetooth is turned off.
    public static let bluetoothDisabled = UnderlyingError(rawValue: "bluetooth_disabled")
    /// The app may not use Bluetooth.
    public static let bluetoothDenied = UnderlyingError(rawValue: "bluetooth_denied")
    /// No card reader was found over Bluetooth.
    public static let bluetoothScanTimedOut = UnderlyingError(rawValue: "bluetooth_scan_timed_out")
    /// This device has no Bluetooth Low Energy.
    public static let bluetoothLowEnergyUnsupported = UnderlyingError(rawValue: "bluetooth_low_energy_unsupported")
    public static let bluetoothError = UnderlyingError(rawValue: "bluetooth_error")
    /// The card reader did not answer over Bluetooth.
    public static let bluetoothConnectTimedOut = UnderlyingError(rawValue: "bluetooth_connect_timed_out")
    /// The Bluetooth connection was lost.
    public static let bluetoothDisconnected = UnderlyingError(rawValue: "bluetooth_disconnected")
    /// The Bluetooth connection was lost and is being restored.
    public static let bluetoothReconnectStarted = UnderlyingError(rawValue: "bluetooth_reconnect_started")
    /// The card reader has forgotten this device.
    public static let bluetoothPeerRemovedPairingInformation = UnderlyingError(
        rawValue: "bluetooth_peer_removed_pairing_information")
    /// The card reader is paired with another device.
    public static let bluetoothAlreadyPairedWithAnotherDevice = UnderlyingError(
        rawValue: "bluetooth_already_paired_with_another_device")
    /// The card reader's battery is too low to connect.
    public static let bluetoothConnectionFailedBatteryCriticallyLow = UnderlyingError(
        rawValue: "bluetooth_connection_failed_battery_critically_low")
    /// The card reader's cable was unplugged.
    public static let usbDisconnected = UnderlyingError(rawValue: "usb_disconnected")
    /// No card reader was found over USB.
    public static let usbDiscoveryTimedOut = UnderlyingError(rawValue: "usb_discovery_timed_out")
    /// The card reader did not answer over the network.
    public static let internetConnectTimedOut = UnderlyingError(rawValue: "internet_connect_timed_out")
    /// The app may not use the device's location.
    public static let locationServicesDisabled = UnderlyingError(rawValue: "location_services_disabled")
    /// NFC is turned off.
    public static let nfcDisabled = UnderlyingError(rawValue: "nfc_disabled")
    /// There is no network.
    public static let notConnectedToInternet = UnderlyingError(rawValue: "not_connected_to_internet")
    public static let networkError = UnderlyingError(rawValue: "network_error")
    /// The provider did not answer in time.
    public static let requestTimedOut = UnderlyingError(rawValue: "request_timed_out")
}

// MARK: Configuration and accounts
extension UnderlyingError {
    /// The app provided no connection token.
    public static let connectionTokenMissing = UnderlyingError(rawValue: "connection_token_missing")
    /// The app could not get a connection token.
    public static let connectionTokenFailed = UnderlyingError(rawValue: "connection_token_failed")
    /// The app did not provide a connection token in time.
    public static let connectionTokenTimedOut = UnderlyingError(rawValue: "connection_token_timed_out")
    /// This belongs to another account.
    public static let accountMismatch = UnderlyingError(rawValue: "account_mismatch")
    /// The store's address is not complete.
    public static let incompleteStoreAddress = UnderlyingError(rawValue: "incomplete_store_address")
    /// The store's postal code is not valid.
    public static let invalidPostalCode = UnderlyingError(rawValue: "invalid_postal_code")
    /// The location is not one of the account's, or not the reader's.
    public static let invalidLocation = UnderlyingError(rawValue: "invalid_location")
    /// Readers cannot be used in the location's country.
    public static let locationCountryUnsupported = UnderlyingError(rawValue: "location_country_unsupported")
    /// Readers cannot be discovered in this way.
    public static let invalidDiscoveryConfiguration = UnderlyingError(rawValue: "invalid_discovery_configuration")
    /// The reader cannot be connected in this way.
    public static let invalidConnectionConfiguration = UnderlyingError(rawValue: "invalid_connection_configuration")
    /// A setting of the payment is not valid.
    public static let invalidRequiredParameter = UnderlyingError(rawValue: "invalid_required_parameter")
    /// The intent's secret is not valid.
    public static let invalidClientSecret = UnderlyingError(rawValue: "invalid_client_secret")
    /// The refund is not valid.
    public static let invalidRefundParameters = UnderlyingError(rawValue: "invalid_refund_parameters")
    /// The app asked for something that cannot be done.
    public static let integrationError = UnderlyingError(rawValue: "integration_error")
    /// The app sent a command at the wrong time.
    public static let unexpectedOperation = UnderlyingError(rawValue: "unexpected_operation")
    /// The app is too old for this card reader.
    public static let unsupportedSDK = UnderlyingError(rawValue: "unsupported_sdk")
    /// The device does not allow it.
    public static let commandNotAllowed = UnderlyingError(rawValue: "command_not_allowed")
    /// This device or its system cannot read cards.
    public static let unsupportedMobileDeviceConfiguration = UnderlyingError(
        rawValue: "unsupported_mobile_device_configuration")
    /// The device has no passcode.
    public static let passcodeNotEnabled = UnderlyingError(rawValue: "passcode_not_enabled")
    /// Cards cannot be read during a phone call.
    public static let commandNotAllowedDuringCall = UnderlyingError(rawValue: "command_not_allowed_during_call")
}

// MARK: The payment
extension UnderlyingError {
    /// The provider returned no identifier for the payment.
    public static let paymentIntentIDMissing = UnderlyingError(rawValue: "payment_intent_id_missing")
    /// The payment cannot be confirmed: no card was collected for it.
    public static let confirmInvalidPaymentIntent = UnderlyingError(rawValue: "confirm_invalid_payment_intent")
    /// The card cannot be saved: none was collected.
    public static let confirmInvalidSetupIntent = UnderlyingError(rawValue: "confirm_invalid_setup_intent")
    /// The app passed no payment.
    public static let nilPaymentIntent = UnderlyingError(rawValue: "nil_payment_intent")
    /// The app passed no card to save.
    public static let nilSetupIntent = UnderlyingError(rawValue: "nil_setup_intent")
    /// No card was collected for the refund.
    public static let nilRefundPaymentMethod = UnderlyingError(rawValue: "nil_refund_payment_method")
    /// The payment is not in a state for that.
    public static let intentInvalidState = UnderlyingError(rawValue: "intent_invalid_state")
    /// The order has an open payment.
    public static let orderHasOpenIntent = UnderlyingError(rawValue: "order_has_open_intent")
    /// The order is already paid.
    public static let orderAlreadyPaid = UnderlyingError(rawValue: "order_already_paid")
    /// This card reader takes only payments that the server created.
    public static let serverSideIntentRequired = UnderlyingError(rawValue: "server_side_intent_required")
    /// This card reader takes only payments that were created on the device.
    public static let deviceIntentRequired = UnderlyingError(rawValue: "device_intent_required")
    /// There is no payment to continue.
    public static let noActivePaymentIntent = UnderlyingError(rawValue: "no_active_payment_intent")
    /// The payment was canceled.
    public static let activePaymentCanceled = UnderlyingError(rawValue: "active_payment_canceled")
    /// The payment was already made.
    public static let activePaymentSucceeded = UnderlyingError(rawValue: "active_payment_succeeded")
    /// The payment is being processed.
    public static let processingInProgress = UnderlyingError(rawValue: "processing_in_progress")
    /// The payment waits for the customer.
    public static let activePaymentRequiresAction = UnderlyingError(rawValue: "active_payment_requires_action")
    /// The payment has a status that is not known.
    public static let activePaymentStatusUnknown = UnderlyingError(rawValue: "active_payment_status_unknown")
    /// The payment could not be recorded, so no money was asked for.
    public static let preConfirmationFailed = UnderlyingError(rawValue: "pre_confirmation_failed")
    /// The reader answered for another payment or amount.
    public static let resultMismatch = UnderlyingError(rawValue: "result_mismatch")
    /// The provider is busy with the same request, or had another one under its key.
    public static let idempotencyConflict = UnderlyingError(rawValue: "idempotency_conflict")
    /// The provider is busy with the same payment.
    public static let lockTimedOut = UnderlyingError(rawValue: "lock_timed_out")
    /// The amount must be more than zero.
    public static let invalidAmount = UnderlyingError(rawValue: "invalid_amount")
    /// The amount is below the least that can be paid.
    public static let amountTooSmall = UnderlyingError(rawValue: "amount_too_small")
    /// The amount is above the most that can be paid.
    public static let amountTooLarge = UnderlyingError(rawValue: "amount_too_large")
    /// This card or reader cannot pay in this currency.
    public static let currencyNotSupported = UnderlyingError(rawValue: "currency_not_supported")
    /// The tip cannot be asked for in this way.
    public static let tippingParameterInvalid = UnderlyingError(rawValue: "tipping_parameter_invalid")
    /// The reader cannot ask for this.
    public static let collectInputsInvalid = UnderlyingError(rawValue: "collect_inputs_invalid")
    /// This card reader cannot ask for inputs.
    public static let collectInputsUnsupported = UnderlyingError(rawValue: "collect_inputs_unsupported")
    /// Input at the reader timed out.
    public static let collectInputsTimedOut = UnderlyingError(rawValue: "collect_inputs_timed_out")
    /// The reader failed while it asked for inputs.
    public static let collectInputsFailed = UnderlyingError(rawValue: "collect_inputs_failed")
    /// The reader failed while it read data.
    public static let collectDataFailed = UnderlyingError(rawValue: "collect_data_failed")
    /// Dynamic currency conversion is not available.
    public static let dynamicCurrencyConversionNotAvailable = UnderlyingError(
        rawValue: "dynamic_currency_conversion_not_available")
    /// A surcharge is not available.
    public static let surchargeNotAvailable = UnderlyingError(rawValue: "surcharge_not_available")
    /// The surcharge cannot be asked for in this way.
    public static let surchargeParameterInvalid = UnderlyingError(rawValue: "surcharge_parameter_invalid")
    /// The customer did not agree to the surcharge.
    public static let surchargeConsentDeclined = UnderlyingError(rawValue: "surcharge_consent_declined")
    /// The prompt for the surcharge timed out.
    public static let surchargeConsentTimedOut = UnderlyingError(rawValue: "surcharge_consent_timed_out")
    /// The reader failed while it asked about the surcharge.
    public static let surchargeConsentFailed = UnderlyingError(rawValue: "surcharge_consent_failed")
    /// The customer must agree first.
    public static let cardholderConsentRequired = UnderlyingError(rawValue: "cardholder_consent_required")
}

// MARK: The card
extension UnderlyingError {
    /// No card was presented in time.
    public static let cardReadTimedOut = UnderlyingError(rawValue: "card_read_timed_out")
    /// The card's chip could not be read.
    public static let cardInsertNotRead = UnderlyingError(rawValue: "card_insert_not_read")
    /// The card's magnetic stripe could not be read.
    public static let cardSwipeNotRead = UnderlyingError(rawValue: "card_swipe_not_read")
    /// A card's magnetic stripe cannot be used offline.
    public static let cardSwipeNotAvailable = UnderlyingError(rawValue: "card_swipe_not_available")
    /// The card was removed too early.
    public static let cardRemoved = UnderlyingError(rawValue: "card_removed")
    /// A card is still in the reader.
    public static let cardLeftInReader = UnderlyingError(rawValue: "card_left_in_reader")
    /// This card is not accepted here.
    public static let cardNotSupported = UnderlyingError(rawValue: "card_not_supported")
    /// The card's data could not be read.
    public static let missingEMVData = UnderlyingError(rawValue: "missing_emv_data")
    /// The card was declined.
    public static let paymentDeclinedByPaymentProcessor = UnderlyingError(
        rawValue: "payment_declined_by_payment_processor")
    /// The card or the reader declined.
    public static let paymentDeclinedByCardReader = UnderlyingError(rawValue: "payment_declined_by_card_reader")
}

// MARK: Refunds
extension UnderlyingError {
    /// The refund failed: the money stays with the shop.
    public static let refundFailed = UnderlyingError(rawValue: "refund_failed")
    /// There is no refund to cancel.
    public static let noRefundInProgress = UnderlyingError(rawValue: "no_refund_in_progress")
}

// MARK: Software
extension UnderlyingError {
    /// The reader's update failed.
    public static let readerSoftwareUpdateFailed = UnderlyingError(rawValue: "reader_software_update_failed")
    /// The reader's battery is too low for an update.
    public static let readerSoftwareUpdateFailedBatteryLow = UnderlyingError(
        rawValue: "reader_software_update_failed_battery_low")
    /// The reader's update was interrupted.
    public static let readerSoftwareUpdateFailedInterrupted = UnderlyingError(
        rawValue: "reader_software_update_failed_interrupted")
    /// The reader's update is out of date.
    public static let readerSoftwareUpdateFailedExpiredUpdate = UnderlyingError(
        rawValue: "reader_software_update_failed_expired_update")
    /// The reader could not install the update.
    public static let readerSoftwareUpdateFailedReader = UnderlyingError(
        rawValue: "reader_software_update_failed_reader")
    /// The update could not be fetched.
    public static let readerSoftwareUpdateFailedServer = UnderlyingError(
        rawValue: "reader_software_update_failed_server")
    /// The update is for another reader.
    public static let invalidReaderForUpdate = UnderlyingError(rawValue: "invalid_reader_for_update")
    /// There is no update to install.
    public static let noUpdateAvailable = UnderlyingError(rawValue: "no_update_available")
}

// MARK: Tap to Pay
extension UnderlyingError {
    /// Accepting the terms of Tap to Pay requires signing in to iCloud.
    public static let tapToPayTermsRequireICloudSignIn = UnderlyingError(
        rawValue: "tap_to_pay_terms_require_icloud_sign_in")
    /// The terms of Tap to Pay were not accepted.
    public static let tapToPayTermsCanceled = UnderlyingError(rawValue: "tap_to_pay_terms_canceled")
    /// The terms of Tap to Pay are not accepted yet.
    public static let tapToPayTermsNotAccepted = UnderlyingError(rawValue: "tap_to_pay_terms_not_accepted")
    /// The terms of Tap to Pay could not be accepted.
    public static let tapToPayTermsFailed = UnderlyingError(rawValue: "tap_to_pay_terms_failed")
    /// The app went to the background before the card was read.
    public static let tapToPayInterrupted = UnderlyingError(rawValue: "tap_to_pay_interrupted")
    /// Tap to Pay could not be prepared.
    public static let tapToPayFailedToPrepare = UnderlyingError(rawValue: "tap_to_pay_failed_to_prepare")
    /// This device is not allowed to use Tap to Pay.
    public static let tapToPayDeviceBanned = UnderlyingError(rawValue: "tap_to_pay_device_banned")
    /// This account is not allowed to use Tap to Pay.
    public static let tapToPayMerchantBlocked = UnderlyingError(rawValue: "tap_to_pay_merchant_blocked")
    /// This account cannot use Tap to Pay.
    public static let tapToPayInvalidMerchant = UnderlyingError(rawValue: "tap_to_pay_invalid_merchant")
    /// The Apple Account that accepted the terms was deactivated.
    public static let tapToPayAccountDeactivated = UnderlyingError(rawValue: "tap_to_pay_account_deactivated")
}

// MARK: Offline
extension UnderlyingError {
    /// This kind of reader was not connected here online in the last 30 days.
    public static let readerConnectionNotAvailableOffline = UnderlyingError(
        rawValue: "reader_connection_not_available_offline")
    /// The reader was last used at another location.
    public static let readerConnectionOfflineLocationMismatch = UnderlyingError(
        rawValue: "reader_connection_offline_location_mismatch")
    /// The reader needs an update before it can work offline.
    public static let readerConnectionOfflineNeedsUpdate = UnderlyingError(
        rawValue: "reader_connection_offline_needs_update")
    /// Too many payments are stored; they must be sent first.
    public static let offlineDatabaseTooLarge = UnderlyingError(rawValue: "offline_database_too_large")
    /// Payments cannot be stored offline.
    public static let offlineNotAllowed = UnderlyingError(rawValue: "offline_not_allowed")
    /// The time limit for offline payments has passed.
    public static let offlineSessionEnded = UnderlyingError(rawValue: "offline_session_ended")
    /// The amount is above the most that can be stored offline.
    public static let offlineAmountTooLarge = UnderlyingError(rawValue: "offline_amount_too_large")
    /// This currency cannot be stored offline.
    public static let offlineCurrencyNotSupported = UnderlyingError(rawValue: "offline_currency_not_supported")
    /// The payment cannot be stored offline in this way.
    public static let offlineParameterInvalid = UnderlyingError(rawValue: "offline_parameter_invalid")
    /// Stored payments could not be sent.
    public static let offlineForwardingFailed = UnderlyingError(rawValue: "offline_forwarding_failed")
    /// The keys for stored payments cannot be used now.
    public static let offlineKeysUnavailable = UnderlyingError(rawValue: "offline_keys_unavailable")
    /// The card was declined offline.
    public static let offlineDeclined = UnderlyingError(rawValue: "offline_declined")
    /// This card cannot be used offline.
    public static let offlineCardNotSupported = UnderlyingError(rawValue: "offline_card_not_supported")
    /// The network was lost between the card and the payment.
    public static let offlineMismatch = UnderlyingError(rawValue: "offline_mismatch")
    /// No account was used on this device online yet.
    public static let noLastSeenAccount = UnderlyingError(rawValue: "no_last_seen_account")
    /// The simulation is not available.
    public static let simulationNotAvailable = UnderlyingError(rawValue: "simulation_not_available")
}

// MARK: The printer
extension UnderlyingError {
    /// The reader's printer is busy.
    public static let printerBusy = UnderlyingError(rawValue: "printer_busy")
    /// The reader's printer has a paper jam.
    public static let printerPaperJam = UnderlyingError(rawValue: "printer_paper_jam")
    /// The reader's printer is out of paper.
    public static let printerOutOfPaper = UnderlyingError(rawValue: "printer_out_of_paper")
    /// The reader's printer is open.
    public static let printerCoverOpen = UnderlyingError(rawValue: "printer_cover_open")
    /// The reader has no printer.
    public static let printerAbsent = UnderlyingError(rawValue: "printer_absent")
    /// The reader's printer cannot be used now.
    public static let printerUnavailable = UnderlyingError(rawValue: "printer_unavailable")
    /// The reader's printer failed.
    public static let printerError = UnderlyingError(rawValue: "printer_error")
}

// MARK: The provider and the kit
extension UnderlyingError {
    /// The provider reports an error.
    public static let processorAPIError = UnderlyingError(rawValue: "processor_api_error")
    /// The provider's answer could not be read.
    public static let processorResponseUnreadable = UnderlyingError(rawValue: "processor_response_unreadable")
    /// The vendor's SDK failed without giving a reason.
    public static let unexpectedSDKError = UnderlyingError(rawValue: "unexpected_sdk_error")
    /// The card reader failed for an unknown reason.
    public static let internalServiceError = UnderlyingError(rawValue: "internal_service_error")
}
