import TillCore

/// One thing that every provider promises to the engine, and what to do to see whether it is kept. A provider's tests
/// run ``all`` over their own world; what a provider does not declare it must refuse without moving money.
package struct Promise: Sendable, CustomStringConvertible {
    /// Makes a fresh world.
    package typealias Make = @Sendable () async throws -> any ProviderWorld

    /// The promise, as a sentence about the provider.
    package let description: String
    private let body: @Sendable (Make) async throws -> [String]

    init(_ description: String, _ body: @escaping @Sendable (Make) async throws -> [String]) {
        self.description = description
        self.body = body
    }

    /// What is wrong; empty when the promise is kept.
    package func broken(in make: Make) async throws -> [String] { try await body(make) }

    /// Every promise of a provider that is asked for money.
    package static let all = money + refusals + lostAnswers + afterSale + [scrubbed, identified]
    /// Every promise of one that stores cards to be forwarded later.
    package static let allOfStoring = [storedOnce, scrubbed, identified]
}

/// Collects what is wrong.
struct Findings {
    private(set) var all: [String] = []

    mutating func expect(_ isSo: Bool, _ otherwise: @autoclosure () -> String) {
        if !isSo { all.append(otherwise()) }
    }

    mutating func expect(_ world: any ProviderWorld, _ moved: Moved, _ when: String) async throws {
        let found = try await world.moved()
        if found != moved { all.append("\(when): the ledger says \(found), not \(moved)") }
    }
}
