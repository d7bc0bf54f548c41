public import Crypto
import Synchronization
public import TillContactless
public import TillCore
public import TillTapToPay

/// Till's own contactless reader as a driver of Tap to Pay: virtual cards, recordings, or whatever a `CardChannel`
/// leads to. **Not certified**: test cards, unless its profile is opened.
public final class ContactlessTapDriver: PaymentCardReaderDriver {
    /// What a driver is made of.
    public struct Setup: Sendable {
        public var name: String
        /// Where the provider's tokens come from.
        public var tokens: SandboxReaderTokens
        /// What card data are sealed to.
        public var key: P256.KeyAgreement.PublicKey
        /// What the terminal is.
        public var profile: TerminalProfile
        /// The keys of certification authorities that are trusted.
        public var authorities: CertificationAuthorities
        /// How long a preparation takes.
        public var preparation: Span
        /// How often a card may be presented again in one read.
        public var presentations: Int

        /// Makes one; by default a virtual reader of the sandbox.
        public init(
            name: String = "tap", tokens: SandboxReaderTokens, key: P256.KeyAgreement.PublicKey,
            profile: TerminalProfile = TerminalProfile(), authorities: CertificationAuthorities = .virtual,
            preparation: Span = .milliseconds(0), presentations: Int = 3
        ) {
            (self.name, self.tokens, self.key, self.profile) = (name, tokens, key, profile)
            (self.authorities, self.preparation, self.presentations) = (authorities, preparation, presentations)
        }
    }

    let setup: Setup
    let channel: any CardChannel
    let clock: any TillClock
    private let linked: Mutex<Set<String>>

    /// A driver over the way to a card.
    /// - Parameter linkedMerchants: who has accepted the terms already.
    public init(
        _ setup: Setup, channel: any CardChannel, clock: any TillClock, linkedMerchants: Set<String> = []
    ) {
        (self.setup, self.channel, self.clock) = (setup, channel, clock)
        linked = Mutex(linkedMerchants)
    }

    public var unsupported: PaymentCardReaderError? { nil }
    /// The name of the setup.
    public func readerIdentifier() async throws(PaymentCardReaderError) -> String { setup.name }

    /// Whether the terms were accepted in this process or before.
    public func isAccountLinked(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) -> Bool {
        let merchant = try setup.tokens.merchant(of: token)
        return linked.withLock { $0.contains(merchant) }
    }

    /// Accepts the terms: there are none here.
    public func linkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        let merchant = try setup.tokens.merchant(of: token)
        let isNew = linked.withLock { $0.insert(merchant).inserted }
        if !isNew { throw .accountAlreadyLinked }
    }

    /// As the first time.
    public func relinkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        let merchant = try setup.tokens.merchant(of: token)
        linked.withLock { _ = $0.insert(merchant) }
    }

    /// Checks the token and counts to 100.
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
