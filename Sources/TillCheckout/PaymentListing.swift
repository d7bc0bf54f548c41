public import TillCore
public import TillJournal

/// A payment as a list has it.
public enum ListedPayment: Sendable {
    case payment(Payment)
    /// Its events cannot be read; what its row says may be out of date.
    case unreadable(PaymentRow, reason: String)

    /// As one line.
    public var row: PaymentRow {
        switch self {
        case .payment(let payment): PaymentRow(payment)
        case .unreadable(let row, _): row
        }
    }

    public var isUnreadable: Bool {
        switch self {
        case .payment: false
        case .unreadable: true
        }
    }
}

extension Checkout {
    /// Payments, newest first. One that cannot be read is listed as such, and is an incident from then on.
    public func list(_ filter: PaymentFilter) async throws(CheckoutError) -> [ListedPayment] {
        do throws(JournalError) {
            var listed: [ListedPayment] = []
            for row in try await journal.payments(filter) {
                switch try await journal.readable(row.id) {
                case .success(let payment?): listed.append(.payment(payment))
                case .success(nil): continue
                case .failure(let unreadable):
                    await notice(unreadable, of: row.provider)
                    listed.append(.unreadable(row, reason: unreadable.reason))
                }
            }
            return listed
        } catch { throw .journal(error) }
    }

    /// A payment; `nil` if there is none or it cannot be read, which is an incident from then on.
    /// - Throws: ``CheckoutError/journal(_:)`` for what is wrong with the journal as a whole.
    public func readable(_ id: PaymentID) async throws(CheckoutError) -> Payment? {
        do throws(JournalError) {
            switch try await journal.readable(id) {
            case .success(let payment): return payment
            case .failure(let unreadable):
                await notice(unreadable, of: nil)
                return nil
            }
        } catch { throw .journal(error) }
    }

    private func notice(_ unreadable: UnreadablePayment, of provider: ProviderName?) async {
        guard let store = journal as? any RecordStore else { return }
        await IncidentLog(store).keep(unreadable, of: provider, at: clock.now())
    }
}
