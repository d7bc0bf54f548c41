import Testing
import TillCards
import TillCore
import TillTestSupport

@Suite("Cards as typed") struct CardTests {
    static let now = Timestamp(milliseconds: 1_763_700_000_000)  // 2025-11-21

    static let vectors = [
        "4032036247327321", "371449635398431", "376680816376961", "36259600000004", "36461510000039",
        "6304000000000000", "5063516945005047", "2223000048400011", "4005519200000004", "4012000033330026",
        "4012888888881881", "6200680000000004", "6200680000000038", "3636500000000260", "6205500000000000004",
        "4242424242422",
    ]

    @Test("each known number is taken, with and without separators", arguments: vectors)
    func known(_ digits: String) throws {
        #expect(try CardNumber(digits).passesLuhn)
        #expect(try CardNumber(CardNumberFormatter.format(digits)).reveal() == digits)
        #expect(try CardNumber(digits.map { "\($0)-" }.joined()).reveal() == digits)
        #expect(CardNumberEntry(digits).state == .valid)
    }

    @Test("each known number with one digit changed is refused, or warned of where check digits are not kept")
    func changed() throws {
        for digits in Self.vectors {
            for place in 0..<digits.count {
                var bytes = Array(digits.utf8)
                bytes[place] = bytes[place] == 0x39 ? 0x30 : bytes[place] + 1
                let wrong = String(decoding: bytes, as: UTF8.self)
                #expect(!LuhnChecksum.isValid(wrong))
                if wrong.hasPrefix("62") || wrong.hasPrefix("81") {
                    #expect(CardNumberEntry(wrong).warnings.contains(.checkDigit))
                } else {
                    #expect(throws: CardNumberError.checkDigit) { try CardNumber(wrong) }
                }
            }
        }
    }

    @Test("bad numbers are refused by name")
    func badNumbers() {
        #expect(throws: CardNumberError.empty) { try CardNumber("") }
        #expect(throws: CardNumberError.empty) { try CardNumber(" - ") }
        #expect(throws: CardNumberError.notDigits) { try CardNumber("4032 0362 4732 732x") }
        #expect(throws: CardNumberError.notDigits) { try CardNumber("4032 0362 4732 73½1") }
        #expect(throws: CardNumberError.tooShort(11)) { try CardNumber("40320362473") }
        #expect(throws: CardNumberError.tooLong(20)) { try CardNumber("40320362473273210000") }
        #expect(throws: CardNumberError.checkDigit) { try CardNumber("4032036247327322") }
        #expect(CardNumberEntry("40320362473273210000").state == .invalid(.tooLong(20)))
        #expect(CardNumberEntry("4032 0362 4732 732x").state == .invalid(.notDigits))
        #expect(CardNumberEntry(String(repeating: "9", count: 100_000)).state != .valid)
    }

    // Arabic-Indic, extended Arabic-Indic, Devanagari, Bengali, full width, mathematical bold.
    @Test("digits of other scripts are digits", arguments: [0x0660, 0x06F0, 0x0966, 0x09E6, 0xFF10, 0x1D7CE])
    func scripts(_ zero: UInt32) throws {
        let digits = "4032036247327321"
        let typed = String(
            String.UnicodeScalarView(digits.utf8.compactMap { Unicode.Scalar(zero + UInt32($0) - 0x30) }))
        #expect(try CardNumber(typed).reveal() == digits)
        #expect(CardNumberFormatter.format(typed) == "4032 0362 4732 7321")
        let caret = CardNumberFormatter.format(FormattedEntry(text: typed, caret: typed.utf16.count / 4))
        #expect(caret.caret == 4)
    }

