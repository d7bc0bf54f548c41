import Foundation
import Synchronization
import Testing
import TillCore
import TillTestSupport

@testable import TillJournal
@testable import TillPostgres

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
        // As of a wait for a standby that was canceled.
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

    @Test("a database's clock that is set, either way, costs no living counter its lease, and keeps no dead one alive")
    func databaseClock() async throws {
        let uptime = Shared(Span.seconds(1_000))
        let address = try site.address()
        let journals = try ["one", "two", "dead"].map { name in
            try PostgresJournal.open(
                at: address, files: site.path + name, clock: site.clock, renewsLease: false,
                monotonic: { uptime.value.withLock { $0 } })
        }
        // On machines of their own, where nobody can prove a death.
        try psql("UPDATE counter SET place = 'machine ' || owner")
        let living = journals.dropLast()
        func pass(_ seconds: Int) async throws {
            for _ in 0..<(seconds / 5) {
                uptime.value.withLock { $0 = .milliseconds($0.milliseconds + 5_000) }
                for journal in living { try await journal.renewLease() }
            }
        }
        try await pass(5)
        for hours in [1, -2] {
            try psql(
                """
                CREATE OR REPLACE FUNCTION till_clock() RETURNS bigint LANGUAGE sql VOLATILE
                  AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + \(hours) * 3600000'
                """)
            // One looks twice before the other renews.
            for _ in 0..<2 {
                try await journals[0].renewLease()
                uptime.value.withLock { $0 = .milliseconds($0.milliseconds + 1_000) }
            }
            try await pass(10)
            #expect(try psql("SELECT count(*) FROM counter WHERE ended_at IS NOT NULL") == "0")
        }
        try await pass(150)
        #expect(try psql("SELECT how, count(*) FROM counter GROUP BY how ORDER BY how") == "presumed|1\n|2")
        #expect(living.allSatisfy { !$0.isLeaseLost })
        // Whoever stood still himself judges nobody by that time.
        try await journals[0].renewLease()
        uptime.value.withLock { $0 = .milliseconds($0.milliseconds + 3_600_000) }
        try await journals[0].renewLease()
        #expect(try psql("SELECT count(*) FROM counter WHERE ended_at IS NOT NULL") == "1")
        for journal in journals { try await journal.close() }
    }

    @Test("a journal of before gets the procedure of now, beside its own")
    func earlierProcedure() async throws {
        let earlier = try open()
        try await earlier.write(try write(1))
        try await earlier.close()
        try psql("ALTER PROCEDURE \(BatchProcedure.name) RENAME TO till_write_1")
        let later = try open()
        try await later.write(try write(2))
        #expect(
            try psql(
                "SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace "
                    + "AND proname LIKE 'till_write_%' ORDER BY 1") == "till_write_1\ntill_write_2")
        #expect(try await later.verify().isSound)
        try await later.close()
    }

    @Test("a journal of before gets the indexes of sales by staff and shop, over the payments that it has")
    func earlierOrigins() async throws {
        let drop = "DROP INDEX event_seller, event_shop, event_seller_shop; DROP FUNCTION till_said(text, text[])"
        let (ada, address) = (StaffID(rawValue: "stf_ada"), try site.address())
        let earlier = try open()
        var sale = try Sale(1, by: .staff(ada, name: "Ada"), shop: "shop_a")
        try await earlier.write(sale.write())
        try await earlier.close()
        try psql(drop)
        let later = try open()
        var filter = PaymentFilter(account: .main)
        (filter.seller, filter.shop) = (ada, "shop_a")
        #expect(try await later.payments(filter).map(\.id) == [sale.payment.id])
        try await later.close()
        #expect(try PostgresJournal.level(at: address).missing == [])
        // One that was not made to its end is made anew.
        try psql("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'event_shop'::regclass")
        #expect(try PostgresJournal.level(at: address).missing == ["event_shop"])
        let again = try open()
        #expect(try PostgresJournal.level(at: address).missing == [])
        try await again.close()
        // A damaged event is in none of them, and does not keep the journal from being opened.
        try psql(drop)
        try psql("UPDATE event SET body = '?x'")
        let last = try open()
        #expect(try await last.payments(filter).isEmpty)
        try await last.close()
    }

    @Test("writes that have something in common are sent in the order in which they came, in different batches")
    func batches() async throws {
        func write(_ number: Int, order: String? = nil, wake: PaymentID? = nil) throws -> PreparedWrite {
            var sale = try Sale(number, order: order)
            var write = sale.write()
            if let wake { write.wake = (wake, Sale.start) }
            return try PreparedWrite(write, encodes: true)
        }
        let first = try write(1)
        let payment = try #require(first.append?.row.id)
        let writes = try [
            first, write(2), first, write(3, order: first.append?.row.order.rawValue), write(4, wake: payment),
            write(5),
        ]
        var waiting = Array(writes.indices)
        var batches: [[Int]] = []
        while !waiting.isEmpty {
            let choice = BatchChoice(waiting, limit: 2, of: { writes[$0] })
            batches.append(choice.batch)
            waiting = choice.rest
        }
        #expect(batches == [[0, 1], [2, 5], [3, 4]])
        // That a document is not there is a condition which many may have, until one makes the document.
        let gate = RecordID("gate", "shut")
        let gated = try [1, 2, 3, 4].map { number in
            var sale = try Sale(number)
            var write = sale.write()
            write.records = [number == 3 ? .insert(Record(gate, body: [0], fields: [:])) : .delete(gate, from: 0)]
            return try PreparedWrite(write, encodes: true)
        }
        #expect(BatchChoice(Array(gated.indices), limit: 9, of: { gated[$0] }).batch == [0, 1, 2])
    }

    @Test("what a process held that is only presumed dead is left alone for as long as its calls may run")
    func presumed() async throws {
        let one = try open()
        var sale = try Sale(1)
        try await one.write(sale.write(holder: .thisProcess))
        let scope = IdempotencyScope(account: .main, operation: "confirm", key: "k")
        try await one.write(
            JournalWrite(
                idempotency: IdempotencyRecord(
                    scope: scope, fingerprint: [1], request: [2], createdAt: Sale.start,
                    state: .inFlight(payment: nil, operation: nil))))
        try psql(
            """
            DELETE FROM counter_live; UPDATE counter SET ended_at = till_clock(), how = 'presumed', place = 'elsewhere'
            """)
        let two = try open()
        #expect(try await two.due(at: Sale.start.adding(.days(1)), limit: 9).isEmpty)
        #expect(try await two.idempotency(scope)?.isHeldByLivingProcess == true)
        try psql("UPDATE counter SET ended_at = ended_at - \(CheckSchedule.answerLease.milliseconds)")
        #expect(try await two.due(at: Sale.start, limit: 9) == [sale.payment.id])
        #expect(try await two.idempotency(scope)?.isHeldByLivingProcess == false)
        try await two.close()
    }

    @Test("a database that was set back sells nothing before somebody has said that it is so")
    func setBack() async throws {
        let one = try open()
        try await one.write(try write(1))
        try psql("CREATE TABLE backup AS SELECT * FROM journal")
        try await one.write(try write(2))
        try await one.close()
        try psql(
            """
            DELETE FROM outbox; DELETE FROM payment WHERE id = 'pay_100002'; DELETE FROM event WHERE sequence = 2;
            UPDATE journal SET (sequence, head) = (SELECT sequence, head FROM backup)
            """)
        let two = try open()
        guard case .setBack(let missing) = try await RestoreSweep.due(in: two)?.cause else {
            Issue.record("nobody has noticed")
            return
        }
        #expect(missing.sequence == 2)
        var sale = try write(3)
        sale.records = SaleGate.conditions(account: .main, order: nil)
        let late = sale
        await #expect(throws: JournalError.recordConflict(RestoreSweep.id, current: 1)) { try await two.write(late) }
        let epoch = try await two.restoreInPlace()
        #expect(epoch.number == 2 && epoch.head.sequence == 1)
        #expect(try await RestoreSweep.due(in: two)?.epoch == epoch)
        #expect(try await two.restoreInPlace().number == 3)
        try await two.close()
        // What is known now is noted.
        let three = try open()
        #expect(try await RestoreSweep.due(in: three)?.epoch?.number == 3)
        try await three.close()
    }

    @Test(
        "an audit log that another hand has changed is found, and nothing is added behind an end that was cut",
        arguments: [
            (
                "UPDATE audit SET body = replace(body, 'key_2', 'key_9')",
                "the entry 2 of the audit log is not what was written"
            ),
            ("DELETE FROM audit WHERE sequence > 3", "its end was cut off"),
            ("UPDATE audit_log SET head = sha256(head)", "the audit log's own head is not that of its last entry, 5"),
            ("DELETE FROM audit_log", "where its audit log ends is missing"),
        ])
    func audit(_ fault: String, _ finding: String) async throws {
        let journal = try open()
        for number in 1...5 { try await journal.note([AuditNote(.keyCreated, subject: "key_\(number)")]) }
        let head = try await journal.auditStanding().head
        #expect(try await journal.head().audit == head)
        #expect(try await journal.verify(known: nil, audit: head).isSound)
        try psql(fault)
        let problems = try await journal.verify().problems
        #expect(problems.contains { $0.contains(finding) }, "\(problems)")
        guard !fault.hasPrefix("UPDATE audit SET") else { return }
        await #expect {
            try await journal.note([AuditNote(.keyCreated, subject: "key_6")])
        } throws: {
            guard case JournalError.corrupted = $0 else { return false }
            return true
        }
        // Sales go on.
        try await journal.write(try write(1))
        try await journal.close()
    }

    @Test("entries of the audit log that are older than the retention are removed, which is noted")
    func auditRetention() async throws {
        let journal = try open()
        for number in 1...5 { try await journal.note([AuditNote(.keyCreated, subject: "key_\(number)")]) }
        let head = try await journal.auditStanding().head
        site.clock.advance(by: AuditLimits.retention)
        site.clock.advance(by: .days(1))
        try await journal.note([AuditNote(.keyCreated, subject: "key_6")])
        try await journal.renewLease()
        let entries = try await journal.auditEntries(AuditQuery()).entries
        #expect(entries.count == 2 && entries.contains { $0.note.subject == "key_6" })
        #expect(entries.contains { $0.note.action == .purged && $0.note.subject == "1 to 5" })
        #expect(try await journal.auditStanding().base == head)
        #expect(try await journal.verify(known: nil, audit: head).problems == [])
        try await journal.close()
    }

    @Test("the tables of another program are left alone")
    func otherProgram() async throws {
        _ = try site.address()
        try psql("CREATE TABLE payment(id integer)")
        #expect {
            _ = try open()
        } throws: { "\($0)".contains("another program, such as payment") }
        #expect(try psql("SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace") == "1")
    }

    @Test("a role without rights is told so")
    func rights() async throws {
        let address = try site.address()
        try psql("CREATE ROLE \(site.schema) LOGIN; GRANT USAGE ON SCHEMA \(site.schema) TO \(site.schema)")
        #expect {
            _ = try PostgresJournal.open(
                at: address.replacing("user=till", with: "user=\(site.schema)"), files: site.path)
        } throws: { "\($0)".contains("does not let Till's role do that: permission denied") }
    }

    @Test("a server of an earlier PostgreSQL is refused by its version")
    func oldServer() throws {
        try PostgresConnection.check(serverVersion: 150_000)
        #expect {
            try PostgresConnection.check(serverVersion: 120_022)
        } throws: { ($0 as? PostgresFailure)?.text == "the server is PostgreSQL 12; Till needs 15" }
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
            try await journal.backup(to: site.path + "-copy")
        } throws: { "\($0)".contains("pg_basebackup") }
        try await journal.close()
    }
}
