import Synchronization
import TillCore
import TillJournal

/// The staff of all accounts as requests ask for it: read again when it has changed, which is queried at most every
/// half second. A change holds in every process within that time.
final class StaffOnDuty: Sendable {
    /// How long it is not queried whether something has changed.
    static let lifetime = Span.milliseconds(500)
    /// Accounts held in memory at most.
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

    init(_ store: any RecordStore, clock: any TillClock) {
        self.store = store
        self.clock = clock
    }

    func directory(_ account: AccountID) -> StaffDirectory { StaffDirectory(store, account: account, clock: clock) }

    /// Another number after each change, by any process.
    func changes() async throws(JournalError) -> Int { try await StaffDirectory.changes(in: store) }

    /// Has it queried again with the next request.
    func forget() { state.withLock { $0.until = nil } }

    /// Whether an account has staff, so that nobody does anything at its page without having said who they are.
    func isConfigured(_ account: AccountID) async throws(JournalError) -> Bool {
        try await !known(account).people.isEmpty
    }

    /// Those of an account who can sign in, by name.
    func people(_ account: AccountID) async throws(JournalError) -> [StaffRecord] {
        try await known(account).people.values.filter { $0.disabledAt == nil && $0.pin != nil }
            .sorted { $0.name < $1.name }
    }

    /// Somebody of an account; `nil` for who is not there, or disabled.
    func person(_ id: StaffID, of account: AccountID) async throws(JournalError) -> StaffRecord? {
        guard let found = try await known(account).people[id], found.disabledAt == nil else { return nil }
        return found
    }

    /// Somebody of an account by name; `nil` for who is not there, or disabled.
    func person(named name: String, of account: AccountID) async throws(JournalError) -> StaffRecord? {
        let folded = StaffRecord.folded(name)
        return try await known(account).people.values.first {
            $0.disabledAt == nil && StaffRecord.folded($0.name) == folded
        }
    }

    /// What somebody may do now.
    /// - Returns: `nil` if they were disabled, or changed since the session began.
    func grant(_ person: SessionPerson, of account: AccountID) async throws(JournalError) -> StaffGrant? {
        guard let found = try await self.person(person.id, of: account), found.generation == person.generation else {
            return nil
        }
        return try await grant(of: found)
    }

    /// What somebody may do; nothing beyond reading if their role is gone.
    func grant(of person: StaffRecord) async throws(JournalError) -> StaffGrant? {
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
                // What was changed while it was read is read again.
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
