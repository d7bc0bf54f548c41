import Foundation
import Testing
import TillCanvas
import TillCore

@testable import TillReceipts

/// A receipt with the same text in every place that takes text from outside.
private func receipt(of text: String, locale: String = "en_US") -> ReceiptContent {
    var store = StoreDetails(
        name: text, address: text, taxID: text, phone: text, merchantID: text, terminalID: text, region: text)
    store.identifiers = [.init(name: text, value: text)]
    store.closing = [ReceiptText(text)]
    var emv = EMVReceiptData()
    emv.applicationPreferredName = text
    emv.dedicatedFileName = text
    emv.accountType = text
    emv.authorizationCode = text
    emv.authorizationResponseCode = text
    emv.applicationCryptogram = text
    emv.terminalVerificationResults = text
    emv.transactionStatusInformation = text
    emv.cardholderVerificationMethod = text
    var transaction = ReceiptTransaction(.sale, .approved, tender: .reader)
    transaction.take(CardSummary(brand: text, lastFour: text, entryMode: text, emv: emv))
    transaction.network = ReceiptText(text)
    transaction.reader = ReceiptText(text)
    let amount = Money(minorUnits: 1_250, currency: .eur)
    var content = ReceiptContent(
        store: store, locale: Locale(identifier: locale), paymentID: PaymentID(rawValue: "pay_1"), orderNumber: text,
        date: Timestamp(milliseconds: 1_795_253_405_000), verdict: .paid,
        lineItems: [
            ReceiptLineItem(
                name: text, quantity: text, sku: text,
                attributes: [.init(name: text, value: text), .init(name: text, value: text)], amount: amount)
        ],
        summary: [ReceiptSummaryRow(.fee, name: text, amount: amount)], total: amount, transaction: transaction,
        captured: amount, refunded: Money(minorUnits: 0, currency: .eur))
    content.explanation = ReceiptText(text)
    content.refunds = [
        .init(id: RefundID(rawValue: "pay_1-r1"), amount: amount, reason: text, at: content.date, standing: .succeeded)
    ]
    content.original = .init(paymentID: PaymentID(rawValue: "pay_0"), date: content.date)
    content.fiscal = FiscalBlock(lines: [text])
    content.copy = .merchant
    return content
}

/// Every form that is text, and a printer's bytes with what could do harm looked at as text.
private func forms(_ content: ReceiptContent) -> [(name: String, text: String)] {
    let printed = ReceiptRenderer.escpos(ReceiptDocument(content), profile: .wide).bytes
    return [
        ("html", ReceiptRenderer.html(content)), ("text", ReceiptRenderer.text(content)),
        ("narrow text", ReceiptRenderer.text(content, columns: 24)), ("json", content.jsonValue.text),
        ("escpos", String(decoding: printed.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)),
    ]
}

