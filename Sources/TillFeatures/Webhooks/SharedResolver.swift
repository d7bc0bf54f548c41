import Synchronization
import TillCore
import TillCounter

/// A resolver for many requests to few hosts: what is asked of another one while it looks for a host, and for a moment
/// after, has the same answer. So a busy host costs one look-up each few seconds, and one whose name is answered slowly
/// takes one of the threads that all share.
///
/// It returns what a name led to; whoever connects checks those addresses, and connects to one of them.
final class SharedResolver: HostResolver {
    private struct LookUp {
        let answer: Task<[ClientAddress]?, Never>
        let end: ContinuousClock.Instant
    }

    private let base: any HostResolver
    /// The time for which an answer is valid, from the question.
    private let validity: Duration
    private let lookUps = Mutex<[String: LookUp]>([:])

    init(_ base: any HostResolver, validity: Duration) { (self.base, self.validity) = (base, validity) }

    func addresses(of host: String) async -> [ClientAddress]? { await lookUp(host).answer.value }

    private func lookUp(_ host: String) -> LookUp {
        lookUps.withLock { lookUps in
            let now = ContinuousClock.now
            if let known = lookUps[host], known.end > now { return known }
            lookUps = lookUps.filter { $0.value.end > now }
            let new = LookUp(answer: Task { [base] in await base.addresses(of: host) }, end: now + validity)
            lookUps[host] = new
            return new
        }
    }
}
