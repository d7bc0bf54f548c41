// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillPrinting
import TillReceipts

/// Of `PrinterPin.swift`.
private func example1() async throws {
    guard case .ipp(let address) = try PrinterAddress(parsing: "ipps://printer.local/ipp/print") else { return }
    let pin = try await PrinterPin.observe(address)
    print("The printer's own page should show \(pin.fingerprint).")
    let printer = ReceiptPrinter(.ipp(address), access: ReceiptPrinter.Access(pin: pin))
    _ = pin
    _ = printer
}

/// Of `Discovery.swift`.
private func example2() async throws {
    if let found = await PrinterDiscovery.find() {
        for printer in found { print(printer.name, printer.address) }
    }
}

/// Of `ReceiptPrinter.swift`.
private func example3(_ receipt: ReceiptContent) async throws {
    let address = try PrinterAddress(parsing: "ipp://printer.local/ipp/print")
    let printer = ReceiptPrinter(address)
    let outcome = try await printer.print(ReceiptDocument(receipt), name: "Receipt 4711")
    print(outcome.sentence)
    _ = address
    _ = printer
    _ = outcome
}
