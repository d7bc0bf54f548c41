package import TillCore
package import TillStatements

/// The charges in the ledger of this process's sandbox, paged as at a real provider.
package struct SandboxChargeListing: ChargeListing {
    /// The number of charges on a page, as at a real provider.
    package static let pageSize = 100

    private let ledger: SandboxLedger
    private let pageSize: Int

    package init(ledger: SandboxLedger, pageSize: Int = SandboxChargeListing.pageSize) {
        (self.ledger, self.pageSize) = (ledger, pageSize)
    }

    package var lag: Span { .seconds(0) }

    package func charges(since: Timestamp, after cursor: String?) async -> ChargePage {
        let all: [SandboxCharge]
        do { all = try await ledger.charges() } catch { return .failed("the sandbox's ledger cannot be read") }
        var found: [ListedCharge] = []
        for charge in all.sorted(by: { $0.reference < $1.reference })
        where charge.reference > cursor ?? "" && !charge.isTombstone {
            guard let listed = SandboxChargeListing.listed(charge, since: since) else { continue }
            if found.count == pageSize {
                return .listed(found, next: found.last?.reference.rawValue)
            }
            found.append(listed)
        }
        return .listed(found, next: nil)
    }

    /// Returns the listed charge; `nil` if it has had no activity since.
    private static func listed(_ charge: SandboxCharge, since: Timestamp) -> ListedCharge? {
        let moments = [charge.createdAt] + charge.refunds.map(\.createdAt)
        guard moments.contains(where: { $0 >= since.milliseconds }) else { return nil }
        let amount = (try? Currency(code: charge.currency)).map { Money(minorUnits: charge.amount, currency: $0) }
        let mayHaveMoved: Bool =
            switch charge.state {
            case .authorized, .requiresAction, .actionDone: true
            case .unconfirmed, .declined, .voided: false
            }
        return ListedCharge(
            .charge, ProviderReference(rawValue: charge.reference),
            payment: charge.payment.map { PaymentID(rawValue: $0) },
            attempt: charge.attempt.map { AttemptID(rawValue: $0) },
            account: charge.account.map { AccountID(rawValue: $0) }, order: charge.order.map { OrderID(rawValue: $0) },
            mayHaveMoved: mayHaveMoved, amount: amount, status: charge.state.rawValue)
    }
}
