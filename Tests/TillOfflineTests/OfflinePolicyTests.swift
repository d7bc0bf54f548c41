import Testing
import TillCore
import TillTestSupport

@testable import TillOffline

@Suite struct OfflinePolicyTests {
    let disk = PowerLossDisk()
    let clock = ManualClock(waits: .moveTime(upTo: .seconds(29)))

    private func request(
        _ units: Int64 = 1_000, _ currency: Currency = .eur, brand: String = "visa", isRefund: Bool = false,
        facts: TapFacts? = nil
    ) -> OfflinePolicy.Request {
        OfflinePolicy.Request(
            amount: Money(minorUnits: units, currency: currency), isRefund: isRefund,
            card: CardSummary(brand: brand, lastFour: "4242"), facts: facts)
    }

    private func reasons(
        _ log: OfflineLog, _ request: OfflinePolicy.Request, _ policy: OfflinePolicy = OfflinePolicy()
    ) throws -> [String] {
        try log.reasonsAgainst(request, policy: policy).map(\.name)
    }

    @Test func anOrdinaryPaymentIsTaken() async throws {
        let log = try await OfflineExamples.log(disk, clock)
        #expect(try reasons(log, request()) == [])
    }

    @Test func eachRuleHasItsReason() async throws {
        let log = try await OfflineExamples.log(disk, clock)
        #expect(try reasons(log, request(5_001)) == ["payment_too_large"])
        #expect(try reasons(log, request(5_000)) == [])
        #expect(try reasons(log, request(0)) == ["not_positive"])
        #expect(try reasons(log, request(100, try Currency(code: "JPY"))) == ["currency_not_taken"])
        #expect(try reasons(log, request(isRefund: true)) == ["refund"])
        #expect(try reasons(log, request(brand: "interac")) == ["brand_not_taken"])
        #expect(try reasons(log, request(facts: TapFacts(isExpired: true))) == ["expired_card"])
        #expect(try reasons(log, request(facts: TapFacts(needsOnlinePIN: true))) == ["needs_pin"])
        #expect(try reasons(log, request(facts: TapFacts(failedAuthentication: true))) == ["not_authentic"])
        var policy = OfflinePolicy()
        policy.country = "DE"
        #expect(try reasons(log, request(), policy) == ["region"])
        policy.country = "US"
        #expect(try reasons(log, request(), policy) == [])
        policy.isAllowed = false
        #expect(try reasons(log, request(), policy) == ["not_allowed"])
    }

    @Test func theSumCountsByCurrencyAndTheCountCountsAll() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 3)
        var policy = OfflineExamples.lenient
        policy.total = ["EUR": 4_750, "USD": 1_000]
        #expect(try reasons(log, request(1_000), policy) == [])
        #expect(try reasons(log, request(1_001), policy) == ["too_much_stored"])
        #expect(try reasons(log, request(1_000, try Currency(code: "USD")), policy) == [])
        policy.count = 3
        #expect(try reasons(log, request(1), policy) == ["too_many_stored"])
    }

    @Test func oneCardIsTakenSoOftenWithinTheTime() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 3)
        var policy = OfflineExamples.lenient
        policy.perCard = 3
        #expect(try reasons(log, request(), policy) == ["card_too_often"])
        #expect(try reasons(log, request(brand: "mastercard"), policy) == [])
        clock.advance(by: .minutes(61))
        #expect(try reasons(log, request(), policy) == [])
    }

    @Test func theContactMayBeADayOldAndMustHaveBeen() async throws {
        let fresh = try OfflineExamples.open(disk, clock)
        #expect(try reasons(fresh, request()) == ["never_in_contact"])
        try await fresh.noteContact()
        clock.advance(by: .hours(24))
        #expect(try reasons(fresh, request()) == [])
        clock.advance(by: .milliseconds(1))
        #expect(try reasons(fresh, request()) == ["contact_too_old"])
        try await fresh.noteContact()
        #expect(try reasons(fresh, request()) == [])
    }

    @Test func nothingIsAddedWhileSomethingWaitsForTooLong() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 1)
        clock.advance(by: .hours(25))
        try await log.noteContact()
        #expect(try reasons(log, request()) == ["stored_too_long"])
    }

    @Test func aClockThatWentBackIsNotBelieved() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 1)
        clock.advance(by: .minutes(-2))
        #expect(try reasons(log, request()) == [])
        clock.advance(by: .milliseconds(-1))
        #expect(try reasons(log, request()) == ["clock_went_back"])
    }

    @Test func thePolicyIsAskedWhereTheCardIsWrittenSoThatTwoAtOnceCanNotBothBeTheLast() async throws {
        let log = try OfflineLog.open(
            in: disk, device: OfflineExamples.device(), provider: OfflineExamples.provider(), clock: clock)
        try await log.noteContact()
        var policy = OfflineExamples.lenient
        policy.count = 10
        let limit = policy
        let stored = await withTaskGroup(of: Bool.self) { tasks in
            for number in 0..<64 {
                tasks.addTask {
                    (try? await OfflineExamples.store(log, number, clock, policy: limit)) != nil
                }
            }
            return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(stored == 10)
        #expect(try log.book().exposure.count == 10)
    }

    @Test func everyReasonHasASentenceAndAnOwnWord() {
        let at = clock.now()
        let all: [RiskReason] = [
            .notAllowed, .refund, .notPositive, .currencyNotTaken("JPY"), .paymentTooLarge(limit: .zero(.eur)),
            .tooMuchStored(stored: .zero(.eur), limit: .zero(.eur)), .tooManyStored(limit: 1),
            .cardTooOften(limit: 1, window: .hours(1)), .contactTooOld(at, limit: .hours(24)), .neverInContact,
            .storedTooLong(at, limit: .hours(24)), .expiredCard, .needsPIN, .notAuthentic, .brandNotTaken("interac"),
            .clockWentBack(at), .region("DE"),
        ]
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(all.allSatisfy { $0.sentence.hasSuffix(".") })
    }
}