@Suite("Hostile text in every place of a receipt")
struct HostileReceiptTests {
    static let attacks = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onload='alert(1)", "</style><script>",
        "</title><script>", "<!--", "]]>", "&lt;script&gt;", "javascript:alert(1)",
        "\u{1B}@\u{1B}p\u{0}\u{19}\u{19}\u{1D}V\u{0}\u{10}\u{4}\u{1}", "\u{9B}2J\u{9D}0;x\u{7}", "\u{0}\u{7F}\u{85}",
        "\u{202E}drow\u{202C}\u{2066}\u{2067}\u{2068}\u{2069}\u{200F}\u{061C}", "\u{FEFF}\u{2028}\u{2029}\u{AD}",
        "a" + String(repeating: "\u{301}", count: 1_000), String(repeating: "x", count: 10_000),
        String(repeating: "<", count: 10_000), String(repeating: "茶", count: 10_000),
        String(repeating: "👩‍👩‍👧‍👦", count: 3_000), "\u{E0001}\u{E0041}\u{F8FF}", "{{7*7}} %s %n ${jndi:ldap://x}",
    ]

    @Test("does nothing in any form", arguments: attacks)
    func inert(text: String) throws {
        let content = receipt(of: text)
        for form in forms(content) {
            for scalar in form.text.unicodeScalars {
                let category = scalar.properties.generalCategory
                let isOwn = scalar == "\n" || form.name == "escpos" && scalar.value < 0x20 || scalar == "\u{200D}"
                #expect(isOwn || category != .control && category != .format, "\(form.name): \(scalar.value)")
            }
        }
        let page = ReceiptRenderer.html(content).lowercased()
        // What is markup is ours: each tag of the page is one of these, and attributes hold no event and no address.
        let tags = Set(page.matches(of: /<\/?([a-z0-9!-]+)/).map { String($0.1) })
        #expect(
            tags.isSubset(of: [
                "!doctype", "html", "head", "meta", "title", "style", "body", "main", "h1", "p", "section", "table",
                "caption", "thead", "tbody", "tr", "th", "td", "ul", "li", "bdi",
            ]), "\(tags)")
        #expect(page.matches(of: /<[^>]* (on\w+|src|href|style)=/).isEmpty)
        // A printer's byte that is no text belongs to one of the few commands of ours.
        let printed = ReceiptRenderer.escpos(ReceiptDocument(content), profile: .wide).bytes
        var index = 0
        while index < printed.count {
            let next = index + 1 < printed.count ? printed[index + 1] : 0
            switch (printed[index], next) {
            case (0x1B, 0x40): index += 2
            case (0x1B, 0x74), (0x1B, 0x61), (0x1B, 0x45), (0x1B, 0x64), (0x1D, 0x21), (0x1D, 0x56): index += 3
            default:
                #expect(printed[index] >= 0x20 && printed[index] != 0x7F || printed[index] == 0x0A)
                index += 1
            }
        }
    }

    @Test("a heap of marks on one letter does not grow over the lines around it, and what languages write stays")
    func marks() {
        for mark in ["\u{301}", "\u{20DD}", "\u{5B0}", "\u{64B}"] {
            let heap = ReceiptText("a" + String(repeating: mark, count: 1_000) + "b").plain
            #expect(heap == "a" + String(repeating: mark, count: ReceiptText.maximumMarks) + "b")
            let written = "a" + String(repeating: mark, count: ReceiptText.maximumMarks) + "b"
            #expect(ReceiptText(written).plain == written)
        }
    }

    @Test("is drawn and is not too long", arguments: attacks)
    func drawn(text: String) throws {
        guard let canvas = try? Canvas() else { return }
        let document = ReceiptDocument(receipt(of: text, locale: "ar_EG"))
        #expect(try canvas.pdf(document, paper: .roll58).starts(with: Array("%PDF".utf8)))
        #expect(try canvas.height(document, paper: .roll80) < 500_000)
    }

    @Test(
        "shows at most four digits of a card, in every form, whatever its writing",
        arguments: [
            "4242424242424242", String(repeating: "x ", count: 196) + "4242424242424242",
            "card 4242 4242 4242 4242 please", "4242-4242-4242-4242", "4242.4242.4242.4242",
            "4242/4242/4242/4242", "4242 - 4242 - 4242 - 4242", "4242\u{A0}4242\u{A0}4242\u{A0}4242",
            "4242\u{200B}4242\u{200B}4242\u{200B}4242", "42\u{0}42424242424242", "4242_4242_4242_4242",
            "４２４２４２４２４２４２４２４２", "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "४२४२ ४२४२ ४२४२ ४२४२", "378282246310005", "3782 822463 10005",
            "6011000990139424", "5555555555554444", "2223003122003222", "30569309025904", "6200000000000005",
            "%B4242424242424242^A/B^",
            ";4242424242424242=3012",
        ])
    func card(number: String) {
        var content = receipt(of: number)
        // An identifier of the scheme's is no free text: hex of the card's own chip.
        content.transaction.aid = nil
        content.transaction.cryptogram = nil
        content.transaction.terminalVerificationResults = nil
        content.transaction.transactionStatusInformation = nil
        content.store.taxID = nil
        content.store.merchantID = nil
        content.store.terminalID = nil
        content.store.identifiers = []
        content.fiscal = nil
        content.paymentID = PaymentID(rawValue: "pay_1")
        content.original = nil
        content.refunds = []
        for form in forms(content) where form.name != "escpos" {
            let plain = form.text.unicodeScalars.map { scalar -> Character in
                guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else {
                    return Character(scalar)
                }
                return Character("\(Int(value))")
            }
            let digits = String(plain).replacing(/[^0-9a-zA-Z<>*]/, with: "")
            for length in 5...8 {
                let start = number.unicodeScalars.compactMap { scalar -> String? in
                    guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else {
                        return nil
                    }
                    return "\(Int(value))"
                }.joined()
                #expect(!digits.contains(start.prefix(length)), "\(form.name) shows \(start.prefix(length))")
            }
        }
    }

    @Test("what is no card's number is left as it is")
    func others() {
        for text in [
            "Order 1234567890123456", "+353 1 555 0123 4567 8901", "4242 4242 4242 4243", "55123456789012345",
            "2026-11-21 10:30:05",
        ] {
            #expect(ReceiptText(text).plain == text)
        }
    }
}

