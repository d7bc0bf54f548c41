public import TillCore
public import TillJournal

/// A payment as a list has it.
public enum ListedPayment: Sendable {
    case payment(Payment)
    /// Its events or its row cannot be read.
    case unreadable(UnreadableRow)

    public var id: PaymentID {
        switch self {
        case .payment(let payment): payment.id
        case .unreadable(let row): row.id
        }
    }

    package var isUnreadable: Bool { damage != nil }

    /// What cannot be read of it, and why; `nil`: nothing.
    public var damage: UnreadableRow? {
        switch self {
        case .payment: nil
        case .unreadable(let row): row
        }
    }
}

extension Checkout {
    /// Payments, newest first. One that cannot be read is listed as such. If it is its events, it is an incident from
    /// then on; of a row `till journal verify` says it.
    public func list(_ filter: PaymentFilter) async throws(CheckoutError) -> [ListedPayment] {
        do throws(JournalError) {
            var listed: [ListedPayment] = []
            for reading in try await journal.rowReadings(filter) {
                guard case .row(let row) = reading else {
                    if case .unreadable(let damaged) = reading { listed.append(.unreadable(damaged)) }
                    continue
                }
                switch try await journal.readable(row.id) {
                case .success(let payment?): listed.append(.payment(payment))
                case .success(nil): continue
                case .failure(let unreadable):
                    await notice(unreadable, of: row.provider)
                    listed.append(.unreadable(UnreadableRow(events: row, reason: unreadable.reason)))
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
