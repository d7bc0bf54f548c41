public import TillReceipts

/// Puts receipts on paper. On iOS this is the system's dialog; elsewhere IPP or ESC/POS without one.
///
/// A printer that fails never changes a payment: the receipt can be printed again.
public protocol PrinterService: Sendable {
    /// Prints a receipt and returns once it is on paper or handed to a printer that says no more.
    /// - Throws: `ReceiptError` if the content does not add up, before anything is sent; else an error that says
    ///   whether the receipt may have printed.
    func printReceipt(content: ReceiptContent) async throws
}

/// The same by the name that says what is printed.
public typealias ReceiptPrinterService = PrinterService
