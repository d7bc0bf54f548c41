import Foundation
package import TillCore
package import TillPrinting
package import TillReceipts

/// The page that a printer prints to be tested. It shows no payment, so that nobody takes it for a receipt.
package enum PrinterTestPage {
    /// The name of its job at the printer.
    package static let name = "Till test page"

    /// Returns the page, with letters of several scripts and a code.
    package static func document(store: String, at now: Timestamp) -> ReceiptDocument {
        let zero = Money(minorUnits: 0, currency: .eur)
        var content = ReceiptContent(
            store: StoreDetails(name: store), locale: Locale(identifier: "en_US"),
            paymentID: PaymentID(rawValue: "test"), orderNumber: "test", date: now, verdict: .notPaid,
            lineItems: [ReceiptLineItem(name: "äöü éèç łżó € 日本 العربية עברית", amount: zero)], summary: [],
            total: zero,
            transaction: ReceiptTransaction(.sale, .none), captured: zero, refunded: zero)
        content.explanation = ReceiptText("This is a test page.")
        content.link = CodeText("till:test")
        return ReceiptDocument(content)
    }

    /// Returns the outcome as a sentence. The printing room's own sentence speaks of a receipt.
    package static func sentence(of outcome: PrintOutcome) -> String {
        outcome.sentence.replacing("The receipt", with: "The page")
    }
}
