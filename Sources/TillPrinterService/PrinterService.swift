public import TillReceipts

/// A receipt printer. On iOS this is the system's dialog; elsewhere IPP or ESC/POS without one.
///
/// A printer that fails never changes a payment: the receipt can be printed again.
public protocol PrinterService: Sendable {
    /// Prints a receipt and returns once it is on paper, or accepted by a printer that reports no more.
    /// - Throws: `ReceiptError` if the content is inconsistent, before anything is sent; otherwise an error that states
    ///   whether the receipt may have printed.
    func printReceipt(content: ReceiptContent) async throws
}

/// An alternative name for ``PrinterService`` that names the document.
public typealias ReceiptPrinterService = PrinterService
