import TillCore

/// A simulated Adyen terminal on this machine: responds to payment, status, abort and reversal requests, encrypted as
/// configured.
///
/// The amount selects the outcome, as with Adyen's test cards: a price ending in 24 is declined; in 25, canceled by the
/// customer; in 26, answered under another key; in 27, approved with the response lost; in 28, the request itself is
/// lost.
public actor AdyenTerminalStandIn {
    /// The maximum number of remembered requests.
    public static let mostRemembered = 1024

    private let key: AdyenTerminalStandInKey?
    private var known: [String: JSONValue] = [:]
    private var order: [String] = []
    private var count = 0

    /// Creates a terminal; a `nil` key disables encryption.
    public init(key: AdyenTerminalStandInKey?) { self.key = key }

    public enum Reply: Hashable, Sendable {
        /// A response, as raw bytes.
        case message([UInt8])
        /// No response: either the response or the request was lost.
        case lost
        /// The message could not be decrypted.
        case unreadable
    }

    /// Returns the reply to a message.
    public func answer(_ body: [UInt8]) -> Reply {
        guard var message = JSONValue(ifValid: body) else { return .unreadable }
        if let key {
            guard let opened = key.opened(message) else { return .unreadable }
            message = opened
        }
        guard let request = message["SaleToPOIRequest"], let header = request["MessageHeader"],
            let category = header["MessageCategory"]?.stringValue, let name = header["ServiceID"]?.stringValue,
            case .object(var fields) = header
        else { return .unreadable }
        let asked = request[category + "Request"] ?? .null
        let price = AdyenTerminalStandIn.digits(asked["PaymentTransaction"]?["AmountsReq"])
        if price.hasSuffix("28") { return .lost }
        let (said, isStrange) = respond(category, asked, name)
        for index in fields.indices where fields[index].key == "MessageType" {
            fields[index].value = .string("Response")
        }
        let whole = SandboxJSON.object([
            (
                "SaleToPOIResponse",
                SandboxJSON.object([("MessageHeader", .object(fields)), (category + "Response", said)])
            )
        ])
        if price.hasSuffix("27") { return .lost }
        guard let key = isStrange ? key?.stranger : key else { return .message(whole.bytes()) }
        return key.sealed(whole).map { .message($0.bytes()) } ?? .unreadable
    }

    private func respond(_ category: String, _ asked: JSONValue, _ name: String) -> (JSONValue, Bool) {
        switch category {
        case "Payment":
            let wish = asked["PaymentTransaction"]?["AmountsReq"]
            if let earlier = known[name] { return (earlier, false) }
            let said = pay(wish, asked["SaleData"] ?? .null)
            remember(name, said)
            return (said, AdyenTerminalStandIn.digits(wish).hasSuffix("26"))
        case "TransactionStatus":
            let reference = asked["MessageReference"]?["ServiceID"]?.stringValue ?? ""
            guard let payment = known[reference] else {
                return (AdyenTerminalStandIn.failure("NotFound", "message=no+such+request"), false)
            }
            return (
                SandboxJSON.object([
                    ("Response", SandboxJSON.object([("Result", .string("Success"))])),
                    (
                        "RepeatedMessageResponse",
                        SandboxJSON.object([
                            ("RepeatedResponseMessageBody", SandboxJSON.object([("PaymentResponse", payment)]))
                        ])
                    ),
                ]), false
            )
        case "Abort":
            // Completed transactions are unaffected; unknown or later ones are canceled.
            let reference = asked["MessageReference"]?["ServiceID"]?.stringValue ?? ""
            if known[reference] == nil {
                remember(reference, AdyenTerminalStandIn.failure("Aborted", "message=merchant+abort"))
            }
            return (.null, false)
        case "Reversal":
            return (SandboxJSON.object([("Response", SandboxJSON.object([("Result", .string("Success"))]))]), false)
        default: return (AdyenTerminalStandIn.failure("MessageFormat", "message=not+understood"), false)
        }
    }

    private func remember(_ name: String, _ said: JSONValue) {
        if known.updateValue(said, forKey: name) == nil { order.append(name) }
        if order.count > AdyenTerminalStandIn.mostRemembered { known[order.removeFirst()] = nil }
    }

    private func pay(_ wish: JSONValue?, _ sale: JSONValue) -> JSONValue {
        let digits = AdyenTerminalStandIn.digits(wish)
        if digits.hasSuffix("24") {
            return AdyenTerminalStandIn.failure("Refusal", "refusalReason=210%20Not%20enough%20balance")
        }
        if digits.hasSuffix("25") { return AdyenTerminalStandIn.failure("Cancel", "message=108+Shopper+cancelled+tx") }
        count += 1
        return SandboxJSON.object([
            (
                "Response",
                SandboxJSON.object([("Result", .string("Success")), ("AdditionalResponse", .string("tid=1"))])
            ),
            ("SaleData", sale),
            (
                "POIData",
                SandboxJSON.object([
                    (
                        "POITransactionID",
                        SandboxJSON.object([
                            ("TransactionID", .string("TILL\(count).TILLPSP\(count)")),
                            ("TimeStamp", .string("2026-01-01T00:00:00.000Z")),
                        ])
                    )
                ])
            ),
            (
                "PaymentResult",
                SandboxJSON.object([
                    (
                        "AmountsResp",
                        SandboxJSON.object([
                            ("Currency", wish?["Currency"] ?? .null),
                            ("AuthorizedAmount", wish?["RequestedAmount"] ?? .null),
                        ])
                    ),
                    (
                        "PaymentInstrumentData",
                        SandboxJSON.object([
                            (
                                "CardData",
                                SandboxJSON.object([
                                    ("MaskedPan", .string("541333 **** 9999")), ("PaymentBrand", .string("mc")),
                                ])
                            )
                        ])
                    ),
                ])
            ),
        ])
    }

    private static func digits(_ wish: JSONValue?) -> String {
        guard case .number(let text)? = wish?["RequestedAmount"] else { return "" }
        return text
    }

    private static func failure(_ condition: String, _ more: String) -> JSONValue {
        SandboxJSON.object([
            (
                "Response",
                SandboxJSON.object([
                    ("Result", .string("Failure")), ("ErrorCondition", .string(condition)),
                    ("AdditionalResponse", .string(more)),
                ])
            )
        ])
    }
}
