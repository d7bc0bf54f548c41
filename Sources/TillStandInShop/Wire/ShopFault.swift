import Synchronization
import TillCore

/// The operation of a request, as `POST /_sandbox/faults` names it.
enum ShopOperation: String, Sendable {
    case list
    case read
    case create
    case update
    case delete
    case batch
    case refund
    case refunds
    case note
    case notes
    case webhook
    case status
    case intent
    case capture
    /// Anything else.
    case other
}

/// A fault in the communication with the shop.
enum ShopFault: Hashable, Sendable {
    /// No response; nothing was done.
    case timeoutBeforeCommit
    /// No response; the request was carried out.
    case timeoutAfterCommit
    /// The connection is closed; nothing was done.
    case dropBeforeCommit
    /// The connection is closed; the request was carried out.
    case dropAfterCommit
    /// Answered with a 500. Nothing was done.
    case error500
    /// Carried out, and answered with a 500.
    case serverErrorAfterSuccess
    /// Answered with a 503. Nothing was done.
    case outage
    /// Answered with a page and a 200, as by a plugin for maintenance or by a cache. Nothing was done.
    case html
    /// Carried out, and answered with a page and a 200.
    case htmlAfterCommit
    case slow(Span)
    /// The request arrives twice.
    case duplicateDelivery

    /// Creates the fault with a name.
    init?(name: String, span: Span) {
        let all: [String: ShopFault] = [
            "timeoutBeforeCommit": .timeoutBeforeCommit, "timeoutAfterCommit": .timeoutAfterCommit,
            "dropBeforeCommit": .dropBeforeCommit, "notSent": .dropBeforeCommit, "dropAfterCommit": .dropAfterCommit,
            "error500": .error500, "serverErrorAfterSuccess": .serverErrorAfterSuccess, "outage": .outage,
            "html": .html, "htmlAfterCommit": .htmlAfterCommit, "slow": .slow(span),
            "duplicateDelivery": .duplicateDelivery,
        ]
        guard let fault = all[name] else { return nil }
        self = fault
    }
}

/// The scheduled faults, and how often each operation was called.
final class ShopFaults: Sendable {
    /// The maximum number of faults scheduled for an operation.
    static let maximum = 10_000

    private struct State {
        var ordered: [ShopOperation: [ShopFault]] = [:]
        var calls: [ShopOperation: Int64] = [:]
    }
    private let state = Mutex(State())

    /// Schedules a fault for the next calls of an operation.
    func fail(_ operation: ShopOperation, with fault: ShopFault, times: Int) {
        state.withLock { state in
            let known = state.ordered[operation, default: []].count
            let count = max(0, min(times, ShopFaults.maximum - known))
            state.ordered[operation, default: []] += Array(repeating: fault, count: count)
        }
    }

    /// Counts a call, and returns its fault.
    func next(_ operation: ShopOperation) -> ShopFault? {
        state.withLock { state in
            state.calls[operation, default: 0] += 1
            guard let fault = state.ordered[operation]?.first else { return nil }
            state.ordered[operation]?.removeFirst()
            return fault
        }
    }

    /// Removes all scheduled faults.
    func clear() { state.withLock { $0.ordered = [:] } }

    /// The number of calls of each operation.
    var calls: JSONValue {
        let calls = state.withLock { $0.calls }.sorted { $0.key.rawValue < $1.key.rawValue }
        return .object(calls.map { JSONMember(key: $0.key.rawValue, value: .number(String($0.value))) })
    }
}
