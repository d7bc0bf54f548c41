import TillCore
import TillCounter
import TillJournal
import TillReceipts

extension Sale {
    /// Prints the receipt. Throws nothing: a printer fault does not affect the result of the sale.
    static func print(_ payment: Payment, on printer: String, _ copy: ReceiptCopy, _ counter: Counter) async {
        let printing = counter.options.receipts.printing(counter.journal, counter.clock)
        do {
            let job = try await printing.print(payment, on: printer, copy: copy)
            switch job.state {
            case .printed, .sent: Output.note(job.note)
            case .waiting: Output.note("The receipt waits: \(job.note) Then: till receipts print --waiting")
            case .sending, .failed, .mayHavePrinted, .canceled:
                Output.note("\(job.note) Print it again: till receipts print \(payment.id) --printer \(printer)")
            }
        } catch let error as any ExplainedError {
            Output.note("The receipt was not printed. \(error.what) The payment stands as it is.")
        } catch {
            Output.note("The receipt was not printed. The payment stands as it is.")
        }
    }
}
