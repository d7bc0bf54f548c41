import Testing
import TillCheckout
import TillCore
@testable import TillCounter
import TillJournal
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("What the counter says of itself")
struct ReadinessTests {
    @Test("An answer ages though the time was set back: nothing is given again for as long as that")
    func setBack() async throws {
        let counter = try await RoutedCounter()
        let (wall, running) = (ManualClock(), ManualClock())
        let checkout = Checkout(journal: counter.journal, providers: [], clock: wall)
        let readiness = Readiness(
            journal: counter.journal, recovery: { checkout.recovery }, clock: wall,
            reading: { Span(milliseconds: running.now().milliseconds) })
        func waiting() async throws -> Int { try await readiness.samples().1.incidents }
        #expect(try await waiting() == 0)
        let incident = Incident(
            listed: .unknownCharge, "ch_1", of: .sandbox, about: PaymentID(rawValue: "pay_9"), for: nil,
            document: Array(#"{"charge":"ch_1"}"#.utf8), at: Timestamp(milliseconds: 0))
        try await IncidentLog(counter.journal).keep(incident)
        #expect(try await waiting() == 0, "at most once a second")
        wall.advance(by: .days(-35))
        #expect(try await waiting() == 0)
        running.advance(by: Readiness.lifetime)
        #expect(try await waiting() == 1)
        await counter.close()
    }
}
