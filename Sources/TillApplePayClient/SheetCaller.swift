import HTTPTypes
import TillApplePay
import TillClient
import TillCore

/// An authorized payment on its way to the counter.
struct SheetPayment: Sendable {
    var basket: SheetBasket
    var token: JSONValue
    var contact: FullContact
    var proof: Secret<String>

    /// The request's document.
    var document: JSONValue {
        let place = contact.address
        return .members([
            "basket": .string(basket.id), "version": .number(String(basket.version)), "token": token,
            "total": (try? basket.total()).map { .string($0.decimalString) }, "currency": .string(basket.currency.code),
            "shippingContact": .members([
                "givenName": .string(contact.name), "emailAddress": .string(contact.emailAddress),
                "phoneNumber": .string(contact.phoneNumber),
                "addressLines": place.map { .array($0.lines.map { .string($0) }) },
                "locality": place.map { .string($0.locality) },
                "administrativeArea": place.map { .string($0.administrativeArea) },
                "postalCode": place.map { .string($0.postalCode) },
                "countryCode": place.map { .string($0.countryCode) },
            ]),
        ])
    }
}

/// The sheet's calls to the counter.
struct SheetCaller: Sendable {
    let address: CounterAddress
    let limits: CounterApplePayLimits
    let transport: any HTTPTransport
    let clock: any TillClock

    /// The end of one try to pay.
    enum Payment: Sendable {
        case placed(PlacedOrder)
        /// Certainly not paid.
        case refused([SheetError])
        /// Nothing was sent.
        case open
        /// It may be paid, or under way.
        case unknown
    }

    private struct Reply {
        var status: Int
        var json: JSONValue
    }

    func load(_ basket: String) async throws(CounterApplePayError) -> JSONValue {
        try await ask("/applepay/basket/", basket)
    }

    func status(_ basket: String) async throws(CounterApplePayError) -> JSONValue {
        try await ask("/applepay/payment/", basket)
    }

    /// Applies a selection. Each states what is selected, so that it can be repeated.
    func change(
        _ basket: String, _ selection: SheetSelection, proof: Secret<String>
    ) async throws(CounterApplePayError) -> JSONValue {
        try await ask("/applepay/basket/", basket, "/update", selection.document, proof)
    }

    func keep(
        _ details: CheckoutDetails, with basket: String, proof: Secret<String>
    ) async throws(CounterApplePayError) {
        let document = JSONValue.members([
            "note": details.notes.map { .string($0) },
            "requestedFor": details.preferredTime.map { .string($0.description) },
        ])
        _ = try await ask("/applepay/basket/", basket, "/details", document, proof)
    }

    /// Sends a payment once.
    /// - Parameters:
    ///   - mayHaveArrived: `true` if an earlier try has no outcome. Only a refusal that holds for its copies, too, is
    ///     one then.
    ///   - span: the time that is left.
    func pay(_ payment: SheetPayment, mayHaveArrived: Bool, within span: Span) async -> Payment {
        let reply: Reply
        do throws(TransportFailure) {
            reply = try await send(.post, "/applepay/payment", payment.document, payment.proof, within: span)
        } catch {
            if case .notSent = error, !mayHaveArrived { return .open }
            return .unknown
        }
        switch reply.status {
        case 200, 201, 202:
            if case .placed(let order)? = CounterSheetOutcome(reply.json) { return .placed(order) }
            return .unknown
        case 400..<500:
            let said = reply.json["moneyMoved"] ?? reply.json["money_moved"]
            guard said?.stringValue == MoneyMoved.no.rawValue else { return .unknown }
            guard !mayHaveArrived || isLasting(reply.json) else { return .unknown }
            return .refused(Self.errors(in: reply.json))
        default: return .unknown
        }
    }

    /// Returns `true` for a refusal by which the counter refuses every copy of the request: of a token that it has
    /// judged, or of a basket that has another version since. A refusal of access says nothing about an earlier try.
    private func isLasting(_ json: JSONValue) -> Bool {
        switch json["status"]?.stringValue {
        case "declined"?: true
        case "refused"?: json["code"]?.stringValue != "earlier_refused"
        default: false
        }
    }

    /// Returns the order if the basket's payment is known to have paid it. Anything else is no outcome, since a request
    /// may still be on its way.
    func placed(_ payment: SheetPayment, within span: Span) async -> PlacedOrder? {
        let path = path("/applepay/payment/", payment.basket.id)
        guard let reply = try? await send(.get, path, nil, payment.proof, within: span), reply.status == 200,
            case .placed(let order)? = CounterSheetOutcome(reply.json)
        else { return nil }
        return order
    }

