import GRDB
import Testing
import TillCore

@testable import TillJournal
@testable import TillJournalSQLite

@Suite("An event that cannot be read hides no other")
struct UnreadablePaymentTests {
    @Test("a page has it with its place, and every other event; a payment is unreadable, and no other")
    func readings() async throws {
        let site = Site(.sqlite)
        let journal = try #require(try site.open() as? SQLiteJournal)
        var sales = try (1...2).map { try Sale($0) }
        for index in sales.indices {
            sales[index].pay()
            try await journal.write(sales[index].write())
        }
        let whole = try await journal.readings(after: 0, account: nil, limit: 100)
        let damaged = sales[0].payment.id
        try await DatabaseQueue(path: site.path).write { db in
            try db.execute(
                sql: "UPDATE event SET body = '{\"broken\":' WHERE payment = ? AND version = 2",
                arguments: [damaged.rawValue])
        }
        await #expect(throws: JournalError.self) { try await journal.events(after: 0, account: nil, limit: 100) }
        for account in [nil, AccountID?.some(sales[0].payment.account)] {
            let read = try await journal.readings(after: 0, account: account, limit: 100)
            #expect(read.map(\.sequence) == whole.map(\.sequence) && read.map(\.at) == whole.map(\.at))
            let unreadable = read.compactMap { reading -> UnreadableEvent? in
                if case .unreadable(let event) = reading { event } else { nil }
            }
            #expect(unreadable.map(\.payment) == [damaged] && unreadable.map(\.version) == [2])
        }
        guard case .failure(let reason) = try await journal.readable(damaged),
            case .success(let other?) = try await journal.readable(sales[1].payment.id),
            case .success(nil) = try await journal.readable(PaymentID(rawValue: "pay_none"))
        else {
            Issue.record("one payment hides another")
            return
        }
        #expect(reason.id == damaged && !reason.reason.isEmpty && other == sales[1].payment)
    }

    @Test("a row that cannot be read is named in its place, and its payment is its events")
    func rows() async throws {
        let site = Site(.sqlite)
        let journal = try #require(try site.open() as? SQLiteJournal)
        var sales = try (1...3).map { try Sale($0) }
        for index in sales.indices {
            sales[index].pay()
            try await journal.write(sales[index].write())
        }
        let whole = try await journal.payments(PaymentFilter())
        for (sale, column) in zip(sales, ["status", "currency"]) {
            try await DatabaseQueue(path: site.path).write { db in
                try db.execute(
                    sql: "UPDATE payment SET \(column) = '?x' WHERE id = ?",
                    arguments: [sale.payment.id.rawValue])
            }
        }
        await #expect(throws: JournalError.self) { try await journal.payments(PaymentFilter()) }
        let read = try await journal.rowReadings(PaymentFilter())
        #expect(read.map(\.id) == whole.map(\.id) && read.map(\.createdAt) == whole.map(\.createdAt))
        let damaged = read.compactMap { reading -> UnreadableRow? in
            if case .unreadable(let row) = reading { row } else { nil }
        }
        #expect(Set(damaged.map(\.id)) == Set(sales.prefix(2).map(\.payment.id)))
        #expect(damaged.allSatisfy { $0.part == .row && !$0.reason.isEmpty })
        #expect(Set(damaged.map(\.amount)) == [nil, sales[0].payment.amount])
        for sale in sales {
            guard case .success(let payment?) = try await journal.readable(sale.payment.id) else {
                Issue.record("its events cannot be read")
                continue
            }
            #expect(payment == sale.payment)
        }
    }
}
