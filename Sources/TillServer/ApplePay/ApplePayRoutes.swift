import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TillApplePay
import TillCheckout
import TillCore

/// The routes of Apple Pay on the web: what a page's script asks, from the first look to the order.
///
/// A page may call if its origin is registered, exactly. Changing anything takes the proof that came with the basket,
/// in a header that other sites' pages can not send.
struct ApplePayRoutes: Sendable {
    static let proofHeader = Incoming.name("X-Till-Basket-Proof")
    static let maximumBodyBytes = 131_072
    static let association = "/.well-known/apple-developer-merchantid-domain-association"

    let live: LiveApplePayOptions
    let baskets: ApplePayBaskets
    let checkout: ApplePayCheckout
    let sessions: MerchantSessions
    let sandbox: ApplePaySandbox?
    let figures: ApplePayFigures
    let clock: any TillClock

    var options: ApplePayOptions { live.current }

    /// Answers a request of Apple Pay's; `nil` if the address is not one of its.
    func answer(_ request: Request, route: inout String) async throws -> Response? {
        let path = request.uri.path
        guard
            path.hasPrefix("/applepay/") || path == ApplePayRoutes.association || path == "/shop"
                || path.hasPrefix("/shop/")
        else { return nil }
        let origin = request.headers[.origin]
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        var response: Response
        do {
            if request.method == .options, path.hasPrefix("/applepay/") {
                route = "/applepay/*"
                return try preflight(request)
            }
            response = try await respond(request, parts, route: &route)
        } catch {
            response = Self.problem(error)
        }
        if let origin, let domain = try? domain(of: request), domain.origins.contains(origin) || isOwn(origin, request)
        {
            response.headers[.accessControlAllowOrigin] = origin
        }
        response.headers[Incoming.name("Vary")] = "Origin"
        return response
    }

    private static func problem(_ error: any Error) -> Response {
        switch error {
        case let refusal as ApplePayCheckout.Refusal:
            let document = JSONValue.object([
                JSONMember(key: "status", value: .string("refused")),
                JSONMember(key: "code", value: .string(refusal.code)),
                JSONMember(key: "moneyMoved", value: .string("no")),
                JSONMember(key: "errors", value: .array(refusal.errors.map(\.json))),
                JSONMember(key: "next", value: .string(refusal.next)),
            ])
            return json(document, status: .unprocessableContent)
        case let error as PaymentTokenError:
            let status: HTTPResponse.Status = error.step == .replay ? .conflict : .unprocessableContent
            var problem = Problem(status, error.code, error.what, next: error.next)
            problem.errors = [("token", error.step.rawValue)]
            return problem.response
        case let error as MerchantSessionError:
            let status: HTTPResponse.Status =
                switch error {
                case .foreignAddress, .otherEnvironment: .badRequest
                case .unknownDomain: .init(code: 421)
                case .noIdentity: .serviceUnavailable
                case .tooMany: .tooManyRequests
                case .unreachable, .refused, .malformed: .badGateway
                }
            return Problem(status, error.code, error.what, next: error.next).response
        default: return Problem(error).response
        }
    }

    // MARK: Addresses

