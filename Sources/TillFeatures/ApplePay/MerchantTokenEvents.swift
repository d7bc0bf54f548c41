import HTTPTypes
import Hummingbird
import Synchronization
import TillApplePay
import TillCore
import TillCounter
import TillJournal
import TillWeb

/// The merchant-token events that Apple reports. A notification has only an event's identifier; the details are
/// requested from Apple itself, so events cannot be forged.
package struct MerchantTokenEvents: Sendable {
    /// A merchant of the settings.
    struct Merchant: Sendable {
        let hash: MerchantIDHash
        /// The certificate with which Apple is asked; `nil` without a valid one, or where Apple does not take it.
        var identity: ApplePayDomain.Identity?
    }

    /// The outcome of asking Apple about an event under every merchant.
    private enum Answer {
        case known(MerchantTokenEvent)
        /// Every merchant was answered that there is no such event.
        case unknown
        /// Apple answered, and told nothing of the event.
        case missed(String)
        /// Apple did not answer.
        case unanswered(String)
    }

    /// The maximum number of events fetched after one notification: that one, and earlier ones that failed.
    static let maximumFetches = 10

    package let log: MerchantTokenLog
    package let sessions: MerchantSessions
    package let sandbox: ApplePaySandbox?
    package let metrics: ApplePayMetrics
    private let gate = OneAtATime()

    package init(
        log: MerchantTokenLog, sessions: MerchantSessions, sandbox: ApplePaySandbox?, metrics: ApplePayMetrics
    ) {
        self.log = log
        self.sessions = sessions
        self.sandbox = sandbox
        self.metrics = metrics
    }

    /// Records a notification. It is durable before Apple gets a response.
    func notified(_ id: String) async throws(JournalError) {
        let isNew = try await log.add(id)
        metrics.notification(isNew ? "new" : "repeated")
    }

    /// Fetches the details of events from Apple, including earlier events that could not be fetched.
    /// - Parameter merchants: all merchants of the settings: a notification does not say whose event it is.
    func fetch(_ merchants: [Merchant], _ environment: WalletEnvironment) async {
        guard gate.enter() else { return }
        repeat { await fetchWaiting(merchants, environment) } while gate.leave()
    }

    private func fetchWaiting(_ merchants: [Merchant], _ environment: WalletEnvironment) async {
        let gateway: MerchantGateway = environment == .production ? .production : .sandbox
        var merchants = merchants
        do throws(JournalError) {
            for id in try await log.due(limit: MerchantTokenEvents.maximumFetches).map(\.id) {
                switch await ask(about: id, &merchants, at: gateway) {
                case .known(let event):
                    try await log.end(id, details: Self.kept(event).bytes())
                    metrics.notification("known")
                case .unknown:
                    // An event unknown to Apple was forged: the address is public.
                    metrics.notification("unknown_to_apple")
                    try await log.forget(id)
                case .missed(let reason):
                    metrics.notification(reason)
                    if try await log.missed(id) { metrics.notification("given_up") }
                case .unanswered(let reason):
                    return metrics.notification(reason)
                }
            }
        } catch {
            // The events stay in the journal and are fetched with the next notification.
            metrics.notification("journal_unavailable")
        }
    }

    /// Asks Apple about an event under one merchant after the other. One that Apple does not answer is not asked again
    /// in this run, so that the others' events do not wait for it.
    private func ask(about event: String, _ merchants: inout [Merchant], at gateway: MerchantGateway) async -> Answer {
        var reason: String?
        var isAnswered = false
        for place in merchants.indices {
            guard let identity = merchants[place].identity else {
                reason = reason ?? MerchantSessionError.noIdentity.code
                continue
            }
            let path = MerchantTokenEvent.path(merchant: merchants[place].hash, event: event)
            do throws(MerchantSessionError) {
                let bytes = try await sessions.read(
                    gateway, path: path, identity: identity, standIn: await sandbox?.standIn())
                guard let document = JSONValue(ifValid: bytes), let found = MerchantTokenEvent(json: document)
                else { throw .malformed }
                return .known(found)
            } catch {
                switch error {
                case .refused(404):
                    isAnswered = true
                case .tooMany:
                    return .unanswered(error.code)
                case .unreachable, .noIdentity:
                    merchants[place].identity = nil
                    reason = error.code
                case .refused, .malformed, .foreignAddress, .otherEnvironment, .unknownDomain:
                    isAnswered = true
                    reason = error.code
                }
            }
        }
        guard isAnswered else { return .unanswered(reason ?? MerchantSessionError.noIdentity.code) }
        return reason.map { .missed($0) } ?? .unknown
    }

    /// Returns the stored form of an event: the token as a hash, by which a shop finds its own.
    private static func kept(_ event: MerchantTokenEvent) -> JSONValue {
        var members = [
            JSONMember(key: "eventType", value: .string(event.kind.rawValue)),
            JSONMember(key: "reason", value: .string(event.reason)),
            JSONMember(
                key: "merchantTokenSHA256",
                value: .string(Hex.lowercase(digest(event.merchantToken.reveal().utf8)))),
        ]
        if let digits = event.lastFour { members.append(JSONMember(key: "lastFour", value: .string(digits))) }
        if let expiry = event.cardExpiry { members.append(JSONMember(key: "cardExpiry", value: .string(expiry))) }
        return .object(members)
    }
}

extension ApplePayRoutes {
    /// Handles Apple's notification of a merchant-token event. The identifier is the last part of the path. The
    /// response is 200 once the notification is durable, and 500 if it cannot be stored, in which case Apple calls
    /// again.
    func notified(_ id: String, _ request: Request) async throws -> Response {
        guard MerchantTokenEvent.isIdentifier(id) else { throw Problem.notFound }
        do throws(JournalError) { try await events.notified(id) } catch {
            throw Problem(
                .internalServerError, "journal_unavailable", "The notification could not be kept.",
                next: "Send it again.")
        }
        let merchants = merchants(first: try? domain(of: request))
        if merchants.contains(where: { $0.identity != nil }) {
            let (events, environment) = (events, options.environment)
            Task { await events.fetch(merchants, environment) }
        }
        return Self.json(.object([JSONMember(key: "received", value: .bool(true))]))
    }

    /// Returns every merchant of the settings once, with a valid certificate of any of its domains.
    /// - Parameter first: the domain whose merchant comes first, because the event is likely its own.
    private func merchants(first: ApplePayDomain?) -> [MerchantTokenEvents.Merchant] {
        var merchants: [MerchantTokenEvents.Merchant] = []
        for domain in [first].compactMap(\.self) + options.domains {
            let hash = MerchantIDHash(of: domain.merchant)
            if let place = merchants.firstIndex(where: { $0.hash == hash }) {
                merchants[place].identity = merchants[place].identity ?? identity(of: domain)
            } else {
                merchants.append(MerchantTokenEvents.Merchant(hash: hash, identity: identity(of: domain)))
            }
        }
        return merchants
    }
}

/// Admits one caller at a time; requests that arrive meanwhile are coalesced into one more run.
private final class OneAtATime: Sendable {
    private enum State { case idle, busy, wanted }
    private let state = Mutex(State.idle)

    /// Returns `true` if the caller is admitted.
    func enter() -> Bool {
        state.withLock { state in
            defer { state = state == .idle ? .busy : .wanted }
            return state == .idle
        }
    }

    /// Returns `true` if another caller arrived meanwhile, so that the work must run once more.
    func leave() -> Bool {
        state.withLock { state in
            defer { state = state == .wanted ? .busy : .idle }
            return state == .wanted
        }
    }
}
