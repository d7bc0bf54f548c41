import HTTPTypes
package import Hummingbird
import NIOCore
import TillApplePay
import TillCore
import TillCounter
import TillWeb

/// The sheet's routes, from the availability check to the last change of an open sheet.
extension ApplePayRoutes {
    // MARK: Reading

    func metadata(_ request: Request) throws -> Response {
        let domain = try domain(of: request)
        let incoming = Incoming(request: request, account: account, maximumBodyBytes: 0)
        let visitor = try incoming.query("visitor")
        let share =
            domain.percentage == 100 || visitor.map { Int(digest($0.utf8)[0]) * 100 / 256 < domain.percentage } ?? false
        // The reason is for the shop's developers; the page's script reads `enabled` alone.
        let reason = obstacle(on: domain)?.rawValue ?? (share ? nil : "visitor_share")
        let factory = options.factory(for: domain)
        let texts: ([String]) -> JSONValue = { .array($0.map { .string($0) }) }
        let own = [60, 120, 180].map { (size: "\($0)x\($0)", address: "/applepay/icon.png") }
        let named = domain.icons.sorted { $0.key < $1.key }.map { (size: $0.key, address: $0.value) }
        let icons = (named.isEmpty ? own : named).map { icon in
            JSONValue.members(["sizes": .string(icon.size), "href": .string(icon.address)])
        }
        let document = JSONValue.object([
            JSONMember(key: "enabled", value: .bool(reason == nil)),
            JSONMember(key: "reason", value: reason.map { .string($0) } ?? .null),
            JSONMember(key: "merchantIdentifier", value: .string(domain.merchant)),
            JSONMember(key: "merchantCapabilities", value: texts(factory.merchantCapabilities)),
            JSONMember(key: "supportedNetworks", value: texts(factory.supportedNetworks)),
            JSONMember(key: "countryCode", value: .string(factory.countryCode)),
            JSONMember(key: "currencyCode", value: .string(options.currency(of: domain).code)),
            JSONMember(key: "touchIcons", value: .array(icons)),
            JSONMember(key: "stylesheet", value: .string("/applepay/client.css")),
            JSONMember(key: "appleScript", value: options.script.map { .string($0) } ?? .null),
            JSONMember(key: "simulator", value: sandbox == nil ? .null : .string("/applepay/simulator.js")),
        ])
        return tagged(document, request, maximumAge: "public, max-age=60")
    }

    /// `true` if pages of at least one domain, or an app, can offer Apple Pay. An app can also where only pages lack
    /// something.
    var isOffered: Bool { options.domains.contains { !(obstacle(on: $0)?.stopsApps ?? false) } }

    func basket(_ id: String, _ request: Request) async throws -> Response {
        let domain = try domain(of: request)
        guard let entry = try await baskets.entry(id) else { throw Problem.notFound }
        try checkCurrency(of: entry, on: domain)
        guard entry.attempt != nil || entry.isOpen(at: clock.now()) else { throw Problem.basketClosed }
        let sheet = try options.factory(for: domain, on: entry.terms).request(
            for: entry.basket, applicationData: ApplePayBaskets.applicationData(entry))
        let document = JSONValue.object([
            JSONMember(key: "id", value: .string(id)),
            JSONMember(key: "version", value: .number(String(entry.basket.version))),
            JSONMember(key: "applePayVersion", value: .number(String(sheet.lowestVersion))),
            JSONMember(key: "proof", value: .string(ApplePayBaskets.proof(entry))),
            JSONMember(key: "service", value: .string(BasketService(entry.basket.service).rawValue)),
            JSONMember(key: "request", value: sheet.json),
            JSONMember(key: "basket", value: entry.basket.json),
        ])
        return tagged(document, request, maximumAge: "no-cache")
    }

    func tagged(_ document: JSONValue, _ request: Request, maximumAge: String) -> Response {
        let bytes = document.bytes()
        let tag = "\"" + Hex.lowercase(digest(bytes).prefix(12)) + "\""
        var response = Self.json(document)
        if request.headers[.ifNoneMatch] == tag { response = Response(status: .notModified) }
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = maximumAge
        return response
    }

