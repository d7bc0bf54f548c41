import Foundation
import Synchronization
import Testing
import TillCore

@testable import TillJournal
@testable import TillPostgres

/// Nobody polls here: what arrives, arrives by hints.
@Suite("Hints of other counters")
struct PostgresHintTests {
    private let site = Site(.postgres)
    private let heard = Shared<[Set<AccountID>?]>([])

    private func listen() throws -> PostgresJournal {
        try PostgresJournal.open(
            at: site.address(), files: site.path, clock: site.clock,
            onHint: { [heard] accounts in heard.value.withLock { $0.append(accounts) } })
    }

    private func psql(_ sql: String) throws -> String {
        try PostgresCluster.shared.get().run(sql, schema: site.schema)
    }

    /// The sessions that listen, of one journal among those of all tests. A session shows a command from its start on;
    /// it listens when the command has ended.
    private func lines(_ journal: PostgresJournal) throws -> String {
        let start = try #require(Hex.decode(try psql("SELECT encode(start, 'hex') FROM journal")))
        return """
            FROM pg_stat_activity WHERE application_name = 'till hints' AND state = 'idle'
              AND query LIKE '%\(PostgresJournal.hintChannel(start))%'
            """
    }

    private func until(_ seconds: Int64 = 60, _ isSo: () throws -> Bool) async throws -> Bool {
        let end = SystemClock.reading().adding(.seconds(seconds)).milliseconds
        while SystemClock.reading().milliseconds < end {
            if try isSo() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    @Test("a commit is heard of at another counter, by its account, and not at its own")
    func isHeard() async throws {
        let two = try listen()
        let one = try PostgresJournal.open(
            at: site.address(), files: site.path, clock: site.clock,
            // A line that was made anew asks for what it may have missed, of any account.
            onHint: { accounts in if accounts != nil { Issue.record("its own hint") } })
        let line = try lines(one)
        #expect(try await until { try psql("SELECT count(*) \(line)") == "2" })
        for number in 1...15 {
            var sale = try Sale(number, account: AccountID(rawValue: "shop-\(number)"))
            heard.value.withLock { $0 = [] }
            try await one.write(sale.write())
            let name = sale.payment.account
            let isHeard = try await until {
                heard.value.withLock { $0.contains { $0?.contains(name) ?? true } }
            }
            #expect(isHeard)
            #expect(try await two.events(after: Int64(number) - 1, account: name, limit: 9).count == 1)
            try await Task.sleep(for: .milliseconds(Int64(number) * 7))
        }
        try await one.close()
        try await two.close()
    }

    @Test("a line that was cut is made anew, and what may have been missed is asked for")
    func cut() async throws {
        let two = try listen()
        let line = try lines(two)
        let one = try #require(try site.open() as? PostgresJournal)
        for turn in 1...3 {
            #expect(try await until { try psql("SELECT count(*) \(line)") == "1" })
            heard.value.withLock { $0 = [] }
            _ = try psql("SELECT pg_terminate_backend(pid) \(line)")
            var sale = try Sale(turn)
            try await one.write(sale.write())
            #expect(try await until { heard.value.withLock { $0.contains { $0 == nil } } })
        }
        #expect(try await two.verify().isSound)
        try await one.close()
        try await two.close()
    }

    @Test("many commits share a hint, and a hint is no part of a batch")
    func shared() async throws {
        let two = try listen()
        let one = try PostgresJournal.open(at: site.address(), files: site.path, clock: site.clock, onHint: { _ in })
        let line = try lines(two)
        #expect(try await until { try psql("SELECT count(*) \(line)") == "2" })
        let began = SystemClock.reading()
        for number in 1...60 {
            var sale = try Sale(number)
            try await one.write(sale.write())
        }
        let spent = SystemClock.reading().milliseconds - began.milliseconds
        let intervals = spent / PostgresLimits.hintInterval.milliseconds
        #expect(try await until { heard.value.withLock { !$0.isEmpty } })
        try await Task.sleep(for: .milliseconds(400))
        #expect(heard.value.withLock { $0.count } <= Int(intervals) + 3)
        try await one.close()
        try await two.close()
    }

    @Test("a hint names some accounts, or any of them")
    func text() throws {
        let few = HintText(adding: [AccountID(rawValue: "b"), .main], to: nil)
        #expect(few.payload(from: 7) == "7\nb\nmain")
        #expect(HintText.received("7\nb\nmain", by: 7) == nil)
        #expect(HintText.received("7\nb\nmain", by: 8) == few)
        let names = (0...HintText.maximumAccounts).map { number in
            AccountID(rawValue: String(repeating: "x", count: 120) + "\(number)")
        }
        let many = HintText(adding: names, to: few)
        #expect(many.accounts == nil && many.payload(from: 7) == "7\n*")
        #expect(HintText(adding: [.main], to: many) == many)
        #expect(HintText.received("7\n*", by: 8)?.accounts == nil)
        #expect(HintText.received("nonsense", by: 8) == many)
        let full = HintText(adding: names.dropLast(), to: nil)
        #expect(full.payload(from: .max).utf8.count < 8_000)
    }
}
