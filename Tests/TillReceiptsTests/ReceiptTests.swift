import Crypto
import Foundation
import Testing
import TillCore

@testable import TillReceipts

private let hostile = "<script>alert(1)</script>\u{1B}[2J\u{7}\u{202E}\u{2066}\"'&"

private struct Sale {
    var payment: Payment
    let attempt = AttemptID(rawValue: "pay_1-a1")
    let start = Timestamp(milliseconds: 1_795_253_405_000)  // 2026-11-21T09:30:05Z

    init(_ order: Order, mode: CaptureMode = .automatic, discount: Discount? = nil) {
        payment = Payment(
            .init(
                payment: PaymentID(rawValue: "pay_1"), account: .main, order: order, captureMode: mode,
                discount: discount), at: start)
    }

    init(_ minor: Int64, _ currency: Currency, mode: CaptureMode = .automatic) throws {
        self.init(
            try Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: minor, currency: currency)), mode: mode)
    }

    mutating func happens(_ events: PaymentEvent...) {
        for event in events { payment.evolve(RecordedEvent(event, at: start)) }
    }

    mutating func present(_ card: CardSummary? = CardSummary(brand: "visa", lastFour: "4242", entryMode: "contact_emv"))
    {
        happens(
            .attemptStarted(
                .init(
                    attempt: attempt, provider: .sandbox, tender: TenderSummary(kind: .reader, card: card),
                    amount: payment.amount)))
    }

    mutating func authorize(_ card: CardSummary? = nil, captured: Bool = true) {
        present()
        let reference = ProviderReference(rawValue: "sb_1")
        happens(
            .authorized(
                attempt,
                Authorization(reference: reference, amount: payment.amount, isCaptured: captured, card: card)))
    }

    func receipt(_ locale: String = "en_US", store: StoreDetails = StoreDetails(name: "Tea & Co")) -> ReceiptContent {
        ReceiptContent(payment: payment, store: store, locale: Locale(identifier: locale))
    }
}

private func eur(_ minor: Int64) -> Money { Money(minorUnits: minor, currency: .eur) }

private func fullOrder(name: String = "Teapot", attribute: String = "Orange") throws -> Order {
    try Order(
        id: OrderID(rawValue: "o-9"), number: "1009",
        lines: [
            OrderLine(
                name: name, quantity: "2", sku: "T-1", attributes: [OrderAttribute(name: "Color", value: attribute)],
                subtotal: eur(4_000), total: eur(3_500), tax: eur(665)),
            OrderLine(name: "Cup", quantity: "1.5", subtotal: eur(999), total: eur(999), tax: eur(190)),
        ],
        shipping: [OrderCharge(name: "Parcel", total: eur(490), tax: eur(93))],
        fees: [OrderCharge(name: "Gift wrap", total: eur(200), tax: eur(38))],
        coupons: [OrderCoupon(code: "SAVE5", discount: eur(500))],
        giftCards: [OrderGiftCard(lastFour: "9X7Z", amount: eur(1_000))],
        taxes: [OrderTax(label: "VAT 19%", total: eur(986))], rounding: eur(1), total: eur(5_176))
}

/// The columns a terminal gives a text, counted independently of the code under test.
private func columns(_ line: Substring) -> Int {
    line.unicodeScalars.reduce(0) { sum, scalar in
        switch scalar.value {
        case 0x300...0x36F, 0x200D: sum
        case 0x2E80...0x9FFF, 0xAC00...0xD7A3, 0xFF00...0xFF60, 0x1F300...0x1FAFF: sum + 2
        default: sum + 1
        }
    }
}

@Suite("What a receipt says")
struct ReceiptContentTests {
    @Test("what a dispute has taken back stands under the total, in every language, and goes when it comes back")
    func disputed() throws {
        var sale = try Sale(1250, .eur)
        sale.authorize()
        let plain = sale.receipt()
        #expect(plain.movements.isEmpty)
        let reference = ProviderReference(rawValue: "dp_1")
        let facts = Dispute.Facts(reference: reference, reason: "fraud", stage: "open", amount: eur(500))
        sale.happens(.disputeOpened(sale.attempt, facts), .disputeFundsWithdrawn(reference, eur(500)))
        for locale in ["en_US", "de_DE", "fr_FR", "es_ES", "it_IT", "pl_PL", "ja_JP", "he_IL", "ar_EG"] {
            let receipt = sale.receipt(locale)
            #expect(receipt.movements.map(\.amount) == [eur(1250), eur(500)])
            let label = ReceiptLabels(Locale(identifier: locale))[.disputedAmount].plain
            #expect(ReceiptRenderer.text(receipt, columns: 80).contains(label), "\(locale)")
        }
        sale.happens(.disputeFundsReinstated(reference, eur(500)), .disputeClosed(reference, .won))
        #expect(sale.receipt().movements.isEmpty)
    }

