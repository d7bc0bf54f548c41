import Synchronization
import Testing
import TillApplePay
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillTestSupport

@testable import TillServer

@Suite("Apple Pay's options while the counter runs")
struct LiveApplePayOptionsTests {
    private func options(_ name: String) -> ApplePayOptions {
        ApplePayOptions(
            environment: .sandbox, factory: ApplePayPaymentRequestFactory(displayName: name, countryCode: "GB"),
            currency: .gbp, domains: [], keys: ProcessingKeyRing(), area: DeliveryArea(country: "GB", areas: []))
    }

    @Test("New ones are used within thirty seconds; unreadable ones leave the old in use; none are read more often")
    func reload() {
        let clock = ManualClock()
        let next = Mutex<ApplePayOptions?>(options("second"))
        let reads = Mutex(0)
        let running = ManualClock()
        let reading = { @Sendable in Span(milliseconds: running.now().milliseconds) }
        let live = LiveApplePayOptions(options("first"), clock: MeasuringClock(clock, reading: reading)) {
            reads.withLock { $0 += 1 }
            return next.withLock { $0 }
        }
        #expect(live.current.factory.displayName == "first")
        clock.advance(by: .seconds(29))
        #expect(live.current.factory.displayName == "first")
        clock.advance(by: .seconds(1))
        #expect(live.current.factory.displayName == "second")
        #expect(live.current.factory.displayName == "second")
        #expect(reads.withLock { $0 } == 1)
        next.withLock { $0 = nil }
        clock.advance(by: .seconds(30))
        #expect(live.current.factory.displayName == "second")
        #expect(reads.withLock { $0 } == 2)
        // A time that was set back puts nothing off.
        next.withLock { $0 = options("third") }
        clock.advance(by: .days(-35))
        running.advance(by: .seconds(30))
        #expect(live.current.factory.displayName == "third")
    }
}