@Suite("What a shop's acquirer asks for")
struct ShopRequirementTests {
    @Test("is missing in the log and a gap on paper, the shop's own on its copy alone, for cards and for no cash")
    func required() {
        var sale = ReceiptSample.sale.content()
        sale.store.required = [.merchantID, .phone, .aid]
        #expect(sale.missingFields == [])
        sale.store.merchantID = nil
        sale.store.phone = nil
        #expect(sale.missingFields == [.merchantID, .phone])
        #expect(sale.missingFieldsSentence?.contains("merchant_id, phone") == true)
        for copy in [ReceiptCopy.customer, .merchant] {
            sale.copy = copy
            let text = ReceiptRenderer.text(sale)
            #expect(text.contains("Phone [not provided]") == (copy == .merchant))
            #expect(text.matches(of: /Merchant ID +\[not provided\]/).count == 1)
        }
        sale.transaction = ReceiptTransaction(.sale, .approved, tender: .cash)
        #expect(sale.missingFields == [])
    }

    @Test(
        "every row of the table bites: without the field it is missing",
        arguments: [ReceiptSample.sale, .interac, .interacFrench, .eftpos, .amexSignature, .decline])
    func rows(sample: ReceiptSample) {
        let whole = sample.content()
        #expect(whole.missingFields == [])
        var bitten = 0
        for requirement in ReceiptRequirement.all where requirement.applies(to: whole) {
            for field in requirement.fields {
                var part = whole
                // A detail of the shop is a gap on its own copy only.
                part.copy = .merchant
                part.take(away: field)
                #expect(part.missingFields.contains(field), "\(field)")
                #expect(ReceiptRenderer.text(part).contains("["), "\(field)")
                bitten += 1
            }
        }
        #expect(bitten >= 9)
    }

    @Test("a surcharge stands on its own line after the subtotal")
    func surcharge() throws {
        let lines = ReceiptRenderer.text(ReceiptSample.surcharge.content()).split(separator: "\n")
        let subtotal = try #require(lines.firstIndex { $0.hasPrefix("Subtotal") })
        #expect(lines[subtotal + 1].hasPrefix("Surcharge (credit card 2%)") && lines[subtotal + 1].hasSuffix("$2.58"))
    }

    @Test("sums that are wrong by one are refused in every sample", arguments: ReceiptSample.allCases)
    func sums(sample: ReceiptSample) throws {
        var content = sample.content()
        try content.check()
        content.total = try content.total.adding(Money(minorUnits: 1, currency: content.total.currency))
        #expect(throws: ReceiptError.self) { try content.check() }
    }
}

extension ReceiptContent {
    fileprivate mutating func take(away field: ReceiptField) {
        switch field {
        case .storeName: store.name = ReceiptText("")
        case .storeAddress: store.address = []
        case .taxID: store.taxID = nil
        case .phone: store.phone = nil
        case .merchantID: store.merchantID = nil
        case .terminalID: store.terminalID = nil
        case .brand: transaction.brand = nil
        case .lastFour: transaction.lastFour = nil
        case .applicationName: transaction.applicationName = nil
        case .aid: transaction.aid = nil
        case .accountType: transaction.accountType = nil
        case .authorizationCode: transaction.authorizationCode = nil
        case .authorizationResponseCode: transaction.authorizationResponseCode = nil
        case .cryptogram: transaction.cryptogram = nil
        case .tvr: transaction.terminalVerificationResults = nil
        case .tsi: transaction.transactionStatusInformation = nil
        case .verification: transaction.verification = nil
        case .entryMode: transaction.entryMode = nil
        }
    }
}
