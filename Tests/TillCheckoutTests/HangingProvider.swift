import Synchronization
import TillCheckout
import TillCore
import TillSandbox

/// A provider under a name of its own which says of every sale that nobody knows. Asked about one it gives no answer at
/// first; then it hangs, and ignores that nobody waits any more; mended, it answers.
final class HangingProvider: ProviderInFront {
    private enum Mood { case silent, hanging, well }
    private struct State {
        var mood = Mood.silent
        var waiting: [CheckedContinuation<Void, Never>] = []
        var queries = 0
    }
    let base: SandboxProvider
    let name: ProviderName
    private let state = Mutex(State())

    init(_ base: SandboxProvider, name: ProviderName) {
        self.base = base
        self.name = name
    }

    /// Queries that hang now, and all that were made.
    var waiting: Int { state.withLock { $0.waiting.count } }
    var queries: Int { state.withLock { $0.queries } }

    func silence() { state.withLock { $0.mood = .silent } }
    func hang() { state.withLock { $0.mood = .hanging } }

    func mend() {
        let waiting = state.withLock { state in
            state.mood = .well
            defer { state.waiting = [] }
            return state.waiting
        }
        for caller in waiting { caller.resume() }
    }

    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        _ = await base.authorize(request, with: tender)
        return .unknown(reason: "no answer")
    }

    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        let mood = state.withLock { state in
            state.queries += 1
            return state.mood
        }
        if mood == .silent { return .unknown(reason: "no answer") }
        await withCheckedContinuation { caller in
            let hangs = state.withLock { state in
                if state.mood == .hanging { state.waiting.append(caller) }
                return state.mood == .hanging
            }
            if !hangs { caller.resume() }
        }
        return await base.query(request)
    }
}
