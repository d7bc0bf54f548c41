public import ArgumentParser
import TillCounter
import TillProvider
public import TillReceipts

/// The receipt content beyond the payment, for every command that shows, prints or sends a receipt.
struct StoreOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The shop's name. Also TILL_STORE.", valueName: "name"))
    var store: String?
    @Option(name: .long, help: "The shop's address; \\n parts its lines. Also TILL_STORE_ADDRESS.")
    var address: String?
    @Option(name: .long, help: "The shop's tax number. Also TILL_STORE_TAX_ID.") var taxID: String?
    @Option(name: .long, help: "The shop's telephone number. Also TILL_STORE_PHONE.") var phone: String?
    @Option(name: .customLong("store-ids"), help: "Further numbers, such as SIRET=732829320. Also TILL_STORE_IDS.")
    var storeIDs: String?
    @Option(name: .long, help: "The acquirer's number of the shop. Also TILL_STORE_MERCHANT_ID.")
    var merchantID: String?
    @Option(name: .long, help: "The terminal's number. Also TILL_STORE_TERMINAL_ID.") var terminalID: String?
    @Option(name: .long, help: "The shop's country, such as DE. Also TILL_STORE_COUNTRY.") var country: String?
    @Option(name: .long, help: "Lines at the foot; \\n parts them. Also TILL_STORE_CLOSING.") var closing: String?
    @Option(name: .long, help: "Language and region, such as de_DE, fr_CA, ja_JP. Also TILL_LOCALE.")
    var locale: String?
    @Option(name: .long, help: "The shop's time zone, such as Europe/Berlin. Also TILL_TIME_ZONE.")
    var timeZone: String?
    @Option(
        name: .long,
        help: "The public address of the counter; receipts then carry a code that leads there. Also TILL_RECEIPT_URL.")
    var receiptURL: String?

    /// The settings of these options.
    var given: [Setting: String?] {
        [
            .store: store, .storeAddress: address, .storeTaxID: taxID, .storePhone: phone, .storeIDs: storeIDs,
            .storeMerchantID: merchantID, .storeTerminalID: terminalID, .storeCountry: country,
            .storeClosing: closing, .locale: locale, .timeZone: timeZone, .receiptURL: receiptURL,
        ]
    }
}

/// The copy of a receipt: the customer's or the merchant's.
struct CopyOption: ParsableArguments {
    @Option(name: .long, help: "Whose copy: customer or merchant.") var copy = ReceiptCopy.customer
}

extension ReceiptCopy: ExpressibleByArgument {}
extension ReceiptForm.Format: ExpressibleByArgument {}
