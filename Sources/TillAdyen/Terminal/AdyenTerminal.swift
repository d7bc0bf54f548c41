internal import HTTPTypes
internal import TillCards
public import TillCore

/// One terminal of Adyen's, reached over the local network in its Terminal API, sealed both ways.
///
/// A payment's message has a name (`ServiceID`) that is made from the attempt, so that after a time-out or a crash the
/// terminal can be asked for it and nothing is ever sent twice. A terminal does one thing at a time.
public struct AdyenTerminal: Sendable {
    /// How long a terminal may take over a payment. Its own bound is 120 s on the local network.
    public static let paymentTime: Span = .seconds(150)
    /// How long it may take over a question.
    public static let questionTime: Span = .seconds(15)

    /// What came of a payment.
    public enum Outcome: Hashable, Sendable {
        /// Money is held or taken.
        case approved(Authorization)
        /// Certainly not.
        case declined(Decline)
        /// It is still at work.
        case inProgress
        /// It has never heard of it.
        case notFound
        /// Not one byte left.
        case notSent(reason: String)
        /// It may have been done: ask, do not repeat.
        case unknown(reason: String)
    }

    private let scheme: String
    private let authority: String
    private let terminalID: String
    private let saleID: String
    private let protection: TerminalMessageProtection
    private let transport: any HTTPTransport
    private let clock: any TillClock

    /// A terminal.
    /// - Parameters:
    ///   - url: `https://192.168.1.20:8443`; `http` only to this machine. The transport decides which certificate it
    ///     believes; a terminal shows one of Adyen's own authority.
    ///   - terminalID: model and serial number, `V400m-324688042`.
    ///   - saleID: this till's name, at most 80 characters.
    /// - Throws: ``AdyenConfigError``.
    public init(
        url: String, terminalID: String, saleID: String, protection: TerminalMessageProtection,
        transport: any HTTPTransport, clock: any TillClock
    ) throws(AdyenConfigError) {
        (scheme, authority) = try AdyenConfig.parts(of: url)
        guard (1...80).contains(terminalID.utf8.count), (1...80).contains(saleID.utf8.count) else {
            throw .unusable("terminal's name")
        }
        self.terminalID = terminalID
        self.saleID = saleID
        self.protection = protection
        self.transport = transport
        self.clock = clock
    }

    /// The name of an attempt's message: ten characters, the same each time.
    package static func serviceID(_ attempt: AttemptID) -> String {
        // FNV-1a over the attempt's name, which is unlike all others of one shop within a day and more.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in attempt.rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
        return String(decoding: (0..<10).map { digits[Int(hash >> UInt64($0 * 5) & 31)] }, as: UTF8.self)
    }

    /// Asks the customer for a card and the money.
    public func pay(_ amount: Money, for attempt: AttemptID) async -> Outcome {
        guard let decimal = try? AmountCodec.adyen.wireDecimalString(amount) else {
            return .declined(Decline(reason: .invalidAmount, message: "Adyen can not take this amount"))
        }
        let request = message(
            "Payment", AdyenTerminal.serviceID(attempt),
            .members([
                "SaleData": .members([
                    "SaleTransactionID": .members([
                        "TransactionID": .string(attempt.rawValue), "TimeStamp": .string(clock.now().internetTime),
                    ])
                ]),
                "PaymentTransaction": .members([
                    "AmountsReq": .members([
                        "Currency": .string(amount.currency.code), "RequestedAmount": .number(decimal),
                    ])
                ]),
            ]))
        switch await exchange(request, "Payment", within: AdyenTerminal.paymentTime) {
        case .success(let response): return outcome(response, asked: amount, attempt)
        case .failure(let outcome): return outcome.outcome
        }
    }

    /// Asks what became of an attempt's payment. Nothing is repeated by it.
    public func status(of attempt: AttemptID, asked amount: Money) async -> Outcome {
        let request = message(
            "TransactionStatus", questionID(attempt),
            .members([
                "ReceiptReprintFlag": .bool(false),
                "MessageReference": .members([
                    "MessageCategory": .string("Payment"), "SaleID": .string(saleID),
                    "ServiceID": .string(AdyenTerminal.serviceID(attempt)),
                ]),
            ]))
        switch await exchange(request, "TransactionStatus", within: AdyenTerminal.questionTime) {
        case .success(let response):
            let result = response["Response"]
            switch (result?["Result"]?.stringValue, result?["ErrorCondition"]?.stringValue) {
            case ("Success", _):
                guard
                    let repeated = response["RepeatedMessageResponse"]?["RepeatedResponseMessageBody"]?[
                        "PaymentResponse"]
                else { return .unknown(reason: "the answer can not be read") }
                return outcome(repeated, asked: amount, attempt)
            case ("Failure", "InProgress"): return .inProgress
            case ("Failure", "NotFound"): return .notFound
            default: return .unknown(reason: "the terminal does not say")
            }
        // A question that failed has told nothing about the payment.
        case .failure(let failure): return .unknown(reason: failure.reason)
        }
    }