    @Test("of a sale that nobody numbered has no order, in no form, and the payment's end in its title")
    func unnumbered() throws {
        let names = [
            "sale-3fa9c1d2e4b5a6978899aabb", "sale-abcd4242424242424242abcd", "sale-01kaj3x5ay8q2r7v9c4d6e0fgh",
            "pay_1",
        ]
        for made in names {
            var sale = Sale(try Order(id: OrderID(rawValue: made), amount: eur(1_250)))
            sale.authorize()
            let receipt = sale.receipt()
            let document = ReceiptDocument(receipt)
            #expect(document.title.plain == "Receipt pay_1 – Tea & Co")
            let printed = String(decoding: ReceiptRenderer.escpos(document, profile: .wide).bytes, as: UTF8.self)
            for form in [ReceiptRenderer.text(receipt), ReceiptRenderer.html(receipt), printed] {
                #expect(!form.contains("sale-") && !form.contains("Order") && form.contains("pay_1"), "\(form)")
                #expect(!form.contains("Address"), "\(form)")
            }
            #expect(receipt.jsonValue["order_number"]?.stringValue == ReceiptText(made).plain)
            #expect(receipt.missingFields.contains(.storeAddress))
        }
    }

    @Test("has a shop's own order number, also one like a made-up one", arguments: ["sale-1001", "S-4K7QZ2", "1009"])
    func numbered(number: String) throws {
        var sale = Sale(try Order(id: OrderID(rawValue: number), amount: eur(1_250)))
        sale.authorize()
        let receipt = sale.receipt()
        #expect(ReceiptDocument(receipt).title.plain == "Receipt \(number) – Tea & Co")
        let rows = ReceiptRenderer.text(receipt).split(separator: "\n").filter { $0.hasPrefix("Order") }
        #expect(rows.count == 1 && rows.allSatisfy { $0.hasSuffix(number) }, "\(rows)")
    }

    @Test("a refund that came to nothing later is not shown as refunded") func reversedRefund() throws {
        var sale = try Sale(1250, .eur)
        sale.authorize()
        let refund = RefundID(rawValue: "pay_1-r1")
        sale.happens(.refundStarted(refund, sale.attempt, eur(500), reason: nil), .refunded(refund, nil))
        #expect(sale.receipt().refunded == eur(500))
        sale.happens(.refundReversed(refund, Decline(reason: .generic, code: "lost")))
        let receipt = sale.receipt()
        #expect(receipt.refunded.isZero && receipt.refunds.map(\.standing) == [.failed])
        #expect(ReceiptRenderer.text(receipt, columns: 80).contains("Refund failed, not refunded"))
    }

