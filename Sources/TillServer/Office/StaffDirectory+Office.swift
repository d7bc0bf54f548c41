import TillCore
import TillJournal

/// What people of the staff sign in to the back office with. Each change is one commit with the person's record, which
/// ends every session of theirs within a second, and with its entry in the audit log.
extension StaffDirectory {
    /// Makes a link by which somebody chooses what they sign in with. What they had until then is worth nothing any more.
    /// - Returns: the person as they are then, and the word of the link; it is kept nowhere.
    @discardableResult
    public func invite(_ word: String) async throws(StaffError) -> (person: StaffRecord, word: String) {
        var made: (person: StaffRecord, word: String)?
        try await commit { (all, _) throws(StaffError) in
            guard var person = StaffDirectory.find(word, in: all) else { throw .unknownPerson(word) }
            let (invitation, word) = Invitation.make(for: person, at: clock.now())
            person.office = .invited
            person.generation += 1
            made = (person, word)
            let removed = try await withoutOffice(person, butInvitation: true)
            let kept = try await kept(Invitation.id(person.id))
            return (
                [try await update(person), .put(invitation.record, over: kept)] + removed,
                note(.personInvited, person, [])
            )
        }
        guard let made else { throw .unknownPerson(word) }
        return made
    }

    /// Keeps what somebody has chosen; the invitation is spent by it.
    /// - Parameter chosen: the changes that keep it, and what is noted of them; `nil`: it cannot be kept any more.
    /// - Returns: the person as they are then; `nil` if the invitation was spent or replaced meanwhile, too.
    func enrol(
        by invitation: Invitation, version: Int,
        _ chosen: () async throws(StaffError) -> (changes: [RecordChange], note: [AuditChange])?
    ) async throws(StaffError) -> StaffRecord? {
        var enrolled: StaffRecord?
        do throws(StaffError) {
            try await commit { (all, _) throws(StaffError) in
                guard var person = all.first(where: { $0.id == invitation.staff }), person.disabledAt == nil else {
                    throw .unknownPerson(invitation.staff.rawValue)
                }
                guard try await kept(Invitation.id(person.id))?.version == version,
                    let (changes, noted) = try await chosen()
                else { return nil }
                person.office = .enrolled
                person.generation += 1
                enrolled = person
                return (
                    [try await update(person), .delete(Invitation.id(person.id), from: version)] + changes,
                    note(.credentialChanged, person, noted)
                )
            }
        } catch {
            guard case .unknownPerson = error else { throw error }
            return nil
        }
        return enrolled
    }

    /// What keeps a password and a telephone's codes.
    func chosen(
        _ credentials: OfficeCredentials
    ) async throws(StaffError) -> (changes: [RecordChange], note: [AuditChange]) {
        (
            [.put(credentials.record, over: try await kept(OfficeCredentials.id(credentials.staff)))],
            [AuditChange("password", to: "another"), AuditChange("one_time_codes", to: "another")]
        )
    }

    /// Gives somebody another password.
    func set(_ password: ScryptHash, of staff: StaffID) async throws(StaffError) -> StaffRecord {
        let changed = try await changeOffice(of: staff) { (_) throws(StaffError) in
            guard let kept = try await kept(OfficeCredentials.id(staff)) else { return nil }
            var credentials: OfficeCredentials
            do throws(JournalError) { credentials = try OfficeCredentials(kept) } catch { throw .journal(error) }
            credentials.password = password
            return ([.update(credentials.record, from: kept.version)], [AuditChange("password", to: "another")])
        }
        guard let changed else { throw .unknownPerson(staff.rawValue) }
        return changed
    }

    /// Changes what somebody signs in with, which ends their sessions.
    /// - Parameter change: the changes, and what is noted of them; `nil`: there is nothing to be changed.
    /// - Returns: the person as they are then; `nil` if nothing was changed.
    func changeOffice(
        of staff: StaffID,
        _ change: (StaffRecord) async throws(StaffError) -> (changes: [RecordChange], note: [AuditChange])?
    ) async throws(StaffError) -> StaffRecord? {
        var changed: StaffRecord?
        try await commit { (all, _) throws(StaffError) in
            changed = nil
            guard var person = all.first(where: { $0.id == staff }) else { throw .unknownPerson(staff.rawValue) }
            guard let (changes, noted) = try await change(person) else { return nil }
            person.generation += 1
            changed = person
            return ([try await update(person)] + changes, note(.credentialChanged, person, noted))
        }
        return changed
    }

    func passkeys(of staff: StaffID) async throws(StaffError) -> [Passkey] {
        do throws(JournalError) {
            return try await Records<Passkey>(store).list(matching: Passkey.of(staff), limit: Passkeys.maximumPerPerson)
        } catch { throw .journal(error) }
    }

    /// The changes that take everything from somebody that they sign in to the back office with.
    func withoutOffice(
        _ person: StaffRecord, butInvitation keepsInvitation: Bool = false
    ) async throws(StaffError) -> [RecordChange] {
        let removed = [OfficeCredentials.id(person.id), Invitation.id(person.id)].prefix(keepsInvitation ? 1 : 2)
        let passkeys = try await passkeys(of: person.id).map(\.record.id)
        return (removed + passkeys).map { .remove($0) }
    }
}
