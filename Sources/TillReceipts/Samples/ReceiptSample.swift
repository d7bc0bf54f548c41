public import Foundation
import TillCore

/// Sample receipts of every kind with fictitious content: previews for a shop before its first sale, and the golden
/// receipts of the tests. Each states at the bottom that it is a sample.
public enum ReceiptSample: String, Hashable, Sendable, CaseIterable {
    /// A chip sale in euros with item attributes, a discount, shipping, a fee and two taxes.
    case sale
    /// A separate refund receipt that refers to the original sale.
    case refund
    case void
    /// An uncaptured hold.
    case authorization
    /// A chip card declined by the issuer.
    case decline
    /// A partial approval.
    case partial
    /// A hold captured in part, with the remainder released.
    case rest
    /// A card read offline.
    case offline
    /// A payment with an unknown outcome.
    case unknown
    /// Canadian debit in English.
    case interac
    /// Canadian debit in Canadian French.
    case interacFrench = "interac-fr"
    /// eftpos, Australia's domestic debit scheme.
    case eftpos
    /// American Express with a signature line, the merchant copy.
    case amexSignature = "amex-signature"
    /// A contactless sale in US dollars with a tip.
    case tip
    /// A surcharge for the payment method.
    case surcharge
    /// Cash with rounding.
    case cash
    /// A currency without decimal places.
    case yen
    /// A currency with three decimal places.
    case dinar
    /// An order of 200 lines, spanning several pages.
    case long
    /// Arabic, from right to left, with Latin and Hebrew names.
    case arabic
    /// A receipt in Japanese.
    case japanese
    /// A reprint with missing fields that the scheme requires.
    case gaps
    /// A receipt with a fiscal block.
    case fiscal
    /// A test receipt: from a stand-in, or in test mode.
    case test

    /// The time of all samples: 2026-11-21T09:30:05Z.
    static let moment = Timestamp(milliseconds: 1_795_253_405_000)
    private static let payment = PaymentID(rawValue: "pay_01kaj3x5ay8q2r7v9c4d6e0fgh")

    /// The locale of the sample.
    public var locale: Locale {
        let identifier =
            switch self {
            case .interac: "en_CA"
            case .interacFrench: "fr_CA"
            case .eftpos: "en_AU"
            case .amexSignature, .tip, .surcharge: "en_US"
            case .arabic: "ar_AE"
            case .japanese, .yen: "ja_JP"
            case .dinar: "en_KW"
            case .fiscal: "de_DE"
            case .cash: "it_IT"
            default: "en_IE"
            }
        return Locale(identifier: identifier)
    }

    /// Returns the sample as content for any renderer.
    /// - Parameters:
    ///   - store: a custom store for the header; `nil` for the sample's own.
    ///   - locale: a different locale; `nil` for the sample's own.
    public func content(store: StoreDetails? = nil, locale: Locale? = nil) -> ReceiptContent {
        var content = base(locale ?? self.locale)
        shape(&content)
        if let store { content.store = store }
        content.store.closing.append(ReceiptText(own: "Sample. Not a receipt of a payment."))
        return content
    }

    // MARK: Parts

    private var currency: Currency {
        switch self {
        case .interac, .interacFrench: .cad
        case .eftpos: .aud
        case .amexSignature, .tip, .surcharge: .usd
        case .japanese, .yen: .jpy
        case .dinar: .kwd
        case .arabic: .aed
        default: .eur
        }
    }

    private func money(_ minor: Int64) -> Money { Money(minorUnits: minor, currency: currency) }

