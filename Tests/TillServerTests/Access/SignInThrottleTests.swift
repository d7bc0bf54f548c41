import Testing
import TillCore
@testable import TillCounter
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("Guessing at the page's door")
struct SignInThrottleTests {
    private let clock = ManualClock()

    private func throttle() -> SignInThrottle {
        let clock = clock
        return SignInThrottle(reading: { Span(milliseconds: clock.now().milliseconds) })
    }

    @Test("An address that is wrong waits longer each time, up to half a minute; others do not")
    func growing() {
        let throttle = throttle()
        for _ in 0..<SignInThrottle.ofAddress.free {
            throttle.refuse("a", isCounted: true)
            #expect(throttle.wait("a") == nil)
        }
        for seconds in [1, 2, 4, 8, 16, 30, 30] as [Int64] {
            throttle.refuse("a", isCounted: true)
            #expect(throttle.wait("a") == .seconds(seconds))
            #expect(throttle.wait("b") == nil)
            // What comes meanwhile is not looked at and does not lengthen it.
            throttle.refuse("a", isCounted: false)
            clock.advance(by: .seconds(seconds))
            #expect(throttle.wait("a") == nil)
        }
        #expect(throttle.refused == SignInThrottle.ofAddress.free + 14)
        clock.advance(by: SignInThrottle.ofAddress.memory)
        clock.advance(by: .milliseconds(1))
        throttle.refuse("a", isCounted: true)
        #expect(throttle.wait("a") == nil)
    }

    @Test("Many addresses together make everybody wait, never longer than two seconds")
    func ofAll() {
        let throttle = throttle()
        for number in 0..<1_000 { throttle.refuse("a\(number)", isCounted: true) }
        #expect(throttle.wait("somebody") == SignInThrottle.ofAll.longest)
        clock.advance(by: SignInThrottle.ofAll.longest)
        #expect(throttle.wait("somebody") == nil)
    }

    @Test("Memory has a limit")
    func bounded() {
        let throttle = throttle()
        for number in 0..<(3 * SignInThrottle.maximumAddresses) {
            throttle.refuse("a\(number)", isCounted: true)
            clock.advance(by: .milliseconds(1))
        }
        #expect(throttle.addresses == SignInThrottle.maximumAddresses)
    }

    @Test("Attempts are counted by IPv4 address, and by the half of an IPv6 address that one subscriber has")
    func buckets() throws {
        func bucket(_ address: String) throws -> String {
            RequestOrigin(client: try #require(ClientAddress(address)), isSecure: false, isProxied: false).bucket
        }
        #expect(try bucket("192.0.2.7") == "192.0.2.7")
        #expect(try bucket("::ffff:192.0.2.7") == "192.0.2.7")
        #expect(try bucket("2001:db8:1:2::5") == bucket("2001:db8:1:2:ffff::9"))
        #expect(try bucket("2001:db8:1:3::5") != bucket("2001:db8:1:2::5"))
    }
}
