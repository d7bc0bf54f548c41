import Synchronization
import Testing
import TillContactless
import TillCore
import TillSandbox

@Suite("The setup of a contactless reader")
struct TapSetupTests {
    private final class Authorities: Sendable {
        private let number = Mutex(0)
        var made: Int { number.withLock { $0 } }
        func make() -> CertificationAuthorities {
            number.withLock { $0 += 1 }
            return CertificationAuthorities()
        }
    }

    @Test("makes its authorities when they are asked for, which no start of a counter does")
    func lazily() throws {
        let authorities = Authorities()
        let key = try #require(SandboxEnvelope.publicKey)
        var setup = ContactlessTapDriver.Setup(
            tokens: SandboxReaderTokens(clock: SystemClock()), key: key, authorities: authorities.make())
        #expect(authorities.made == 0)
        _ = setup.authorities
        #expect(authorities.made == 1)
        setup.authorities = CertificationAuthorities.virtual
        _ = setup.authorities
        #expect(authorities.made == 1)
    }
}