    @Test("the rows, as printed, add up to the total")
    func sums() throws {
        var sale = Sale(try fullOrder())
        sale.authorize()
        let receipt = sale.receipt()
        #expect(receipt.lineItems.reduce(0) { $0 + $1.amount.minorUnits } == 4_999)
        #expect(receipt.summary.reduce(0) { $0 + $1.amount.minorUnits } == 5_176)
        #expect(
            receipt.summary.map(\.kind)
                == [.subtotal, .discount, .shipping, .fee, .tax, .giftCard, .rounding])
        let text = ReceiptRenderer.text(receipt)
        for row in ["Discount (SAVE5)", "-€5.00", "Gift card ****9X7Z", "-€10.00", "Rounding", "€0.01", "€51.76"] {
            #expect(text.contains(row), "\(row) is missing:\n\(text)")
        }
    }

    @Test("a discount at the counter is a row with its reason, under the price before it")
    func discount() throws {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: eur(1_100), description: "Teapot")
        var sale = Sale(order, discount: try Discount(eur(150), reason: "Scratched", beside: eur(1_100)))
        sale.authorize()
        let receipt = sale.receipt()
        try receipt.check()
        #expect(receipt.lineItems.map(\.amount) == [eur(1_250)] && receipt.total == eur(1_100))
        #expect(receipt.summary.map(\.kind) == [.subtotal, .discount])
        #expect(receipt.summary.map(\.amount) == [eur(1_250), eur(-150)])
        #expect(receipt.summary.last?.label.plain == "Discount (Scratched)")
        let text = ReceiptRenderer.text(receipt)
        #expect(text.contains("Discount (Scratched)") && text.contains("Teapot"))
        var plain = Sale(order)
        plain.authorize()
        #expect(plain.receipt().summary.map(\.kind) == [.subtotal])
    }

    @Test("taxes by name that do not make the tax are replaced by the tax")
    func taxes() throws {
        let line = OrderLine(name: "Tea", quantity: "1", subtotal: eur(100), total: eur(100), tax: eur(19))
        let order = try Order(
            id: OrderID(rawValue: "1"), number: "1", lines: [line], taxes: [OrderTax(label: "VAT", total: eur(18))],
            total: eur(119))
        let rows = Sale(order).receipt().summary
        #expect(rows.last?.label.plain == "Tax")
        #expect(rows.last?.amount == eur(19))
    }

    @Test("yen have no decimal places and dinars three")
    func currencies() throws {
        var yen = try Sale(1_250, .jpy)
        yen.authorize()
        #expect(ReceiptRenderer.text(yen.receipt()).contains("¥1,250\n"))
        var dinar = try Sale(1_250, .kwd)
        dinar.authorize()
        #expect(ReceiptRenderer.text(dinar.receipt()).contains("1.250\n"))
        #expect(dinar.receipt().jsonValue["total"]?.int64Value == 1_250)
        #expect(ReceiptRenderer.html(yen.receipt("de_DE")).contains("1.250"))
    }

    @Test("a chip sale shows what the chip said, and nothing that it did not say")
    func chip() throws {
        var emv = EMVReceiptData()
        emv.applicationPreferredName = "Visa Credit"
        emv.dedicatedFileName = "A0000000031010"
        emv.authorizationCode = "123456"
        emv.authorizationResponseCode = "3030"
        emv.applicationCryptogram = "F29A1B"
        emv.terminalVerificationResults = "8000008000"
        emv.transactionStatusInformation = "6800"
        emv.cardholderVerificationMethod = "online_pin"
        var sale = try Sale(1_250, .eur)
        sale.authorize(CardSummary(brand: "visa", lastFour: "4242", entryMode: "contact_emv", emv: emv))
        let store = StoreDetails(
            name: "Tea", address: "Road 1\nTown", taxID: "DE1", timeZone: TimeZone(secondsFromGMT: 3_600) ?? .gmt)
        let text = ReceiptRenderer.text(sale.receipt(store: store))
        for fact in [
            "Visa **** 4242", "Chip", "Visa Credit", "A0000000031010", "123456", "3030", "F29A1B", "8000008000", "6800",
            "PIN (online)", "2026-11-21 10:30:05 +01:00", "Sale", "Approved", "PAID", "Road 1", "DE1", "pay_1", "o-1",
        ] { #expect(text.contains(fact), "\(fact) is missing:\n\(text)") }
        #expect(!text.contains("Account"))
        #expect(sale.receipt().jsonValue["transaction"]?["tvr"]?.stringValue == "8000008000")
        #expect(sale.receipt().jsonValue["transaction"]?["account_type"] == .null)
    }
}

@Suite("Whether a receipt says paid")
struct ReceiptVerdictTests {
    @Test("a declined card is not paid, in both forms")
    func declined() throws {
        var sale = try Sale(1_250, .eur)
        sale.present()
        sale.happens(.attemptDeclined(sale.attempt, Decline(reason: .fraud, message: "stolen card")))
        let receipt = sale.receipt()
        #expect(receipt.transaction.outcome == .declined)
        for text in [ReceiptRenderer.text(receipt), ReceiptRenderer.html(receipt)] {
            #expect(text.contains("NOT PAID"))
            #expect(text.contains("Nothing was charged."))
            #expect(!text.contains("stolen"))
            #expect(!text.contains("Paid with"))
        }
    }

