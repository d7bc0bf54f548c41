/// Where the sandbox keeps its ledger.
public protocol SandboxStore: Sendable {
    /// Runs `body` alone: nobody else reads or writes meanwhile, and if it throws nothing was written.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any SandboxShelf) throws -> Result
    ) async throws -> Result
}

/// The ledger, open for one transaction. Not to be kept.
public protocol SandboxShelf {
    /// The charge of that reference.
    func charge(_ reference: String) throws -> SandboxCharge?
    /// The charge that was last asked for under a key.
    func charge(forKey key: String) throws -> SandboxCharge?
    /// All charges of an attempt, oldest first.
    func charges(forAttempt attempt: String) throws -> [SandboxCharge]
    /// All charges, oldest first.
    func allCharges() throws -> [SandboxCharge]
    /// Keeps a charge and points the keys to it.
    func put(_ charge: SandboxCharge, keys: [String]) throws
}