    private static func errors(in json: JSONValue) -> [SheetError] {
        let errors = (json["errors"]?.arrayValue ?? []).filter { $0["message"] != nil }.map { SheetError(json: $0) }
        guard errors.isEmpty else { return errors }
        return [SheetError(.unknown, nil, "This payment was refused. Nothing was charged.")]
    }

    // MARK: Exchange

    /// Sends a call that moves no money, again if it had no answer.
    private func ask(
        _ prefix: String, _ basket: String, _ suffix: String = "", _ body: JSONValue? = nil,
        _ proof: Secret<String>? = nil
    ) async throws(CounterApplePayError) -> JSONValue {
        let end = clock.now().adding(limits.question)
        var tries = 0
        while true {
            tries += 1
            let failure: String
            let answer: Reply?
            do throws(TransportFailure) {
                let reply = try await send(
                    body == nil ? .get : .post, path(prefix, basket) + suffix, body, proof,
                    within: end.since(clock.now()))
                failure = "its answer has the status \(reply.status)"
                answer = reply
            } catch {
                switch error {
                case .notSent(let reason), .unknown(let reason): failure = reason
                }
                answer = nil
            }
            if let answer, answer.status == 200 { return answer.json }
            if let answer, (400..<500).contains(answer.status) { throw refusal(answer, basket) }
            guard tries < limits.maximumTries, clock.now() < end, await clock.pause(for: limits.pause) else {
                throw .notAnswered(reason: failure)
            }
        }
    }

    private func refusal(_ reply: Reply, _ basket: String) -> CounterApplePayError {
        let code = reply.json["code"]?.stringValue ?? "http_\(reply.status)"
        switch code {
        case "not_found" where reply.status == 404: return .notFound(basket)
        case "basket_closed": return .closed(basket)
        case "basket_in_payment", "basket_paid": return .pending(basket)
        case "basket_changed": return .changed(basket)
        default:
            let said = (reply.json["moneyMoved"] ?? reply.json["money_moved"])?.stringValue
            return .refused(
                code: code, what: reply.json["detail"]?.stringValue ?? "The counter refused (\(code)).",
                moneyMoved: said.flatMap(MoneyMoved.init) ?? .unknown,
                next: reply.json["next"]?.stringValue ?? "Load the basket again.")
        }
    }

    private func path(_ prefix: String, _ basket: String) -> String {
        let allowed = basket.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x5F
        }
        // A name with other characters is no counter's; it is not put into a path.
        return prefix + (allowed && !basket.isEmpty && basket.utf8.count <= 128 ? basket : "-")
    }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?, _ proof: Secret<String>?, within span: Span
    ) async throws(TransportFailure) -> Reply {
        let deadline = min(span, limits.exchange)
        guard deadline.milliseconds > 0 else { throw .notSent(reason: "the time for it is over") }
        var request = HTTPRequest(
            method: method, scheme: address.scheme, authority: address.authority, path: address.basePath + path)
        request.headerFields[.accept] = "application/json"
        if body != nil { request.headerFields[.contentType] = "application/json" }
        if let proof, let name = HTTPField.Name("X-Till-Basket-Proof") { request.headerFields[name] = proof.reveal() }
        let reply = try await transport.send(request, body: body?.bytes() ?? [], deadline: deadline)
        guard reply.body.count <= limits.answerBytes,
            let json = try? JSONValue(parsing: reply.body, limits: JSONLimits(maximumBytes: limits.answerBytes))
        else { throw .unknown(reason: "its answer cannot be read") }
        return Reply(status: reply.response.status.code, json: json)
    }
}

extension SheetSelection {
    /// The form in which the counter takes a selection.
    fileprivate var document: JSONValue {
        switch self {
        case .contact(let contact):
            .members([
                "event": .string("shippingcontact"),
                "shippingContact": .members([
                    "locality": .string(contact.locality),
                    "administrativeArea": .string(contact.administrativeArea),
                    "postalCode": .string(contact.postalCode), "countryCode": .string(contact.countryCode),
                ]),
            ])
        case .shippingMethod(let identifier):
            .members(["event": .string("shippingmethod"), "identifier": .string(identifier)])
        case .card(let isCredit):
            .members([
                "event": .string("paymentmethod"),
                "paymentMethod": .members(["type": .string(isCredit ? "credit" : "debit")]),
            ])
        case .coupon(let code): .members(["event": .string("couponcode"), "couponCode": .string(code)])
        }
    }
}