    @Test("while nobody knows, it says not to pay again")
    func unknown() throws {
        var sale = try Sale(1_250, .eur)
        sale.present()
        #expect(ReceiptRenderer.text(sale.receipt()).contains("NOT CONFIRMED YET — do not pay again"))
        sale.happens(.outcomeUnknown(.attempt(sale.attempt), nextCheck: sale.start, reason: .unclear("timeout")))
        let receipt = sale.receipt()
        #expect(receipt.verdict == .notConfirmed)
        #expect(receipt.transaction.outcome == .pending)
        #expect(ReceiptRenderer.html(receipt).contains("NOT CONFIRMED YET — do not pay again"))
        sale.happens(.canceled)
        #expect(sale.receipt().verdict == .notConfirmed)
    }

    @Test("held money is not paid; a hold let go is a void")
    func held() throws {
        var sale = try Sale(1_250, .eur, mode: .manual)
        sale.authorize(captured: false)
        #expect(sale.receipt().verdict == .held)
        #expect(sale.receipt().transaction.kind == .authorization)
        #expect(ReceiptRenderer.text(sale.receipt()).contains("NOT PAID YET"))
        sale.happens(.voidStarted(sale.attempt, reason: .canceled("x")), .voided(sale.attempt), .canceled)
        #expect(sale.receipt().transaction.kind == .void)
        #expect(sale.receipt().verdict == .notPaid)
    }

    @Test("of a hold captured in part, what is left is not charged once it is let go, and not before")
    func rest() throws {
        var sale = try Sale(5_000, .eur, mode: .manual)
        sale.authorize(captured: false)
        let capture = CaptureID(rawValue: "pay_1-c1")
        sale.happens(.captureStarted(capture, sale.attempt, eur(3_000), isFinal: false), .captured(capture, nil))
        #expect(sale.receipt().verdict == .partlyPaid)
        #expect(!ReceiptRenderer.text(sale.receipt()).contains("Not charged"))
        sale.happens(.voidStarted(sale.attempt, reason: .canceled("x")))
        #expect(!ReceiptRenderer.text(sale.receipt()).contains("Not charged"))
        sale.happens(.voided(sale.attempt))
        #expect(sale.receipt().verdict == .paid)
        let lines = ReceiptRenderer.text(sale.receipt()).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("Taken ") && $0.hasSuffix(" €30.00") })
        #expect(lines.contains { $0.hasPrefix("Not charged ") && $0.hasSuffix(" €20.00") })
    }

    @Test("of a hold with a tip captured in part, the tip is what was added, and all that is let go is not charged")
    func restWithTip() throws {
        for part in [Int64(300), 3_000, 5_200] {
            var sale = try Sale(5_000, .eur, mode: .manual)
            sale.present()
            let hold = Authorization(
                reference: ProviderReference(rawValue: "sb_1"), amount: eur(5_500), tip: eur(500))
            let capture = CaptureID(rawValue: "pay_1-c1")
            sale.happens(
                .authorized(sale.attempt, hold), .captureStarted(capture, sale.attempt, eur(part), isFinal: false),
                .captured(capture, nil))
            #expect(sale.receipt().verdict == .partlyPaid)
            sale.happens(.voidStarted(sale.attempt, reason: .canceled("x")), .voided(sale.attempt))
            let receipt = sale.receipt()
            try receipt.check()
            #expect(receipt.verdict == .paid && receipt.transaction.outcome == .approved)
            #expect(receipt.transaction.approvedAmount == nil && receipt.total == eur(5_500))
            #expect(receipt.summary.last == ReceiptSummaryRow(.tip, amount: eur(500)))
            #expect(receipt.movements.map { $0.label } == [.taken, .notCharged])
            #expect(receipt.movements.map { $0.amount } == [eur(part), eur(5_500 - part)])
        }
    }

    @Test("what the bank approved a part of is partly paid, and the rest is still owed")
    func approvedPartly() throws {
        var sale = try Sale(5_000, .eur)
        sale.present()
        sale.happens(
            .authorized(
                sale.attempt,
                Authorization(reference: ProviderReference(rawValue: "sb_1"), amount: eur(3_000), isCaptured: true)))
        let receipt = sale.receipt()
        #expect(receipt.verdict == .partlyPaid)
        #expect(receipt.transaction.outcome == .partial)
        #expect(!ReceiptRenderer.text(receipt).contains("Not charged"))
        #expect(ReceiptRenderer.text(receipt).contains("Approved amount"))
    }

    @Test("refunds are listed; one that is under way is not called refunded")
    func refunds() throws {
        var sale = try Sale(1_250, .eur)
        sale.authorize()
        let one = RefundID(rawValue: "pay_1-r1")
        let two = RefundID(rawValue: "pay_1-r2")
        sale.happens(.refundStarted(one, sale.attempt, eur(250), reason: "broken"), .refunded(one, nil))
        #expect(sale.receipt().verdict == .partlyRefunded)
        sale.happens(.refundStarted(two, sale.attempt, eur(1_000), reason: nil))
        #expect(sale.receipt().verdict == .partlyRefunded)
        #expect(ReceiptRenderer.text(sale.receipt()).contains("Refund, not confirmed yet"))
        sale.happens(.refunded(two, nil))
        let receipt = sale.receipt()
        #expect(receipt.verdict == .refunded)
        #expect(receipt.transaction.kind == .sale)
        #expect(receipt.refunded == eur(1_250))
        #expect(receipt.refunds.map(\.amount) == [eur(250), eur(1_000)])
        #expect(ReceiptRenderer.html(receipt).contains("broken"))
    }
}

