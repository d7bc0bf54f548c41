internal import Foundation
internal import HTTPTypes
public import TillCore

/// An Adyen terminal on the local network: payments, their status, cancellations and refunds.
///
/// Each request has an id (`ServiceID`) chosen by the shop, which must be stored before it is sent, because the
/// terminal is later queried by it. A lost answer is ``AdyenTerminalError/unknown(_:)``; ``status(of:as:currency:)``
/// resolves it.
public struct AdyenTerminal: Sendable {
    /// The version of the protocol.
    public static let protocolVersion = "3.0"
    /// Maximum length of a request id.
    public static let longestName = 10
    /// Maximum length of a terminal name.
    public static let longestTerminalName = 64
    /// The default time allowed for the customer: the terminal itself times out earlier.
    public static let defaultPatience: Span = .seconds(150)

    /// The terminal's name: model and serial number, `V400m-324688179`.
    public let terminal: String
    public let till: String
    private let scheme: String
    let authority: String
    private let seal: AdyenTerminalSeal?
    private let transport: any HTTPTransport
    private let clock: any TillClock

    /// Creates a client; `nil` unless the address is `https://…`, or `http://…` for loopback.
    /// - Parameter seal: the encryption; `nil` sends plain text, which terminals accept only if configured for it.
    public init?(
        terminal: String, till: String, url: String, seal: AdyenTerminalSeal?, transport: any HTTPTransport,
        clock: any TillClock = SystemClock()
    ) {
        guard let split = url.firstRange(of: "://"), !terminal.isEmpty, !till.isEmpty else { return nil }
        scheme = String(url[..<split.lowerBound]).lowercased()
        authority = String(url[split.upperBound...].prefix { $0 != "/" })
        guard scheme == "https" || scheme == "http" && Loopback.isAuthority(authority), !authority.isEmpty else {
            return nil
        }
        (self.terminal, self.till, self.seal, self.transport, self.clock) = (terminal, till, seal, transport, clock)
    }

    /// The result of a payment at the terminal.
    public struct Outcome: Hashable, Sendable {
        /// The result: `Success`, `Failure` or `Partial`.
        public let result: String
        /// The error condition: `Refusal`, `Cancel`, `Busy`, `InProgress`, `NotFound`, …; any value is kept.
        public let errorCondition: String?
        /// The terminal's additional message, decoded from its form fields.
        public let message: String?
        /// The terminal's transaction id, used to refund the payment: `TRANSACTION.PSPREFERENCE`.
        public let transaction: String?
        /// The transaction time reported by the terminal.
        public let transactionTime: String?
        /// The authorized amount, in the till's currency.
        public let amount: Money?
        /// The brand and masked number reported by the terminal.
        public let card: CardSummary?

        /// `true` if the money is held or captured.
        public var isApproved: Bool { result == "Success" }

        /// The answer to a query that does not tell of the payment.
        fileprivate var withoutResult: Outcome {
            Outcome(
                result: "", errorCondition: errorCondition, message: message, transaction: nil, transactionTime: nil,
                amount: nil, card: nil)
        }
    }

    /// Requests a payment and waits for the customer.
    public func pay(
        _ amount: Money, transaction: String, name: String, patience: Span = defaultPatience
    ) async throws(AdyenTerminalError) -> Outcome {
        let body = JSONValue.adyen([
            "SaleData": .adyen(["SaleTransactionID": sale(transaction)]),
            "PaymentTransaction": .adyen([
                "AmountsReq": .adyen([
                    "Currency": .string(amount.currency.code), "RequestedAmount": .number(amount.decimalString),
                ])
            ]),
        ])
        let answer = try await ask("Payment", body, name: name, patience: patience)
        return AdyenTerminal.outcome(answer, currency: amount.currency)
    }

    /// Returns the result of the payment requested with an id. `InProgress` and `NotFound` are in
    /// ``Outcome/errorCondition``. Whatever else the terminal says of the query itself is no result of the payment: it
    /// is an outcome without a ``Outcome/result``.
    public func status(of name: String, as own: String, currency: Currency) async throws(AdyenTerminalError) -> Outcome
    {
        let body = JSONValue.adyen([
            "ReceiptReprintFlag": .bool(false), "MessageReference": reference(name),
        ])
        let answer = try await ask("TransactionStatus", body, name: own, patience: .seconds(30))
        if let repeated = answer["RepeatedMessageResponse"],
            let payment = repeated["RepeatedResponseMessageBody"]?["PaymentResponse"]
        {
            guard isAbout(name, repeated["MessageHeader"]) else { throw .otherMessage }
            return AdyenTerminal.outcome(payment, currency: currency)
        }
        let outcome = AdyenTerminal.outcome(answer, currency: currency)
        return ["NotFound", "InProgress"].contains(outcome.errorCondition) ? outcome : outcome.withoutResult
    }

    /// Returns `false` if the header of a repeated response names another request or another till.
    private func isAbout(_ name: String, _ header: JSONValue?) -> Bool {
        guard let header else { return true }
        return [("ServiceID", name), ("SaleID", till)].allSatisfy { header[$0]?.stringValue ?? $1 == $1 }
    }