    private func respond(_ request: Request, _ parts: [String], route: inout String) async throws -> Response {
        let isReading = request.method == .get || request.method == .head
        func only(_ method: HTTPRequest.Method) throws {
            guard request.method == method || (method == .get && isReading) else {
                var problem = Problem(
                    .methodNotAllowed, "method_not_allowed", "This address does not take \(request.method.rawValue).",
                    next: "Use \(method.rawValue).")
                problem.headers[.allow] = method == .get ? "GET, HEAD" : method.rawValue
                throw problem
            }
        }
        switch (parts.first ?? "", parts.count) {
        case (".well-known", _):
            route = ApplePayRoutes.association
            try only(.get)
            return try associationFile(request)
        case ("shop", _):
            route = "/shop"
            return try await ShopRoutes(routes: self).answer(request, parts, route: &route)
        case ("applepay", 2):
            route = "/applepay/" + parts[1]
            switch parts[1] {
            case "metadata":
                try only(.get)
                return try metadata(request)
            case "validate":
                try only(.post)
                return try await validate(request)
            case "payment":
                try only(.post)
                return try await payment(request)
            default:
                try only(.get)
                if let asset = ApplePayAssets.response(parts[1], isSandbox: sandbox != nil) { return asset }
                route = "unknown"
                throw Problem.notFound
            }
        case ("applepay", 3) where parts[1] == "basket":
            route = "/applepay/basket/{id}"
            try only(.get)
            return try await basket(parts[2], request)
        case ("applepay", 3) where parts[1] == "payment":
            route = "/applepay/payment/{id}"
            try only(.get)
            _ = try domain(of: request)
            return Self.json(try await checkout.status(parts[2]))
        case ("applepay", 3) where parts[1] == "sandbox" && parts[2] == "authorize" && sandbox != nil:
            route = "/applepay/sandbox/authorize"
            try only(.post)
            return try await authorize(request)
        case ("applepay", 4) where parts[1] == "basket" && parts[3] == "validatepostalcode":
            route = "/applepay/basket/{id}/validatepostalcode"
            try only(.post)
            return try await validatePostalCode(parts[2], request)
        case ("applepay", 4) where parts[1] == "basket" && parts[3] == "update":
            route = "/applepay/basket/{id}/update"
            try only(.post)
            return try await update(parts[2], request)
        default: throw Problem.notFound
        }
    }

    // MARK: Who asks

    /// The registered domain of a request: that of its origin, or of the host it was sent to.
    func domain(of request: Request) throws(MerchantSessionError) -> ApplePayDomain {
        let host = request.head.authority ?? ""
        let name: String
        if let origin = request.headers[.origin] {
            if let match = options.domains.first(where: { $0.origins.contains(origin) }) { return match }
            guard isOwn(origin, request) else { throw .unknownDomain }
            name = WebOrigin.hostName(host)
        } else {
            name = WebOrigin.hostName(host)
        }
        // On this machine the sandbox's one domain is every name of it.
        if sandbox != nil, ["localhost", "127.0.0.1", "[::1]"].contains(name), let only = options.domains.first {
            return only
        }
        guard let match = options.domains.first(where: { $0.domain.name == name }) else { throw .unknownDomain }
        return match
    }

    /// The page came from this server itself.
    private func isOwn(_ origin: String, _ request: Request) -> Bool {
        guard let host = request.head.authority else { return false }
        return origin == "https://\(host)" || (sandbox != nil && origin == "http://\(host)")
    }

    private func preflight(_ request: Request) throws -> Response {
        let domain = try domain(of: request)
        guard let origin = request.headers[.origin], domain.origins.contains(origin) || isOwn(origin, request) else {
            throw MerchantSessionError.unknownDomain
        }
        var headers = HTTPFields()
        headers[.accessControlAllowOrigin] = origin
        headers[.accessControlAllowMethods] = "GET, POST"
        headers[.accessControlAllowHeaders] = "content-type, x-till-basket-proof"
        headers[.accessControlMaxAge] = "600"
        headers[Incoming.name("Vary")] = "Origin"
        return Response(status: .noContent, headers: headers)
    }

    /// The body of a request that changes something: from a registered page, with the basket's proof.
    private func proven(_ request: Request, basket: String?) async throws -> JSONValue {
        _ = try domain(of: request)
        let body = try await Incoming(
            request: request, account: .main, maximumBodyBytes: ApplePayRoutes.maximumBodyBytes
        ).document()
        guard let id = basket ?? body["basket"]?.stringValue else { throw Problem.field("basket", "It is missing.") }
        guard let proof = request.headers[ApplePayRoutes.proofHeader],
            digest(proof.utf8) == digest(baskets.proof(id).utf8)
        else {
            throw Problem(
                .forbidden, "basket_proof", "The basket's proof is missing or not the basket's.",
                next: "Load the basket again and send its proof in the header X-Till-Basket-Proof.")
        }
        return body
    }

    // MARK: Reading

