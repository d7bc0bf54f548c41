import Testing
import TillCore

@testable import TillJournal
@testable import TillPostgres

/// Of several counters that find a payment due one works on it.
@Suite("Claims of due payments")
struct ClaimTests {
    private static let kinds: [Site.Kind] = [.memory, .postgres]
    private static let later = Sale.start.adding(.days(1))

    private func due(_ count: Int, in journal: any Journal) async throws -> [PaymentID] {
        var ids: [PaymentID] = []
        for number in 1...count {
            var sale = try Sale(number)
            try await journal.write(sale.write(due: Sale.start))
            ids.append(sale.payment.id)
        }
        return ids
    }

    @Test("what one process has claimed no other finds or claims, until it is given back", arguments: kinds)
    func exclusive(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (one, two) = (try site.open(), try site.open())
        let ids = try await due(3, in: one)
        #expect(try await one.claim([ids[0], ids[1]], at: Sale.start) == [ids[0], ids[1]])
        #expect(try await two.claim(ids, at: Sale.start) == [ids[2]])
        #expect(try await two.due(at: ClaimTests.later, limit: 9) == [ids[2]])
        // Its own is its own, also a second time.
        #expect(try await one.claim([ids[0]], at: Sale.start) == [ids[0]])
        try await two.release(ids[0])
        #expect(try await two.claim(ids, at: Sale.start) == [ids[2]])
        try await one.release(ids[0])
        #expect(try await two.claim(ids, at: Sale.start) == [ids[0], ids[2]])
        try await site.end(two)
        #expect(try await one.due(at: Sale.start, limit: 9) == ids)
        try await site.end(one)
    }

    @Test("what is not due, not pending or not there is not claimed", arguments: kinds)
    func notDue(_ kind: Site.Kind) async throws {
        let journal = try Site(kind).open()
        var (later, done) = (try Sale(1), try Sale(2))
        try await journal.write(later.write(due: ClaimTests.later))
        done.add(.canceled)
        try await journal.write(done.write())
        let ids = [later.payment.id, done.payment.id, PaymentID(rawValue: "pay_none")]
        #expect(try await journal.claim(ids, at: Sale.start).isEmpty)
        #expect(try await journal.claim([], at: Sale.start).isEmpty)
        #expect(try await journal.claim(ids, at: ClaimTests.later) == [later.payment.id])
    }

    @Test("what a dead process was working on is due at once, and stays so if its heir gives it back", arguments: kinds)
    func inherited(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (one, two, three) = (try site.open(), try site.open(), try site.open())
        var sale = try Sale(1)
        try await one.write(sale.write(due: ClaimTests.later, holder: .thisProcess))
        try await site.end(one)
        #expect(try await two.claim([sale.payment.id], at: Sale.start) == [sale.payment.id])
        #expect(try await three.claim([sale.payment.id], at: Sale.start).isEmpty)
        try await two.release(sale.payment.id)
        #expect(try await three.due(at: Sale.start, limit: 9) == [sale.payment.id])
        for journal in [two, three] { try await site.end(journal) }
    }

    @Test("two counters that claim all there is at the same time share it", arguments: kinds)
    func together(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (one, two) = (try site.open(), try site.open())
        let ids = try await due(48, in: one)
        let claims = try await withThrowingTaskGroup(of: (Int, Set<PaymentID>).self) { group in
            for (number, journal) in [one, two].enumerated() {
                // Both begin with the oldest, as recovery does, and take eight at once.
                for start in stride(from: 0, to: ids.count, by: 8) {
                    group.addTask { (number, try await journal.claim(Array(ids[start..<start + 8]), at: Sale.start)) }
                }
            }
            return try await group.reduce(into: [[], []]) { $0[$1.0] += $1.1 }
        }
        #expect(claims[0].count + claims[1].count == ids.count)
        #expect(Set(claims[0]).union(claims[1]) == Set(ids))
        for journal in [one, two] { try await site.end(journal) }
    }
}

/// What only claims in a database have to do.
@Suite("Claims in PostgreSQL")
struct PostgresClaimTests {
    private let site = Site(.postgres)

    private func open() throws -> PostgresJournal { try #require(try site.open() as? PostgresJournal) }

    private func psql(_ sql: String) throws {
        try PostgresCluster.shared.get().run(sql, schema: site.schema)
    }

    @Test("claims of a counter that stands still come free with its lease, and then it writes nothing on them")
    func stalled() async throws {
        let (one, two) = (try open(), try open())
        var sale = try Sale(1)
        let id = sale.payment.id
        try await one.write(sale.write(due: Sale.start))
        #expect(try await one.claim([id], at: Sale.start) == [id])
        try psql("UPDATE counter SET place = 'elsewhere' WHERE owner = \(one.lease.owner)")
        #expect(try await two.claim([id], at: Sale.start).isEmpty)
        // What a counter does that finds the lease over.
        try psql(
            """
            DELETE FROM counter_live WHERE owner = \(one.lease.owner);
            UPDATE counter SET how = 'presumed', ended_at = till_clock() WHERE owner = \(one.lease.owner)
            """)
        #expect(try await two.claim([id], at: Sale.start).isEmpty, "its call may still run")
        try psql("UPDATE counter SET ended_at = ended_at - \(CheckSchedule.answerLease.milliseconds)")
        #expect(try await two.claim([id], at: Sale.start) == [id])
        sale.begin()
        let late = sale.write(due: Sale.start.adding(.days(1)), holder: .thisProcess)
        await #expect(throws: JournalError.leaseLost) { try await one.write(late) }
        try await two.close()
    }

    @Test("a counter that was taken for dead claims nothing")
    func dead() async throws {
        let (one, two) = (try open(), try open())
        var sale = try Sale(1)
        try await two.write(sale.write(due: Sale.start))
        try psql("DELETE FROM counter_live WHERE owner = \(one.lease.owner)")
        await #expect(throws: JournalError.leaseLost) { try await one.claim([sale.payment.id], at: Sale.start) }
        #expect(one.isLeaseLost)
        #expect(try await two.claim([sale.payment.id], at: Sale.start) == [sale.payment.id])
        try await two.close()
    }

    @Test("a claim does not wait for a session that has its hand on a payment: it takes the others")
    func skips() async throws {
        let journal = try open()
        var (first, second) = (try Sale(1), try Sale(2))
        try await journal.write(first.write(due: Sale.start))
        try await journal.write(second.write(due: Sale.start))
        let (held, free) = (first.payment.id, second.payment.id)
        let address = try site.address()
        let claimed = try await withThrowingTaskGroup(of: Set<PaymentID>.self) { group in
            let other = try PostgresConnection(address, .work)
            try other.execute("BEGIN; SELECT 1 FROM outbox WHERE payment = '\(held)' FOR UPDATE")
            group.addTask { try await journal.claim([held, free], at: Sale.start) }
            let claimed = try await group.next()
            try other.execute("ROLLBACK")
            return claimed
        }
        #expect(claimed == [free])
        try await journal.close()
    }
}
