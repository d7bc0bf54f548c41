import Synchronization
import TillApplePay
import TillCore
import TillJournal

/// Accounts of customers: one for each e-mail address, made with the first order, so that nobody has to sign in to pay.
/// They are in the journal's database, under hashes: neither the address nor what signs in is stored.
final class CustomerAccounts: Sendable {
    /// An account of an order.
    struct Account: Sendable {
        var id: String
        /// What signs the customer in; told once, with the order that made the account.
        var token: Secret<String>?
    }

    /// Tokens that are told again while this process lives, as to a page that was loaded anew.
    static let maximumReportedTokens = 1_000

    private struct Told {
        var tokens: [String: Secret<String>] = [:]
        var order: [String] = []
    }

    private let journal: SQLiteJournal
    private let clock: any TillClock
    private let told = Mutex(Told())

    init(journal: SQLiteJournal, clock: any TillClock) {
        self.journal = journal
        self.clock = clock
    }

    /// The account of who ordered, made if there is none; `nil` if it cannot be kept: the order stands without one.
    func account(of contact: FullContact, basket: String) async -> Account? {
        let name = digest(contact.emailAddress.lowercased().utf8)
        let token = CustomerAccounts.token()
        guard
            let made = try? await journal.walletAccount(
                name: name, id: "guest_" + Hex.lowercase(digest(token.reveal().utf8).prefix(8)),
                token: digest(token.reveal().utf8), at: clock.now())
        else { return nil }
        if made.isNew { keep(token, basket) }
        return Account(id: made.id, token: made.isNew ? token : nil)
    }

    /// The token that the order of a basket made, as long as this process knows it.
    func token(ofBasket id: String) -> Secret<String>? { told.withLock { $0.tokens[id] } }

    /// Who shows a token; `nil` for nobody.
    func customer(showing token: String) async throws(JournalError) -> String? {
        guard (16...128).contains(token.utf8.count) else { return nil }
        return try await journal.walletAccount(token: digest(token.utf8))
    }

    /// Signs a customer of the demo shop in, who needs no password.
    func demoCustomer() async throws(JournalError) -> (id: String, token: Secret<String>)? {
        let token = CustomerAccounts.token()
        let name = digest("ada@till.example".utf8)
        let hash = digest(token.reveal().utf8)
        guard
            let made = try await journal.walletAccount(name: name, id: "customer_ada", token: hash, at: clock.now())
        else { return nil }
        if !made.isNew { try await journal.renewWalletToken(name: name, token: hash) }
        return (made.id, token)
    }

    private func keep(_ token: Secret<String>, _ basket: String) {
        told.withLock { told in
            if told.order.count >= CustomerAccounts.maximumReportedTokens, let oldest = told.order.first {
                told.order.removeFirst()
                told.tokens[oldest] = nil
            }
            told.order.append(basket)
            told.tokens[basket] = token
        }
    }

    private static func token() -> Secret<String> {
        Secret(Hex.lowercase((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
    }
}
