package import TillCore
package import TillJournal

/// The cash drawers of an account: ``DrawerName/main``, and each that was opened for a day.
package struct KnownDrawers: Sendable {
    /// The collection of the drawers' sessions, one record for each drawer.
    package static let collection: RecordCollection = "drawer_session"

    private let store: any RecordStore

    package init(_ store: any RecordStore) { self.store = store }

    /// Returns the name of a drawer among those of all accounts. That of ``DrawerName/main`` is the account's own, as
    /// it was before drawers had names; a space is in no account's identifier.
    package static func place(_ account: AccountID, _ drawer: DrawerName) -> String {
        drawer == .main ? account.rawValue : "\(account.rawValue) \(drawer.rawValue)"
    }

    /// Refuses a drawer that was never opened: a misspelled name would hide the cash from every count.
    /// - Throws: ``UnknownDrawer``, or a `JournalError`.
    package func check(_ drawer: DrawerName, of account: AccountID) async throws {
        guard drawer != .main else { return }
        let id = RecordID(KnownDrawers.collection, KnownDrawers.place(account, drawer))
        guard try await store.record(id) != nil else { throw UnknownDrawer(drawer: drawer) }
    }
}

/// The refusal of cash in a drawer that the account does not have.
package struct UnknownDrawer: ExplainedError, Hashable {
    package let drawer: DrawerName

    package var code: String { "unknown_drawer" }
    package var what: String { "There is no drawer \(drawer)." }
    package var moneyMoved: MoneyMoved { .no }
    package var next: String { "Correct the name, or open it first: till day open --drawer \(drawer)." }
}
