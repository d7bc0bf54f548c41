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
    func fetch(_ domain: ApplePayDomain, _ identity: ApplePayDomain.Identity, _ environment: WalletEnvironment) async {
        guard gate.enter() else { return }
        repeat { await fetchWaiting(domain, identity, environment) } while gate.leave()
    }

    private func fetchWaiting(
        _ domain: ApplePayDomain, _ identity: ApplePayDomain.Identity, _ environment: WalletEnvironment
    ) async {
        let gateway: MerchantGateway = environment == .production ? .production : .sandbox
        do throws(JournalError) {
            for id in try await log.waiting(limit: MerchantTokenEvents.maximumFetches).map(\.id) {
                let path = MerchantTokenEvent.path(merchant: MerchantIDHash(of: domain.merchant), event: id)
                let found: MerchantTokenEvent
                do throws(MerchantSessionError) {
                    let bytes = try await sessions.read(
                        gateway, path: path, identity: identity, standIn: await sandbox?.standIn())
                    guard let document = JSONValue(ifValid: bytes), let event = MerchantTokenEvent(json: document)
                    else { throw .malformed }
                    found = event
                } catch {
                    // An event unknown to Apple was forged: the address is public.
                    guard case .refused(404) = error else { return metrics.notification(error.code) }
                    metrics.notification("unknown_to_apple")
                    try await log.forget(id)
                    continue
                }
                try await log.end(id, details: Self.kept(found).bytes())
                metrics.notification("known")
            }
        } catch {
            // The events stay in the journal and are fetched with the next notification.
            metrics.notification("journal_unavailable")
        }
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
        let domain = (try? domain(of: request)) ?? options.domains.first
        if let domain, let identity = identity(of: domain) {
            let (events, environment) = (events, options.environment)
            Task { await events.fetch(domain, identity, environment) }
        }
        return Self.json(.object([JSONMember(key: "received", value: .bool(true))]))
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
