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
        /// What signs the customer in; reported once, with the order that made the account.
        var token: Secret<String>?
    }

    /// Tokens that are shown again while this process lives, as to a page that was loaded anew.
    static let maximumReportedTokens = 1_000

    private struct Reported {
        var tokens: [String: Secret<String>] = [:]
        var order: [String] = []
    }

    private let accounts: Records<CustomerAccount>
    private let reported = Mutex(Reported())

    init(_ store: any RecordStore) { accounts = Records(store) }

    /// The account of who ordered, made if there is none; `nil` if it cannot be kept: the order stands without one.
    func account(of contact: FullContact, basket: String) async -> Account? {
        let name = digest(contact.emailAddress.lowercased().utf8)
        let token = CustomerAccounts.token()
        guard
            let made = try? await account(
                CustomerAccount(
                    name: name, id: "guest_" + Hex.lowercase(digest(token.reveal().utf8).prefix(8)),
                    token: digest(token.reveal().utf8)))
        else { return nil }
        if made.isNew { keep(token, basket) }
        return Account(id: made.id, token: made.isNew ? token : nil)
    }

    /// The token that the order of a basket made, as long as this process knows it.
    func token(ofBasket id: String) -> Secret<String>? { reported.withLock { $0.tokens[id] } }

    /// Who shows a token; `nil` for nobody.
    func customer(showing token: String) async throws(JournalError) -> String? {
        guard (16...128).contains(token.utf8.count) else { return nil }
        return try await accounts.list(matching: CustomerAccount.match(token: digest(token.utf8)), limit: 1).first?.id
    }

    /// Signs a customer of the demo shop in, who needs no password.
    func demoCustomer() async throws(JournalError) -> (id: String, token: Secret<String>)? {
        let token = CustomerAccounts.token()
        let name = digest("ada@till.example".utf8)
        let hash = digest(token.reveal().utf8)
        guard
            let made = try await account(CustomerAccount(name: name, id: "customer_ada", token: hash))
        else { return nil }
        if !made.isNew {
            try await accounts.update(Hex.lowercase(name)) { account in
                account.token = hash
                return true
            }
        }
        return (made.id, token)
    }

    /// The account of a name, made if there is none; the token of one that is there stays as it is.
    /// - Returns: its identifier, and whether it is new; `nil` if there are as many accounts as can be.
    func account(_ new: CustomerAccount) async throws(JournalError) -> (id: String, isNew: Bool)? {
        let name = Hex.lowercase(new.name)
        if let known = try await accounts.document(name) { return (known.id, false) }
        guard try await accounts.count() < CustomerAccount.maximum else { return nil }
        do throws(JournalError) { try await accounts.insert(new) } catch {
            guard case .recordConflict = error, let known = try await accounts.document(name) else { throw error }
            return (known.id, false)
        }
        return (new.id, true)
    }

    private func keep(_ token: Secret<String>, _ basket: String) {
        reported.withLock { reported in
            if reported.order.count >= CustomerAccounts.maximumReportedTokens, let oldest = reported.order.first {
                reported.order.removeFirst()
                reported.tokens[oldest] = nil
            }
            reported.order.append(basket)
            reported.tokens[basket] = token
        }
    }

    private static func token() -> Secret<String> {
        Secret(Hex.lowercase((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
    }
}
