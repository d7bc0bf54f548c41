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

    /// A payment that the terminal took.
    public struct Sale: Hashable, Sendable {
        /// The id of its request.
        public let name: String
        /// The amount, as it was requested.
        public let amount: String
        /// The transaction's id: `TRANSACTION.PSPREFERENCE`.
        public let transaction: String
    }

    /// An answer to a status request that tells nothing of the payment.
    public enum OddStatus: Hashable, Sendable, CaseIterable {
        /// The query itself is refused, since the terminal is busy.
        case busy
        /// A success whose body is of another kind of request.
        case otherKind
        /// A response to another request.
        case otherRequest
        /// A response to another till.
        case otherTill
    }

    /// A payment that waits for its customer.
    private struct Waiting {
        let name: String
        let wish: JSONValue?
        let sale: JSONValue
        let done: AsyncStream<Void>.Continuation
    }

    private let key: AdyenTerminalStandInKey?
    private var known: [String: JSONValue] = [:]
    private var order: [String] = []
    private var count = 0
    private var waiting: Waiting?
    private var waits = false
    private var oddStatus: OddStatus?
    /// The payments taken, oldest first; as many as are remembered.
    public private(set) var sales: [Sale] = []
    /// The number of payment requests that were answered by asking a customer for a card.
    public private(set) var asked = 0

    /// Creates a terminal; a `nil` key disables encryption.
    public init(key: AdyenTerminalStandInKey?) { self.key = key }

    /// Sets whether each payment waits until ``present(isRefused:)`` or an abort. Meanwhile another one is refused as
    /// `Busy`.
    public func setWaits(_ waits: Bool) { self.waits = waits }

    /// Sets what each status request is answered with instead; `nil` for the truth.
    public func setStatus(_ odd: OddStatus?) { oddStatus = odd }

    /// `true` while a payment waits for its customer.
    public var isWaiting: Bool { waiting != nil }

    /// Presents a card. Returns `false` if the terminal waits for none.
    /// - Parameter isRefused: `true` for a card that its issuer refuses.
    @discardableResult
    public func present(isRefused: Bool = false) -> Bool {
        guard let now = waiting else { return false }
        waiting = nil
        let refusal = AdyenTerminalStandIn.failure("Refusal", "refusalReason=210%20Not%20enough%20balance")
        remember(now.name, isRefused ? refusal : pay(now.wish, now.sale, now.name))
        now.done.finish()
        return true
    }

    public enum Reply: Hashable, Sendable {
        /// A response, as raw bytes.
        case message([UInt8])
        /// No response: either the response or the request was lost.
        case lost
        /// The message could not be decrypted.
        case unreadable
    }

    /// Returns the reply to a message.
    public func answer(_ body: [UInt8]) async -> Reply {
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
        guard let (said, isStrange) = await respond(category, asked, name) else { return .lost }
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

    /// Returns the response and whether it is under another key; `nil` if the requester left before there was one.
    private func respond(_ category: String, _ asked: JSONValue, _ name: String) async -> (JSONValue, Bool)? {
        switch category {
        case "Payment":
            let wish = asked["PaymentTransaction"]?["AmountsReq"]
            if let earlier = known[name] { return (earlier, false) }
            guard waiting == nil else { return (AdyenTerminalStandIn.failure("Busy", "message=busy"), false) }
            self.asked += 1
            guard waits else {
                let said = pay(wish, asked["SaleData"] ?? .null, name)
                remember(name, said)
                return (said, AdyenTerminalStandIn.digits(wish).hasSuffix("26"))
            }
            let (stream, done) = AsyncStream.makeStream(of: Void.self)
            waiting = Waiting(name: name, wish: wish, sale: asked["SaleData"] ?? .null, done: done)
            for await _ in stream {}
            return known[name].map { ($0, false) }
        case "TransactionStatus":
            let reference = asked["MessageReference"]?["ServiceID"]?.stringValue ?? ""
            let till = asked["MessageReference"]?["SaleID"] ?? .null
            if let oddStatus { return (AdyenTerminalStandIn.odd(oddStatus, reference, till, known[reference]), false) }
            if waiting?.name == reference {
                return (AdyenTerminalStandIn.failure("InProgress", "message=in+progress"), false)
            }
            guard let payment = known[reference] else {
                return (AdyenTerminalStandIn.failure("NotFound", "message=no+such+request"), false)
            }
            return (AdyenTerminalStandIn.repeated("Payment", reference, till, payment), false)
        case "Abort":
            // Completed transactions are unaffected; unknown or later ones are canceled.
            let reference = asked["MessageReference"]?["ServiceID"]?.stringValue ?? ""
            if known[reference] == nil {
                remember(reference, AdyenTerminalStandIn.failure("Aborted", "message=merchant+abort"))
            }
            if waiting?.name == reference {
                waiting?.done.finish()
                waiting = nil
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

    /// Returns the answer to a status request: the earlier response again.
    private static func repeated(
        _ kind: String, _ name: String, _ till: JSONValue, _ said: JSONValue
    ) -> JSONValue {
        SandboxJSON.object([
            ("Response", SandboxJSON.object([("Result", .string("Success"))])),
            (
                "RepeatedMessageResponse",
                SandboxJSON.object([
                    (
                        "MessageHeader",
                        SandboxJSON.object([
                            ("MessageCategory", .string(kind)), ("ServiceID", .string(name)), ("SaleID", till),
                        ])
                    ),
                    ("RepeatedResponseMessageBody", SandboxJSON.object([(kind + "Response", said)])),
                ])
            ),
        ])
    }

    private static func odd(_ odd: OddStatus, _ name: String, _ till: JSONValue, _ said: JSONValue?) -> JSONValue {
        let said = said ?? failure("Cancel", "message=108+Shopper+cancelled+tx")
        return switch odd {
        case .busy: failure("Busy", "message=busy")
        case .otherKind: repeated("Reversal", name, till, said)
        case .otherRequest: repeated("Payment", "0000000000", till, said)
        case .otherTill: repeated("Payment", name, .string("another till"), said)
        }
    }

    private func pay(_ wish: JSONValue?, _ sale: JSONValue, _ name: String) -> JSONValue {
        let digits = AdyenTerminalStandIn.digits(wish)
        if digits.hasSuffix("24") {
            return AdyenTerminalStandIn.failure("Refusal", "refusalReason=210%20Not%20enough%20balance")
        }
        if digits.hasSuffix("25") { return AdyenTerminalStandIn.failure("Cancel", "message=108+Shopper+cancelled+tx") }
        count += 1
        let transaction = "TILL\(count).TILLPSP\(count)"
        sales.append(Sale(name: name, amount: digits, transaction: transaction))
        if sales.count > AdyenTerminalStandIn.mostRemembered { sales.removeFirst() }
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
                            ("TransactionID", .string(transaction)),
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
