/// The remedy for a failure: a sentence for the user and a value for the program.
public enum CardReaderRemedy: String, Hashable, Sendable, CaseIterable {
    /// Present the card again or pay another way.
    case presentAgain
    /// Use another card or another way to pay.
    case otherCard
    /// Take the card out of the reader, then try again.
    case removeCard
    /// Wait a moment, then try again.
    case wait
    /// Start the payment again.
    case startOver
    /// Search for card readers again and choose one.
    case discoverAgain
    /// Check that the reader is on and near, then connect it again.
    case reconnect
    case disconnectFirst
    /// Charge the reader, then try again.
    case charge
    /// Turn Bluetooth on and allow the app to use it, then try again.
    case bluetooth
    /// Forget the reader in the Bluetooth settings, reset its pairing, and pair it again.
    case pairAgain
    /// Check the network, then try again.
    case network
    /// Correct this device's settings, then try again.
    case phone
    /// Keep the app open and try again.
    case foreground
    /// Accept the terms, then connect again.
    case terms
    /// Check the reader's printer, then print again.
    case printer
    /// Install the reader's update, then try again.
    case updateReader
    /// Complete the store's address, then try again.
    case address
    /// Correct the amount or the currency.
    case amount
    /// Use another card reader.
    case otherReader
    case otherPhone
    /// Return the money another way.
    case otherRefund
    /// Disconnect the reader, clear, and start with the right account.
    case switchAccount
    /// Check the account and its settings at the provider.
    case account
    case updateApp
    /// The app must be changed; contact its developer.
    case developer
    /// Use another card reader and ask the reader's vendor.
    case vendor
    /// Do not use this reader any more; ask its vendor.
    case tampered
    /// Look up the payment before you try again.
    case lookUp
    /// Nothing needs to be done.
    case nothing

    /// The instruction for the user, in one sentence.
    public var sentence: String {
        switch self {
        case .presentAgain: "Present the card again or pay another way."
        case .otherCard: "Use another card or another way to pay."
        case .removeCard: "Take the card out of the reader, then try again."
        case .wait: "Wait a moment, then try again."
        case .startOver: "Start the payment again."
        case .discoverAgain: "Search for card readers again and choose one."
        case .reconnect: "Check that the reader is on and near, then connect it again."
        case .disconnectFirst: "Disconnect it first."
        case .charge: "Charge the reader, then try again."
        case .bluetooth: "Turn Bluetooth on and allow the app to use it, then try again."
        case .pairAgain: "Forget the reader in the Bluetooth settings, reset its pairing, and pair it again."
        case .network: "Check the network, then try again."
        case .phone: "Correct this device's settings, then try again."
        case .foreground: "Keep the app open and try again."
        case .terms: "Accept the terms, then connect again."
        case .printer: "Check the reader's printer, then print again."
        case .updateReader: "Install the reader's update, then try again."
        case .address: "Complete the store's address, then try again."
        case .amount: "Correct the amount or the currency."
        case .otherReader: "Use another card reader."
        case .otherPhone: "Use another device."
        case .otherRefund: "Return the money another way."
        case .switchAccount: "Disconnect the reader, clear, and start with the right account."
        case .account: "Check the account and its settings at the provider."
        case .updateApp: "Update the app."
        case .developer: "The app must be changed; contact its developer."
        case .vendor: "Use another card reader and ask the reader's vendor."
        case .tampered: "Do not use this reader any more; ask its vendor."
        case .lookUp: "Look up the payment before you try again."
        case .nothing: "Nothing needs to be done."
        }
    }

    /// The program's next step, provided that no money is at stake.
    public var retry: CardReaderRetry {
        switch self {
        case .presentAgain, .otherCard, .removeCard, .wait, .startOver, .foreground: .startAgain
        case .discoverAgain, .reconnect, .disconnectFirst: .reconnect
        case .charge, .bluetooth, .pairAgain, .network, .phone, .terms, .printer, .updateReader: .afterRepair
        case .address, .amount, .otherReader, .otherRefund, .switchAccount, .account, .updateApp,
            .developer:
            .afterChange
        case .otherPhone, .vendor, .tampered, .lookUp, .nothing: .no
        }
    }
}