    func associationFile(_ request: Request) throws -> Response {
        let name = WebOrigin.hostName(request.head.authority ?? "")
        guard let file = options.domain(withPagesOn: name)?.association else { throw Problem.notFound }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file)))
    }

    // MARK: Sessions

    package func validate(_ request: Request) async throws -> Response {
        do {
            let domain = try domain(of: request)
            let (body, entry) = try await proven(request, basket: nil)
            guard providerTakesTokens else { throw Problem.applePayOff }
            guard entry.attempt != nil || entry.isOpen(at: clock.now()) else { throw Problem.basketClosed }
            guard let url = body["validationURL"]?.stringValue else {
                throw Problem.field("validationURL", "It is missing.")
            }
            let gateway = try MerchantGateway(validationURL: url, environment: options.environment)
            guard let identity = identity(of: domain) else { throw MerchantSessionError.noIdentity }
            let session = MerchantSessionRequest(
                merchantIdentifier: domain.merchant, displayName: options.factory(for: domain).displayName,
                context: host(ofPage: request, on: domain))
            let bytes = try await sessions.session(
                gateway, session, identity: identity, standIn: await sandbox?.standIn())
            metrics.session("given")
            return .json(bytes)
        } catch {
            if case .refused(let status)? = error as? MerchantSessionError {
                metrics.session("apple_\(status)")
            } else {
                metrics.session((error as? MerchantSessionError)?.code ?? "refused")
            }
            throw error
        }
    }

    /// Returns the currently valid certificate of a domain with the latest expiry.
    package func identity(of domain: ApplePayDomain) -> ApplePayDomain.Identity? {
        let now = clock.now()
        return domain.identities.compactMap { identity -> (ApplePayDomain.Identity, Timestamp)? in
            guard let validity = identity.validity, validity.from <= now, now < validity.until else { return nil }
            return (identity, validity.until)
        }.max { $0.1 < $1.1 }?.0
    }

    // MARK: The sheet

    func validatePostalCode(_ id: String, _ request: Request) async throws -> Response {
        let (body, entry) = try await proven(request, basket: id)
        guard let code = try body.text("postalCode", atMost: 16) else {
            throw Problem.field("postalCode", "It is missing.")
        }
        let country =
            try body.text("countryCode", atMost: 2) ?? options.factory(for: try domain(of: request)).countryCode
        let answer = entry.delivers(to: code, country: country, otherwise: options)
        guard answer == .unknownPlace else {
            return Self.json(.members(["deliverable": .string(answer.rawValue)]))
        }
        // No answer of its own: a page that knows only the other three would take it for a yes.
        return Self.json(
            .members(["deliverable": .string(Deliverability.no.rawValue), "reason": .string("place_unknown")]))
    }

    package func update(_ id: String, _ request: Request) async throws -> Response {
        let (body, opened) = try await proven(request, basket: id)
        let country = options.factory(for: try domain(of: request)).countryCode
        let change = try SheetChange(body, of: opened, options: options, country: country, now: clock.now())
        guard let (basket, errors) = try await changed(opened, by: change, body, country: country) else {
            guard let entry = try await baskets.entry(id) else { throw Problem.notFound }
            guard entry.generation == opened.generation else { throw ApplePayCheckout.Refusal.basketChanged }
            throw problem(of: entry)
        }
        let items = try options.factory(for: try domain(of: request)).summaryItems(for: basket)
        var members = [
            JSONMember(key: "newTotal", value: items.last?.json ?? .null),
            JSONMember(key: "newLineItems", value: .array(items.dropLast().map(\.json))),
        ]
        if change.takesErrors, !errors.isEmpty {
            members.append(JSONMember(key: "errors", value: .array(errors.map(\.json))))
        }
        if change.takesMethods(of: basket, before: opened.basket) {
            members.append(
                JSONMember(key: "newShippingMethods", value: .array(basket.offeredMethods.map(\.json))))
        }
        return Self.json(
            .object([
                JSONMember(key: "version", value: .number(String(basket.version))),
                JSONMember(key: "update", value: .object(members)),
                JSONMember(key: "basket", value: basket.json),
            ]))
    }

    /// Applies a change, with the shop's price where the shop tells it; `nil` if the basket did not take it.
    private func changed(
        _ opened: ApplePayBaskets.Entry, by change: SheetChange, _ body: JSONValue, country: String
    ) async throws -> (SheetBasket, [SheetError])? {
        guard opened.terms?.quote != nil else {
            return try await baskets.change(opened.basket.id, generation: opened.generation, change.apply)
        }
        guard opened.isOpen(at: clock.now()) else { return nil }
        var contact: QuoteAddress?
        if case .shippingContact = change {
            contact = QuoteAddress(WalletContact(json: body["shippingContact"] ?? .null), country: country)
        }
        let repriced = try await checkout.reprice(opened, by: change, contact: contact)
        return repriced.map { ($0.basket, $0.errors) }
    }

    /// Returns the problem of a change that a basket did not take.
    private func problem(of entry: ApplePayBaskets.Entry) -> Problem {
        let id = entry.basket.id
        if let answer = entry.answer, SheetAnswerStatus(of: answer) == .placed {
            return Problem.basketPaid(id, by: entry.attempt?.payment)
        }
        guard entry.attempt == nil else { return Problem.basketInPayment(id) }
        // A payment that was refused meanwhile has left the basket open.
        return entry.isOpen(at: clock.now()) ? Problem.basketContended(id) : Problem.basketClosed
    }

    /// Stores the customer's note and requested time with an order's basket; the price is unchanged.
    func details(_ id: String, _ request: Request) async throws -> Response {
        let (body, opened) = try await proven(request, basket: id)
        try body.allow(["note", "requestedFor"])
        let note = try body.text("note", atMost: BasketRequest.maximumNoteBytes)
        let time = try BasketRequest.requestedTime(in: body, "requestedFor")
        guard opened.terms != nil else { throw Problem.basketWithoutOrder(id) }
        let isWritten = try await baskets.update(id) { kept in
            guard kept.isOpen(at: clock.now()), kept.generation == opened.generation else { return false }
            kept.terms?.customerNote = note
            kept.terms?.customerTime = time
            return true
        }
        guard isWritten != nil else {
            guard let entry = try await baskets.entry(id) else { throw Problem.notFound }
            guard entry.generation == opened.generation else { throw ApplePayCheckout.Refusal.basketChanged }
            throw problem(of: entry)
        }
        return Self.json(.members(["note": note.json, "requestedFor": time.json]))
    }
}
