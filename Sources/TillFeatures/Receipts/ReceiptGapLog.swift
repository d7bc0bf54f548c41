import Synchronization
import TillCore
import TillReceipts

/// Remembers the payments already reported for missing card-mandated receipt fields, so that the log reports each once
/// and not at every view.
final class ReceiptGapLog: Sendable {
    /// The maximum number of remembered payments; the set is cleared when full.
    static let maximumPayments = 4_096

    private let reported = Mutex<Set<PaymentID>>([])

    init() {}

    /// Returns the log message at the first report of a payment.
    func sentence(for receipt: ReceiptContent) -> String? {
        guard let sentence = receipt.missingFieldsSentence else { return nil }
        return reported.withLock { reported in
            if reported.count >= ReceiptGapLog.maximumPayments { reported.removeAll() }
            return reported.insert(receipt.paymentID).inserted ? sentence : nil
        }
    }
}