    private func metadata(_ request: Request) throws -> Response {
        let domain = try domain(of: request)
        let incoming = Incoming(request: request, account: .main, maximumBodyBytes: 0)
        let visitor = try incoming.query("visitor")
        let hasIdentity = identity(of: domain) != nil
        let share =
            domain.percentage == 100 || visitor.map { Int(digest($0.utf8)[0]) * 100 / 256 < domain.percentage } ?? false
        let isOn = domain.isEnabled && hasIdentity && !options.keys.all.isEmpty && options.fault == nil && share
        let factory = options.factory
        let texts: ([String]) -> JSONValue = { .array($0.map { .string($0) }) }
        let icons = [60, 120, 180].map { size in
            JSONValue.object([
                JSONMember(key: "sizes", value: .string("\(size)x\(size)")),
                JSONMember(key: "href", value: .string("/applepay/icon.png")),
            ])
        }
        let document = JSONValue.object([
            JSONMember(key: "enabled", value: .bool(isOn)),
            JSONMember(key: "merchantIdentifier", value: .string(domain.merchant)),
            JSONMember(key: "merchantCapabilities", value: texts(factory.merchantCapabilities)),
            JSONMember(key: "supportedNetworks", value: texts(factory.supportedNetworks)),
            JSONMember(key: "countryCode", value: .string(factory.countryCode)),
            JSONMember(key: "currencyCode", value: .string(options.currency.code)),
            JSONMember(key: "touchIcons", value: .array(icons)),
            JSONMember(key: "stylesheet", value: .string("/applepay/client.css")),
            JSONMember(key: "simulator", value: sandbox == nil ? .null : .string("/applepay/simulator.js")),
        ])
        return tagged(document, request, maximumAge: "public, max-age=60")
    }

    private func basket(_ id: String, _ request: Request) async throws -> Response {
        _ = try domain(of: request)
        guard let entry = await baskets.entry(id) else { throw Problem.notFound }
        let sheet = try options.factory.request(for: entry.basket, applicationData: baskets.applicationData(id))
        let document = JSONValue.object([
            JSONMember(key: "id", value: .string(id)),
            JSONMember(key: "version", value: .number(String(entry.basket.version))),
            JSONMember(key: "applePayVersion", value: .number(String(sheet.lowestVersion))),
            JSONMember(key: "proof", value: .string(baskets.proof(id))),
            JSONMember(key: "service", value: .string(entry.basket.service == .delivery ? "delivery" : "collection")),
            JSONMember(key: "request", value: sheet.json),
        ])
        return tagged(document, request, maximumAge: "no-cache")
    }

    private func tagged(_ document: JSONValue, _ request: Request, maximumAge: String) -> Response {
        let bytes = document.bytes()
        let tag = "\"" + Hex.lowercase(digest(bytes).prefix(12)) + "\""
        var response = Self.json(document)
        if request.headers[.ifNoneMatch] == tag { response = Response(status: .notModified) }
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = maximumAge
        return response
    }

