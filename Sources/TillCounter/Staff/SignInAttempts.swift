package import TillCore
package import TillJournal

/// Counts of failed sign-ins in the journal: wrong PINs by device and person, wrong passwords by address and name. They
/// survive restarts and apply across processes. Each failure lengthens the wait, up to a lockout at that place. Other
/// places are affected only after many failures: devices signed in with a key, and passwords.
package struct SignInAttempts: Sendable {
    /// The limits on guessing.
    package struct Limits: Hashable, Sendable {
        /// The number of failures of one person at one place before a lockout there.
        package let maximum: Int
        /// The waits before it.
        package let policy: GuessPolicy
        /// `true` if names are arbitrary input; only the newest counts are then kept.
        package let isOpen: Bool
        /// `true` if concurrent attempts are legitimate; each is then counted, one after the other.
        let isShared: Bool

        /// The time until failures are forgotten.
        package var memory: Span { policy.memory }

        init(maximum: Int, free: Int, memory: Span, isOpen: Bool = false, isShared: Bool = false) {
            self.maximum = maximum
            policy = GuessPolicy(free: free, first: SignInAttempts.firstWait, longest: .seconds(1_024), memory: memory)
            (self.isOpen, self.isShared) = (isOpen, isShared)
        }

        /// PINs of one person at one device; a lockout lasts until the device signs in again.
        package static let pin = Limits(maximum: 5, free: 1, memory: .days(7))
        /// PINs of one person across all devices, since an API key can sign in any number of devices.
        package static let pinInAll = Limits(maximum: 20, free: 5, memory: .hours(1))
        /// PINs of all people of an account, across devices signed in with keys.
        package static let pinsOfAccount = Limits(maximum: 100, free: 20, memory: .hours(1), isShared: true)
        /// Passwords from one address for one name.
        package static let password = Limits(maximum: 10, free: 5, memory: .days(1), isOpen: true)
        /// Consecutive wrong passwords for one name from all addresses; the limit of NIST SP 800-63B-4 (3.2.2).
        package static let passwordInAll = Limits(maximum: 100, free: 100, memory: .days(1))
    }

    /// The number of wrong PINs at a device, over all people, that ends its session.
    static let maximumPerDevice = 15
    /// The first wait; it doubles with each further failure.
    static let firstWait = Span.seconds(1)
    /// The maximum number of retries after a conflicting attempt at a shared place.
    package static let maximumConflicts = 16
    /// The place of wrong passwords from all addresses.
    package static let everywhere = "everywhere"
    /// The place of wrong PINs from all devices.
    package static let everyDevice = "every device"
    /// The name under which wrong PINs of all people of an account are counted; distinct from every person's
    /// identifier.
    package static func everybody(of account: AccountID) -> String { "everybody of \(account)" }
    /// The maximum number of remembered names and addresses.
    package static let maximumOpen = 4_096

    private let store: any RecordStore
    private let clock: MeasuringClock

    package init(_ store: any RecordStore, clock: MeasuringClock) {
        self.store = store
        self.clock = clock
    }

    package enum Standing: Hashable, Sendable {
        /// The attempt is counted and can be verified now.
        case mayTry
        case wait(Span)
        case locked
    }

    /// Counts an attempt before it is verified, so that only one of several concurrent attempts is verified.
    /// - Parameters:
    ///   - person: a person's identifier, or a substitute for a name.
    ///   - device: a device or an address.
    package func begin(
        _ person: String, at device: String, _ limits: Limits = .pin
    ) async throws(JournalError) -> Standing {
        for _ in 0..<(limits.isShared ? SignInAttempts.maximumConflicts : 1) {
            if let standing = try await counted(person, at: device, limits) { return standing }
        }
        return .wait(SignInAttempts.firstWait)
    }

    /// - Returns: `nil` if a concurrent attempt was counted first.
    private func counted(
        _ person: String, at device: String, _ limits: Limits
    ) async throws(JournalError) -> Standing? {
        let now = clock.now()
        let id = SignInAttemptRecord.id(person, device)
        let kept = try await store.record(id)
        let read = try kept.map { (record) throws(JournalError) in try SignInAttemptRecord(record) }
        let known = read.flatMap { clock.isInDoubt || $0.last.age(at: now) < limits.memory ? $0 : nil }
        if let known {
            guard known.count < limits.maximum else { return .locked }
            let wait = limits.policy.wait(after: known.count)
            let left = wait.milliseconds - known.last.age(at: now).milliseconds
            guard left <= 0 else { return .wait(Span(milliseconds: left)) }
        }
        let next = SignInAttemptRecord(
            person: person, device: device, count: (known?.count ?? 0) + 1, last: now, before: known?.last,
            limits: limits)
        var changes: [RecordChange] = [.put(next.record, over: kept)]
        if limits.isOpen {
            changes.append(
                .keepNewest(
                    SignInAttempts.maximumOpen, of: SignInAttemptRecord.collection, matching: SignInAttemptRecord.open))
        }
        do throws(JournalError) { try await store.change(changes) } catch {
            guard case .recordConflict = error else { throw error }
            return nil
        }
        return .mayTry
    }

    /// Withdraws an attempt that was counted but not verified, because the queue was full or another place imposed a
    /// wait.
    package func withdraw(_ person: String, at device: String, _ limits: Limits = .pin) async throws(JournalError) {
        let id = SignInAttemptRecord.id(person, device)
        for _ in 0..<(limits.isShared ? SignInAttempts.maximumConflicts : 1) {
            guard let kept = try await store.record(id) else { return }
            let known = try SignInAttemptRecord(kept)
            let change: RecordChange =
                known.count > 1
                ? .put(
                    SignInAttemptRecord(
                        person: person, device: device, count: known.count - 1, last: known.before ?? known.last,
                        limits: limits
                    ).record, over: kept) : .delete(id, from: kept.version)
            do throws(JournalError) { return try await store.change([change]) } catch {
                // Another attempt was counted concurrently: this one stays counted.
                guard case .recordConflict = error else { throw error }
            }
        }
    }

    /// Clears the failures of a person at a device after a correct PIN.
    package func succeed(_ person: String, at device: String) async throws(JournalError) {
        try await store.change([.remove(SignInAttemptRecord.id(person, device))])
    }

    /// Clears all failures of a device.
    package func clear(_ device: String) async throws(JournalError) {
        let found = try await Records<SignInAttemptRecord>(store).list(
            matching: SignInAttemptRecord.of(device), limit: RecordLimits.maximumForgotten)
        guard !found.isEmpty else { return }
        try await store.change(found.map { .remove($0.record.id) })
    }

    /// Returns `true` if a device has reached its limit of wrong PINs.
    package func isSpent(_ device: String) async throws(JournalError) -> Bool {
        let found = try await Records<SignInAttemptRecord>(store).list(
            matching: SignInAttemptRecord.of(device), limit: RecordLimits.maximumForgotten)
        return found.reduce(0) { $0 + $1.count } >= SignInAttempts.maximumPerDevice
    }

    /// Removes expired counts.
    package func forget() async throws(JournalError) {
        guard !clock.isInDoubt else { return }
        try await store.change([.forget(SignInAttemptRecord.collection, dueBy: clock.now().at)])
    }
}

