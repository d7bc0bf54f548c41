import TillCore
import TillReceipts

extension ServerOptions {
    /// A copy of a payment's receipt, as this shop writes it.
    var receipt: @Sendable (Payment, ReceiptCopy) -> ReceiptContent {
        let (store, locale) = (store, locale)
        return { payment, copy in
            var content = ReceiptContent(payment: payment, store: store, locale: locale)
            content.copy = copy
            return content
        }
    }
}