    /// Calls a payment off. Whether that came in time tells the payment's own answer.
    public func abort(_ attempt: AttemptID) async -> Bool {
        let request = message(
            "Abort", questionID(attempt),
            .members([
                "AbortReason": .string("MerchantAbort"),
                "MessageReference": .members([
                    "MessageCategory": .string("Payment"), "SaleID": .string(saleID),
                    "ServiceID": .string(AdyenTerminal.serviceID(attempt)),
                ]),
            ]))
        // The terminal answers an abort with nothing but a 200.
        guard let sealed = try? protection.seal(request) else { return false }
        let reply = try? await transport.send(head(), body: sealed.bytes(), deadline: AdyenTerminal.questionTime)
        return reply?.response.status.code == 200
    }

    // MARK: Messages

    private func questionID(_ attempt: AttemptID) -> String {
        AdyenTerminal.serviceID(AttemptID(rawValue: "\(attempt) asked \(clock.now().milliseconds)"))
    }

    private func message(_ category: String, _ service: String, _ body: JSONValue) -> JSONValue {
        .members([
            "SaleToPOIRequest": .members([
                "MessageHeader": .members([
                    "ProtocolVersion": .string("3.0"), "MessageClass": .string("Service"),
                    "MessageCategory": .string(category), "MessageType": .string("Request"),
                    "SaleID": .string(saleID), "ServiceID": .string(service), "POIID": .string(terminalID),
                ]),
                category == "TransactionStatus" ? "TransactionStatusRequest" : "\(category)Request": body,
            ])
        ])
    }

    private func head() -> HTTPRequest {
        var request = HTTPRequest(method: .post, scheme: scheme, authority: authority, path: "/nexo")
        request.headerFields[.contentType] = "application/json"
        return request
    }

    private struct Failure: Error {
        var isSent: Bool
        var reason: String
        var outcome: Outcome { isSent ? .unknown(reason: reason) : .notSent(reason: reason) }
    }

    private func exchange(
        _ message: JSONValue, _ category: String, within span: Span
    ) async -> Result<JSONValue, Failure> {
        let sealed: JSONValue
        do { sealed = try protection.seal(message) } catch {
            return .failure(Failure(isSent: false, reason: error.description))
        }
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(head(), body: sealed.bytes(), deadline: span)
        } catch {
            switch error {
            case .notSent(let reason): return .failure(Failure(isSent: false, reason: reason))
            case .unknown(let reason): return .failure(Failure(isSent: true, reason: reason))
            }
        }
        guard reply.response.status.code == 200, let json = try? JSONValue(parsing: reply.body) else {
            return .failure(
                Failure(isSent: true, reason: "the terminal answered HTTP \(reply.response.status.code)"))
        }
        do {
            let opened = try protection.open(json)
            let header = opened["SaleToPOIResponse"]?["MessageHeader"]
            let asked = message["SaleToPOIRequest"]?["MessageHeader"]
            guard let body = opened["SaleToPOIResponse"]?["\(category)Response"],
                header?["ServiceID"] == asked?["ServiceID"], header?["SaleID"] == asked?["SaleID"],
                header?["POIID"] == asked?["POIID"]
            else { return .failure(Failure(isSent: true, reason: "the answer is to something else")) }
            return .success(body)
        } catch {
            return .failure(Failure(isSent: true, reason: error.description))
        }
    }

    private func outcome(_ response: JSONValue, asked: Money, _ attempt: AttemptID) -> Outcome {
        let result = response["Response"]
        let condition = result?["ErrorCondition"]?.stringValue.map { String($0.prefix(64)) }
        switch result?["Result"]?.stringValue {
        case "Success":
            // `tender.psp`: what the terminal calls it, and what Adyen does.
            let id = response["POIData"]?["POITransactionID"]?["TransactionID"]?.stringValue
            guard let psp = id?.split(separator: ".").last.map(String.init), AdyenReference.isUsable(psp) else {
                return .unknown(reason: "the answer names no payment")
            }
            let paid = response["PaymentResult"]?["AmountsResp"]
            guard case .number(let digits) = paid?["AuthorizedAmount"], paid?["Currency"]?.stringValue == asked.currency.code,
                (try? Money(parsing: digits, currency: asked.currency)) == asked
            else { return .unknown(reason: "amount mismatch") }
            return .approved(Authorization(reference: ProviderReference(rawValue: psp), amount: asked))
        case "Failure":
            let reason: DeclineReason =
                switch condition {
                case "Aborted", "Cancel": .canceledAtReader
                case "Busy", "UnreachableHost", "DeviceOut": .readerUnavailable
                case "InvalidCard": .cardNotSupported
                case "WrongPIN": .incorrectPIN
                case "Refusal": .generic
                default: .generic
                }
            // The terminal reached nobody, or is not sure: the customer may have been charged.
            if condition == "UnreachableHost" || condition == "PaymentRestriction" || condition == nil {
                return .unknown(reason: "the terminal reports \(condition ?? "no reason")")
            }
            return .declined(Decline(reason: reason, code: condition))
        default: return .unknown(reason: "the answer can not be read")
        }
    }
}
