import Testing
import TillCore
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

/// What a day says when money or its record is not as it should be.
@Suite("The care of a day")
struct DayCareTests {
    private let world = DayWorld()

    private func open(
        _ float: Int64, in currency: Currency = .eur, _ book: DayBook
    ) async throws -> DayBook.Standing {
        try await book.open(.init(total: float), in: currency, of: .main)
    }

    private func count(_ cash: Int64, _ book: DayBook) async throws {
        _ = try await book.count(.init(total: cash), of: .main)
    }

    @Test("A day is closed over payments that cannot be read with a reason only")
    func unreadable() async throws {
        let book = world.book()
        _ = try await open(0, book)
        let sold = try await world.sell(1_000, .card)
        // More is given back than was taken: what is known of the payment contradicts itself.
        _ = try await world.refund(2_000, of: sold)
        try await count(0, book)
        let standing = try #require(try await book.day(of: .main).session)
        let shown = try JSONValue(parsing: DayJSON.session(standing, seesTotals: false))
        #expect(shown["unreadable"]?.int64Value == 1)
        await #expect(throws: DayError.unreadableNeedReason) { try await book.close(of: .main) }
        let closed = try await book.close(reason: "looked at", of: .main)
        #expect(closed.report.figures.unreadable == [sold] && closed.report.closing?.reason == "looked at")
    }
}
