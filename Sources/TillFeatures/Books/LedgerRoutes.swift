import HTTPTypes
import Hummingbird
import TillBooks
import TillCore
import TillCounter
package import TillJournal
package import TillWeb

/// `/v1/ledger`: the balance of each ledger account.
package struct LedgerRoutes: Sendable {
    package let journal: any CounterStore

    package init(journal: any CounterStore) {
        self.journal = journal
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/ledger/balances", for: .read, of: .caller, needs: .totals) { try await balances($0) }
    }

    /// Reads the events since the last request. A journal that was never read is caught up over several requests.
    private func balances(_ incoming: Incoming) async throws -> Response {
        let (balances, position, isComplete) = try await Ledger(journal, account: incoming.account)
            .balances(limit: Ledger.maximumEventsAtOnce)
        guard isComplete else {
            throw Problem(
                .serviceUnavailable, "ledger_catching_up",
                "The ledger is being made up from the journal; it was read up to event \(position.sequence).",
                next: "Ask again."
            ).retrying()
        }
        return .json(LedgerJSON.write(balances, at: position))
    }
}
