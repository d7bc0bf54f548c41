import ArgumentParser
import TillCheckout
import TillCore
import TillReceipts
import TillServer

/// `till receipts …`
struct Receipts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows receipts.", subcommands: [Show.self])

    /// How a receipt is written.
    enum Format: String, ExpressibleByArgument { case text, html, json }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Writes the receipt of a payment.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String
        @Option(name: .long, help: "text, html or json.") var format = Format.text
        @Option(name: .long, help: ArgumentHelp("The shop's name. Also TILL_STORE.", valueName: "name"))
        var store: String?

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let found = try await counter.checkout.payment(
                    PaymentID(rawValue: payment), account: counter.options.account)
                let content = ReceiptContent(
                    payment: found, store: StoreDetails(name: store ?? counter.options.storeName))
                let text =
                    switch format {
                    case .text: ReceiptRenderer.text(content)
                    case .html: ReceiptRenderer.html(content)
                    case .json: content.jsonValue.text
                    }
                guard common.json, format != .json else { return Output.line(text) }
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("payment_id", found.id.rawValue)
                writer.field("format", format.rawValue)
                writer.field("receipt", text)
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }
}
