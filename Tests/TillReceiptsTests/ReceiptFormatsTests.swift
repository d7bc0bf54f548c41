import Foundation
import Testing
import TillCanvas
import TillCore

@testable import TillReceipts

private let hostile =
    "<script>alert('1')</script>\u{1B}@\u{1D}V\u{0}\u{1B}p0\u{202E}\u{2066}\u{200F}\"&"
    + String(repeating: "x", count: 10_000)

private func money(_ minor: Int64, _ currency: Currency = .eur) -> Money {
    Money(minorUnits: minor, currency: currency)
}

/// A chip sale with everything that a scheme asks for.
private func chipSale(
    _ locale: String = "en_US", brand: String = "visa", store: StoreDetails? = nil, currency: Currency = .eur
) -> ReceiptContent {
    var transaction = ReceiptTransaction(.sale, .approved, tender: .reader)
    var emv = EMVReceiptData()
    emv.applicationPreferredName = "Visa Credit"
    emv.dedicatedFileName = "A0000000031010"
    emv.authorizationCode = "123456"
    emv.authorizationResponseCode = "3030"
    emv.applicationCryptogram = "F29A1B0C22334455"
    emv.terminalVerificationResults = "8000008000"
    emv.transactionStatusInformation = "E800"
    emv.cardholderVerificationMethod = "signature"
    emv.accountType = "checking"
    transaction.take(CardSummary(brand: brand, lastFour: "4242", entryMode: "contact_emv", emv: emv))
    transaction.cryptogramType = .tc
    return ReceiptContent(
        store: store ?? StoreDetails(name: "Tea & Co", address: "Road 1\nTown", terminalID: "T1", region: "CA"),
        locale: Locale(identifier: locale), paymentID: PaymentID(rawValue: "pay_1"), orderNumber: "1009",
        date: Timestamp(milliseconds: 1_795_253_405_000), verdict: .paid,
        lineItems: [ReceiptLineItem(name: "Teapot", quantity: "2", amount: money(4_000, currency))],
        summary: [
            ReceiptSummaryRow(.subtotal, amount: money(4_000, currency)),
            ReceiptSummaryRow(.surcharge, amount: money(60, currency)),
            ReceiptSummaryRow(.tip, amount: money(500, currency)),
        ], total: money(4_560, currency), transaction: transaction, captured: money(4_560, currency),
        refunded: money(0, currency))
}

@Suite("What a receipt must hold")
struct ReceiptRequirementTests {
    @Test("a complete chip sale lacks nothing")
    func complete() throws {
        for brand in ["visa", "interac", "eftpos_au", "amex"] { #expect(chipSale(brand: brand).missingFields == []) }
        try chipSale().check()
    }

    @Test("a required field that nobody gave is an error for the log and a gap that is seen")
    func gap() {
        var sale = chipSale(brand: "interac")
        sale.transaction.aid = nil
        sale.transaction.accountType = nil
        sale.store.terminalID = nil
        #expect(sale.missingFields == [.aid, .accountType, .terminalID])
        #expect(sale.missingFieldsSentence?.contains("aid, account_type, terminal_id") == true)
        #expect(ReceiptRenderer.text(sale).matches(of: /AID +\[not provided\]/).count == 1)
        #expect(ReceiptRenderer.html(sale).contains("class=\"gap\""))
    }

    @Test("a decline shows why, needs no authorization code, and is not called paid")
    func decline() {
        var sale = chipSale()
        sale.transaction.outcome = .declined
        sale.transaction.cryptogramType = .aac
        sale.transaction.authorizationCode = nil
        sale.verdict = .notPaid
        sale.captured = money(0)
        #expect(sale.missingFields == [])
        let text = ReceiptRenderer.text(sale)
        #expect(text.contains("NOT PAID") && text.contains("AAC F29A1B0C22334455") && !text.contains("Paid with"))
    }

    @Test("parts that do not make the total, two currencies and nothing at all are refused")
    func sums() {
        var sale = chipSale()
        sale.total = money(4_561)
        #expect(throws: ReceiptError.doesNotAddUp(expected: money(4_561), found: money(4_560))) { try sale.check() }
        sale = chipSale()
        sale.captured = money(1, .jpy)
        #expect(throws: ReceiptError.mixedCurrencies) { try sale.check() }
        sale.lineItems = []
        sale.summary = []
        #expect(throws: ReceiptError.nothingSold) { try sale.check() }
    }

    @Test("only the merchant's copy has a line to sign on, and only if the card asks for it")
    func signature() {
        var sale = chipSale()
        #expect(!ReceiptRenderer.text(sale).contains("signature"))
        sale.copy = .merchant
        sale.isReprint = true
        let text = ReceiptRenderer.text(sale)
        #expect(text.contains("Customer’s signature") && text.contains("MERCHANT COPY") && text.contains("REPRINT"))
        sale.transaction.verification = .onlinePIN
        #expect(!ReceiptRenderer.text(sale).contains("Customer’s signature"))
    }

    @Test(
        "a card's number in a shop's text leaves its last four digits",
        arguments: [
            "4242424242424242", "card 4242 4242 4242 4242 please", "5555-5555-5555-4444", "378282246310005",
        ])
    func cardNumber(text: String) {
        let shown = ReceiptText(text).plain
        #expect(shown.matches(of: /[0-9]/).count == 4)
        #expect(ReceiptText("Order 1234567890123456").plain == "Order 1234567890123456")
    }

    @Test("the last four cannot be more than four")
    func lastFour() {
        #expect(LastFour("4242424242424242")?.digits == "4242")
        #expect(LastFour("none") == nil)
    }
}

@Suite("Languages of receipts")
struct ReceiptLanguageTests {
    @Test(
        "every language has every word",
        arguments: [
            ReceiptLabels.englishWords, ReceiptLabels.germanWords, ReceiptLabels.frenchWords,
            ReceiptLabels.spanishWords,
            ReceiptLabels.italianWords, ReceiptLabels.polishWords, ReceiptLabels.japaneseWords,
            ReceiptLabels.arabicWords,
            ReceiptLabels.hebrewWords,
        ])
    func complete(words: [ReceiptLabel: String]) {
        #expect(words.count == ReceiptLabel.allCases.count)
        #expect(words.values.allSatisfy { !$0.isEmpty })
    }

