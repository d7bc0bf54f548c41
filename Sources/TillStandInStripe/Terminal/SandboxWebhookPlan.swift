import Synchronization
public import TillCore
import TillHTTP

/// The webhook endpoints of the sandbox and their delivery faults: late, duplicated, out of order, or dropped.
/// Configured at run time: `POST /_sandbox/webhooks {"url": …, "secret": "whsec_…", "copies": 2, "delay_ms": 500,
/// "drop_every": 3, "swap": true}`; an empty url removes the endpoint.
public final class SandboxWebhookPlan: Sendable {
    /// The maximum number of receivers of one plan.
    static let maximumReceivers = 8

    private struct Receiver: Sendable {
        var webhook: SandboxWebhook
        var dropEvery: Int64
        var swaps: Bool
        var count: Int64 = 0
        var held: StripeEvent?
    }

    private struct State {
        var receivers: [Receiver] = []
    }

    private let state = Mutex(State())
    private let clock: any TillClock
    private let transport: (any HTTPTransport)?
    /// Shared for the process lifetime: a transport must be closed before it is released, and a plan has no end of its
    /// own.
    private static let wire = HTTPClientTransport()

    /// Creates a plan without a receiver.
    /// - Parameter transport: the transport; HTTP by default.
    public init(clock: any TillClock, transport: (any HTTPTransport)? = nil) {
        self.clock = clock
        self.transport = transport
    }

    /// Applies the settings of one receiver.
    func configure(_ json: JSONValue) -> StripeAnswer {
        guard let url = json["url"]?.stringValue else { return .invalid("url", "Wanted: url and secret.") }
        guard !url.isEmpty else {
            state.withLock { $0.receivers = [] }
            return StripeAnswer(.fields(["ok": .bool(true)]))
        }
        let isHere = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"].contains { url.hasPrefix($0) }
        guard isHere, let secret = json["secret"]?.stringValue, !secret.isEmpty else {
            return .invalid("url", "Wanted: an address of this machine, and a secret.")
        }
        let webhook = SandboxWebhook(
            url: url, secret: Secret(secret), transport: transport ?? SandboxWebhookPlan.wire,
            copies: Int(clamping: json["copies"]?.int64Value ?? 1),
            delay: .milliseconds(min(max(json["delay_ms"]?.int64Value ?? 0, 0), 600_000)))
        let receiver = Receiver(
            webhook: webhook, dropEvery: max(0, json["drop_every"]?.int64Value ?? 0),
            swaps: json["swap"]?.boolValue ?? false)
        let isTaken = state.withLock { state in
            guard state.receivers.count < SandboxWebhookPlan.maximumReceivers else { return false }
            state.receivers.append(receiver)
            return true
        }
        return isTaken ? StripeAnswer(.fields(["ok": .bool(true)])) : .invalid("url", "There are too many receivers.")
    }

    /// Delivers an event to all receivers. Returns immediately.
    func send(_ event: StripeEvent) {
        let due: [(SandboxWebhook, [StripeEvent])] = state.withLock { state in
            guard !state.receivers.isEmpty else { return [] }
            var due: [(SandboxWebhook, [StripeEvent])] = []
            for index in state.receivers.indices {
                state.receivers[index].count += 1
                let every = state.receivers[index].dropEvery
                if every > 0, state.receivers[index].count.isMultiple(of: every) { continue }
                guard state.receivers[index].swaps else {
                    due.append((state.receivers[index].webhook, [event]))
                    continue
                }
                // Every second event is delivered before its predecessor.
                if let held = state.receivers[index].held {
                    state.receivers[index].held = nil
                    due.append((state.receivers[index].webhook, [event, held]))
                } else {
                    state.receivers[index].held = event
                }
            }
            return due
        }
        let clock = clock
        for (webhook, events) in due {
            Task { for event in events { await webhook.deliver(event, clock: clock) } }
        }
    }
}
