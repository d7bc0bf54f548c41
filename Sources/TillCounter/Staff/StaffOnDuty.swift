import Synchronization
package import TillCore
package import TillJournal

/// A cache of the staff of all accounts for requests. It polls for changes at most every half second, so a change takes
/// effect in every process within that time.
package final class StaffOnDuty: Sendable {
    /// The interval between polls for changes.
    package static let lifetime = Span.milliseconds(500)
    /// The maximum number of cached accounts.
    static let maximumAccounts = 64

    private struct Known {
        let people: [StaffID: StaffRecord]
        let roles: [String: StaffRole]
    }

    private struct State {
        var changes = -1
        var until: ContinuousClock.Instant?
        var accounts: [AccountID: Known] = [:]
    }

    private let state = Mutex(State())
    private let store: any RecordStore
    private let clock: any TillClock

    package init(_ store: any RecordStore, clock: any TillClock) {
        self.store = store
        self.clock = clock
    }

    package func directory(_ account: AccountID) -> StaffDirectory {
        StaffDirectory(store, account: account, clock: clock)
    }

    /// Returns a number that differs after each change, by any process.
    package func changes() async throws(JournalError) -> Int { try await StaffDirectory.changes(in: store) }

    /// Forces a poll with the next request.
    package func forget() { state.withLock { $0.until = nil } }

    /// Returns `true` if an account has staff, in which case its page requires a personal sign-in.
    package func isConfigured(_ account: AccountID) async throws(JournalError) -> Bool {
        try await !known(account).people.isEmpty
    }

    /// Returns the people of an account with a PIN and not disabled, by name.
    package func people(_ account: AccountID) async throws(JournalError) -> [StaffRecord] {
        try await known(account).people.values.filter { $0.disabledAt == nil && $0.pin != nil }
            .sorted { $0.name < $1.name }
    }

    /// Returns a person of an account; `nil` if unknown or disabled.
    package func person(_ id: StaffID, of account: AccountID) async throws(JournalError) -> StaffRecord? {
        guard let found = try await known(account).people[id], found.disabledAt == nil else { return nil }
        return found
    }

    /// Returns a person of an account by name; `nil` if unknown or disabled.
    package func person(named name: String, of account: AccountID) async throws(JournalError) -> StaffRecord? {
        let folded = StaffRecord.folded(name)
        return try await known(account).people.values.first {
            $0.disabledAt == nil && StaffRecord.folded($0.name) == folded
        }
    }

    /// Returns the current permissions of a signed-in person.
    /// - Returns: `nil` if the person was disabled or changed since the session began.
    package func grant(_ person: SessionPerson, of account: AccountID) async throws(JournalError) -> StaffGrant? {
        guard let found = try await self.person(person.id, of: account), found.generation == person.generation else {
            return nil
        }
        return try await grant(of: found)
    }

    /// Returns the current permissions of a person; `nil` if their role no longer exists.
    package func grant(of person: StaffRecord) async throws(JournalError) -> StaffGrant? {
        guard let role = try await known(person.account).roles[person.role] else { return nil }
        return StaffGrant(id: person.id, name: person.name, role: role)
    }

    private func known(_ account: AccountID) async throws(JournalError) -> Known {
        let now = ContinuousClock.now
        let isFresh = state.withLock { $0.until.map { now < $0 } ?? false }
        if !isFresh {
            let changes = try await StaffDirectory.changes(in: store)
            state.withLock { state in
                if state.changes != changes { state.accounts = [:] }
                state.changes = changes
                state.until = now + StaffOnDuty.lifetime.duration
            }
        }
        let (found, changes) = state.withLock { ($0.accounts[account], $0.changes) }
        if let found { return found }
        guard changes > 0 else { return Known(people: [:], roles: [:]) }
        let directory = directory(account)
        do throws(StaffError) {
            let people = Dictionary(try await directory.all().map { ($0.id, $0) }) { $1 }
            let read = Known(
                people: people, roles: Dictionary(try await directory.roles().map { ($0.name, $0) }) { $1 })
            state.withLock { state in
                // A result that changed during the read is not cached.
                guard state.changes == changes else { return }
                if state.accounts.count >= StaffOnDuty.maximumAccounts { state.accounts = [:] }
                state.accounts[account] = read
            }
            return read
        } catch {
            if case .journal(let error) = error { throw error }
            throw .unavailable("the staff cannot be read")
        }
    }
}
