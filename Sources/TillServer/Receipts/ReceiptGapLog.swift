import Synchronization
import TillCore
import TillReceipts

/// Remembers of which payments it was told that their receipts lack what a card demands, so that a shop's log says it
/// once and not each time somebody looks.
final class ReceiptGapLog: Sendable {
    /// Payments remembered; then it starts afresh.
    static let maximumPayments = 4_096

    private let told = Mutex<Set<PaymentID>>([])

    /// The sentence for the log, the first time.
    func sentence(for receipt: ReceiptContent) -> String? {
        guard let sentence = receipt.missingFieldsSentence else { return nil }
        return told.withLock { told in
            if told.count >= ReceiptGapLog.maximumPayments { told.removeAll() }
            return told.insert(receipt.paymentID).inserted ? sentence : nil
        }
    }
}
