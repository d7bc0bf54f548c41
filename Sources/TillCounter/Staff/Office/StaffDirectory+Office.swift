package import TillCore
package import TillJournal

/// The back-office credentials of staff. Each change is one commit with its audit entry and the person's record, which
/// ends all their sessions within a second.
extension StaffDirectory {
    /// Creates an invitation link with which a person chooses new credentials. Revokes the existing ones.
    /// - Returns: the changed person, and the word of the link, which is not stored.
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

    /// Stores the chosen credentials and consumes the invitation.
    /// - Parameter chosen: the changes that store them, and their audit note; `nil` if they can no longer be stored.
    /// - Returns: the changed person; `nil` also if the invitation was used or replaced concurrently.
    package func enrol(
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

    /// Returns the changes that store a password and one-time codes.
    package func chosen(
        _ credentials: OfficeCredentials
    ) async throws(StaffError) -> (changes: [RecordChange], note: [AuditChange]) {
        (
            [.put(credentials.record, over: try await kept(OfficeCredentials.id(credentials.staff)))],
            [AuditChange("password", to: "another"), AuditChange("one_time_codes", to: "another")]
        )
    }

    /// Changes a person's password.
    package func set(_ password: ScryptHash, of staff: StaffID) async throws(StaffError) -> StaffRecord {
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

    /// Changes a person's credentials, which ends their sessions.
    /// - Parameter change: the changes and their audit note; `nil` for no change.
    /// - Returns: the changed person; `nil` without a change.
    package func changeOffice(
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

    package func passkeys(of staff: StaffID) async throws(StaffError) -> [Passkey] {
        do throws(JournalError) {
            return try await Records<Passkey>(store).list(matching: Passkey.of(staff), limit: Passkey.maximumPerPerson)
        } catch { throw .journal(error) }
    }

    /// Returns the changes that revoke all back-office credentials of a person.
    package func withoutOffice(
        _ person: StaffRecord, butInvitation keepsInvitation: Bool = false
    ) async throws(StaffError) -> [RecordChange] {
        let removed = [OfficeCredentials.id(person.id), Invitation.id(person.id)].prefix(keepsInvitation ? 1 : 2)
        let passkeys = try await passkeys(of: person.id).map(\.record.id)
        return (removed + passkeys).map { .remove($0) }
    }
}
