package import TillApplePay
package import TillCheckout
package import TillCore
import TillJournal

typealias WalletAttempt = WalletBasket.Attempt

extension WalletPayment {
    /// Converts a decrypted token for a provider.
    package init(_ accepted: AcceptedPaymentToken, sealed: Secret<[UInt8]>) throws(CheckoutError) {
        let (token, payload) = (accepted.token, accepted.payload)
        let proof: NetworkToken.Proof
        switch payload.credential {
        case .threeDSecure(let cryptogram, let indicator):
            proof = .threeDSecure(cryptogram: cryptogram, eciIndicator: indicator)
        case .emv(let data, let pin): proof = .emv(data: data, pin: pin)
        case .other: throw .refused(.unsupported("The token's proof is neither of 3-D Secure nor of EMV."))
        }
        let expiry = payload.expiry.reveal()
        guard let until = CardExpiry(month: expiry.month, year: expiry.year) else {
            throw .refused(.unsupported("The token's expiry is not a month."))
        }
        self.init(
            wallet: "apple_pay", transaction: token.transactionID.description,
            networkToken: NetworkToken(
                number: payload.accountNumber, expiry: Secret(until), proof: proof, holder: payload.cardholderName,
                deviceManufacturer: payload.deviceManufacturer),
            sealed: sealed, instrumentName: token.claimedCardName, network: nil,
            card: CardSummary(
                brand: Self.brand(token.claimedCardName), lastFour: payload.accountLastFour, entryMode: "apple_pay"))
    }

    /// Converts a token that only the provider can decrypt.
    package init(_ accepted: AcceptedSealedToken, sealed: Secret<[UInt8]>) {
        let token = accepted.token
        self.init(
            wallet: "apple_pay", transaction: token.transactionID.description, networkToken: nil, sealed: sealed,
            instrumentName: token.claimedCardName, network: token.claimedNetwork,
            card: CardSummary(
                brand: Self.brand(token.claimedCardName), lastFour: String((token.claimedCardName ?? "").suffix(4)),
                entryMode: "apple_pay"))
    }

    /// Returns the brand in a claimed card name, such as `visa` for `Visa 1234`.
    private static func brand(_ name: String?) -> String {
        name?.split(separator: " ").first.map { String($0.prefix(32)).lowercased() } ?? "card"
    }
}

extension WalletBasket.Attempt {
    /// The stored contact of the order.
    var fullContact: FullContact? {
        guard let document = contact.flatMap({ JSONValue(ifValid: $0) }) else { return nil }
        let contact = WalletContact(json: document)
        return try? FullContact(contact, needsAddress: !contact.addressLines.isEmpty)
    }
}

extension FullContact {
    /// The stored form of the contact; `WalletContact/init(json:)` reads it.
    package var json: JSONValue {
        var members = [
            JSONMember(key: "givenName", value: .string(name)),
            JSONMember(key: "emailAddress", value: .string(emailAddress)),
            JSONMember(key: "phoneNumber", value: .string(phoneNumber)),
        ]
        if let address {
            members += [
                JSONMember(key: "addressLines", value: .array(address.lines.map { .string($0) })),
                JSONMember(key: "locality", value: .string(address.locality)),
                JSONMember(key: "administrativeArea", value: .string(address.administrativeArea)),
                JSONMember(key: "postalCode", value: .string(address.postalCode)),
                JSONMember(key: "countryCode", value: .string(address.countryCode)),
            ]
        }
        return .object(members)
    }
}

extension ApplePayCheckout {
    /// Converts the basket to an order with goods, coupon, shipping and fee.
    /// - Parameter terms: the terms with the order's identifier; `nil` for an order with the basket's.
    package static func order(of basket: SheetBasket, on terms: BasketTerms? = nil) throws -> Order {
        let zero = Money.zero(basket.currency)
        func line(_ item: SheetItem) -> OrderLine {
            OrderLine(name: item.label, quantity: "1", subtotal: item.amount, total: item.amount, tax: zero)
        }
        let id = try terms?.order ?? OrderID(validating: basket.id)
        let number = terms?.number ?? basket.id
        if case .quoted(let items) = basket.price {
            // The shop has told every line of the price, with what is discount, shipping or tax among them.
            return try Order(
                id: id, number: number, lines: items.map(line), shipping: [], fees: [], total: try basket.total())
        }
        var fees: [OrderCharge] = []
        let discount = try basket.discount()
        if !discount.isZero, let coupon = basket.coupon {
            fees.append(OrderCharge(name: "Coupon \(coupon.code)", total: try discount.negated(), tax: zero))
        }
        if basket.paysByCredit, let fee = basket.creditFee {
            fees.append(OrderCharge(name: "Credit card fee", total: fee, tax: zero))
        }
        return try Order(
            id: id, number: number, lines: basket.lines.map(line),
            shipping: basket.shippingMethod.map { [OrderCharge(name: $0.label, total: $0.amount, tax: zero)] } ?? [],
            fees: fees, total: try basket.total())
    }
}
