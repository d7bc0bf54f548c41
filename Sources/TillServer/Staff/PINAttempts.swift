import TillCore
import TillJournal

/// Wrong PINs, by device and person, in the journal, so that no restart and no other process forgets them. Who enters
/// wrong ones waits longer each time, then has to sign the device in anew. Other devices are not held up by it, so nobody
/// locks a colleague out from elsewhere.
struct PINAttempts: Sendable {
    /// Wrong ones for one person at a device, after which that person signs in there no more.
    static let maximumPerPerson = 5
    /// Wrong ones for all at a device, after which its session ends.
    static let maximumPerDevice = 15
    /// Wrong ones that are followed by no wait.
    static let free = 1
    /// The first wait; each further one is twice as long.
    static let firstWait = Span.seconds(1)
    /// How long they are remembered.
    static let memory = Span.days(7)

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
    func begin(_ person: StaffID, at device: String) async throws(JournalError) -> Standing {
        let now = clock.now()
        let id = PINAttemptRecord.id(person, device)
        let kept = try await store.record(id)
        let known = try kept.map { (record) throws(JournalError) in try PINAttemptRecord(record) }
        if let known {
            guard known.count < PINAttempts.maximumPerPerson else { return .locked }
            let left = PINAttempts.wait(after: known.count).milliseconds - known.last.age(at: now).milliseconds
            guard left <= 0 else { return .wait(Span(milliseconds: left)) }
        }
        let next = PINAttemptRecord(person: person, device: device, count: (known?.count ?? 0) + 1, last: now)
        do throws(JournalError) { try await store.change([.put(next.record, over: kept)]) } catch {
            guard case .recordConflict = error else { throw error }
            return .wait(PINAttempts.firstWait)
        }
        return .mayTry
    }

    /// It was right.
    func succeed(_ person: StaffID, at device: String) async throws(JournalError) {
        try await store.change([.remove(PINAttemptRecord.id(person, device))])
    }

    /// Forgets all wrong ones of a device.
    func clear(_ device: String) async throws(JournalError) {
        let found = try await Records<PINAttemptRecord>(store).list(
            matching: PINAttemptRecord.of(device), limit: RecordLimits.maximumForgotten)
        guard !found.isEmpty else { return }
        try await store.change(found.map { .remove($0.record.id) })
    }

    /// Whether a device has had as many as it gets.
    func isSpent(_ device: String) async throws(JournalError) -> Bool {
        let found = try await Records<PINAttemptRecord>(store).list(
            matching: PINAttemptRecord.of(device), limit: RecordLimits.maximumForgotten)
        return found.reduce(0) { $0 + $1.count } >= PINAttempts.maximumPerDevice
    }

    /// Removes those that are over.
    func forget() async throws(JournalError) {
        guard !clock.isInDoubt else { return }
        try await store.change([.forget(PINAttemptRecord.collection, dueBy: clock.now().at)])
    }

    private static func wait(after count: Int) -> Span {
        guard count > free else { return .milliseconds(0) }
        return .milliseconds(firstWait.milliseconds << Int64(min(count - free - 1, 10)))
    }
}

/// The wrong PINs of one person at one device.
struct PINAttemptRecord: RecordDocument, Hashable {
    static let collection: RecordCollection = "pin_attempt"

    let person: StaffID
    let device: String
    let count: Int
    let last: MeasuredMoment

    static func id(_ person: StaffID, _ device: String) -> RecordID {
        RecordID(collection, "\(device)/\(person.rawValue)")
    }
    static func of(_ device: String) -> RecordMatch { RecordMatch("device", device) }

    init(person: StaffID, device: String, count: Int, last: MeasuredMoment) {
        (self.person, self.device, self.count, self.last) = (person, device, count, last)
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("person", person.rawValue)
        writer.field("device", device)
        writer.field("count", count)
        writer.moment("last", last)
        writer.endObject()
        return Record(
            PINAttemptRecord.id(person, device), body: writer.bytes, fields: ["device": device],
            due: last.at.adding(PINAttempts.memory))
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            person: StaffID(rawValue: try body.text("person")), device: try body.text("device"),
            count: Int(clamping: try body.int("count")), last: try .init(body, "last"))
    }
}
