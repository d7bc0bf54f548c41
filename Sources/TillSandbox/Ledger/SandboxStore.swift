/// Storage of the sandbox's ledger.
public protocol SandboxStore: Sendable {
    /// Runs `body` with exclusive access to the ledger; if it throws, nothing is written.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any SandboxShelf) throws -> Result
    ) async throws -> Result
}

/// The ledger during one transaction. Must not escape it.
public protocol SandboxShelf {
    /// Returns the charge with a reference.
    func charge(_ reference: String) throws -> SandboxCharge?
    /// Returns the charge most recently requested under a key.
    func charge(forKey key: String) throws -> SandboxCharge?
    /// Returns all charges of an attempt, oldest first.
    func charges(forAttempt attempt: String) throws -> [SandboxCharge]
    /// Returns all charges, oldest first.
    func allCharges() throws -> [SandboxCharge]
    /// Stores a charge and maps the keys to it.
    func put(_ charge: SandboxCharge, keys: [String]) throws
}
