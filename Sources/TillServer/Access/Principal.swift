import TillCore

/// Who asks: whose account it is, what they may do, and what stands in the records about them.
struct Principal: Sendable {
    /// What a request came in with.
    enum Credential: Hashable, Sendable {
        /// A key, by the SHA-256 of it.
        case key(hash: [UInt8])
        /// A session of the counter's page, by the SHA-256 of its token.
        case session(hash: [UInt8])

        /// The session's hash; `nil` for a key.
        var session: [UInt8]? { if case .session(let hash) = self { hash } else { nil } }
    }

    let account: AccountID
    let credential: Credential
    let permissions: Set<Permission>

    /// The words for the records: a key, by the first digits of its SHA-256, or the counter's page.
    var actor: String {
        switch credential {
        case .key(let hash): "key \(Hex.lowercase(hash.prefix(4)))"
        case .session: "counter page"
        }
    }
}
