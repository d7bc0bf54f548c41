import HTTPTypes
package import Hummingbird
import NIOCore
import TillApplePay
import TillCore
import TillWeb

extension ApplePayRoutes {
    // MARK: Payment

    package func payment(_ request: Request) async throws -> Response {
        let domain = try domain(of: request)
        let (body, entry) = try await proven(request, basket: nil)
        guard let number = body["version"]?.int64Value, let version = Int(exactly: number) else {
            throw Problem.field("version", "Basket and version are needed.")
        }
        guard let token = body["token"], token.objectValue != nil else {
            throw Problem.field("token", "It is missing.")
        }
        let billing = body["billingContact"].flatMap { $0.objectValue == nil ? nil : WalletContact(json: $0) }
        var sheet = ApplePayCheckout.Authorized(
            basketID: entry.basket.id, version: version, merchant: MerchantIDHash(of: domain.merchant),
            token: token, shipping: WalletContact(json: body["shippingContact"] ?? .null), billing: billing)
        sheet.shown = try Self.shown(in: body, of: entry.basket)
        let answer = try await checkout.pay(sheet)
        let status: HTTPResponse.Status =
            switch SheetAnswerStatus(of: answer) {
            case .placed: .created
            case .pending: .accepted
            case .open, .declined, .closed: .init(code: 402)
            }
        return Self.json(answer, status: status)
    }

    /// Returns the total that the sheet showed: `total` in major units, with `currency`; `nil` if the body has none.
    private static func shown(in body: JSONValue, of basket: SheetBasket) throws -> Money? {
        guard let text = try body.text("total", atMost: 32) else { return nil }
        let code = try body.text("currency", atMost: 3) ?? basket.currency.code
        guard let currency = Currency(ifValid: code), let shown = Money(ifValid: text, currency: currency) else {
            throw Problem.field("total", "It must be the total that the sheet showed, such as 12.84, in its currency.")
        }
        return shown
    }

    package func status(_ basket: String, _ request: Request) async throws -> Response {
        _ = try domain(of: request)
        return Self.json(try await checkout.status(basket, showsToken: try await isProven(request, basket)))
    }

    package func authorize(_ request: Request) async throws -> Response {
        guard let sandbox else { throw Problem.notFound }
        let domain = try domain(of: request)
        let body = try await Incoming(request: request, account: account, maximumBodyBytes: 16_384).document()
        guard let token = try await sandbox.authorize(body, host: host(ofPage: request, on: domain)) else {
            throw Problem(
                .conflict, "session_refused", "The merchant session is not valid, or was already used.",
                next: "Open a new sheet.")
        }
        return Self.json(token)
    }

    /// Returns the days until each certificate expires.
    func daysLeft() -> [(kind: String, days: Int64)] {
        let now = clock.now()
        let identities = options.domains.flatMap(\.identities).compactMap(\.validity?.until)
        return identities.map { ("identity", $0.since(now).milliseconds / 86_400_000) }
            + options.keys.all.map { ("processing", $0.validUntil.since(now).milliseconds / 86_400_000) }
    }
}
