import Synchronization
import TillApplePay
import TillCore
import TillCounter
import TillJournal

/// Customer accounts, one for each e-mail address, created with the first order, so that paying needs no sign-in. They
/// are stored in the journal's database under hashes with the counter's key: neither the address nor the sign-in token
/// is stored. A customer of two shop accounts has one with each.
final class CustomerAccounts: Sendable {
    /// The account of an order.
    struct Account: Sendable {
        var id: String
        /// The sign-in token; reported once, with the order that created the account.
        var token: Secret<String>?
    }

    /// The maximum number of tokens that this process can repeat, for example for a reloaded page.
    static let maximumReportedTokens = 1_000

    private struct Reported {
        var tokens: [String: (token: Secret<String>, until: Timestamp)] = [:]
        var order: [String] = []
    }

    private let store: any RecordStore
    private let pepper: Pepper?
    private var accounts: Records<CustomerAccount> { Records(store) }
    private let owner: AccountID
    private let clock: any TillClock
    private let reported = Mutex(Reported())

    /// The customers of an account.
    /// - Parameter pepper: the key of their names; `nil` for a counter without files, whose guests get no account.
    init(_ store: any RecordStore, owner: AccountID, pepper: Pepper?, clock: any TillClock) {
        (self.store, self.owner, self.pepper, self.clock) = (store, owner, pepper, clock)
    }

    /// Returns the account of the contact, creating it if necessary; `nil` if it cannot be stored, in which case the
    /// order has none.
    func account(of contact: FullContact, basket: String) async -> Account? {
        let address = contact.emailAddress
        let token = CustomerAccounts.token()
        guard let name = try? CustomerAccount.name(of: address, owner: owner, pepper) else { return nil }
        let now = clock.now()
        let new = CustomerAccount(
            owner: owner, name: name, id: "guest_" + Hex.lowercase(digest(token.reveal().utf8).prefix(8)),
            token: digest(token.reveal().utf8), madeAt: now, basket: basket, seenAt: now)
        let former = CustomerAccount.formerName(of: address, owner: owner)
        guard let made = try? await account(new, formerly: former) else { return nil }
        if made.isNew { keep(token, basket) }
        return Account(id: made.id, token: made.isNew ? token : nil)
    }

    /// Returns the token created with a basket's order, for an hour, until it is redeemed, and while this process
    /// remembers it.
    func token(ofBasket id: String) -> Secret<String>? {
        let now = clock.now()
        return reported.withLock { reported in
            guard let kept = reported.tokens[id], now < kept.until else { return nil }
            return kept.token
        }
    }

    /// Returns the customer of a token; `nil` for an unknown token.
    func customer(showing token: String) async throws(JournalError) -> String? { try await account(token)?.id }

    /// Returns the guest of a token that the shop's server redeems; `nil` for an unknown token, and for one that is
    /// older than ``CustomerAccount/redemption``. A repeated redemption has the same result, so that a lost answer
    /// loses nothing.
    func redeemed(_ token: String) async throws(JournalError) -> CustomerAccount? {
        guard let account = try await account(token), let madeAt = account.madeAt,
            clock.now() < madeAt.adding(CustomerAccount.redemption)
        else { return nil }
        // The page has handed it over: it is told to nobody any more.
        if let basket = account.basket { reported.withLock { $0.tokens[basket] = nil } }
        return account
    }

    private func account(_ token: String) async throws(JournalError) -> CustomerAccount? {
        guard (16...128).contains(token.utf8.count) else { return nil }
        let match = CustomerAccount.match(token: digest(token.utf8))
        guard let found = try await accounts.list(matching: match, limit: 1).first, found.owner == owner else {
            return nil
        }
        return found
    }

    /// Signs in the demo shop's customer, without a password.
    func demoCustomer() async throws(JournalError) -> (id: String, token: Secret<String>)? {
        let token = CustomerAccounts.token()
        let address = "ada@till.example"
        let name = try CustomerAccount.name(of: address, owner: owner, pepper)
        let hash = digest(token.reveal().utf8)
        let new = CustomerAccount(owner: owner, name: name, id: "customer_ada", token: hash, seenAt: clock.now())
        let former = CustomerAccount.formerName(of: address, owner: owner)
        guard let made = try await account(new, formerly: former) else { return nil }
        if !made.isNew {
            try await accounts.update(Hex.lowercase(name)) { account in
                account.token = hash
                return true
            }
        }
        return (made.id, token)
    }

    /// Returns the account of a name, creating it if necessary; an existing account keeps its token, and its retention
    /// begins anew.
    /// - Parameter former: the name that the account would have of an earlier version; it gets the new one.
    /// - Returns: the identifier, and `true` for a new account; `nil` at the maximum number of accounts.
    func account(
        _ new: CustomerAccount, formerly former: [UInt8]? = nil
    ) async throws(JournalError) -> (id: String, isNew: Bool)? {
        let name = Hex.lowercase(new.name)
        for tries in 1... {
            do throws(JournalError) {
                if let known = try await accounts.document(name) {
                    try await note(orderOf: known, name)
                    return (known.id, false)
                }
                if let former, let id = try await rename(former, to: new.name) { return (id, false) }
                guard try await accounts.count() < CustomerAccount.maximum else { return nil }
                try await accounts.insert(new)
                return (new.id, true)
            } catch {
                guard case .recordConflict = error, tries < Records<CustomerAccount>.maximumConflicts else {
                    throw error
                }
            }
        }
        return nil
    }

    /// Records that a customer has ordered again, at most once in ``CustomerAccount/seenInterval``.
    private func note(orderOf known: CustomerAccount, _ name: String) async throws(JournalError) {
        let now = clock.now()
        if let seenAt = known.seenAt, now < seenAt.adding(CustomerAccount.seenInterval) { return }
        try await accounts.update(name) { account in
            // Another order of the same moment may have recorded it.
            if let seenAt = account.seenAt, now < seenAt.adding(CustomerAccount.seenInterval) { return false }
            account.seenAt = now
            return true
        }
    }

    /// Gives an account of an earlier version the name of this one, in one commit.
    /// - Returns: its customer identifier; `nil` if there is none.
    private func rename(_ former: [UInt8], to name: [UInt8]) async throws(JournalError) -> String? {
        let id = RecordID(CustomerAccount.collection, Hex.lowercase(former))
        guard let stored = try await store.record(id) else { return nil }
        var account = try CustomerAccount(stored)
        guard account.owner == owner else { return nil }
        account.name = name
        account.seenAt = clock.now()
        try await store.change([.delete(id, from: stored.version), .insert(account.record)])
        return account.id
    }

    private func keep(_ token: Secret<String>, _ basket: String) {
        let until = clock.now().adding(CustomerAccount.redemption)
        reported.withLock { reported in
            if reported.order.count >= CustomerAccounts.maximumReportedTokens, let oldest = reported.order.first {
                reported.order.removeFirst()
                reported.tokens[oldest] = nil
            }
            reported.order.append(basket)
            reported.tokens[basket] = (token, until)
        }
    }

    private static func token() -> Secret<String> {
        Secret(Hex.lowercase((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
    }
}
