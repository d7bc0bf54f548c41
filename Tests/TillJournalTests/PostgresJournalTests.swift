import Foundation
import Testing
import TillCore
import TillPostgres
import TillTestSupport

@testable import TillJournal

/// What only a journal in PostgreSQL has to do.
@Suite("The journal in PostgreSQL")
struct PostgresJournalTests {
    private let site = Site(.postgres)

    private func open() throws -> PostgresJournal { try #require(try site.open() as? PostgresJournal) }

    @discardableResult
    private func psql(_ sql: String) throws -> String {
        try PostgresCluster.shared.get().run(sql, schema: site.schema)
    }

    private func write(_ number: Int) throws -> JournalWrite {
        var sale = try Sale(number)
        return sale.write()
    }

    @Test("a commit that is said to be done with a warning is not believed: its receipt is asked for")
    func warning() async throws {
        let journal = try open()
        // As of a wait for a standby that was cancelled.
        try psql(
            """
            CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql
              AS 'BEGIN RAISE WARNING ''canceling wait for synchronous replication''; RETURN NULL; END';
            CREATE TRIGGER warn AFTER UPDATE OF outcome ON counter_live FOR EACH ROW EXECUTE FUNCTION warn();
            """)
        try await journal.write(try write(1))
        #expect(try psql("SELECT session, batch FROM counter_live") == "2|1")
        #expect(try await journal.events(after: 0, account: nil, limit: 9).count == 1)
        try await journal.close()
    }

    @Test("a batch whose session ended before it was committed is sent again, and written once")
    func resent() async throws {
        let journal = try open()
        try psql(
            """
            CREATE SEQUENCE deaths;
            CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN IF nextval(''deaths'') < 3 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL; END';
            CREATE TRIGGER die AFTER INSERT ON event FOR EACH ROW EXECUTE FUNCTION die();
            """)
        try await journal.write(try write(1))
        #expect(try await journal.events(after: 0, account: nil, limit: 9).map(\.sequence) == [1])
        #expect(try psql("SELECT session FROM counter_live") == "3")
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test("behind a write of which nobody knows what became of it nothing is read before something is committed")
    func doubt() async throws {
        let journal = try open()
        try await journal.write(try write(1))
        // Every answer that commits carries the warning, so nothing is ever known to be durable.
        try psql(
            """
            CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql
              AS 'BEGIN RAISE WARNING ''canceling wait for synchronous replication''; RETURN NULL; END';
            CREATE TRIGGER warn AFTER UPDATE ON counter_live FOR EACH ROW EXECUTE FUNCTION warn();
            """)
        let doubtful = try write(2)
        await #expect {
            try await journal.write(doubtful)
        } throws: {
            guard case JournalError.unavailable = $0 else { return false }
            return true
        }
        #expect(try psql("SELECT count(*) FROM event") == "2")
        await #expect(throws: JournalError.self) { try await journal.events(after: 0, account: nil, limit: 9) }
        try psql("DROP TRIGGER warn ON counter_live")
        #expect(try await journal.events(after: 0, account: nil, limit: 9).count == 2)
        try await journal.close()
    }

    @Test("a counter that was taken for dead writes nothing any more")
    func fenced() async throws {
        let journal = try open()
        try await journal.write(try write(1))
        try psql("DELETE FROM counter_live")
        let late = try write(2)
        await #expect(throws: JournalError.leaseLost) { try await journal.write(late) }
        #expect(journal.isLeaseLost)
        #expect(await !journal.holdsLease())
        #expect(try psql("SELECT count(*) FROM event") == "1")
    }

    @Test("an earlier session of the same counter, late in the network, writes nothing")
    func earlierSession() async throws {
        let journal = try open()
        try await journal.write(try write(1))
        try psql("UPDATE counter_live SET session = session + 1")
        let late = try write(2)
        await #expect(throws: JournalError.leaseLost) { try await journal.write(late) }
        #expect(try psql("SELECT count(*) FROM event") == "1")
    }

    @Test(
        "nothing is written on a journal that lacks what this process has written, or whose last event was changed",
        arguments: [
            "UPDATE journal SET sequence = 0, head = start",
            "UPDATE event SET link = sha256(link)", "DELETE FROM event", "UPDATE journal SET head = sha256(head)",
        ])
    func cut(_ fault: String) async throws {
        let journal = try open()
        try await journal.write(try write(1))
        try psql(fault)
        let late = try write(2)
        await #expect {
            try await journal.write(late)
        } throws: {
            guard case JournalError.corrupted = $0 else { return false }
            return true
        }
        #expect(try psql("SELECT count(*) FROM payment") == "1")
        #expect(try await !journal.verify().isSound)
    }

