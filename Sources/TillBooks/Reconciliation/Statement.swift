import Crypto
public import TillCore
public import TillProvider

extension Reconciliation {
    /// The lines of one file or one answer.
    public struct Statement: Sendable {
        public var provider: ProviderName
        /// The provider's own name for the shop's account; `nil`: not known.
        public var providerAccount: String?
        public var lines: [StatementLine]
        /// The time that they cover, if it is more than from the first to the last of them.
        public var covers: (from: Timestamp, to: Timestamp)?
        /// How long after a movement the provider's statements still may not have it.
        public var lag: Span

        public init(
            provider: ProviderName, providerAccount: String?, lines: [StatementLine], lag: Span,
            covers: (from: Timestamp, to: Timestamp)? = nil
        ) {
            (self.provider, self.providerAccount, self.lines) = (provider, providerAccount, lines)
            (self.lag, self.covers) = (lag, covers)
        }

        /// Whose accounts its lines are posted to where no payment says it.
        func account(_ kind: LedgerAccount.Kind, isTest: Bool) -> LedgerAccount {
            LedgerAccount(kind, provider: provider, providerAccount: providerAccount, isTest: isTest)
        }

        /// A hash over what its lines say: the same for the same statement, as a file or fetched.
        var fingerprint: String {
            var hash = SHA256()
            for line in lines {
                let parts = [line.id, line.gross.description, line.fee.description, line.payout ?? "", line.raw]
                for part in parts {
                    hash.update(data: Array("\(part.utf8.count)\n\(part)".utf8))
                }
            }
            return Hex.lowercase(Array(hash.finalize()))
        }
    }
}