    @Test("amounts are written as the system writes them, to the last digit")
    func amounts() throws {
        for identifier in ["en_US", "de_DE", "fr_CA", "es_ES", "it_IT", "pl_PL", "ja_JP", "ar_EG", "he_IL", "en_IN"] {
            let locale = Locale(identifier: identifier)
            for currency in [Currency.eur, .jpy, .kwd] {
                for minor: Int64 in [
                    0, 5, -5, 123, 1_234, 12_345, 123_456, -1_234_567, 987_654_321_012, .max, .min + 1,
                ] {
                    let amount = money(minor, currency)
                    #expect(MoneyWords.of(locale, currency).text(amount) == amount.formatted(locale: locale))
                }
            }
        }
    }

    @Test("the page says its language and direction")
    func tags() {
        #expect(ReceiptRenderer.html(chipSale("fr_CA")).contains("<html lang=\"fr-CA\">"))
        #expect(ReceiptRenderer.html(chipSale("ar_EG")).contains("<html lang=\"ar\" dir=\"rtl\">"))
        #expect(ReceiptRenderer.html(chipSale("he-IL")).contains("dir=\"rtl\""))
        #expect(ReceiptRenderer.text(chipSale("de_DE")).contains("21.11.2026 09:30:05 +00:00"))
        #expect(ReceiptRenderer.text(chipSale("xx_XX")).contains("PAID"))
    }
}

@Suite("Printers' bytes")
struct ESCPOSTests {
    private func bytes(_ content: ReceiptContent, _ profile: ESCPOSProfile = .wide) -> ESCPOSReceipt {
        ReceiptRenderer.escpos(ReceiptDocument(content), profile: profile)
    }

    @Test("each line goes in a code page that has all of it")
    func pages() throws {
        #expect(CodePage.cp858.encode("é€") == [0x82, 0xD5])
        #expect(CodePage.cp437.encode("€") == nil)
        #expect(CodePage.cp852.encode("ż") == [0xBE])
        #expect(CodePage.cp866.encode("Ж") == [0x86])
        let receipt = bytes(chipSale("pl_PL"))
        #expect(receipt.damagedLines == 0)
        #expect(receipt.bytes.starts(with: [0x1B, 0x40, 0x1B, 0x74, 0x00]))
        #expect(receipt.bytes.suffix(6) == [0x1B, 0x64, 0x06, 0x1D, 0x56, 0x01])
    }

