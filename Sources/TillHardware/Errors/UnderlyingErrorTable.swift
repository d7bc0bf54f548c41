/// The facts about every known reason.
public enum UnderlyingErrorTable {
    public struct Facts: Hashable, Sendable {
        public let error: UnderlyingError
        public let sentence: String
        /// The remedy.
        public let remedy: CardReaderRemedy
        /// `true` if a command that ends with this error may have been carried out anyway.
        public let leavesOutcomeOpen: Bool
    }

    /// All facts, in the order of the documentation.
    public static let all: [Facts] = rows.map {
        Facts(error: $0.0, sentence: $0.3, remedy: $0.1, leavesOutcomeOpen: $0.2 == .open)
    }

    /// Returns the facts about a reason; `nil` if it is unknown.
    public static func facts(of error: UnderlyingError) -> Facts? { byError[error] }

    private static let byError: [UnderlyingError: Facts] = Dictionary(
        all.map { ($0.error, $0) }, uniquingKeysWith: { first, _ in first })

    private enum Outcome { case settled, open }

    private static let rows: [(UnderlyingError, CardReaderRemedy, Outcome, String)] = [
        // Reader and command
        (.notConnectedToReader, .reconnect, .settled, "No card reader is connected."),
        (.alreadyConnectedToReader, .disconnectFirst, .settled, "A card reader is connected already."),
        (.readerNotFound, .discoverAgain, .settled, "There is no such card reader."),
        (.readerBusy, .wait, .settled, "The card reader is busy with something else."),
        (.commandCanceled, .presentAgain, .settled, "The payment was canceled at the reader."),
        (.cancelFailedAlreadyCompleted, .nothing, .settled, "It cannot be canceled: it was done already."),
        (.cancelFailedUnavailable, .wait, .settled, "It cannot be canceled at this moment."),
        (.confirmInFlight, .lookUp, .open, "It cannot be canceled: the money is being asked for."),
        (.connectionAttemptInvalidated, .reconnect, .settled, "The connection attempt was abandoned."),
        (.canceledByNewerCommand, .nothing, .settled, "A newer command superseded this one."),
        (.discoveryTimedOut, .reconnect, .settled, "No card reader was chosen in time."),
        (.connectTimedOut, .reconnect, .settled, "The card reader did not connect in time."),
        (.readerCommunicationError, .reconnect, .open, "The card reader could not be reached."),
        (.readerOffline, .reconnect, .settled, "The card reader is not on the network."),
        (.readerReconnecting, .wait, .open, "The card reader disconnected and is reconnecting."),
        (.readerTimedOut, .lookUp, .open, "The card reader did not answer in time."),
        (.readerHardwareFault, .vendor, .settled, "The card reader has a fault."),
        (.readerTampered, .tampered, .settled, "The card reader reports tampering."),
        (.readerIncompatible, .vendor, .settled, "This card reader does not work with this program."),
        (.readerSessionExpired, .reconnect, .settled, "The card reader's session has ended."),
        (.readerMissingEncryptionKeys, .reconnect, .settled, "The card reader has lost its keys and is restarting."),
        (.connectFailedReaderIsInUse, .wait, .settled, "Another device is using the card reader."),
        (.readerConnectedToAnotherDevice, .wait, .settled, "The card reader is connected to another device."),
        (.unknownReaderAddress, .reconnect, .settled, "The card reader has no network address."),
        (.unsupportedReaderVersion, .updateReader, .settled, "The card reader's software is too old."),
        (.featureNotAvailableWithConnectedReader, .otherReader, .settled, "This card reader cannot do that."),
        (.featureNotAvailable, .account, .settled, "This is not available for the account."),
        (
            .readerNotAccessibleInBackground, .foreground, .settled,
            "A card reader cannot be used while the app is in the background."
        ),
        (.commandTimedOut, .reconnect, .open, "The card reader did not return from a command."),
        (.unexpectedReaderError, .reconnect, .open, "The card reader failed without giving a reason."),
        (.genericReaderError, .updateApp, .open, "The card reader reports an error that its SDK does not know."),
        // Bluetooth, USB and network
        (.bluetoothDisabled, .bluetooth, .settled, "Bluetooth is turned off."),
        (.bluetoothDenied, .bluetooth, .settled, "The app may not use Bluetooth."),
        (.bluetoothScanTimedOut, .reconnect, .settled, "No card reader was found over Bluetooth."),
        (.bluetoothLowEnergyUnsupported, .otherPhone, .settled, "This device has no Bluetooth Low Energy."),
        (.bluetoothError, .reconnect, .open, "Bluetooth failed."),
        (.bluetoothConnectTimedOut, .reconnect, .settled, "The card reader did not answer over Bluetooth."),
        (.bluetoothDisconnected, .reconnect, .open, "The Bluetooth connection was lost."),
        (.bluetoothReconnectStarted, .wait, .open, "The Bluetooth connection was lost and is being restored."),
        (.bluetoothPeerRemovedPairingInformation, .pairAgain, .settled, "The card reader has forgotten this device."),
        (
            .bluetoothAlreadyPairedWithAnotherDevice, .pairAgain, .settled,
            "The card reader is paired with another device."
        ),
        (
            .bluetoothConnectionFailedBatteryCriticallyLow, .charge, .settled,
            "The card reader's battery is too low to connect."
        ),
        (.usbDisconnected, .reconnect, .open, "The card reader's cable was unplugged."),
        (.usbDiscoveryTimedOut, .reconnect, .settled, "No card reader was found over USB."),
        (.internetConnectTimedOut, .network, .settled, "The card reader did not answer over the network."),
        (.locationServicesDisabled, .phone, .settled, "The app may not use the device's location."),
        (.nfcDisabled, .phone, .settled, "NFC is turned off."),
        (.notConnectedToInternet, .network, .open, "There is no network."),
        (.networkError, .network, .open, "The network failed."),
        (.requestTimedOut, .network, .open, "The provider did not answer in time."),
        // Configuration and accounts
        (.connectionTokenMissing, .developer, .settled, "The app provided no connection token."),
        (.connectionTokenFailed, .account, .settled, "The app could not get a connection token."),
        (.connectionTokenTimedOut, .network, .settled, "The app did not provide a connection token in time."),
        (.accountMismatch, .switchAccount, .settled, "This belongs to another account."),
        (.incompleteStoreAddress, .address, .settled, "The store's address is not complete."),
        (.invalidPostalCode, .address, .settled, "The store's postal code is not valid."),
        (.invalidLocation, .account, .settled, "The location is not one of the account's, or not the reader's."),
        (.locationCountryUnsupported, .account, .settled, "Readers cannot be used in the location's country."),
        (.invalidDiscoveryConfiguration, .developer, .settled, "Readers cannot be discovered in this way."),
        (.invalidConnectionConfiguration, .developer, .settled, "The reader cannot be connected in this way."),
        (.invalidRequiredParameter, .developer, .settled, "A setting of the payment is not valid."),
        (.invalidClientSecret, .developer, .settled, "The intent's secret is not valid."),
        (.invalidRefundParameters, .developer, .settled, "The refund is not valid."),
        (.integrationError, .developer, .settled, "The app asked for something that cannot be done."),
        (.unexpectedOperation, .developer, .open, "The app sent a command at the wrong time."),
        (.unsupportedSDK, .updateApp, .settled, "The app is too old for this card reader."),
        (.commandNotAllowed, .phone, .settled, "The device does not allow it."),
        (.unsupportedMobileDeviceConfiguration, .phone, .settled, "This device or its system cannot read cards."),
        (.passcodeNotEnabled, .phone, .settled, "The device has no passcode."),
        (.commandNotAllowedDuringCall, .wait, .settled, "Cards cannot be read during a phone call."),
        // The payment
        (.paymentIntentIDMissing, .lookUp, .open, "The provider returned no identifier for the payment."),
        (
            .confirmInvalidPaymentIntent, .presentAgain, .settled,
            "The payment cannot be confirmed: no card was collected for it."
        ),
        (.confirmInvalidSetupIntent, .presentAgain, .settled, "The card cannot be saved: none was collected."),
        (.nilPaymentIntent, .developer, .settled, "The app passed no payment."),
        (.nilSetupIntent, .developer, .settled, "The app passed no card to save."),
        (.nilRefundPaymentMethod, .presentAgain, .settled, "No card was collected for the refund."),
        (.intentInvalidState, .lookUp, .open, "The payment is not in a state for that."),
        (.orderHasOpenIntent, .lookUp, .settled, "The order has an open payment."),
        (.orderAlreadyPaid, .nothing, .settled, "The order is already paid."),
        (
            .serverSideIntentRequired, .developer, .settled,
            "This card reader takes only payments that the server created."
        ),
        (
            .deviceIntentRequired, .developer, .settled,
            "This card reader takes only payments that were created on the device."
        ),
        (.noActivePaymentIntent, .nothing, .settled, "There is no payment to continue."),
        (.activePaymentCanceled, .startOver, .settled, "The payment was canceled."),
        (.activePaymentSucceeded, .nothing, .settled, "The payment was already made."),
        (.processingInProgress, .lookUp, .open, "The payment is being processed."),
        (.activePaymentRequiresAction, .lookUp, .open, "The payment waits for the customer."),
        (.activePaymentStatusUnknown, .lookUp, .open, "The payment has a status that is not known."),
        (
            .preConfirmationFailed, .presentAgain, .settled,
            "The payment could not be recorded, so no money was asked for."
        ),
        (.resultMismatch, .lookUp, .open, "The reader answered for another payment or amount."),
        (
            .idempotencyConflict, .lookUp, .open,
            "The provider is busy with the same request, or had another one under its key."
        ),
        (.lockTimedOut, .wait, .settled, "The provider is busy with the same payment."),
        (.invalidAmount, .amount, .settled, "The amount must be more than zero."),
        (.amountTooSmall, .amount, .settled, "The amount is below the least that can be paid."),
        (.amountTooLarge, .amount, .settled, "The amount is above the most that can be paid."),
        (.currencyNotSupported, .amount, .settled, "This card or reader cannot pay in this currency."),
        (.tippingParameterInvalid, .developer, .settled, "The tip cannot be asked for in this way."),
        (.collectInputsInvalid, .developer, .settled, "The reader cannot ask for this."),
        (.collectInputsUnsupported, .otherReader, .settled, "This card reader cannot ask for inputs."),
        (.collectInputsTimedOut, .presentAgain, .settled, "Nobody answered at the reader in time."),
        (.collectInputsFailed, .wait, .settled, "The reader failed while it asked for inputs."),
        (.collectDataFailed, .presentAgain, .settled, "The reader failed while it read data."),
        (.dynamicCurrencyConversionNotAvailable, .account, .settled, "Dynamic currency conversion is not available."),
        (.surchargeNotAvailable, .account, .settled, "A surcharge is not available."),
        (.surchargeParameterInvalid, .developer, .settled, "The surcharge cannot be asked for in this way."),
        (.surchargeConsentDeclined, .otherCard, .settled, "The customer did not agree to the surcharge."),
        (.surchargeConsentTimedOut, .presentAgain, .settled, "Nobody answered about the surcharge in time."),
        (.surchargeConsentFailed, .presentAgain, .settled, "The reader failed while it asked about the surcharge."),
        (.cardholderConsentRequired, .developer, .settled, "The customer must agree first."),
        // The card
        (.cardReadTimedOut, .presentAgain, .settled, "No card was presented in time."),
        (.cardInsertNotRead, .presentAgain, .settled, "The card's chip could not be read."),
        (.cardSwipeNotRead, .presentAgain, .settled, "The card's magnetic stripe could not be read."),
        (.cardSwipeNotAvailable, .presentAgain, .settled, "A card's magnetic stripe cannot be used offline."),
        (.cardRemoved, .presentAgain, .settled, "The card was removed too early."),
        (.cardLeftInReader, .removeCard, .settled, "A card is still in the reader."),
        (.cardNotSupported, .otherCard, .settled, "This card is not accepted here."),
        (.missingEMVData, .otherCard, .settled, "The card's data could not be read."),
        (.paymentDeclinedByPaymentProcessor, .otherCard, .settled, "The card was declined."),
        (.paymentDeclinedByCardReader, .otherCard, .settled, "The card or the reader declined."),
        // Refunds
        (.refundFailed, .otherRefund, .settled, "The refund failed: the money stays with the shop."),
        (.noRefundInProgress, .nothing, .settled, "There is no refund to cancel."),
        // Software
        (.readerSoftwareUpdateFailed, .updateReader, .settled, "The reader's update failed."),
        (.readerSoftwareUpdateFailedBatteryLow, .charge, .settled, "The reader's battery is too low for an update."),
        (.readerSoftwareUpdateFailedInterrupted, .updateReader, .settled, "The reader's update was interrupted."),
        (.readerSoftwareUpdateFailedExpiredUpdate, .reconnect, .settled, "The reader's update is out of date."),
        (.readerSoftwareUpdateFailedReader, .updateReader, .settled, "The reader could not install the update."),
        (.readerSoftwareUpdateFailedServer, .network, .settled, "The update could not be fetched."),
        (.invalidReaderForUpdate, .reconnect, .settled, "The update is for another reader."),
        (.noUpdateAvailable, .nothing, .settled, "There is no update to install."),
        // Tap to Pay
        (
            .tapToPayTermsRequireICloudSignIn, .terms, .settled,
            "Nobody is signed in to iCloud to accept the terms of Tap to Pay."
        ),
        (.tapToPayTermsCanceled, .terms, .settled, "The terms of Tap to Pay were not accepted."),
        (.tapToPayTermsNotAccepted, .terms, .settled, "The terms of Tap to Pay are not accepted yet."),
        (.tapToPayTermsFailed, .terms, .settled, "The terms of Tap to Pay could not be accepted."),
        (.tapToPayInterrupted, .foreground, .open, "The app went to the background before the card was read."),
        (.tapToPayFailedToPrepare, .reconnect, .settled, "Tap to Pay could not be prepared."),
        (.tapToPayDeviceBanned, .otherPhone, .settled, "This device is not allowed to use Tap to Pay."),
        (.tapToPayMerchantBlocked, .account, .settled, "This account is not allowed to use Tap to Pay."),
        (.tapToPayInvalidMerchant, .account, .settled, "This account cannot use Tap to Pay."),
        (.tapToPayAccountDeactivated, .account, .settled, "The Apple Account that accepted the terms was deactivated."),
        // Offline
        (
            .readerConnectionNotAvailableOffline, .network, .settled,
            "This kind of reader was not connected here online in the last 30 days."
        ),
        (.readerConnectionOfflineLocationMismatch, .network, .settled, "The reader was last used at another location."),
        (
            .readerConnectionOfflineNeedsUpdate, .network, .settled,
            "The reader needs an update before it can work offline."
        ),
        (.offlineDatabaseTooLarge, .network, .settled, "Too many payments are stored; they must be sent first."),
        (.offlineNotAllowed, .network, .settled, "Payments cannot be stored offline."),
        (.offlineSessionEnded, .network, .settled, "The time limit for offline payments has passed."),
        (
            .offlineAmountTooLarge, .amount, .settled,
            "The amount is above the most that can be stored offline."
        ),
        (.offlineCurrencyNotSupported, .amount, .settled, "This currency cannot be stored offline."),
        (
            .offlineParameterInvalid, .developer, .settled,
            "The payment cannot be stored offline in this way."
        ),
        (.offlineForwardingFailed, .account, .open, "Stored payments could not be sent."),
        (.offlineKeysUnavailable, .phone, .settled, "The keys for stored payments cannot be used now."),
        (.offlineDeclined, .otherCard, .settled, "The card was declined offline."),
        (.offlineCardNotSupported, .otherCard, .settled, "This card cannot be used offline."),
        (.offlineMismatch, .presentAgain, .settled, "The network was lost between the card and the payment."),
        (.noLastSeenAccount, .network, .settled, "No account was used on this device online yet."),
        (.simulationNotAvailable, .developer, .settled, "The simulation is not available."),
        // The printer
        (.printerBusy, .wait, .settled, "The reader's printer is busy."),
        (.printerPaperJam, .printer, .settled, "The reader's printer has a paper jam."),
        (.printerOutOfPaper, .printer, .settled, "The reader's printer is out of paper."),
        (.printerCoverOpen, .printer, .settled, "The reader's printer is open."),
        (.printerAbsent, .otherReader, .settled, "The reader has no printer."),
        (.printerUnavailable, .printer, .settled, "The reader's printer cannot be used now."),
        (.printerError, .printer, .settled, "The reader's printer failed."),
        // The provider and the kit
        (.processorAPIError, .lookUp, .open, "The provider reports an error."),
        (.processorResponseUnreadable, .lookUp, .open, "The provider's answer could not be read."),
        (.unexpectedSDKError, .lookUp, .open, "The vendor's SDK failed without giving a reason."),
        (.internalServiceError, .lookUp, .open, "The card reader failed for an unknown reason."),
    ]
}
