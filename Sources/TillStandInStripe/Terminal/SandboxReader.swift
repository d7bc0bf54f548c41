import TillCore
import TillSandbox

/// A card reader of the stand-in.
struct SandboxReader: Sendable {
    let id: String
    /// The owner of the key that registered the reader. Other keys cannot see it.
    let owner: String
    /// The order of registration.
    let order: Int
    var label: String
    let deviceType: String
    let serial: String
    var location: String?
    var metadata: [String: String]
    /// `true` if switched off or without a network.
    var isOffline = false
    var restartsUntil: Timestamp?
    /// The fault of the next command.
    var fault: Fault?
    /// The current command; a reader holds one, and the next replaces it.
    var action: SandboxAction?

    /// A fault of one command at a reader.
    enum Fault: String, Sendable {
        /// The command is not executed, and no error is reported.
        case timeoutBefore = "timeout_before"
        /// The command is executed, but reported as if the reader had been offline.
        case timeoutAfter = "timeout_after"
        /// The reader is out of order.
        case hardware
        /// The command is accepted but never shown at the reader.
        case lost
    }

    /// The device types of the registration codes for simulated readers.
    static let codes: [String: String] = [
        "simulated-wpe": "simulated_wisepos_e", "simulated-s700": "simulated_stripe_s700",
        "simulated-s710": "simulated_stripe_s710", "simulated-t600": "simulated_stripe_t600",
        "simulated-m425": "simulated_verifone_m425", "simulated-p630": "simulated_verifone_p630",
        "simulated-ux700": "simulated_verifone_ux700", "simulated-v660p": "simulated_verifone_v660p",
    ]

    func isReachable(at now: Timestamp) -> Bool { !isOffline && (restartsUntil.map { now >= $0 } ?? true) }

    /// Renders the reader in Stripe's format.
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

/// A reader's current or latest action.
struct SandboxAction: Sendable {
    /// The progress of the customer at the reader.
    enum Stage: Sendable {
        case waitingForCard
        case waitingForInput
        /// The card was read and the authorization is in progress; it cannot be canceled.
        case working(SandboxPresentation)
        case over
    }

    /// A unique number, so that late results of an older action change nothing.
    let number: Int
    let type: String
    var status = "in_progress"
    var failureCode: String?
    var failureMessage: String?
    var errorCode: String?
    var declineCode: String?
    /// The members of the object under the action's own name.
    var details: JSONValue
    /// The payment or setup intent of the action.
    var intent: String?
    /// The amount to refund, in minor units.
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

/// A card presented at a reader.
struct SandboxPresentation: Sendable {
    var card: SandboxCard
    /// The tip, in minor units.
    var tip: Int64 = 0
}
