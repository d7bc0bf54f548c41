// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillStandInPrinter

/// Of `SandboxReceiptPrinter.swift`.
private func example1(_ bytes: [UInt8]) async throws {
    let printer = SandboxReceiptPrinter()
    printer.change { $0.paper = .low }
    let answer = printer.take(bytes)
    for line in printer.output.lines { print(line) }
    _ = printer
    _ = answer
}
