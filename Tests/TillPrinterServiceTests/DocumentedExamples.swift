// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillHardware
import TillPrinterService
import TillReceipts

/// Of `ReceiptContent+PaymentIntent.swift`.
private func example1(_ order: Order, _ paid: PaymentIntent, _ reader: CardReader) async throws {
    let store = StoreDetails(name: "Corner shop")
    let slip = try ReceiptContent(paid, order: order, reader: reader, store: store, isTest: true)
    print(ReceiptRenderer.text(slip))
    _ = store
    _ = slip
}