    private var shop: StoreDetails {
        func zone(_ name: String) -> TimeZone { TimeZone(identifier: name) ?? .gmt }
        switch self {
        case .interac, .interacFrench:
            return StoreDetails(
                name: "Café du Vieux-Port", address: "12, rue Saint-Paul\nMontréal (Québec) H2Y 1G8",
                taxID: "TPS 123456789 RT0001", timeZone: zone("America/Montreal"), phone: "+1 514 555 0142",
                merchantID: "0031245", terminalID: "T0451", region: "CA")
        case .eftpos:
            var shop = StoreDetails(
                name: "Harbour Books", address: "5 Quay Street\nSydney NSW 2000", timeZone: zone("Australia/Sydney"),
                merchantID: "22118400", terminalID: "N3471", region: "AU")
            shop.identifiers = [.init(name: "ABN", value: "51 824 753 556")]
            return shop
        case .amexSignature, .tip, .surcharge:
            return StoreDetails(
                name: "Bean & Leaf", address: "200 Market Street\nPortland, OR 97201",
                timeZone: zone("America/Los_Angeles"), phone: "+1 503 555 0167", merchantID: "880421",
                terminalID: "A17", region: "US")
        case .japanese, .yen:
            return StoreDetails(
                name: "茶房 さくら", address: "東京都千代田区神田1-2-3\nさくらビル 1階", taxID: "T1234567890123",
                timeZone: zone("Asia/Tokyo"), phone: "03-5550-0123", terminalID: "0007", region: "JP")
        case .arabic:
            return StoreDetails(
                name: "مقهى النخيل", address: "شارع الكورنيش 12\nدبي", taxID: "TRN 100200300400003",
                timeZone: zone("Asia/Dubai"), phone: "+971 4 555 0198", terminalID: "0042", region: "AE")
        case .fiscal:
            return StoreDetails(
                name: "Bäckerei Müller", address: "Hauptstraße 7\n10115 Berlin", taxID: "DE123456789",
                timeZone: zone("Europe/Berlin"), terminalID: "54021877", region: "DE")
        case .cash:
            return StoreDetails(
                name: "Pasticceria Aurora", address: "Via Roma 3\n20121 Milano", taxID: "IT01234567890",
                timeZone: zone("Europe/Rome"), region: "IT")
        case .dinar:
            return StoreDetails(
                name: "Gulf Gifts", address: "Salem Al-Mubarak Street 9\nKuwait City", timeZone: zone("Asia/Kuwait"),
                terminalID: "33100", region: "KW")
        default:
            return StoreDetails(
                name: "Tea & Co", address: "14 Bridge Street\nDublin D08 X2Y3", taxID: "IE1234567T",
                timeZone: zone("Europe/Dublin"), phone: "+353 1 555 0123", merchantID: "4400112",
                terminalID: "T1", region: "IE")
        }
    }

    private func base(_ locale: Locale) -> ReceiptContent {
        ReceiptContent(
            store: shop, locale: locale, paymentID: ReceiptSample.payment, orderNumber: "1009",
            date: ReceiptSample.moment, verdict: .paid,
            lineItems: [ReceiptLineItem(name: "Teapot", amount: money(4_000))],
            summary: [ReceiptSummaryRow(.subtotal, amount: money(4_000))], total: money(4_000), transaction: chip(),
            captured: money(4_000), refunded: money(0))
    }

    /// Returns a chip transaction with all EMV data.
    private func chip(
        _ brand: String = "visa", _ name: String = "VISA CREDIT", aid: String = "A0000000031010",
        cvm: String = "online_pin", account: String? = nil, entry: String = "contact_emv"
    ) -> ReceiptTransaction {
        var transaction = ReceiptTransaction(.sale, .approved, tender: .reader)
        var emv = EMVReceiptData()
        emv.applicationPreferredName = name
        emv.dedicatedFileName = aid
        emv.authorizationCode = "123456"
        emv.authorizationResponseCode = "3030"
        emv.applicationCryptogram = "F29A1B0C22334455"
        emv.terminalVerificationResults = "8000008000"
        emv.transactionStatusInformation = "E800"
        emv.cardholderVerificationMethod = cvm
        emv.accountType = account
        transaction.take(CardSummary(brand: brand, lastFour: "4242", entryMode: entry, emv: emv))
        transaction.cryptogramType = .tc
        return transaction
    }

    private func sells(
        _ content: inout ReceiptContent, _ lines: [ReceiptLineItem], _ more: [ReceiptSummaryRow] = []
    ) {
        let subtotal = lines.reduce(Int64(0)) { $0 &+ $1.amount.minorUnits }
        let total = more.reduce(subtotal) { $0 &+ $1.amount.minorUnits }
        content.lineItems = lines
        content.summary = [ReceiptSummaryRow(.subtotal, amount: money(subtotal))] + more
        content.total = money(total)
        content.captured = money(total)
    }

