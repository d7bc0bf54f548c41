import Foundation
import HTTPTypes
import Hummingbird
import TillApplePay
import TillCheckout
import TillCore
import TillProvider

/// The routes of Apple Pay on the web: what a page's script asks, from the first check to the order.
///
/// A page may call if its origin is registered, exactly. Changing anything takes the proof that came with the basket,
/// in a header that other sites' pages cannot send.
struct ApplePayRoutes: Sendable {
    static let proofHeader = Incoming.name("X-Till-Basket-Proof")
    static let maximumBodyBytes = 131_072
    static let association = "/.well-known/apple-developer-merchantid-domain-association"

    let live: LiveApplePayOptions
    let baskets: ApplePayBaskets
    let checkout: ApplePayCheckout
    let sessions: MerchantSessions
    let events: MerchantTokenEvents
    let customers: CustomerAccounts
    let sandbox: ApplePaySandbox?
    let metrics: ApplePayMetrics
    let clock: any TillClock
    /// How the configured provider takes tokens.
    let handovers: Set<WalletHandover>

    /// The provider can be handed the tokens that the options lead to. Nobody is offered a sheet otherwise.
    var providerTakesTokens: Bool { handovers.contains(options.handover) }

    var options: ApplePayOptions { live.current }

    /// The account that the counter runs for.
    var account: AccountID { checkout.account }

    /// Whether an address is one of Apple Pay's.
    static func own(_ path: String) -> Bool {
        path.hasPrefix("/applepay/") || path == association || path == "/shop" || path.hasPrefix("/shop/")
    }

    /// What every request of Apple Pay's meets: the rules for other sites' pages, and metrics of its own.
    func answer(_ request: Request, _ context: RouteContext, _ next: RouteScope.Next) async throws -> Response {
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
    func proven(_ request: Request, basket: String?) async throws -> JSONValue {
        _ = try domain(of: request)
        let body = try await Incoming(
            request: request, account: account, maximumBodyBytes: ApplePayRoutes.maximumBodyBytes
        ).document()
        guard let id = basket ?? body["basket"]?.stringValue else { throw Problem.field("basket", "It is missing.") }
        guard try await isProven(request, id) else {
            throw Problem(
                .forbidden, "basket_proof", "The basket's proof is missing or not the basket's.",
                next: "Load the basket again and send its proof in the header X-Till-Basket-Proof.")
        }
        return body
    }

    /// The request shows the basket's proof. For a basket that there is not, there is none.
    func isProven(_ request: Request, _ basket: String) async throws -> Bool {
        guard let proof = request.headers[ApplePayRoutes.proofHeader], let entry = try await baskets.entry(basket)
        else { return false }
        return digest(proof.utf8) == digest(ApplePayBaskets.proof(entry).utf8)
    }

    // MARK: Answers

    static func json(_ document: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        .json(document.bytes(), status: status)
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