/// The failed attempts of one person at one place.
struct SignInAttemptRecord: RecordDocument, Hashable {
    static let collection: RecordCollection = "pin_attempt"

    let person: String
    let device: String
    let count: Int
    let last: MeasuredMoment
    /// The time of the previous attempt, restored when the last one is withdrawn, so that an attempt that was not
    /// verified extends neither the wait nor the retention.
    var before: MeasuredMoment?
    /// The limits that apply to the count; `nil` for a stored record.
    var limits: SignInAttempts.Limits?

    static func id(_ person: String, _ device: String) -> RecordID {
        RecordID(collection, "\(device)/\(person)")
    }
    static func of(_ device: String) -> RecordMatch { RecordMatch("device", device) }
    static let open = RecordMatch("kind", "open")

    init(
        person: String, device: String, count: Int, last: MeasuredMoment, before: MeasuredMoment? = nil,
        limits: SignInAttempts.Limits? = nil
    ) {
        (self.person, self.device, self.count, self.last, self.before) = (person, device, count, last, before)
        self.limits = limits
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("person", person)
        writer.field("device", device)
        writer.field("count", count)
        writer.moment("last", last)
        if let before { writer.moment("before", before) }
        writer.endObject()
        var fields = ["device": device]
        if limits?.isOpen == true { fields["kind"] = "open" }
        return Record(
            SignInAttemptRecord.id(person, device), body: writer.bytes, fields: fields,
            due: last.at.adding((limits ?? .pin).memory))
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            person: try body.text("person"), device: try body.text("device"),
            count: Int(clamping: try body.int("count")), last: try .init(body, "last"),
            before: body.optionalInt("before_at") == nil ? nil : try .init(body, "before"))
    }
}