    private func shape(_ content: inout ReceiptContent) {
        let labels = ReceiptLabels(content.locale)
        switch self {
        case .sale, .unknown, .void, .authorization, .decline, .partial, .rest, .offline: shapeOutcome(&content, labels)
        case .interac, .interacFrench, .eftpos, .amexSignature, .tip, .surcharge: shapeScheme(&content)
        case .refund:
            sells(&content, [ReceiptLineItem(name: labels[.refund].plain, amount: money(1_500))])
            content.verdict = .refunded
            content.transaction = ReceiptTransaction(.refund, .approved, tender: .reader)
            content.transaction.brand = ReceiptText(own: "visa")
            content.transaction.lastFour = LastFour("4242")
            content.summary = []
            content.refunded = money(1_500)
            content.original = .init(
                paymentID: ReceiptSample.payment,
                date: Timestamp(milliseconds: 1_795_080_605_000))
        case .cash:
            content.transaction = ReceiptTransaction(.sale, .approved, tender: .cash)
            sells(
                &content,
                [
                    ReceiptLineItem(name: "Cornetto alla crema", quantity: "3", amount: money(450)),
                    ReceiptLineItem(name: "Caffè", quantity: "2", amount: money(263)),
                ],
                [
                    ReceiptSummaryRow(.tax, name: "IVA 10%", amount: money(71)),
                    ReceiptSummaryRow(.rounding, amount: money(1)),
                ])
        case .yen, .japanese:
            content.transaction = chip("jcb", "JCB CREDIT", aid: "A0000000651010")
            sells(
                &content,
                [
                    ReceiptLineItem(
                        name: "抹茶ラテ", quantity: "2", attributes: [.init(name: "サイズ", value: "大")],
                        amount: money(1_240)),
                    ReceiptLineItem(name: "季節の和菓子詰め合わせ（十二個入り・化粧箱・のし紙付き）", amount: money(3_980)),
                    ReceiptLineItem(name: "Earl Grey 紅茶 50g", amount: money(1_080)),
                ], [ReceiptSummaryRow(.tax, name: "消費税 8%", amount: money(504))])
        case .dinar:
            sells(
                &content,
                [
                    ReceiptLineItem(name: "Incense burner", amount: money(12_750)),
                    ReceiptLineItem(name: "Dates, 1 kg", quantity: "1.5", amount: money(3_375)),
                ])
        case .long:
            sells(
                &content,
                (1...200).map {
                    ReceiptLineItem(name: "Item \($0)", quantity: "\($0 % 3 + 1)", amount: money(Int64($0) * 5))
                }, [ReceiptSummaryRow(.tax, name: "VAT 23%", amount: money(23_115))])
        case .arabic:
            sells(
                &content,
                [
                    ReceiptLineItem(
                        name: "شاي بالنعناع", quantity: "2", attributes: [.init(name: "الحجم", value: "كبير (XL)")],
                        amount: money(3_000)),
                    ReceiptLineItem(name: "Espresso (doppio)", amount: money(1_850)),
                    ReceiptLineItem(name: "חלבה", amount: money(900)),
                ], [ReceiptSummaryRow(.tax, name: "ضريبة القيمة المضافة 5%", amount: money(288))])
            content.link = CodeText("https://shop.example/r/sample")
        case .test: content.isTest = true
        case .gaps:
            content.store = StoreDetails(name: "", timeZone: content.store.timeZone)
            content.isReprint = true
            content.transaction.aid = nil
            content.transaction.applicationName = nil
            content.transaction.verification = nil
            content.transaction.authorizationCode = nil
            content.transaction.lastFour = nil
        case .fiscal:
            sells(
                &content,
                [
                    ReceiptLineItem(name: "Roggenbrot", amount: money(420)),
                    ReceiptLineItem(name: "Käsekuchen", quantity: "2", amount: money(540)),
                ], [ReceiptSummaryRow(.tax, name: "MwSt. 7 %", amount: money(67))])
            content.transaction = chip(
                "mastercard", "Debit Mastercard", aid: "A0000000041010", entry: "contactless_emv")
            content.fiscal = FiscalBlock(
                lines: [
                    "TSE-Seriennummer: 9f2c41d07be8a6135c", "TSE-Transaktion: 40127", "TSE-Signaturzähler: 90412",
                    "TSE-Start: 2026-11-21T09:29:12Z", "TSE-Stop: 2026-11-21T09:30:05Z",
                ], code: CodeText("V0;54021877;Kassenbeleg-V1;Beleg^0.00_10.27_0.00_0.00_0.00^10.27:Unbar;40127;90412"))
        }
    }

