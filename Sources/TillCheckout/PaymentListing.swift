public import TillCore
public import TillJournal

/// A payment in a list.
public enum ListedPayment: Sendable {
    case payment(Payment)
    /// The payment's events or row are unreadable.
    case unreadable(UnreadableRow)

    public var id: PaymentID {
        switch self {
        case .payment(let payment): payment.id
        case .unreadable(let row): row.id
        }
    }

    package var isUnreadable: Bool { damage != nil }

    /// The damage that makes the payment unreadable; `nil` if it is readable.
    public var damage: UnreadableRow? {
        switch self {
        case .payment: nil
        case .unreadable(let row): row
        }
    }
}

extension Checkout {
    /// Returns payments, newest first. An unreadable payment is listed as such: unreadable events become an incident;
    /// an unreadable row is reported by `till journal verify`.
    ///
    /// ```swift
    /// import TillJournal
    ///
    /// for listed in try await checkout.list(PaymentFilter(account: .main, limit: 20)) {
    ///     switch listed {
    ///     case .payment(let payment): print(payment.id, payment.status.rawValue, payment.captured)
    ///     case .unreadable(let row): print(row.id, row.reason)
    ///     }
    /// }
    /// ```
    public func list(_ filter: PaymentFilter) async throws(CheckoutError) -> [ListedPayment] {
        do throws(JournalError) {
            var listed: [ListedPayment] = []
            for reading in try await journal.rowReadings(filter) {
                switch reading {
                case .unreadable(let damaged): listed.append(.unreadable(damaged))
                case .row(let row): if let one = try await payment(of: row) { listed.append(one) }
                }
            }
            return listed
        } catch { throw .journal(error) }
    }

    /// Returns the payment of a row, as ``list(_:)`` does; `nil` if it has no events.
    func listed(_ row: PaymentRow) async throws(CheckoutError) -> ListedPayment? {
        do throws(JournalError) { return try await payment(of: row) } catch { throw .journal(error) }
    }

    private func payment(of row: PaymentRow) async throws(JournalError) -> ListedPayment? {
        switch try await journal.readable(row.id) {
        case .success(let payment?): return .payment(payment)
        case .success(nil): return nil
        case .failure(let unreadable):
            await notice(unreadable, of: row.provider)
            return .unreadable(UnreadableRow(events: row, reason: unreadable.reason))
        }
    }

    /// Returns a payment; `nil` if it does not exist or is unreadable, which becomes an incident.
    /// - Throws: ``CheckoutError/journal(_:)`` for a fault of the journal as a whole.
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
