import Crypto
public import TillCore
public import TillStatements

extension Reconciliation {
    /// The lines of one file or one response.
    public struct Statement: Sendable {
        public var provider: ProviderName
        /// The provider's identifier of the shop's account; `nil` if not known.
        public var providerAccount: String?
        public var lines: [StatementLine]
        /// The period covered, if it is longer than that between the first and the last line.
        public var covers: (from: Timestamp, to: Timestamp)?
        /// The maximum delay after which a movement appears on the provider's statements.
        public var lag: Span

        public init(
            provider: ProviderName, providerAccount: String?, lines: [StatementLine], lag: Span,
            covers: (from: Timestamp, to: Timestamp)? = nil
        ) {
            (self.provider, self.providerAccount, self.lines) = (provider, providerAccount, lines)
            (self.lag, self.covers) = (lag, covers)
        }

        /// Returns the account for lines that no payment accounts for.
        func account(_ kind: LedgerAccount.Kind, isTest: Bool) -> LedgerAccount {
            LedgerAccount(kind, provider: provider, providerAccount: providerAccount, isTest: isTest)
        }

        /// A hash over the contents of the lines: identical for the same statement, whether read from a file or
        /// fetched.
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
