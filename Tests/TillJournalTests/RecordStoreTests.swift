import GRDB
import Testing
import TillCore
import TillTestSupport

@testable import TillJournal
@testable import TillJournalSQLite

/// GRDB has one of this name too.
private typealias Record = TillJournal.Record

/// A document of a test: a text, and whose it is.
private struct Note: RecordDocument, Equatable {
    static let collection: RecordCollection = "note"
    var name: String
    var text: String
    var owner = "nobody"
    var due: Timestamp?
    var isHeld = false
    var holder = RecordHolder.nobody

    init(_ name: String, _ text: String = "", owner: String = "nobody", due: Timestamp? = nil) {
        self.name = name
        self.text = text
        self.owner = owner
        self.due = due
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        name = stored.id.key
        text = try body.text("text")
        owner = try body.text("owner")
        due = stored.due
        holder = stored.holder
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("text", text)
        writer.field("owner", owner)
        writer.endObject()
        return Record(
            RecordID(Note.collection, name), body: writer.bytes, fields: ["owner": owner], due: due, isHeld: isHeld)
    }
}

/// What every record store must do. Runs on each kind.
@Suite("Record stores")
struct RecordStoreTests {
    private typealias Store = any Journal & RecordStore

    private func open(_ site: Site) throws -> Store { try #require(try site.open() as? Store) }

    @Test("A record comes back as it was written, with its version and times", arguments: Site.Kind.allCases)
    func written(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let store = try open(site)
        let id = RecordID("note", "a")
        let began = site.clock.now()
        let due = began.adding(.days(1))
        try await store.change([.insert(Record(id, body: [0, 255, 1], fields: ["x": "1"], due: due))])
        site.clock.advance(by: .seconds(5))
        try await store.change([.update(Record(id, body: [7]), from: 1)])
        let stored = try #require(try await store.record(id))
        #expect(stored.body == [7] && stored.version == 2 && stored.due == nil && stored.holder == .nobody)
        #expect(stored.createdAt == began && stored.updatedAt == began.adding(.seconds(5)))
        #expect(try await store.count("note", matching: RecordMatch("x", "1")) == 0)
        #expect(try await store.record(RecordID("other", "a")) == nil)
        try await store.change([.delete(id, from: 2)])
        #expect(try await store.record(id) == nil)
        #expect(try await store.count("note", matching: nil) == 0)
    }

    @Test("What is durable is there for the next process", arguments: Site.Kind.allCases)
    func durable(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let store = try open(site)
        try await Records<Note>(store).insert(Note("a", "kept"))
        try await site.end(store)
        #expect(try await Records<Note>(try open(site)).document("a")?.text == "kept")
        await #expect(throws: JournalError.closed) { try await store.record(RecordID("note", "a")) }
    }

    @Test(
        "A change of another version, or of a record that is there already, is refused", arguments: Site.Kind.allCases)
    func versions(_ kind: Site.Kind) async throws {
        let store = try open(Site(kind))
        let note = Note("a").record
        try await store.change([.insert(note)])
        for (change, current) in [
            (RecordChange.insert(note), 1), (.update(note, from: 2), 1), (.update(note, from: 0), 1),
            (.delete(note.id, from: 3), 1),
        ] {
            await #expect(throws: JournalError.recordConflict(note.id, current: current)) {
                try await store.change([change])
            }
        }
        let none = RecordID("note", "none")
        await #expect(throws: JournalError.recordConflict(none, current: 0)) {
            try await store.change([.delete(none, from: 1)])
        }
        try await store.change([.insertIfAbsent(Note("a", "late").record), .insertIfAbsent(Note("b", "new").record)])
        #expect(try await Records<Note>(store).list().map(\.text) == ["", "new"])
        #expect(try await store.record(note.id)?.version == 1)
    }

    @Test("Several changes are made together, or none of them", arguments: Site.Kind.allCases)
    func atomic(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let store = try open(site)
        let notes = Records<Note>(store)
        try await notes.insert(Note("a"))
        await #expect(throws: JournalError.recordConflict(RecordID("note", "gone"), current: 0)) {
            try await store.change([
                .insert(Note("b").record), .update(Note("a", "changed").record, from: 1),
                .delete(RecordID("note", "gone"), from: 1),
            ])
        }
        #expect(try await notes.list() == [Note("a")])
        // With events: the order is taken, so its record is not written either, and the other way round.
        var (first, second, third) = (try Sale(1, order: "o"), try Sale(2, order: "o"), try Sale(3))
        var write = first.write()
        write.records = [.insert(Note("first").record)]
        try await store.write(write)
        write = second.write()
        write.records = [.insert(Note("second").record)]
        await #expect(throws: JournalError.orderOccupied(by: first.payment.id)) { try await store.write(write) }
        write = third.write()
        write.records = [.insert(Note("first").record)]
        await #expect(throws: JournalError.recordConflict(RecordID("note", "first"), current: 1)) {
            try await store.write(write)
        }
        #expect(try await notes.list().map(\.name) == ["a", "first"])
        #expect(try await store.payment(first.payment.id) != nil)
        #expect(try await store.payment(third.payment.id) == nil)
    }

    @Test("Of many writers of one version, in two processes, one wins each time", arguments: Site.Kind.allCases)
    func concurrent(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let stores = [try open(site), try open(site)]
        let note = Note("a").record
        try await stores[0].change([.insert(note)])
        for version in 1...5 {
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do throws(JournalError) {
                            try await stores[number % 2].change([.update(Note("a", "\(number)").record, from: version)])
                            return true
                        } catch {
                            guard case .recordConflict(note.id, current: version + 1) = error else { throw error }
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
        // Decided again on the newest state, every one of them gets through.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    _ = try await Records<Note>(stores[number % 2]).update("a") { note in
                        note.owner += "+"
                        return true
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await Records<Note>(stores[0]).document("a")?.owner == "nobody++++++++")
    }

    @Test("Records are found by a field, by age and by due time", arguments: Site.Kind.allCases)
    func queries(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let store = try open(site)
        let notes = Records<Note>(store)
        let now = site.clock.now()
        for (number, owner) in ["x", "y", "x", "y", "x"].enumerated() {
            // The later ones are due earlier; the first one never is.
            let due = number == 0 ? nil : now.adding(.seconds(Int64(10 - number)))
            try await notes.insert(Note("n\(number)", owner: owner, due: due))
        }
        try await store.change([.insert(Record(RecordID("else", "n9"), body: [], fields: ["owner": "x"], due: now))])
        let x = RecordMatch("owner", "x")
        #expect(try await notes.list(matching: x).map(\.name) == ["n0", "n2", "n4"])
        #expect(try await notes.list(matching: x, .newestFirst(), limit: 2).map(\.name) == ["n4", "n2"])
        #expect(try await notes.list(.newestFirst(), limit: 2).map(\.name) == ["n4", "n3"])
        #expect(try await notes.list(.due(by: now.adding(.seconds(8)))).map(\.name) == ["n4", "n3", "n2"])
        #expect(try await notes.list(matching: x, .due(by: now.adding(.seconds(8)))).map(\.name) == ["n4", "n2"])
        #expect(try await notes.list(.due(by: now)).isEmpty)
        let page = try await store.records(RecordQuery("note", matching: x, limit: 2))
        let rest = RecordOrder.oldestFirst(after: page.last?.position)
        #expect(try await notes.list(matching: x, rest).map(\.name) == ["n4"])
        #expect(try await notes.list(.newestFirst(before: page.last?.position)).map(\.name) == ["n1", "n0"])
        #expect(try await notes.count(matching: x) == 3)
        #expect(try await notes.count() == 5)
        _ = try await notes.update("n0") { note in
            note.owner = "y"
            return true
        }
        #expect(try await notes.list(matching: x).map(\.name) == ["n2", "n4"])
        #expect(try await notes.delete("n2"))
        #expect(try await !notes.delete("n2"))
        #expect(try await notes.list(matching: x).map(\.name) == ["n4"])
    }

    @Test("Retention by age and by number takes the oldest, a bounded number at once", arguments: Site.Kind.allCases)
    func retention(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let store = try open(site)
        let notes = Records<Note>(store)
        let now = site.clock.now()
        let limit = RecordLimits.maximumForgotten
        try await store.change(
            (0..<limit + 10).map { .insert(Note("n\(1_000 + $0)", due: now.adding(.seconds(Int64($0)))).record) })
        try await store.change([.insert(Note("kept", owner: "x").record)])
        let all = now.adding(.days(1))
        try await store.change([.forget("note", dueBy: now.adding(.seconds(4)))])
        #expect(try await notes.list(limit: 1).map(\.name) == ["n1005"])
        try await store.change([.forget("note", dueBy: all)])
        #expect(try await notes.list().map(\.name) == (limit + 5..<limit + 10).map { "n\(1_000 + $0)" } + ["kept"])
        // What is written in the same write is there first.
        try await store.change([
            .keepNewest(2, of: "note", matching: RecordMatch("owner", "x")), .insert(Note("x2", owner: "x").record),
            .insert(Note("x3", owner: "x").record),
        ])
        #expect(try await notes.list(matching: RecordMatch("owner", "x")).map(\.name) == ["x2", "x3"])
        try await store.change([.keepNewest(3, of: "note", matching: nil)])
        #expect(try await notes.list().map(\.name) == ["n\(1_000 + limit + 9)", "x2", "x3"])
        try await store.change((0..<limit + 7).map { .insert(Note("z\(1_000 + $0)").record) })
        try await store.change([.keepNewest(1, of: "note", matching: nil)])
        #expect(try await notes.count() == 10)
    }

    @Test(
        "A record of a living process is its own; that of a dead one is taken over once", arguments: Site.Kind.allCases)
    func holders(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (worker, other, third) = (try open(site), try open(site), try open(site))
        var note = Note("a")
        note.isHeld = true
        let held = note.record
        try await worker.change([.insert(held), .insert(Note("free").record)])
        #expect(try await worker.record(held.id)?.holder == .thisProcess)
        #expect(try await other.record(held.id)?.holder == .anotherProcess)
        #expect(try await other.record(RecordID("note", "free"))?.holder == .nobody)
        try await site.end(worker)
        #expect(try await other.record(held.id)?.holder == .deadProcess)
        #expect(try await Records<Note>(other).list().map(\.holder) == [.deadProcess, .nobody])
        try await other.change([.update(held, from: 1)])
        await #expect(throws: JournalError.recordConflict(held.id, current: 2)) {
            try await third.change([.update(held, from: 1)])
        }
        #expect(try await other.record(held.id)?.holder == .thisProcess)
        #expect(try await third.record(held.id)?.holder == .anotherProcess)
        try await other.change([.update(Note("a").record, from: 2)])
        #expect(try await third.record(held.id)?.holder == .nobody)
    }

    @Test("What is beyond a limit is refused, and nothing is written", arguments: Site.Kind.allCases)
    func limits(_ kind: Site.Kind) async throws {
        let store = try open(Site(kind))
        let long = String(repeating: "k", count: RecordLimits.maximumKeyBytes + 1)
        let name = String(repeating: "n", count: RecordLimits.maximumNameBytes + 1)
        let id = RecordID("note", "a")
        let fields = Dictionary(uniqueKeysWithValues: (0...RecordLimits.maximumFields).map { ("f\($0)", "") })
        let tooMuch: [[RecordChange]] = [
            [.insert(Record(RecordID("note", long), body: []))], [.insert(Record(RecordID("note", ""), body: []))],
            [.insert(Record(RecordID(RecordCollection(rawValue: name), "a"), body: []))],
            [.insert(Record(id, body: [UInt8](repeating: 1, count: RecordLimits.maximumBodyBytes + 1)))],
            [.insert(Record(id, body: [], fields: fields))], [.insert(Record(id, body: [], fields: ["f": long]))],
            [.insert(Record(id, body: [], fields: [name: ""]))],
            [.insert(Record(id, body: [])), .update(Record(id, body: []), from: 1)],
            (0...RecordLimits.maximumChanges).map { .insertIfAbsent(Note("n\($0)").record) },
        ]
        for changes in tooMuch {
            await #expect {
                try await store.change(changes)
            } throws: { error in
                if case .corrupted? = error as? JournalError { true } else { false }
            }
        }
        #expect(try await store.count("note", matching: nil) == 0)
        let largest = [UInt8](repeating: 1, count: RecordLimits.maximumBodyBytes)
        try await store.change([.insert(Record(id, body: largest, fields: ["f": String(long.dropLast())]))])
        #expect(try await store.record(id)?.body == largest)
        #expect(try await store.records(RecordQuery("note", limit: -1)).count == 1)
    }

    @Test("A body that cannot be read is a damaged journal and names its record", arguments: Site.Kind.allCases)
    func damaged(_ kind: Site.Kind) async throws {
        let store = try open(Site(kind))
        for body in ["", "{", "{\"text\":5}", "[]"] {
            let id = RecordID("note", "a")
            try await store.change([.insert(Record(id, body: Array(body.utf8)))])
            await #expect {
                try await Records<Note>(store).document("a")
            } throws: { error in
                if case .corrupted(let text)? = error as? JournalError { text.contains("note/a") } else { false }
            }
            await #expect(throws: JournalError.self) { try await Records<Note>(store).list() }
            #expect(try await Records<Note>(store).delete("a"))
        }
    }
}