    @Test("a text that PostgreSQL cannot store is refused, and nothing beside it")
    func unstorable() async throws {
        let journal = try open()
        let outcomes = await withTaskGroup(of: (Int, JournalError?).self) { group in
            for number in 1...20 {
                group.addTask {
                    let text = number == 7 ? "a\u{0}b" : "ab"
                    do throws(JournalError) {
                        try await journal.change([
                            .insert(Record(RecordID("note", "\(number)"), body: [0], fields: ["x": text]))
                        ])
                        return (number, nil)
                    } catch { return (number, error) }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(outcomes.keys.sorted() == [7])
        guard case .corrupted = outcomes[7] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(try await journal.count("note", matching: nil) == 19)
        try await journal.close()
    }

    @Test("what a process held that has died on this machine is taken over at the next opening")
    func proved() async throws {
        let one = try open()
        var sale = try Sale(1)
        try await one.write(sale.write(holder: .thisProcess))
        // Its process number is another's now, as its start says.
        try psql("UPDATE counter SET pid_started = '1'")
        let two = try open()
        #expect(try await two.due(at: Sale.start, limit: 9) == [sale.payment.id])
        #expect(try psql("SELECT how FROM counter ORDER BY owner LIMIT 1") == "proved")
        let late = try write(2)
        await #expect(throws: JournalError.leaseLost) { try await one.write(late) }
        try await two.close()
    }

    @Test("a process on another machine is left alone until its lease is over")
    func elsewhere() async throws {
        let one = try open()
        var sale = try Sale(1)
        try await one.write(sale.write(holder: .thisProcess))
        try psql("UPDATE counter SET place = 'elsewhere', pid_started = '1'")
        let two = try open()
        #expect(try await two.due(at: Sale.start.adding(.days(1)), limit: 9).isEmpty)
        try await one.write(try write(2))
        try await two.close()
        try await one.close()
    }

    @Test("a journal of a newer Till is refused, and left as it is")
    func newer() async throws {
        try await open().close()
        try psql("UPDATE till_schema SET version = 2")
        #expect {
            _ = try open()
        } throws: { "\($0)".contains("newer Till") }
        #expect(try psql("SELECT count(*) FROM counter_live") == "0")
    }

    @Test("counters that start at once make the tables once")
    func together() async throws {
        let address = try site.address()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...6 {
                group.addTask { [site] in
                    let journal = try PostgresJournal.open(at: address, files: site.path + "\(number)")
                    try await journal.write(try write(number))
                    try await journal.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try psql("SELECT count(*) FROM event") == "6")
    }

    @Test("commits are durable before they are acknowledged, whatever the server's default is")
    func commitLevel() async throws {
        let address = try site.address() + "%20-csynchronous_commit%3Doff"
        let journal = try PostgresJournal.open(at: address, files: site.path)
        let standing = try await journal.standing()
        #expect(standing.commit == "on" && standing.commitByDefault == "off" && standing.counters == 1)
        try await journal.close()
    }

    @Test("a backup is refused with what to do instead")
    func backup() async throws {
        let journal = try open()
        await #expect {
            try await journal.backup(to: "/tmp/none")
        } throws: { "\($0)".contains("pg_basebackup") }
        try await journal.close()
    }
}
