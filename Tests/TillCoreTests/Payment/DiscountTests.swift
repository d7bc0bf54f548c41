import Testing
import TillCore

@Suite("A discount at the counter") struct DiscountTests {
    private func eur(_ units: Int64) -> Money { Money(minorUnits: units, currency: .eur) }

    private func refusal(_ amount: Money, _ reason: String = "Scratched", beside charged: Money? = nil) -> String? {
        do throws(DiscountError) {
            _ = try Discount(amount, reason: reason, beside: charged ?? eur(1_100))
            return nil
        } catch { return error.code }
    }

    @Test("is what the customer saves beside the amount charged, which may be less than it")
    func price() throws {
        let discount = try Discount(eur(150), reason: " Scratched\u{7} lid ", beside: eur(1_100))
        #expect(discount.reason == "Scratched lid" && discount.price(charging: eur(1_100)) == eur(1_250))
        #expect(refusal(eur(5_000)) == nil)
    }

    @Test("is refused by name at zero, below zero, in another currency, without a reason and beyond any amount")
    func refusals() {
        #expect(refusal(eur(0)) == "discount_not_above_zero")
        #expect(refusal(eur(-1)) == "discount_not_above_zero")
        #expect(refusal(Money(minorUnits: 150, currency: .chf)) == "discount_other_currency")
        for reason in ["", " ", "\u{7}"] {
            #expect(refusal(eur(150), reason) == "discount_without_reason", "\(reason.debugDescription)")
        }
        #expect(refusal(eur(999_999_998_900)) == "discount_too_large")
        #expect(refusal(eur(999_999_998_899)) == nil)
        #expect(refusal(eur(.max)) == "discount_too_large")
    }

    @Test("goes with a sale of an amount, and with no order that has a price of its own")
    func plain() throws {
        let id = OrderID(rawValue: "o-1")
        #expect(try Order(id: id, amount: eur(1_100), description: "Tea").isPlainAmount)
        let line = OrderLine(name: "Tea", quantity: "1", subtotal: eur(500), total: eur(500), tax: eur(0))
        #expect(try !Order(id: id, number: "1", lines: [line], total: eur(500)).isPlainAmount)
        let fee = OrderCharge(name: "Wrap", total: eur(100), tax: eur(0))
        #expect(try !Order(id: id, number: "1", fees: [fee], subtotal: eur(400), total: eur(500)).isPlainAmount)
    }

    @Test("is known from the creation of its payment on, and changes no amount of it")
    func payment() throws {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: eur(1_100))
        let discount = try Discount(eur(150), reason: "Scratched", beside: order.total)
        let payment = Payment(
            .init(
                payment: PaymentID(rawValue: "pay_1"), account: .main, order: order, captureMode: .automatic,
                discount: discount), at: Timestamp(milliseconds: 0))
        #expect(payment.discount == discount && payment.amount == eur(1_100))
    }
}
