import Testing
import TillCore
import TillPayPal
import TillPayPalClient

@Suite("The life of a hold") struct AuthorizationLifeTests {
    static let start = Timestamp(milliseconds: 1_800_000_000_000)
    static func day(_ count: Int64) -> Timestamp { start.adding(.days(count)) }

    @Test("three days honored, then renewable, 29 days in all")
    func phases() {
        let life = AuthorizationLife(created: Self.start)
        #expect(life.phase(at: Self.start) == .honored(until: Self.day(3)))
        #expect(life.phase(at: Self.day(3)) == .renewable(until: Self.day(29)))
        #expect(life.phase(at: Self.day(29)) == .expired)
    }

    @Test("the server's own end counts")
    func serversEnd() {
        let life = AuthorizationLife(created: Self.start, expires: Self.day(2))
        #expect(life.phase(at: Self.day(2)) == .expired)
        #expect(life.honoredUntil == Self.day(2))
    }

    @Test("renewed on day 27 the money is sure for two days only")
    func renewedLate() {
        let life = AuthorizationLife(created: Self.start, renewed: Self.day(27))
        #expect(life.honoredUntil == Self.day(29))
    }

    @Test("renewal is refused too early, too late and twice")
    func renewal() {
        let life = AuthorizationLife(created: Self.start)
        func fault(_ life: AuthorizationLife, _ day: Int64) -> String? {
            do throws(AuthorizationLifeError) { try life.checkRenewal(at: Self.day(day)) } catch { return error.code }
            return nil
        }
        #expect(fault(life, 2) == "reauthorization_too_early")
        #expect(fault(life, 3) == nil && fault(life, 28) == nil)
        #expect(fault(life, 29) == "authorization_expired")
        let renewed = AuthorizationLife(created: Self.start, renewed: Self.day(4))
        #expect(fault(renewed, 8) == "reauthorization_not_supported")
    }

    @Test("somebody is told before each end")
    func alarms() {
        let life = AuthorizationLife(created: Self.start)
        #expect(life.alarm(at: Self.day(1)) == nil)
        #expect(life.alarm(at: Self.day(2))?.sentence.contains("honors") == true)
        #expect(life.alarm(at: Self.day(10)) == nil)
        #expect(life.alarm(at: Self.day(28))?.sentence.contains("ends at") == true)
        #expect(life.alarm(at: Self.day(30))?.sentence.contains("has ended") == true)
        #expect(life.alarms.map(\.at) == life.alarms.map(\.at).sorted())
    }

    @Test("115 percent, at most 75 dollars more")
    func limit() throws {
        let limit = CaptureLimit.unitedStates
        func most(_ units: Int64, _ currency: Currency = .usd) throws -> Int64 {
            try limit.limit(of: Money(minorUnits: units, currency: currency)).minorUnits
        }
        #expect(try most(10_000) == 11_500)
        #expect(try most(50_000) == 57_500)
        #expect(try most(100_000) == 107_500)
        #expect(try most(100_000, .eur) == 115_000)
        #expect(throws: MoneyError.outOfRange) { try most(.max) }
    }

    @Test("times of the wire")
    func times() {
        #expect(Timestamp(internetTime: "1970-01-01T00:00:00Z")?.milliseconds == 0)
        #expect(Timestamp(internetTime: "2026-12-20T05:00:00.123Z")?.description == "2026-12-20T05:00:00.123Z")
        #expect(Timestamp(internetTime: "2026-12-20T05:00:00-08:00")?.description == "2026-12-20T13:00:00.000Z")
        #expect(Timestamp(internetTime: "2024-02-29T23:59:59+01:00")?.description == "2024-02-29T22:59:59.000Z")
        for text in [
            "", "2026-12-20", "2026-13-20T05:00:00Z", "2026-12-20T05:00:00", "2026-12-20T25:00:00Z", "x",
            "2026-12-20T05:00:00.Z",
        ] {
            #expect(Timestamp(internetTime: text) == nil, "\(text)")
        }
    }
}
