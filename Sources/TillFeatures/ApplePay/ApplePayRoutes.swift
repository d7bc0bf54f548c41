import Foundation
import HTTPTypes
package import Hummingbird
import TillApplePay
import TillCheckout
package import TillCore
import TillCounter
import TillProvider
package import TillWeb

/// The routes of Apple Pay on the web, from a page's availability check to the order.
///
/// Access requires an exactly registered origin. Changes require the proof that came with the basket, in a header that
/// other sites' pages cannot send.
package struct ApplePayRoutes: Sendable {
    static let proofHeader = HTTPField.Name.literal("X-Till-Basket-Proof")
    package static let maximumBodyBytes = 131_072
    static let association = "/.well-known/apple-developer-merchantid-domain-association"
    /// The paths of the association file: Apple's portal names the file with `.txt`, for some accounts without.
    static let associations = [association, association + ".txt"]

    package let live: LiveApplePayOptions
    let baskets: ApplePayBaskets
    package private(set) var checkout: ApplePayCheckout
    package let sessions: MerchantSessions
    package let events: MerchantTokenEvents
    let customers: CustomerAccounts
    package let sandbox: ApplePaySandbox?
    package let metrics: ApplePayMetrics
    package let clock: any TillClock
    /// The token forms that the configured provider accepts.
    let handovers: Set<WalletHandover>

    /// `true` if the provider accepts the token form of the options. Otherwise no sheet is offered.
    var providerTakesTokens: Bool { handovers.contains(options.handover) }

    package var options: ApplePayOptions { live.current }

    /// Returns the routes with prices that shops tell.
    func quoting(_ quotes: ShopQuotes?) -> ApplePayRoutes {
        var routes = self
        routes.checkout.quotes = quotes
        return routes
    }

    /// The account of the counter.
    package var account: AccountID { checkout.account }

    /// Returns `true` for a path of Apple Pay.
    static func own(_ path: String) -> Bool {
        path.hasPrefix("/applepay/") || associations.contains(path) || path == "/shop" || path.hasPrefix("/shop/")
    }

    /// Wraps every Apple Pay request: applies the cross-origin rules and records its metrics.
    package func answer(_ request: Request, _ context: RouteContext, _ next: RouteScope.Next) async throws -> Response {
        let began = clock.now()
        let response = await decorated(request, context, next)
        metrics.answered(context.label, status: response.status.code, after: clock.now().since(began))
        return response
    }

    private func decorated(_ request: Request, _ context: RouteContext, _ next: RouteScope.Next) async -> Response {
        let origin = request.headers[.origin]
        var response: Response
        do {
            if request.method == .options, request.uri.path.hasPrefix("/applepay/") {
                context.label = "/applepay/*"
                return try preflight(request)
            }
            response = try await next()
        } catch {
            response = Self.problem(error)
        }
        if let origin, let domain = try? domain(of: request), domain.origins.contains(origin) || isOwn(origin, request)
        {
            response.headers[.accessControlAllowOrigin] = origin
        }
        // A file varies with the coding, too.
        response.headers[.vary] = response.headers[.vary].map { $0 + ", Origin" } ?? "Origin"
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

    // MARK: Caller

    /// Returns the registered domain of a request, by its origin or its host.
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
        // On the local machine, every host name maps to the sandbox's one domain.
        if sandbox != nil, ApplePaySandbox.hosts.contains(name), let only = options.domains.first {
            return only
        }
        guard let match = options.domain(withPagesOn: name) else { throw .unknownDomain }
        return match
    }

    /// Returns the host of the page that a request came from, as in its address bar, without the port. A merchant
    /// session is for this host alone: on a page of another one the browser closes the sheet.
    /// - Parameter domain: the domain of the request. Its own name is the answer for a page without TLS, which only a
    ///   simulated sheet opens on, and for a program that names no origin to the sandbox.
    func host(ofPage request: Request, on domain: ApplePayDomain) -> String {
        guard let origin = request.headers[.origin] else {
            let name = WebOrigin.hostName(request.head.authority ?? "")
            return domain.hasPages(on: name) ? name : domain.domain.name
        }
        if let host = WebDomain.host(of: origin) { return host }
        // The sandbox's pages are on this machine, under each of its names.
        guard sandbox != nil, origin.hasPrefix("http://") else { return domain.domain.name }
        return WebOrigin.hostName(String(origin.dropFirst("http://".count)))
    }

    /// Returns `true` if the page came from this server itself.
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
        headers[HTTPField.Name.literal("Vary")] = "Origin"
        return Response(status: .noContent, headers: headers)
    }

    /// Returns the body of a change request and its basket, after checking the request's origin and the basket's proof.
    func proven(_ request: Request, basket: String?) async throws -> (body: JSONValue, entry: ApplePayBaskets.Entry) {
        let domain = try domain(of: request)
        let body = try await Incoming(
            request: request, account: account, maximumBodyBytes: ApplePayRoutes.maximumBodyBytes
        ).document()
        guard let id = basket ?? body["basket"]?.stringValue else { throw Problem.field("basket", "It is missing.") }
        let entry = try await baskets.entry(id)
        if let entry, isProven(request, entry) {
            try checkCurrency(of: entry, on: domain)
            return (body, entry)
        }
        if let entry, let proof = request.headers[ApplePayRoutes.proofHeader],
            ApplePayBaskets.isEarlier(proof: proof, of: entry)
        {
            throw ApplePayCheckout.Refusal.basketChanged
        }
        throw Problem(
            .forbidden, "basket_proof", "The basket's proof is missing or not the basket's.",
            next: "Load the basket again and send its proof in the header X-Till-Basket-Proof.")
    }

    /// Refuses a basket on a domain that sells in another currency.
    func checkCurrency(of entry: ApplePayBaskets.Entry, on domain: ApplePayDomain) throws {
        let only = options.currency(of: domain)
        guard entry.basket.currency == only else {
            throw Problem.basketCurrency(entry.basket.id, entry.basket.currency, of: domain.domain.name, only)
        }
    }

    /// Returns `true` if the request has the basket's proof; always `false` for an unknown basket.
    func isProven(_ request: Request, _ basket: String) async throws -> Bool {
        guard let entry = try await baskets.entry(basket) else { return false }
        return isProven(request, entry)
    }

    private func isProven(_ request: Request, _ entry: ApplePayBaskets.Entry) -> Bool {
        guard let proof = request.headers[ApplePayRoutes.proofHeader] else { return false }
        return digest(proof.utf8) == digest(ApplePayBaskets.proof(entry).utf8)
    }

    // MARK: Answers

    package static func json(_ document: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        .json(document.bytes(), status: status)
    }
}

func base64Bytes(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
