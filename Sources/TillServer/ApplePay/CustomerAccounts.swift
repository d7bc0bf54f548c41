import Synchronization
import TillApplePay
import TillCore
import TillJournal

/// Accounts of customers: one for each e-mail address, made with the first order, so that nobody has to sign in to pay.
/// They are in the journal's database, under hashes: neither the address nor what signs in is stored. Who buys of two
/// accounts has one with each.
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
    private let owner: AccountID
    private let reported = Mutex(Reported())

    /// Those of an account.
    init(_ store: any RecordStore, owner: AccountID) {
        accounts = Records(store)
        self.owner = owner
    }

    /// The hash under which the account of an address is. That of `main` is the address's alone, as before there were
    /// others.
    private func name(_ address: String) -> [UInt8] {
        digest((owner == .main ? address : "\(owner.rawValue)\u{0}\(address)").utf8)
    }

    /// The account of who ordered, made if there is none; `nil` if it cannot be kept: the order stands without one.
    func account(of contact: FullContact, basket: String) async -> Account? {
        let name = name(contact.emailAddress.lowercased())
        let token = CustomerAccounts.token()
        guard
            let made = try? await account(
                CustomerAccount(
                    owner: owner, name: name,
                    id: "guest_" + Hex.lowercase(digest(token.reveal().utf8).prefix(8)),
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
        let match = CustomerAccount.match(token: digest(token.utf8))
        guard let found = try await accounts.list(matching: match, limit: 1).first, found.owner == owner else {
            return nil
        }
        return found.id
    }

    /// Signs a customer of the demo shop in, who needs no password.
    func demoCustomer() async throws(JournalError) -> (id: String, token: Secret<String>)? {
        let token = CustomerAccounts.token()
        let name = name("ada@till.example")
        let hash = digest(token.reveal().utf8)
        guard
            let made = try await account(
                CustomerAccount(owner: owner, name: name, id: "customer_ada", token: hash))
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