@Suite("How a receipt is written")
struct ReceiptRendererTests {
    @Test("text of the shop, a line and an attribute can do nothing")
    func hostileText() throws {
        var sale = Sale(try fullOrder(name: hostile, attribute: hostile))
        sale.authorize()
        let receipt = sale.receipt(store: StoreDetails(name: hostile, address: hostile, taxID: hostile))
        let html = ReceiptRenderer.html(receipt)
        #expect(!html.lowercased().contains("<script"))
        #expect(html.contains("<bdi>&lt;script&gt;alert(1)&lt;/script&gt;[2J&quot;&#39;&amp;</bdi>"))
        let text = ReceiptRenderer.text(receipt)
        for page in [html, text, receipt.jsonValue.text] {
            let bad = page.unicodeScalars.filter {
                $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
            }
            #expect(bad.isEmpty)
        }
    }

    @Test(
        "no line is wider than the paper",
        arguments: [
            "Teapot", String(repeating: "very long name ", count: 12), String(repeating: "x", count: 130),
            String(repeating: "茶碗蒸し", count: 20), "👩‍👩‍👧‍👦 family 👩‍👩‍👧‍👦", "e\u{301}\u{301}\u{301}te\u{301}",
        ], [24, 32, 48])
    func width(name: String, width: Int) throws {
        var sale = Sale(try fullOrder(name: name, attribute: name))
        sale.authorize()
        let store = StoreDetails(name: name, address: name, taxID: name)
        for locale in ["en_US", "de_DE", "ar_EG", "ja_JP"] {
            let text = ReceiptRenderer.text(sale.receipt(locale, store: store), columns: width)
            for line in text.split(separator: "\n") { #expect(columns(line) <= width, "\(columns(line)): \(line)") }
        }
    }

    @Test("amounts stand flush at the right edge")
    func alignment() throws {
        var sale = Sale(try fullOrder())
        sale.authorize()
        let lines = ReceiptRenderer.text(sale.receipt()).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("2 x Teapot ") && $0.hasSuffix(" €40.00") && $0.count == 48 })
        #expect(lines.contains { $0.hasPrefix("TOTAL ") && $0.hasSuffix(" €51.76") && $0.count == 48 })
    }

    @Test("the largest amount there is fits")
    func largest() throws {
        var sale = try Sale(999_999_999_999, .eur)
        sale.authorize()
        for line in ReceiptRenderer.text(sale.receipt(), columns: 1).split(separator: "\n") {
            #expect(line.count <= 24)
        }
    }

    @Test("the page is complete, and its policy allows its style and nothing else")
    func page() throws {
        let html = ReceiptRenderer.html(Sale(try fullOrder()).receipt())
        #expect(html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        #expect(html.contains("<title>Receipt 1009 – Tea &amp; Co</title>"))
        #expect(html.contains("<th scope=\"row\">") && html.contains("<th scope=\"col\">"))
        #expect(!html.contains("style=") && !html.contains("href") && !html.contains("src="))
        let style = try #require(html.firstMatch(of: /<style>([\s\S]*)<\/style>/)).1
        let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
        #expect(ReceiptRenderer.contentSecurityPolicy.contains("style-src 'sha256-\(hash)'"))
    }
}
