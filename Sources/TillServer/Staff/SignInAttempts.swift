import TillCore
import TillJournal

/// Wrong PINs by device and person, wrong passwords by address and name, in the journal, so that no restart and no other
/// process forgets them. Who enters wrong ones waits longer each time, then is not listened to there any more. Other
/// places are held up by it only after many: where a key has signed devices in, or for a password.
struct SignInAttempts: Sendable {
    /// How much guessing there may be.
    struct Limits: Hashable, Sendable {
        /// Wrong ones of one person at one place, after which no more are taken there.
        let maximum: Int
        /// Wrong ones that are followed by no wait.
        let free: Int
        /// How long they are remembered.
        let memory: Span
        /// Anybody can make up names there, so only the newest are kept.
        var isOpen = false
        /// Many try there at the same moment with good reason, so that each is counted, one after the other.
        var isShared = false

        /// Until the device is signed in anew.
        static let pin = Limits(maximum: 5, free: 1, memory: .days(7))
        /// From all devices together, where whoever has a key can sign in as many as they like.
        static let pinInAll = Limits(maximum: 20, free: 5, memory: .hours(1))
        /// For all people of an account together, from devices that keys have signed in.
        static let pinsOfAccount = Limits(maximum: 100, free: 20, memory: .hours(1), isShared: true)
        /// From one address, with a name.
        static let password = Limits(maximum: 10, free: 5, memory: .days(1), isOpen: true)
        /// From everywhere, with one name, one after the other: as many as NIST SP 800-63B-4 (3.2.2) allows.
        static let passwordInAll = Limits(maximum: 100, free: 100, memory: .days(1))
    }

    /// Wrong PINs for all at a device, after which its session ends.
    static let maximumPerDevice = 15
    /// The first wait; each further one is twice as long.
    static let firstWait = Span.seconds(1)
    /// How often an attempt at a shared place is counted anew because another one was.
    static let maximumConflicts = 16
    /// Where wrong passwords from everywhere are counted.
    static let everywhere = "everywhere"
    /// Where wrong PINs of all devices are counted.
    static let everyDevice = "every device"
    /// Where wrong PINs for all people of an account are counted; no person has such a name.
    static func everybody(of account: AccountID) -> String { "everybody of \(account)" }
    /// Names and addresses that are remembered at most.
    static let maximumOpen = 4_096

    private let store: any RecordStore
    private let clock: MeasuringClock

    init(_ store: any RecordStore, clock: MeasuringClock) {
        self.store = store
        self.clock = clock
    }

    enum Standing: Hashable, Sendable {
        /// It was counted, and may be checked now.
        case mayTry
        case wait(Span)
        case locked
    }

    /// Counts an attempt before it is checked, so that of many at the same moment one is checked.
    /// - Parameters:
    ///   - person: an identifier, or what stands for a name.
    ///   - device: the device, or an address.
    func begin(
        _ person: String, at device: String, _ limits: Limits = .pin
    ) async throws(JournalError) -> Standing {
        for _ in 0..<(limits.isShared ? SignInAttempts.maximumConflicts : 1) {
            if let standing = try await counted(person, at: device, limits) { return standing }
        }
        return .wait(SignInAttempts.firstWait)
    }

    /// - Returns: `nil` if another attempt was counted at the same moment.
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
            let wait = SignInAttempts.wait(after: known.count - limits.free)
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

    /// Takes back an attempt that was counted and not judged: the queue was full, or another place made it wait.
    func withdraw(_ person: String, at device: String, _ limits: Limits = .pin) async throws(JournalError) {
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
                // Another attempt was counted meanwhile: this one stays counted, too.
                guard case .recordConflict = error else { throw error }
            }
        }
    }

    /// Forgets the wrong ones: the PIN was right.
    func succeed(_ person: String, at device: String) async throws(JournalError) {
        try await store.change([.remove(SignInAttemptRecord.id(person, device))])
    }

    /// Forgets all wrong ones of a device.
    func clear(_ device: String) async throws(JournalError) {
        let found = try await Records<SignInAttemptRecord>(store).list(
            matching: SignInAttemptRecord.of(device), limit: RecordLimits.maximumForgotten)
        guard !found.isEmpty else { return }
        try await store.change(found.map { .remove($0.record.id) })
    }

    /// Whether a device has had as many as it gets.
    func isSpent(_ device: String) async throws(JournalError) -> Bool {
        let found = try await Records<SignInAttemptRecord>(store).list(
            matching: SignInAttemptRecord.of(device), limit: RecordLimits.maximumForgotten)
        return found.reduce(0) { $0 + $1.count } >= SignInAttempts.maximumPerDevice
    }

    /// Removes those that are over.
    func forget() async throws(JournalError) {
        guard !clock.isInDoubt else { return }
        try await store.change([.forget(SignInAttemptRecord.collection, dueBy: clock.now().at)])
    }

    /// - Parameter count: wrong ones beyond those that are free.
    private static func wait(after count: Int) -> Span {
        guard count > 0 else { return .milliseconds(0) }
        return .milliseconds(firstWait.milliseconds << Int64(min(count - 1, 10)))
    }
}

/// What one person got wrong at one place.
struct SignInAttemptRecord: RecordDocument, Hashable {
    static let collection: RecordCollection = "pin_attempt"

    let person: String
    let device: String
    let count: Int
    let last: MeasuredMoment
    /// When the one before the last was, which counts again if the last one is taken back: what was no wrong one
    /// lengthens no wait and no memory.
    var before: MeasuredMoment?
    /// Those that it was counted under; `nil` for one that was read.
    var limits: SignInAttempts.Limits?

    static func id(_ person: String, _ device: String) -> RecordID { RecordID(collection, "\(device)/\(person)") }
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
