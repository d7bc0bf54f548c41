import Foundation
import Testing
import TillCore
import TillPrinterService
import TillReceipts

#if canImport(TillPrinterServiceShell)
    import TillPrinterServiceShell
    import UIKitPrinting

    private let receipt: ReceiptContent = {
        let price = Money(minorUnits: 1_250, currency: .eur)
        return ReceiptContent(
            store: StoreDetails(name: "Shop & <Sons>"), locale: Locale(identifier: "en_US"),
            paymentID: PaymentID(rawValue: "pay_1"), orderNumber: "42", date: Timestamp(milliseconds: 0),
            verdict: .paid, lineItems: [ReceiptLineItem(name: "Coffee", amount: price)], summary: [], total: price,
            transaction: ReceiptTransaction(.sale, .approved), captured: price,
            refunded: Money(minorUnits: 0, currency: .eur))
    }()

    private struct Jam: Error {}

    @Suite("AirPrint", .serialized)
    @MainActor
    struct AirPrintTests {
        private let dialog = UIPrintInteractionController.shared

        @Test("the dialog gets the receipt as HTML on one side, a roll where there is one, cut at its end")
        func prints() async throws {
            var seen: (job: String, markup: String, paper: CGFloat, length: CGFloat)?
            dialog.person = { dialog, done in
                let papers = [72, 204, 595].map { UIPrintPaper(paperSize: CGSize(width: $0, height: 900)) }
                let paper = dialog.delegate?.printInteractionController(dialog, choosePaper: papers)
                let length = paper.flatMap { dialog.delegate?.printInteractionController(dialog, cutLengthFor: $0) }
                let markup = (dialog.printFormatter as? UIMarkupTextPrintFormatter)?.markupText ?? ""
                #expect(dialog.printInfo?.duplex == UIPrintInfo.Duplex.none)
                seen = (dialog.printInfo?.jobName ?? "", markup, paper?.paperSize.width ?? 0, length ?? 0)
                done(dialog, true, nil)
            }
            try await AirPrintReceiptPrinter().printReceipt(content: receipt)
            #expect(seen?.job == "Shop & <Sons> 42")
            #expect(seen?.markup.contains("Shop &amp; &lt;Sons&gt;") == true)
            #expect(seen?.paper == 204)
            #expect(seen?.length == 418)
            #expect(dialog.delegate == nil)
        }

        @Test("what does not add up opens no dialog")
        func refused() async throws {
            var isShown = false
            dialog.person = { dialog, done in
                isShown = true
                done(dialog, true, nil)
            }
            var wrong = receipt
            wrong.total = Money(minorUnits: 1_251, currency: .eur)
            await #expect(throws: ReceiptError.self) {
                try await AirPrintReceiptPrinter().printReceipt(content: wrong)
            }
            #expect(!isShown)
        }

        @Test("closing the dialog, a jam and a device that cannot print are told apart")
        func failures() async throws {
            let printer = AirPrintReceiptPrinter()
            dialog.person = { $1($0, false, nil) }
            await #expect(throws: PrinterServiceError.canceled) { try await printer.printReceipt(content: receipt) }
            dialog.person = { $1($0, false, Jam()) }
            await #expect(throws: PrinterServiceError.failed("Jam()")) {
                try await printer.printReceipt(content: receipt)
            }
            dialog.person = nil
            await #expect(throws: PrinterServiceError.notAvailable) { try await printer.printReceipt(content: receipt) }
            UIPrintInteractionController.isPrintingAvailable = false
            await #expect(throws: PrinterServiceError.notAvailable) { try await printer.printReceipt(content: receipt) }
            UIPrintInteractionController.isPrintingAvailable = true
        }

        @Test("a second receipt waits for no dialog: it is refused while one is open")
        func busy() async throws {
            let printer = AirPrintReceiptPrinter()
            var finish: (() -> Void)?
            dialog.person = { dialog, done in finish = { done(dialog, true, nil) } }
            let first = Task { try await printer.printReceipt(content: receipt) }
            while finish == nil { await Task.yield() }
            await #expect(throws: PrinterServiceError.busy) { try await printer.printReceipt(content: receipt) }
            finish?()
            try await first.value
        }

        @Test("a canceled task closes the dialog")
        func cancellation() async throws {
            let printer = AirPrintReceiptPrinter()
            var finish: (() -> Void)?
            dialog.person = { dialog, done in finish = { done(dialog, false, nil) } }
            let task = Task { try await printer.printReceipt(content: receipt) }
            while finish == nil { await Task.yield() }
            task.cancel()
            while !dialog.isDismissed { await Task.yield() }
            finish?()
            await #expect(throws: PrinterServiceError.canceled) { try await task.value }
        }
    }
#endif

@Suite("What the print dialog is asked for")
struct AirPrintRequestTests {
    @Test("the widest roll for receipts is taken, never a label and never a sheet")
    func roll() {
        #expect(AirPrintRequest.roll(amongWidths: [72, 164, 227, 595]) == 2)
        #expect(AirPrintRequest.roll(amongWidths: [595, 612]) == nil)
        #expect(AirPrintRequest.roll(amongWidths: []) == nil)
    }
}