@Suite("The record store on disk")
struct SQLiteRecordTests {
    @Test("Records that were acknowledged with events are there after the machine stops")
    func shared() async throws {
        let site = Site(.sqlite)
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask {
                    var sale = try Sale(number)
                    var write = sale.write()
                    write.records = [.insert(Note("n\(number)").record)]
                    try await journal.write(write)
                }
            }
            try await group.waitForAll()
        }
        // What a power cut leaves: the file and its log as they are.
        let copy = Site(.sqlite)
        try copy.takeFiles(of: site)
        let survivor = try SQLiteJournal.open(at: copy.path, clock: site.clock)
        #expect(try await survivor.count("note", matching: nil) == 200)
        #expect(try await survivor.verify().payments == 200)
        try await survivor.close()
        try await journal.close()
    }

    @Test("A record that SQLite refuses takes its own events with it, and nobody else's")
    func isolation() async throws {
        let site = Site(.sqlite)
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        try await DatabaseQueue(path: site.path).write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER fault BEFORE INSERT ON record WHEN NEW.key = 'n7'
                    BEGIN SELECT RAISE(ABORT, 'planted'); END
                    """)
        }
        let failures = await withTaskGroup(of: Int?.self) { group in
            for number in 1...20 {
                group.addTask {
                    guard var sale = try? Sale(number) else { return number }
                    var write = sale.write()
                    write.records = [.insert(Note("n\(number)").record)]
                    do throws(JournalError) { try await journal.write(write) } catch { return number }
                    return nil
                }
            }
            return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
        }
        #expect(failures == [7])
        #expect(try await journal.count("note", matching: nil) == 19)
        #expect(try await journal.verify().payments == 19)
        try await journal.close()
    }

    @Test("Lists by field and by due time are read from an index")
    func plans() async throws {
        let site = Site(.sqlite)
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        let match = RecordMatch("owner", "x")
        for query in [
            RecordQuery("note"), RecordQuery("note", .newestFirst()), RecordQuery("note", matching: match),
            RecordQuery("note", matching: match, .newestFirst()), RecordQuery("note", .due(by: site.clock.now())),
        ] {
            let sql = SQLiteRecords.list(query).sql.replacing("?", with: "1")
            let plan = try await DatabaseQueue(path: site.path).read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
            }
            #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
        }
        try await journal.close()
    }
}

@Suite("The record store in memory")
struct MemoryRecordTests {
    @Test("A write that is cut off before it is durable has left no record")
    func cutOff() async throws {
        let storage = MemoryJournal.Storage()
        let cut = MemoryJournal(storage: storage, beforeCommit: { _ in .unavailable("cut off") })
        let unlucky = MemoryJournal(storage: storage, afterCommit: { _ in .unavailable("cut off") })
        await #expect(throws: JournalError.unavailable("cut off")) { try await cut.change([.insert(Note("a").record)]) }
        await #expect(throws: JournalError.unavailable("cut off")) {
            try await unlucky.change([.insert(Note("b").record)])
        }
        #expect(try await Records<Note>(MemoryJournal(storage: storage.copy())).list().map(\.name) == ["b"])
    }
}
