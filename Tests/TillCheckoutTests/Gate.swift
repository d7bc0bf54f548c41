import Synchronization
import TillCore
import TillJournal
import TillSandbox

/// Holds every call to the journal and the provider until it is let through, so that a test can choose the order.
final class Gate: Sendable {
    /// For whom a task works: the place of its action among those that run.
    @TaskLocal static var actor = 0

    private struct Waiter {
        var actor: Int
        var continuation: CheckedContinuation<Void, Never>
    }
    private struct State {
        var waiting: [Waiter] = []
        var isOpen = true
    }
    private let state = Mutex(State())

    func setOpen(_ isOpen: Bool) { state.withLock { $0.isOpen = isOpen } }
    /// For whom each step that waits would be made, in the order in which they came.
    var waiting: [Int] { state.withLock { $0.waiting.map(\.actor) } }

    func pass() async {
        guard !state.withLock({ $0.isOpen }) else { return }
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiting.append(Waiter(actor: Gate.actor, continuation: continuation)) }
        }
    }

    func letThrough(_ index: Int) {
        let waiter = state.withLock { state in
            state.waiting.indices.contains(index) ? state.waiting.remove(at: index) : nil
        }
        waiter?.continuation.resume()
    }
}

/// A journal each of whose steps waits at a gate.
struct GatedJournal: JournalInFront {
    let base: MemoryJournal
    let gate: Gate
    func write(_ write: JournalWrite) async throws(JournalError) {
        await gate.pass()
        try await base.write(write)
    }
    func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
        await gate.pass()
        return try await base.payment(id)
    }
}

/// A provider each of whose calls waits at a gate.
struct GatedProvider: PaymentServiceProvider {
    let base: SandboxProvider
    let gate: Gate
    var name: ProviderName { base.name }
    var capabilities: ProviderCapabilities { base.capabilities }
    var amounts: AmountCodec { base.amounts }
    func identity() async -> ProviderIdentity { await base.identity() }
    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        await gate.pass()
        return await base.prepare(request)
    }
    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        await gate.pass()
        return await base.authorize(request, with: tender)
    }
    func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization> {
        await gate.pass()
        return await base.continueAuthorization(request)
    }
    func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization> {
        await gate.pass()
        return await base.renew(request)
    }
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        await gate.pass()
        return await base.capture(request)
    }
    func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        await gate.pass()
        return await base.void(request)
    }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        await gate.pass()
        return await base.refund(request)
    }
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        await gate.pass()
        return await base.query(request)
    }
}