    @Test("fractions, superscripts and Roman numerals are no digits")
    func notDigits() {
        for text in ["½", "²", "Ⅳ", "①", "四"] { #expect(TypedDigits.digits(in: text).isEmpty, "\(text)") }
    }

    @Test("a number, a code and an expiry show themselves nowhere")
    func masks() throws {
        let card = try PaymentCard(
            number: "4032036247327321", expiry: "11/30", securityCode: "987", holder: "Ada Marker", now: Self.now)
        var dumped = ""
        dump(card, to: &dumped)
        for text in ["\(card)", String(reflecting: card), dumped, "\(card.details)", "\(card.number)"] {
            #expect(!text.contains("0362473273") && !text.contains("4032036247327321"), "\(text)")
            #expect(!text.contains("987") && !text.contains("2030") && !text.contains("Marker"), "\(text)")
        }
        // Each of them by itself too, where no card stands around it.
        for part in [card.number, try #require(card.securityCode), card.expiry] as [any Sendable] {
            var dumped = ""
            dump(part, to: &dumped)
            for text in ["\(part)", String(reflecting: part), dumped] {
                #expect(!text.contains("0362473273") && !text.contains("987") && !text.contains("2030"), "\(text)")
            }
        }
        #expect(card.number.masked == "403203••••••7321")
        #expect(card.details.summary.lastFour == "7321")
        #expect(card.details.summary.brand == "visa")
    }

    static let expiries: [(String, Int, Int)] = [
        ("1/27", 1, 2027), ("01/27", 1, 2027), ("12/2030", 12, 2030), ("1230", 12, 2030), ("2024-11", 11, 2024),
        ("2024-1", 1, 2024), ("11 / 26", 11, 2026), ("11-26", 11, 2026), ("11.26", 11, 2026), ("122030", 12, 2030),
        ("203012", 12, 2030), ("٠١/٢٧", 1, 2027), ("１２／３０", 12, 2030), (" 12 30 ", 12, 2030), ("12/04", 12, 2104),
        ("12/05", 12, 2005),
    ]

    @Test("every common form of an expiry", arguments: expiries)
    func expiry(_ row: (String, Int, Int)) throws {
        let read = try Expiry(row.0, now: Self.now).reveal()
        #expect(read.month == row.1 && read.year == row.2)
    }

    @Test("bad expiries are refused by name")
    func badExpiries() {
        func fault(_ text: String) -> ExpiryError? {
            do throws(ExpiryError) { _ = try Expiry(text, now: Self.now) } catch { return error }
            return nil
        }
        #expect(fault("") == .empty)
        #expect(fault("13/27") == .month(13))
        #expect(fault("0/27") == .month(0))
        #expect(fault("2027-13") == .month(13))
        for text in ["1", "12", "123", "12345", "1/2/27", "ab/cd", "12/3", "12/345", "½/27", "12/30x"] {
            #expect(fault(text) == .unreadable, "\(text)")
        }
    }

    @Test("a card is good until its month has ended in the last time zone")
    func endOfMonth() throws {
        let expiry = try Expiry(month: 11, year: 2025)
        let firstOfDecember = Timestamp(milliseconds: 1_764_547_200_000)
        try expiry.check(at: firstOfDecember)
        try expiry.check(at: firstOfDecember.adding(Span(milliseconds: 12 * 3_600_000 - 1)))
        #expect(throws: ExpiryError.expired) { try expiry.check(at: firstOfDecember.adding(.hours(12))) }
        let december = try Expiry(month: 12, year: 2025)
        try december.check(at: Timestamp(milliseconds: 1_767_225_600_000))
        #expect(throws: ExpiryError.tooFarAhead) { try Expiry(month: 1, year: 2056).check(at: Self.now) }
        try Expiry(month: 12, year: 2055).check(at: Self.now)
    }

    @Test("states of the expiry field while it is typed")
    func expiryStates() {
        let states = ["", "1", "12", "12/", "12/3", "12/30"].map { ExpiryEntry.state($0, now: Self.now) }
        #expect(states == [.incomplete, .incomplete, .incomplete, .incomplete, .incomplete, .valid])
        #expect(ExpiryEntry.state("10/25", now: Self.now) == .invalid(.expired))
        #expect(ExpiryEntry.state("13", now: Self.now) == .invalid(.month(13)))
        #expect(ExpiryEntry.state("12/99", now: Self.now) == .invalid(.tooFarAhead))
        #expect(ExpiryEntry.state("2030-12", now: Self.now) == .valid)
    }

    @Test("states of the number field while it is typed")
    func numberStates() {
        let amex = "371449635398431"
        for count in 0..<15 { #expect(CardNumberEntry(String(amex.prefix(count))).state == .incomplete) }
        #expect(CardNumberEntry(amex).state == .valid && !CardNumberEntry(amex).mayContinue)
        #expect(CardNumberEntry("371449635398432").state == .invalid(.checkDigit))
        #expect(CardNumberEntry("4032036247327322").state == .incomplete)  // may become one of 18 or 19
        #expect(CardNumberEntry("4032036247327321").mayContinue)
    }

    @Test("a typing mistake is named when the field is left, also where a longer number would be possible")
    func mistakes() {
        for (wrong, name) in [("4032036247327322", "Visa"), ("6011111111111118", "Discover")] {
            let entry = CardNumberEntry(wrong)
            #expect(entry.state == .incomplete && entry.mayContinue, "\(name)")
            #expect(entry.whenLeft == .invalid(.checkDigit), "\(name)")
        }
        #expect("\(CardNumberError.checkDigit)".contains("Check the card number"))
        #expect(CardNumberEntry("").whenLeft == .incomplete)
        #expect(CardNumberEntry("4032").whenLeft == .invalid(.tooShort(4)))
        // Sixteen digits of UnionPay are taken as they are, with a warning.
        let unionPay = CardNumberEntry("6200680000000005")
        #expect(unionPay.whenLeft == .valid && unionPay.warnings == [.checkDigit])
        // A digit of a Visa is missing, and the check digit fits by chance: nobody is refused for a length.
        #expect(CardNumberEntry("403203624732732").whenLeft == .invalid(.checkDigit))
        #expect(CardNumberEntry("424242424242420").whenLeft == .invalid(.checkDigit))
        #expect(CardNumberEntry("424242424242424").warnings == [.unusualLength])
    }

    @Test("a field that is left is judged as the number that is sent")
    func leftIsSent() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<5_000 {
            let digits = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                "\(Int.random(in: 0...9, using: &random))"
            }.joined()
            let entry = CardNumberEntry(digits)
            do throws(CardNumberError) {
                _ = try CardNumber(digits)
                #expect(entry.whenLeft == .valid, "\(digits)")
            } catch { #expect(entry.whenLeft == .invalid(error), "\(digits)") }
            if entry.state == .valid { #expect(entry.whenLeft == .valid, "\(digits)") }
        }
    }

    @Test("a card's code has as many digits as its network's cards")
    func codesOfCards() throws {
        func card(_ number: String, _ code: String) throws(PaymentCardError) {
            _ = try PaymentCard(number: number, expiry: "12/30", securityCode: code, now: Self.now)
        }
        try card("4032036247327321", "123")
        try card("371449635398431", "1234")
        #expect(throws: PaymentCardError.securityCode(.wrongLength(3, wanted: 4...4))) {
            try card("371449635398431", "123")
        }
        #expect(throws: PaymentCardError.securityCode(.wrongLength(4, wanted: 3...3))) {
            try card("4032036247327321", "1234")
        }
        // No network is known: three or four.
        try card("9999999999999995", "123")
        try card("9999999999999995", "1234")
    }