    private func shapeOutcome(_ content: inout ReceiptContent, _ labels: ReceiptLabels) {
        content.link = CodeText("https://shop.example/r/sample")
        sells(
            &content,
            [
                ReceiptLineItem(
                    name: "Teapot", quantity: "2", sku: "T-1",
                    attributes: [.init(name: "Color", value: "Orange"), .init(name: "Lid", value: "Oak")],
                    amount: money(4_000)),
                ReceiptLineItem(name: "Darjeeling First Flush, whole leaf, 250 g tin", amount: money(999)),
            ],
            [
                ReceiptSummaryRow(.discount, name: "SAVE5", amount: money(-500)),
                ReceiptSummaryRow(.shipping, name: "Parcel", amount: money(490)),
                ReceiptSummaryRow(.fee, name: "Gift wrap", amount: money(200)),
                ReceiptSummaryRow(.tax, name: "VAT 23%", amount: money(805)),
                ReceiptSummaryRow(.tax, name: "VAT 9%", amount: money(90)),
            ])
        func end(
            _ verdict: ReceiptVerdict, _ kind: ReceiptTransaction.Kind, _ outcome: ReceiptTransaction.Outcome,
            _ sentence: ReceiptLabel
        ) {
            content.verdict = verdict
            content.transaction.kind = kind
            content.transaction.outcome = outcome
            content.explanation = labels[sentence]
            content.captured = money(0)
        }
        switch self {
        case .decline:
            end(.notPaid, .sale, .declined, .sentenceDeclined)
            content.transaction.cryptogramType = .aac
            content.transaction.authorizationCode = nil
            content.transaction.authorizationResponseCode = ReceiptText(own: "3035")
        case .void: end(.notPaid, .void, .approved, .sentenceExpired)
        case .authorization: end(.held, .authorization, .approved, .sentenceHeld)
        case .offline:
            end(.storedOffline, .offlineStored, .none, .sentenceStored)
            content.transaction.authorizationCode = nil
            content.transaction.authorizationResponseCode = nil
            content.transaction.cryptogramType = .arqc
            content.transaction.verification = .offlinePIN
        case .unknown:
            end(.notConfirmed, .sale, .pending, .sentenceNotConfirmed)
            content.transaction.authorizationCode = nil
            content.transaction.authorizationResponseCode = nil
            content.transaction.cryptogramType = .arqc
        case .partial:
            content.verdict = .partlyPaid
            content.transaction.outcome = .partial
            content.transaction.approvedAmount = money(5_000)
            content.captured = money(5_000)
        case .rest: content.captured = money(5_000)
        default: break
        }
    }

    private func shapeScheme(_ content: inout ReceiptContent) {
        switch self {
        case .interac, .interacFrench:
            content.transaction = chip("interac", "Interac", aid: "A0000002771010", account: "checking")
            let isFrench = self == .interacFrench
            sells(
                &content,
                [
                    ReceiptLineItem(name: isFrench ? "Café au lait" : "Latte", quantity: "2", amount: money(1_150)),
                    ReceiptLineItem(name: isFrench ? "Pain au chocolat" : "Chocolate croissant", amount: money(425)),
                ],
                [
                    ReceiptSummaryRow(.tax, name: isFrench ? "TPS 5 %" : "GST 5%", amount: money(79)),
                    ReceiptSummaryRow(.tax, name: isFrench ? "TVQ 9,975 %" : "QST 9.975%", amount: money(157)),
                ])
        case .eftpos:
            content.transaction = chip(
                "eftpos_au", "eftpos SAVINGS", aid: "A00000038410", cvm: "none", account: "savings",
                entry: "contactless_emv")
        case .amexSignature:
            content.copy = .merchant
            content.transaction = chip(
                "amex", "AMERICAN EXPRESS", aid: "A000000025010402", cvm: "signature")
        case .tip:
            content.transaction = chip(
                "mastercard", "Mastercard", aid: "A0000000041010", cvm: "approval", entry: "contactless_emv")
            sells(
                &content,
                [
                    ReceiptLineItem(name: "Flat white", amount: money(475)),
                    ReceiptLineItem(name: "Avocado toast", amount: money(1_250)),
                ], [ReceiptSummaryRow(.tip, amount: money(345))])
        case .surcharge:
            sells(
                &content, [ReceiptLineItem(name: "Grinder", amount: money(12_900))],
                [ReceiptSummaryRow(.surcharge, name: "credit card 2%", amount: money(258))])
        default: break
        }
    }
}