    @Test("what a printer has no letters for and nobody draws is counted, never lost in silence")
    func damaged() { #expect(bytes(chipSale("ja_JP")).damagedLines > 5) }

    @Test("no byte of a text is a command, and no receipt opens the drawer")
    func inert() throws {
        var sale = chipSale(store: StoreDetails(name: hostile, address: hostile))
        sale.lineItems = [ReceiptLineItem(name: hostile, amount: money(4_000))]
        let printed = bytes(sale).bytes
        var index = 0
        // Walks over all commands that the writer knows; anything else below 0x20 is a failure.
        while index < printed.count {
            switch printed[index] {
            case 0x1B:
                let command = try #require(index + 1 < printed.count ? printed[index + 1] : nil)
                #expect([0x40, 0x74, 0x61, 0x45, 0x64].contains(command))
                index += command == 0x40 ? 2 : 3
            case 0x1D:
                let command = try #require(index + 1 < printed.count ? printed[index + 1] : nil)
                #expect([0x21, 0x56].contains(command))
                index += 3
            case 0x0A: index += 1
            default:
                #expect(printed[index] >= 0x20)
                index += 1
            }
        }
    }
}

@Suite("Receipts as pictures")
struct CanvasTests {
    @Test("a longer receipt is a longer paper, and PDF, dots and the asked height agree")
    func height() throws {
        guard let canvas = try? Canvas() else { return }
        let short = ReceiptDocument(chipSale())
        var sale = chipSale()
        sale.lineItems = (0..<200).map { ReceiptLineItem(name: "Line \($0)", amount: money(20)) }
        let long = ReceiptDocument(sale)
        #expect(try canvas.height(long, paper: .roll80) > canvas.height(short, paper: .roll80) * 4)
        let pdf = String(decoding: try canvas.pdf(short), as: UTF8.self)
        let box = try #require(pdf.firstMatch(of: /MediaBox \[ 0 0 [0-9.]+ ([0-9.]+) ?\]/))
        let points = try #require(Int(box.1.prefix { $0 != "." }))
        let asked = try canvas.height(short, paper: .roll80)
        #expect(abs(asked - points * 2_540 / 72) <= 100)
        #expect(try canvas.dots(short, width: 576).width == 576)
    }

    @Test("lines in scripts that no code page has are drawn")
    func lines() throws {
        guard let canvas = try? Canvas() else { return }
        for locale in ["ar_EG", "ja_JP", "he_IL"] {
            let receipt = ReceiptRenderer.escpos(
                ReceiptDocument(chipSale(locale)), profile: .narrow, rasterizer: CanvasLines(canvas))
            #expect(receipt.damagedLines == 0)
            #expect(receipt.drawnLines > 5)
        }
    }

    @Test("a text is kept apart in the direction of its first letter, numbers without one from left to right")
    func isolation() {
        for (text, isTurned) in [
            ("Tea", false), ("شاي", true), ("12 شارع", true), ("חלבה (XL)", true), ("XL חלבה", false),
            ("+971 4 555 0198", false), ("٤٠٫٠٠", false), ("", false), ("茶", false), ("(5%) ضريبة", true),
        ] {
            let marks = isTurned ? ("\u{2067}\u{200F}", "\u{2069}") : ("\u{2066}\u{200E}", "\u{2069}")
            #expect(IsolatedText.of(text).unicodeScalars.elementsEqual("\(marks.0)\(text)\(marks.1)".unicodeScalars))
            #expect(IsolatedText.isPutTogether(IsolatedText.of(text)) && !IsolatedText.isPutTogether(text))
        }
    }

    @Test("hostile texts are drawn as text, and the sheet has pages")
    func hostileText() throws {
        guard let canvas = try? Canvas() else { return }
        let sale = chipSale(store: StoreDetails(name: hostile, address: hostile))
        #expect(try canvas.pdf(ReceiptDocument(sale), paper: .a4).starts(with: Array("%PDF".utf8)))
        #expect(try canvas.png(ReceiptDocument(sale)).starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    @Test("a raster page has the header's length and refuses a wrong number of rows")
    func pwg() throws {
        let page = try #require(GrayPage(width: 8, height: 2, rows: Array(repeating: 255, count: 16)))
        var raster = PWGRaster(dotsPerInch: 203)
        raster.append(page, of: 2)
        #expect(raster.bytes.count == 4 + 1_796 + 1 + 2)
        #expect(raster.bytes.suffix(3) == [1, 7, 255])
        // The second page begins with its header at once, and both say how many there are.
        raster.append(page, of: 2)
        #expect(raster.bytes.count == 4 + 2 * (1_796 + 1 + 2))
        for start in [4, 4 + 1_799] { #expect(raster.bytes[(start + 452)..<(start + 456)] == [0, 0, 0, 2]) }
        #expect(GrayPage(width: 8, height: 2, rows: [1]) == nil)
        #expect(GrayPage(width: 0, height: 2, rows: []) == nil)
    }

    @Test("a sheet has as many raster pages as the PDF has, all of them with something on them")
    func pages() throws {
        guard let canvas = try? Canvas() else { return }
        var sale = chipSale()
        sale.lineItems = (0..<200).map { ReceiptLineItem(name: "Line \($0)", amount: money(20)) }
        let long = ReceiptDocument(sale)
        var dark: [Int] = []
        try canvas.forEachPage(long, paper: .a4, dotsPerInch: 100) { page, count in
            #expect(count == (try? canvas.pageCount(long, paper: .a4)))
            #expect(page.width == 827 && page.height == 1_169)
            dark.append(page.rows.count { $0 < 128 })
        }
        let pdf = String(decoding: try canvas.pdf(long, paper: .a4), as: UTF8.self)
        #expect(pdf.contains("/Count \(dark.count)"))
        #expect(dark.count >= 4)
        #expect(dark.allSatisfy { $0 > 500 })
        #expect(try canvas.pageCount(long, paper: .roll80) == 1)
    }
}
