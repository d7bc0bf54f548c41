import TillCore
import TillSandbox

/// One card reader of the stand-in.
struct SandboxReader: Sendable {
    let id: String
    /// Whose key registered it. Others cannot see it.
    let owner: String
    /// In the order of registration.
    let order: Int
    var label: String
    let deviceType: String
    let serial: String
    var location: String?
    var metadata: [String: String]
    /// Switched off, or without network.
    var isOffline = false
    var restartsUntil: Timestamp?
    /// What the next command meets.
    var fault: Fault?
    /// One slot: the next command takes it.
    var action: SandboxAction?

    /// What can go wrong with one command at a reader.
    enum Fault: String, Sendable {
        /// Not done, and nobody says so.
        case timeoutBefore = "timeout_before"
        /// Done, but answered as if the reader had been offline.
        case timeoutAfter = "timeout_after"
        /// The reader is out of order.
        case hardware
        /// The reader never shows the command, though it was taken.
        case lost
    }

    /// The device kinds that the registration codes of simulated readers stand for.
    static let codes: [String: String] = [
        "simulated-wpe": "simulated_wisepos_e", "simulated-s700": "simulated_stripe_s700",
        "simulated-s710": "simulated_stripe_s710", "simulated-t600": "simulated_stripe_t600",
        "simulated-m425": "simulated_verifone_m425", "simulated-p630": "simulated_verifone_p630",
        "simulated-ux700": "simulated_verifone_ux700", "simulated-v660p": "simulated_verifone_v660p",
    ]

    func isReachable(at now: Timestamp) -> Bool { !isOffline && (restartsUntil.map { now >= $0 } ?? true) }

    /// As Stripe shows it.
    func json(at now: Timestamp) -> JSONValue {
        let isOnline = isReachable(at: now)
        return .fields([
            "id": .string(id), "object": .string("terminal.reader"), "action": action?.json ?? .null,
            "device_sw_version": .string("2.43.0.0"), "device_type": .string(deviceType),
            "ip_address": .string("192.0.2.\(1 + order % 250)"), "label": .string(label),
            "last_seen_at": .int(isOnline ? now.milliseconds : now.milliseconds - 600_000),
            "livemode": .bool(false), "location": .text(location), "metadata": .map(metadata),
            "serial_number": .string(serial), "status": .string(isOnline ? "online" : "offline"),
        ])
    }
}

/// What a reader does or did last.
struct SandboxAction: Sendable {
    /// How far the person in front of the reader is.
    enum Stage: Sendable {
        case waitingForCard
        case waitingForInput
        /// The card is in and the issuer is asked; nobody can cancel it.
        case working(SandboxPresentation)
        case over
    }

    /// Distinguishes it from all others, so that what comes late changes nothing.
    let number: Int
    let type: String
    var status = "in_progress"
    var failureCode: String?
    var failureMessage: String?
    var errorCode: String?
    var declineCode: String?
    /// The members of what stands under the action's own name.
    var details: JSONValue
    /// The payment or setup intent that it is about.
    var intent: String?
    /// Minor units to give back.
    var refundAmount: Int64?
    var refundMetadata: [String: String] = [:]
    var skipsTipping = false
    var customerCancels = false
    var stage: Stage
    let startedAt: Timestamp

    var isWorking: Bool { if case .working = stage { true } else { false } }
    var isRunning: Bool { status == "in_progress" }

    mutating func succeed() {
        status = "succeeded"
        stage = .over
    }

    mutating func fail(_ code: String, _ message: String, error: String? = nil, decline: String? = nil) {
        status = "failed"
        stage = .over
        failureCode = code
        failureMessage = message
        errorCode = error
        declineCode = decline
    }

    /// Changes one member of the details.
    mutating func set(_ name: String, _ value: JSONValue) {
        guard case .object(var members) = details else { return }
        if let index = members.firstIndex(where: { $0.key == name }) {
            members[index].value = value
        } else {
            members.append(JSONMember(key: name, value: value))
        }
        details = .object(members)
    }

    var json: JSONValue {
        var error = JSONValue.null
        if let errorCode {
            error = .fields([
                "type": .string("card_error"), "code": .string(errorCode), "decline_code": .text(declineCode),
                "message": .text(failureMessage),
            ])
        }
        return .object([
            JSONMember(key: "api_error", value: error), JSONMember(key: "failure_code", value: .text(failureCode)),
            JSONMember(key: "failure_message", value: .text(failureMessage)),
            JSONMember(key: "status", value: .string(status)), JSONMember(key: "type", value: .string(type)),
            JSONMember(key: type, value: details),
        ])
    }
}

/// A card that was held to a reader.
struct SandboxPresentation: Sendable {
    var card: SandboxCard
    /// Minor units on top.
    var tip: Int64 = 0
}
