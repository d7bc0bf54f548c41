public import Crypto
import Synchronization
public import TillContactless
public import TillCore
public import TillTapToPay

/// Till's own contactless reader as a driver of Tap to Pay: virtual cards, recordings, or any other `CardChannel`.
/// **Not certified**: test cards only, unless its profile is opened.
public final class ContactlessTapDriver: PaymentCardReaderDriver {
    /// The configuration of a driver.
    public struct Setup: Sendable {
        public var name: String
        /// The issuer of the provider's reader tokens.
        public var tokens: SandboxReaderTokens
        /// The key that card data is sealed to.
        public var key: P256.KeyAgreement.PublicKey
        /// The terminal profile.
        public var profile: TerminalProfile
        /// The public keys of trusted certification authorities. Those that were given are evaluated when a card is
        /// read: making the virtual ones takes milliseconds, which no counter should need to start.
        public var authorities: CertificationAuthorities {
            get { trusted() }
            set { trusted = { newValue } }
        }
        /// The duration of a preparation.
        public var preparation: Span
        /// The maximum number of presentations in one read.
        public var presentations: Int
        private var trusted: @Sendable () -> CertificationAuthorities

        /// Creates a setup; by default a virtual reader of the sandbox.
        public init(
            name: String = "tap", tokens: SandboxReaderTokens, key: P256.KeyAgreement.PublicKey,
            profile: TerminalProfile = TerminalProfile(),
            authorities: @autoclosure @escaping @Sendable () -> CertificationAuthorities = .virtual,
            preparation: Span = .milliseconds(0), presentations: Int = 3
        ) {
            (self.name, self.tokens, self.key, self.profile) = (name, tokens, key, profile)
            (self.preparation, self.presentations) = (preparation, presentations)
            trusted = authorities
        }
    }

    let setup: Setup
    let channel: any CardChannel
    let clock: any TillClock
    private let linked: Mutex<Set<String>>

    /// Creates a driver over a card channel.
    /// - Parameter linkedMerchants: merchants that have already accepted the terms.
    public init(
        _ setup: Setup, channel: any CardChannel, clock: any TillClock, linkedMerchants: Set<String> = []
    ) {
        (self.setup, self.channel, self.clock) = (setup, channel, clock)
        linked = Mutex(linkedMerchants)
    }

    public var unsupported: PaymentCardReaderError? { nil }
    /// Returns the name of the setup.
    public func readerIdentifier() async throws(PaymentCardReaderError) -> String { setup.name }

    /// Returns `true` if the terms were accepted, in this process or before.
    public func isAccountLinked(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) -> Bool {
        let merchant = try setup.tokens.merchant(of: token)
        return linked.withLock { $0.contains(merchant) }
    }

    /// Accepts the terms, of which there are none here.
    public func linkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        let merchant = try setup.tokens.merchant(of: token)
        let isNew = linked.withLock { $0.insert(merchant).inserted }
        if !isNew { throw .accountAlreadyLinked }
    }

    /// Accepts the terms again.
    public func relinkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        let merchant = try setup.tokens.merchant(of: token)
        linked.withLock { _ = $0.insert(merchant) }
    }

    /// Verifies the token and reports progress up to 100.
    public func prepare(
        using token: PaymentCardReader.Token, options: PaymentCardReader.Options,
        events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any PaymentCardReaderSessionDriver {
        let merchant = try setup.tokens.merchant(of: token)
        guard linked.withLock({ $0.contains(merchant) }) else { throw .accountNotLinked }
        for percent in [0, 25, 50, 75, 100] {
            events(.updateProgress(percent))
            guard setup.preparation.milliseconds > 0, percent < 100 else { continue }
            do { try await clock.sleep(for: .milliseconds(setup.preparation.milliseconds / 4)) } catch {
                throw .requestInterrupted
            }
        }
        return ContactlessTapSession(driver: self, token: token, options: options, events: events)
    }
}