    /// Requests cancellation of a payment. The terminal decides whether it is still possible; the payment's own answer
    /// is authoritative.
    public func abort(_ name: String, as own: String) async throws(AdyenTerminalError) {
        let body = JSONValue.adyen([
            "AbortReason": .string("MerchantAbort"), "MessageReference": reference(name),
        ])
        do throws(AdyenTerminalError) {
            _ = try await ask("Abort", body, name: own, patience: .seconds(15))
        } catch {
            // The terminal answers an abort with an empty body.
            if error != .malformed { throw error }
        }
    }

    /// Refunds a payment, fully or partly.
    public func reverse(
        transaction: String, at time: String, amount: Money?, name: String, currency: Currency
    ) async throws(AdyenTerminalError) -> Outcome {
        let body = JSONValue.adyen([
            "OriginalPOITransaction": .adyen([
                "POITransactionID": .adyen(["TransactionID": .string(transaction), "TimeStamp": .string(time)])
            ]),
            "ReversedAmount": amount.map { .number($0.decimalString) },
            "ReversalReason": .string("MerchantCancel"),
        ])
        return AdyenTerminal.outcome(
            try await ask("Reversal", body, name: name, patience: .seconds(60)), currency: currency)
    }

    private func sale(_ transaction: String) -> JSONValue {
        .adyen(["TransactionID": .string(transaction), "TimeStamp": .string(clock.now().description)])
    }

    private func reference(_ name: String) -> JSONValue {
        .adyen([
            "MessageCategory": .string("Payment"), "SaleID": .string(till), "ServiceID": .string(name),
        ])
    }

    /// Returns the complete message before encryption.
    func message(_ category: String, _ body: JSONValue, name: String) -> JSONValue {
        .adyen([
            "SaleToPOIRequest": .adyen([
                "MessageHeader": .adyen([
                    "ProtocolVersion": .string(AdyenTerminal.protocolVersion), "MessageClass": .string("Service"),
                    "MessageCategory": .string(category), "MessageType": .string("Request"),
                    "ServiceID": .string(name), "SaleID": .string(till), "POIID": .string(terminal),
                ]),
                category + "Request": body,
            ])
        ])
    }

    private func ask(
        _ category: String, _ body: JSONValue, name: String, patience: Span
    ) async throws(AdyenTerminalError) -> JSONValue {
        guard (1...AdyenTerminal.longestName).contains(name.utf8.count) else {
            throw .notSent("the request's name must have 1 to 10 characters")
        }
        let plain = message(category, body, name: name)
        let sent = try seal?.seal(plain) ?? plain
        var request = HTTPRequest(method: .post, scheme: scheme, authority: authority, path: "/nexo")
        request.headerFields[.contentType] = "application/json"
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(request, body: sent.bytes(), deadline: patience)
        } catch {
            switch error {
            case .notSent(let reason): throw .notSent(reason)
            case .unknown(let reason): throw .unknown(reason)
            }
        }
        guard reply.response.status.code == 200 else { throw .unknown("HTTP \(reply.response.status.code)") }
        guard var answer = JSONValue(ifValid: reply.body) else { throw .malformed }
        if let seal { answer = try seal.open(answer) }
        guard let response = answer["SaleToPOIResponse"], let header = response["MessageHeader"],
            header["ServiceID"]?.stringValue == name, header["MessageCategory"]?.stringValue == category,
            header["SaleID"]?.stringValue == till, header["POIID"]?.stringValue == terminal,
            let inside = response[category + "Response"]
        else { throw .otherMessage }
        return inside
    }

    private static func outcome(_ answer: JSONValue, currency: Currency) -> Outcome {
        let response = answer["Response"]
        let paid = answer["PaymentResult"]?["AmountsResp"]
        let amount: Money? =
            if case .number(let digits)? = paid?["AuthorizedAmount"], paid?["Currency"]?.stringValue == currency.code {
                Money(ifValid: digits, currency: currency)
            } else {
                nil
            }
        let transaction = answer["POIData"]?["POITransactionID"]
        let card = answer["PaymentResult"]?["PaymentInstrumentData"]?["CardData"]
        return Outcome(
            result: response?["Result"]?.stringValue ?? "", errorCondition: response?["ErrorCondition"]?.stringValue,
            message: response?["AdditionalResponse"]?.stringValue.map { message($0) } ?? nil,
            transaction: transaction?["TransactionID"]?.stringValue,
            transactionTime: transaction?["TimeStamp"]?.stringValue, amount: amount,
            card: card.map { card in
                CardSummary(
                    brand: AdyenProvider.brand(card["PaymentBrand"]?.stringValue ?? "unknown"),
                    lastFour: String((card["MaskedPan"]?.stringValue ?? "").suffix(4)), entryMode: "terminal")
            })
    }

    /// Returns the form field `message` or `refusalReason` of the terminal's additional data.
    private static func message(_ text: String) -> String? {
        for field in text.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == "message" || parts[0] == "refusalReason" else { continue }
            let plain = parts[1].replacing("+", with: " ")
            return CardNumberMask.maskedForPeople(
                ProviderText.cut(plain.removingPercentEncoding ?? String(plain), atMost: 300))
        }
        return nil
    }
}
