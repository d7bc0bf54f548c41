import TillApplePay
import TillCore
import TillWeb

/// A change to an open sheet, reported by the page.
enum SheetChange: Sendable {
    /// A coupon was entered, with its value or the reason that it has none.
    case coupon(String, percent: Int64?, SheetError?)
    /// A coupon was entered that the settings do not have, and the shop prices coupons of its own: it is asked.
    case shopCoupon(String)
    /// A shipping method was chosen.
    case shippingMethod(String)
    /// An address was chosen, redacted by the wallet; its postcode is told where it has no known place.
    case shippingContact(Deliverability, postalCode: String = "")
    /// A card was chosen.
    case paymentMethod(isCredit: Bool)

    /// The maximum size of a coupon code, in bytes.
    static let maximumCodeBytes = 64

    /// The characters of a coupon code that a shop is asked about, beside `A` to `Z` and digits.
    private static let codePunctuation = Set("-_.+%&".utf8)

    /// - Parameter country: the country of a contact that names none.
    init(
        _ body: JSONValue, of entry: ApplePayBaskets.Entry, options: ApplePayOptions, country: String, now: Timestamp
    ) throws {
        switch try body.text("event", atMost: 32) {
        case "couponcode":
            let entered = try body.text("couponCode", atMost: SheetChange.maximumCodeBytes) ?? ""
            let code = entered.uppercased().filter { !$0.isWhitespace }
            guard !code.isEmpty else {
                self = .coupon("", percent: nil, nil)
                return
            }
            guard let coupon = options.coupons[code] else {
                if entry.terms?.quote?.takesCoupons ?? false, SheetChange.canBeAsked(code) {
                    self = .shopCoupon(code)
                    return
                }
                self = .coupon(code, percent: nil, SheetError(.couponCodeInvalid, nil, "We do not know this coupon."))
                return
            }
            guard now < coupon.until else {
                self = .coupon(code, percent: nil, SheetError(.couponCodeExpired, nil, "This coupon has expired."))
                return
            }
            self = .coupon(code, percent: coupon.percent, nil)
        case "shippingmethod":
            guard let name = try body.text("identifier", atMost: 64) else {
                throw Problem.field("identifier", "It is missing.")
            }
            self = .shippingMethod(name)
        case "shippingcontact":
            let contact = RedactedContact(json: body["shippingContact"] ?? .null)
            let answer = entry.delivers(
                to: contact.postalCode, country: contact.countryCode.isEmpty ? country : contact.countryCode,
                otherwise: options)
            self = .shippingContact(answer, postalCode: contact.postalCode)
        case "paymentmethod":
            self = .paymentMethod(isCredit: body["paymentMethod"]?["type"] == .string("credit"))
        default:
            throw Problem.field("event", "It must be couponcode, shippingmethod, shippingcontact or paymentmethod.")
        }
    }

    /// Returns `true` for a code that can be a shop's: of the characters of coupons alone, so that a shop's server is
    /// asked nothing else that was typed into the sheet.
    private static func canBeAsked(_ code: String) -> Bool {
        code.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || codePunctuation.contains(byte)
        }
    }

    /// `true` for a change whose update has a place for errors. Apple's updates for a method have none.
    var takesErrors: Bool {
        switch self {
        case .coupon, .shopCoupon, .shippingContact: true
        case .shippingMethod, .paymentMethod: false
        }
    }

    /// Returns `true` if the update of this change has the shipping methods.
    /// - Parameters:
    ///   - basket: the basket after the change.
    ///   - former: the basket before it.
    func takesMethods(of basket: SheetBasket, before former: SheetBasket) -> Bool {
        switch self {
        case .shippingContact: true
        case .coupon, .shopCoupon: basket.shippingMethods != former.shippingMethods
        case .shippingMethod, .paymentMethod: false
        }
    }

    /// Applies the change and returns the customer's errors.
    @Sendable func apply(_ basket: inout SheetBasket) -> [SheetError] {
        switch self {
        case .coupon(let code, let percent, let error):
            guard let percent, let goods = try? basket.goods() else {
                basket.apply(nil)
                return error.map { [$0] } ?? []
            }
            // Rounded down to the minor unit: a coupon never takes off more than its percentage.
            let (product, overflow) = goods.minorUnits.multipliedReportingOverflow(by: percent)
            guard !overflow else { return [SheetError(.unknown, nil, "This coupon cannot be used here.")] }
            let discount = Money(minorUnits: product / 100, currency: basket.currency)
            var reduced = basket
            reduced.apply(SheetBasket.Coupon(code: code, discount: discount))
            // Refused now, in the sheet, and not after the customer has authorized.
            guard reduced.variants.allSatisfy(SheetChange.leavesAmount) else {
                basket.apply(nil)
                return [SheetError(.couponCodeInvalid, nil, "With this coupon nothing would be left to pay here.")]
            }
            basket = reduced
            return []
        case .shopCoupon(let code):
            // What it takes off is among the lines of the price that the shop tells.
            basket.apply(SheetBasket.Coupon(code: code, discount: .zero(basket.currency)))
            return []
        case .shippingMethod(let name):
            var chosen = basket
            guard chosen.choose(shippingMethod: name), SheetChange.leavesAmount(chosen) else {
                return [SheetError(.unknown, nil, "This delivery method is not offered.")]
            }
            basket = chosen
            return []
        case .shippingContact(let answer, let postalCode):
            guard basket.service == .delivery else { return [] }
            return answer.refusal(of: postalCode, isComplete: false).map { [$0] } ?? []
        case .paymentMethod(let isCredit):
            basket.pay(byCredit: isCredit)
            return []
        }
    }

    /// Returns `true` if there is something to pay: an order of nothing is no order.
    private static func leavesAmount(_ basket: SheetBasket) -> Bool {
        do { return try basket.total().isPositive } catch { return false }
    }
}