    @Test("whether a card is still good is asked apart from reading it")
    func reading() throws {
        let past = try PaymentCard(reading: "4032036247327321", expiry: "10/25", century: Self.now)
        #expect(throws: ExpiryError.expired) { try past.expiry.check(at: Self.now) }
        #expect(throws: PaymentCardError.expiry(.expired)) {
            try PaymentCard(number: "4032036247327321", expiry: "10/25", now: Self.now)
        }
    }

    @Test("the security code's length goes with the network")
    func codes() {
        #expect(SecurityCodeEntry("123", numberDigits: "4032").state == .valid)
        #expect(SecurityCodeEntry("1234", numberDigits: "4032").state == .invalid(.wrongLength(4, wanted: 3...3)))
        #expect(SecurityCodeEntry("123", numberDigits: "3714").state == .incomplete)
        #expect(SecurityCodeEntry("1234", numberDigits: "3714").state == .valid)
        #expect(SecurityCodeEntry("3714", numberDigits: "3714").name == "CID")
        #expect(SecurityCodeEntry("", numberDigits: "6304").state == .valid)
        #expect(SecurityCodeEntry("", numberDigits: "4032").state == .incomplete)
        #expect(SecurityCodeEntry("12a", numberDigits: "4").state == .invalid(.notDigits))
        #expect(throws: SecurityCodeError.self) { try SecurityCode("12") }
        #expect(throws: SecurityCodeError.self) { try SecurityCode("12345") }
    }

    @Test("billing addresses by country")
    func addresses() {
        func faults(_ address: BillingAddress) -> [String] {
            BillingAddressRules.faults(in: address).map { "\($0.field.rawValue)" }
        }
        #expect(
            faults(
                BillingAddress(line1: "1 Main", city: "Springfield", region: "IL", postalCode: "62704", country: "US")
            )
            .isEmpty)
        #expect(faults(BillingAddress(postalCode: "62704-1234", country: "US")).isEmpty)
        #expect(faults(BillingAddress(postalCode: "6270", country: "US")) == ["postal_code"])
        #expect(faults(BillingAddress(country: "DE")) == ["postal_code"])
        #expect(faults(BillingAddress(line1: "1", postalCode: "10115", country: "DE")) == ["city"])
        #expect(faults(BillingAddress(postalCode: "sw1a 1aa", country: "GB")).isEmpty)
        #expect(
            BillingAddressRules.faults(in: BillingAddress(postalCode: "SW1A 1AA", country: "UK")).map(\.reason)
                == [.unitedKingdomIsGB])
        #expect(faults(BillingAddress(region: "Illinois", postalCode: "62704", country: "US")) == ["region"])
        #expect(faults(BillingAddress(line1: "x", city: "Dublin", country: "IE")).isEmpty)
        #expect(faults(BillingAddress(country: "C2")) == ["postal_code"])
        #expect(faults(BillingAddress(country: "de")) == ["country"])
        let long = String(repeating: "x", count: 301)
        #expect(faults(BillingAddress(line1: long, city: "B", postalCode: "10115", country: "DE")) == ["line1"])
    }
}
