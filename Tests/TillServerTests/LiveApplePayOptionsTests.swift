import Dispatch
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
        let live = LiveApplePayOptions(
            options("first"), clock: MeasuringClock(clock, reading: reading),
            reload: {
                reads.withLock { $0 += 1 }
                return next.withLock { $0 }
            })
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

    /// Returns options with one domain, whose association file has this content.
    private func options(association: [UInt8]?, named name: String? = "association.txt") throws -> ApplePayOptions {
        var domain = ApplePayDomain(
            domain: try #require(WebDomain("shop.example")), merchant: "merchant.example", association: association)
        domain.associationFile = name
        var options = self.options("shop")
        options.domains = [domain]
        return options
    }

    @Test("An association file that vanishes is kept, with the time since when it is gone, until it is there again")
    func association() throws {
        let clock = ManualClock()
        let next = Mutex<ApplePayOptions?>(nil)
        let notes = Mutex<[String]>([])
        let live = LiveApplePayOptions(
            try options(association: [1]), clock: MeasuringClock(clock, reading: { .seconds(0) }),
            reload: { next.withLock { $0 } }, note: { sentence in notes.withLock { $0.append(sentence) } })
        func domain(after newer: ApplePayOptions?) throws -> ApplePayDomain {
            next.withLock { $0 = newer }
            clock.advance(by: .seconds(30))
            return try #require(live.current.domains.first)
        }
        let first = try #require(live.current.domains.first)
        #expect(first.association == [1] && first.associationMissingSince == nil && first.associationNotice == nil)

        let gone = try domain(after: options(association: nil))
        let since = ManualClock.start.adding(.seconds(30))
        #expect(gone.association == [1] && gone.associationMissingSince == since)
        let notice = try #require(gone.associationNotice)
        #expect(notice.code == "association_gone" && notice.subject == "shop.example" && notice.since == since)
        #expect(notes.withLock { $0.count } == 1)

        // The settings themselves may be unreadable meanwhile.
        #expect(live.failedSince == nil)
        #expect(try domain(after: nil).association == [1])
        #expect(live.failedSince == since.adding(.seconds(30)))
        let still = try domain(after: options(association: nil))
        #expect(still.association == [1] && still.associationMissingSince == since && live.failedSince == nil)
        #expect(notes.withLock { $0.count } == 1, "it is said once")

        let back = try domain(after: options(association: [2]))
        #expect(back.association == [2] && back.associationMissingSince == nil && back.associationNotice == nil)
        #expect(notes.withLock { $0.count } == 2)

        // Settings that name no file, or another merchant, do not go on with the earlier one.
        _ = try domain(after: options(association: nil))
        let unnamed = try domain(after: options(association: nil, named: nil))
        #expect(unnamed.association == nil && unnamed.associationMissingSince == nil)
        #expect(unnamed.associationNotice == nil && notes.withLock { $0.count } == 3)
        _ = try domain(after: options(association: [3]))
        var other = try options(association: nil)
        other.domains[0].merchant = "merchant.other"
        #expect(try domain(after: other).association == nil)
    }

    @Test("A request waits for no disk: it has the earlier options until the new ones are read")
    func aside() async throws {
        let clock = ManualClock()
        let disk = DispatchSemaphore(value: 0)
        let reads = Mutex(0)
        let newer = options("second")
        let live = LiveApplePayOptions(
            options("first"), clock: MeasuringClock(clock, reading: { .seconds(0) }),
            reload: {
                reads.withLock { $0 += 1 }
                _ = disk.wait(timeout: .now() + .seconds(10))
                disk.signal()
                return newer
            }, isAside: true)
        for _ in 0..<5 {
            clock.advance(by: .seconds(30))
            #expect(live.current.factory.displayName == "first")
        }
        disk.signal()
        for _ in 0..<2_000 where live.current.factory.displayName == "first" {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(live.current.factory.displayName == "second")
        // The one that waited, and one that is due after it.
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(5))
            #expect(reads.withLock { $0 } <= 2)
        }
    }

    @Test("A file that was never there is missing from the start")
    func neverThere() throws {
        let clock = ManualClock()
        let live = LiveApplePayOptions(
            try options(association: nil), clock: MeasuringClock(clock, reading: { .seconds(0) }))
        let domain = try #require(live.current.domains.first)
        #expect(domain.association == nil && domain.associationMissingSince == ManualClock.start)
        #expect(domain.associationNotice?.code == "association_missing")
    }
}