    private func associationFile(_ request: Request) throws -> Response {
        let name = WebOrigin.hostName(request.head.authority ?? "")
        guard let file = options.domains.first(where: { $0.domain.name == name })?.association else {
            throw Problem.notFound
        }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file)))
    }

    // MARK: Sessions

    private func validate(_ request: Request) async throws -> Response {
        do {
            let domain = try domain(of: request)
            let body = try await proven(request, basket: nil)
            guard let url = body["validationURL"]?.stringValue else { throw MerchantSessionError.foreignAddress }
            let gateway = try MerchantGateway(validationURL: url, environment: options.environment)
            guard let identity = identity(of: domain) else { throw MerchantSessionError.noIdentity }
            let session = MerchantSessionRequest(
                merchantIdentifier: domain.merchant, displayName: options.factory.displayName,
                context: domain.domain.name)
            let bytes = try await sessions.session(
                gateway, session, identity: identity, standIn: await sandbox?.standIn())
            figures.session("given")
            return Self.json(bytes: bytes)
        } catch {
            if case .refused(let status)? = error as? MerchantSessionError {
                figures.session("apple_\(status)")
            } else {
                figures.session((error as? MerchantSessionError)?.code ?? "refused")
            }
            throw error
        }
    }

    /// The certificate of a domain that is valid now, and longest.
    func identity(of domain: ApplePayDomain) -> ApplePayDomain.Identity? {
        let now = clock.now()
        return domain.identities.compactMap { identity -> (ApplePayDomain.Identity, Timestamp)? in
            guard let certificate = try? MerchantCertificate(parsing: identity.certificate),
                certificate.validFrom <= now, now < certificate.validUntil
            else { return nil }
            return (identity, certificate.validUntil)
        }.max { $0.1 < $1.1 }?.0
    }

    // MARK: The sheet

    private func validatePostalCode(_ id: String, _ request: Request) async throws -> Response {
        let body = try await proven(request, basket: id)
        guard await baskets.entry(id) != nil else { throw Problem.notFound }
        guard let code = try body.text("postalCode", atMost: 16) else {
            throw Problem.field("postalCode", "It is missing.")
        }
        let country = try body.text("countryCode", atMost: 2) ?? options.factory.countryCode
        let answer = options.area.delivers(to: code, country: country)
        return Self.json(.object([JSONMember(key: "deliverable", value: .string(answer.rawValue))]))
    }

    private func update(_ id: String, _ request: Request) async throws -> Response {
        let body = try await proven(request, basket: id)
        let change = try SheetChange(body, options: options, now: clock.now())
        guard let (basket, errors) = await baskets.change(id, change.apply) else {
            guard await baskets.entry(id) != nil else { throw Problem.notFound }
            throw Problem(
                .conflict, "basket_in_payment", "The basket is being paid.", next: "Wait for the payment's end.")
        }
        let items = try options.factory.summaryItems(for: basket)
        var members = [
            JSONMember(key: "newTotal", value: items.last?.json ?? .null),
            JSONMember(key: "newLineItems", value: .array(items.dropLast().map(\.json))),
        ]
        if !errors.isEmpty { members.append(JSONMember(key: "errors", value: .array(errors.map(\.json)))) }
        if case .shippingContact = change {
            members.append(
                JSONMember(key: "newShippingMethods", value: .array(basket.shippingMethods.map(\.json))))
        }
        return Self.json(
            .object([
                JSONMember(key: "version", value: .number(String(basket.version))),
                JSONMember(key: "update", value: .object(members)),
            ]))
    }

    // MARK: Payment

    private func payment(_ request: Request) async throws -> Response {
        let domain = try domain(of: request)
        let body = try await proven(request, basket: nil)
        guard let id = body["basket"]?.stringValue, let number = body["version"]?.int64Value,
            let version = Int(exactly: number)
        else { throw Problem.field("version", "Basket and version are needed.") }
        guard let token = body["token"], token.objectValue != nil else {
            throw Problem.field("token", "It is missing.")
        }
        let billing = body["billingContact"].flatMap { $0.objectValue == nil ? nil : WalletContact(json: $0) }
        let answer = try await checkout.pay(
            ApplePayCheckout.Authorized(
                basketID: id, version: version, merchant: MerchantIDHash(of: domain.merchant), token: token,
                shipping: WalletContact(json: body["shippingContact"] ?? .null), billing: billing,
                accountID: try body.text("account", atMost: 128)))
        let status: HTTPResponse.Status =
            switch answer["status"]?.stringValue {
            case "placed": .created
            case "pending": .accepted
            default: .init(code: 402)
            }
        return Self.json(answer, status: status)
    }

    private func authorize(_ request: Request) async throws -> Response {
        guard let sandbox else { throw Problem.notFound }
        let domain = try domain(of: request)
        let body = try await Incoming(request: request, account: .main, maximumBodyBytes: 16_384).document()
        guard let token = try await sandbox.authorize(body, domain: domain.domain.name) else {
            throw Problem(
                .conflict, "session_refused", "The merchant session is not good, or was used.",
                next: "Open a new sheet.")
        }
        return Self.json(token)
    }

    /// Days until each certificate ends.
    func daysLeft() -> [(kind: String, days: Int64)] {
        let now = clock.now()
        let identities = options.domains.flatMap(\.identities).compactMap {
            try? MerchantCertificate(parsing: $0.certificate).validUntil
        }
        return identities.map { ("identity", $0.since(now).milliseconds / 86_400_000) }
            + options.keys.all.map { ("processing", $0.validUntil.since(now).milliseconds / 86_400_000) }
    }

    // MARK: Answers

    static func json(_ document: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        json(bytes: document.bytes(), status: status)
    }

    static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// Names in `Origin` and `Host`.
enum WebOrigin {
    /// The host without its port, in lower case.
    static func hostName(_ authority: String) -> String {
        let text = authority.lowercased()
        if text.hasPrefix("[") { return String(text.prefix { $0 != "]" }) + "]" }
        return String(text.prefix { $0 != ":" })
    }
}

func base64Bytes(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
