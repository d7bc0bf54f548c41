import Synchronization
import TillCore
import TillReceipts

/// Remembers for which payments it was reported that their receipts lack what a card demands, so that a shop's log says
/// it once and not each time somebody views one.
final class ReceiptGapLog: Sendable {
    /// Payments remembered; then it starts afresh.
    static let maximumPayments = 4_096

    private let reported = Mutex<Set<PaymentID>>([])

    /// The sentence for the log, the first time.
    func sentence(for receipt: ReceiptContent) -> String? {
        guard let sentence = receipt.missingFieldsSentence else { return nil }
        return reported.withLock { reported in
            if reported.count >= ReceiptGapLog.maximumPayments { reported.removeAll() }
            return reported.insert(receipt.paymentID).inserted ? sentence : nil
        }
    }
}
