import HTTPTypes
import TillApplePay
import TillClient
import TillCore

/// A phone in the sandbox: it chooses what it was told to, authorizes once, and closes the sheet.
@MainActor final class SimulatedDevice: PaymentSheetPresenter {
    private let address: CounterAddress
    private let method: String?
    private let coupon: String?
    private let wallet: String?
    private let transport = URLSessionTransport()
    private var sheet: Task<Void, Never>?

    /// - Parameter wallet: `empty` for one without a card, `none` for a device without one.
    init(_ address: CounterAddress, method: String?, coupon: String?, wallet: String?) {
        self.address = address
        self.method = method
        self.coupon = coupon
        self.wallet = wallet
    }

    func availability(networks: [String]) -> ApplePayAvailability {
        switch wallet {
        case "none"?: .unavailable
        case "empty"?: .needsSetup
        default: .available
        }
    }

    func dismiss() async { sheet?.cancel() }

    func present(_ request: PaymentSheetRequest, delegate: any PaymentSheetDelegate) async -> Bool {
        sheet = Task { await use(request, delegate) }
        return true
    }

    private func use(_ request: PaymentSheetRequest, _ delegate: any PaymentSheetDelegate) async {
        var total = request.total.amount
        var updates: [PaymentSheetUpdate] = [
            await delegate.selected(
                contact: RedactedContact(
                    locality: "London", administrativeArea: "", postalCode: "EC4M", countryCode: "GB"))
        ]
        if let method { updates.append(await delegate.selected(shippingMethod: method)) }
        if let coupon { updates.append(await delegate.entered(coupon: coupon)) }
        for update in updates {
            for error in update.errors { ApplePaySale.say("sheet: \(error.message)") }
            if let last = update.items.last { total = last.amount }
        }
        ApplePaySale.say("sheet: \(total)")
        if updates.allSatisfy(\.errors.isEmpty), let token = await token(request, total) {
            let contact = WalletContact(
                givenName: "Ada", familyName: "Lovelace", emailAddress: "ada@example.com",
                phoneNumber: "020 7946 0000", addressLines: ["1 Fleet Place"], locality: "London",
                postalCode: "EC4M 7RF", countryCode: "GB")
            let result = await delegate.authorized(
                AuthorizedWalletPayment(token: token, shipping: contact, billing: nil))
            if case .failure(let errors) = result {
                for error in errors { ApplePaySale.say("sheet: \(error.message)") }
            }
        }
        await delegate.finished()
    }

    /// Has the sandbox's Apple make a token for what the sheet shows; `nil` for a counter that has none.
    private func token(_ request: PaymentSheetRequest, _ total: Money) async -> Secret<[UInt8]>? {
        var members = [
            JSONMember(key: "appMerchant", value: .string("merchant.sandbox.till")),
            JSONMember(key: "amount", value: .string(total.decimalString)),
            JSONMember(key: "currencyCode", value: .string(total.currency.code)),
        ]
        if let data = request.json["applicationData"] {
            members.append(JSONMember(key: "applicationData", value: data))
        }
        var head = HTTPRequest(
            method: .post, scheme: address.scheme, authority: address.authority, path: "/applepay/sandbox/authorize")
        head.headerFields[.contentType] = "application/json"
        guard
            let reply = try? await transport.send(
                head, body: JSONValue.object(members).bytes(), deadline: .seconds(10)),
            reply.response.status.code == 200
        else { return nil }
        return Secret(reply.body)
    }
}
