// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import Foundation
import TillCore
import TillReceipts

/// Of `FiscalBlock.swift`.
private func example1(_ payment: Payment) async throws {
    var signed = ReceiptContent(payment: payment, store: StoreDetails(name: "Corner shop"))
    signed.fiscal = FiscalBlock(
        lines: ["Transaction 4711", "Signature counter 5012"], code: CodeText("V0;955002-00;Kassenbeleg-V1"))
    print(ReceiptRenderer.text(signed))
    _ = signed
}

/// Of `ReceiptContent.swift`.
private func example2(_ payment: Payment) async throws {
    let store = StoreDetails(name: "Corner shop", address: "Example Street 1\n10115 Berlin", taxID: "DE123456789")
    var slip = ReceiptContent(payment: payment, store: store, locale: Locale(identifier: "de_DE"))
    slip.copy = .merchant
    print(ReceiptRenderer.text(slip))
    _ = store
    _ = slip
}

/// Of `ReceiptRenderer+ESCPOS.swift`.
private func example3(_ receipt: ReceiptContent) async throws {
    let printed = ReceiptRenderer.escpos(ReceiptDocument(receipt), profile: .tmT88V)
    if printed.damagedLines > 0 { print("Characters without a shape: \(printed.lostText)") }
    let job = ESCPOSCommand.drawer(pin: 2) + printed.bytes  // a sale in cash opens the drawer
    _ = printed
    _ = job
}

/// Of `ReceiptRenderer.swift`.
private func example4() async throws {
    let sample = ReceiptSample.sale.content()
    print(ReceiptRenderer.text(sample, columns: 32))
    let page = ReceiptRenderer.html(sample)
    let printed = ReceiptRenderer.escpos(ReceiptDocument(sample), profile: .narrow).bytes
    _ = sample
    _ = page
    _ = printed
}
