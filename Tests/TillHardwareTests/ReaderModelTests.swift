import Testing
import TillCore

@testable import TillHardware

@Suite struct ReaderModelTests {
    @Test func twoReadersAreEqualOnlyIfAllOfThemIs() {
        let reader = ScriptedDriver.m2
        var other = reader
        other.battery = CardReaderBattery(percent: 79, isCharging: false)
        #expect(reader != other)
        other = reader
        other.status = .connected
        #expect(reader != other)
        other = reader
        other.networkStatus = .offline
        #expect(reader != other)
        #expect(CardReaderBattery(percent: 140).percent == 100)
        #expect(CardReaderBattery(percent: -3).percent == 0)
    }

    @Test func whatAReaderCanDoIsDeclared() {
        #expect(CardReaderType.known.count == 23)
        #expect(CardReaderType.verifoneP400.capabilities.intents == .serverOnly)
        #expect(CardReaderType.wisePosE.capabilities.intents == .serverOnly)
        #expect(CardReaderType.stripeM2.capabilities.intents == .deviceOrServer)
        #expect(CardReaderType.tapToPay.capabilities.inputs == .tap)
        #expect(!CardReaderType.tapToPay.capabilities.holdsCard)
        #expect(CardReaderType(rawValue: "from_the_future").capabilities.intents == .serverOnly)
        #expect(CardReaderType.simulatedS700.isSimulated)
        #expect(CardReaderDisconnectReason.known.count == 11)
        #expect(Set(CardReaderDisconnectReason.known.map(\.advice)).count > 6)
        #expect(CardReaderInput([.insert, .tap, .swipe]).sentence == "Insert, swipe or tap the card.")
        #expect(CardReaderInput([]).sentence == "Wait.")
    }

    @Test(arguments: [
        ("Cafe", false), ("Cafe 1", true), ("12345", false), ("Café au lait", false), ("Shop*1", false),
        ("A shop with a long name", false), ("A shop of 22 letters..", true), ("", false), ("Shop\"s", false),
    ])
    func aStatementDescriptorHasItsRules(text: String, isFine: Bool) {
        #expect(((try? StatementDescriptor(text)) != nil) == isFine)
    }

    @Test func aShopsNameBecomesAStatementDescriptor() {
        #expect(StatementDescriptor(cleaning: "Café <Müller> & Söhne GmbH")?.text == "Caf- -M-ller- & S-hne ")
        #expect(StatementDescriptor(cleaning: "👩‍👩‍👧‍👦👩‍👩‍👧‍👦") == nil)
        #expect(StatementDescriptor(cleaning: "abc") == nil)
        #expect((StatementDescriptor(cleaning: String(repeating: "x", count: 5000))?.text.utf8.count ?? 0) == 22)
    }

    @Test(arguments: [
        ("a@b.co", true), ("a.b+c@d-e.example", true), ("a@b", false), ("@b.co", false), ("a@@b.co", false),
        ("a b@c.de", false), ("ä@b.de", false), (".a@b.de", false), ("a@-b.de", false), ("a@b..de", false), ("", false),
    ])
    func anEmailAddressHasAShape(text: String, isFine: Bool) {
        #expect((EmailAddress(text) != nil) == isFine)
        if let address = EmailAddress(text) { #expect(!address.description.hasPrefix("a")) }
    }

    @Test func parametersAreCheckedBeforeTheReaderWakes() throws {
        func check(_ change: (inout PaymentIntentParameters) -> Void) -> UnderlyingError? {
            var parameters = PaymentIntentParameters(
                amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: "1"))
            change(&parameters)
            do throws(CardReaderFailure) {
                try parameters.check(against: .narrow)
                return nil
            } catch { return error.underlyingError }
        }
        #expect(check { _ in } == nil)
        #expect(check { $0.methods = [] } == .invalidRequiredParameter)
        #expect(check { $0.methods = [.interacPresent] } == .currencyNotSupported)
        #expect(check { $0.applicationFee = Money(minorUnits: 1251, currency: .eur) } == .invalidRequiredParameter)
        #expect(check { $0.applicationFee = Money(minorUnits: 1, currency: .usd) } == .invalidRequiredParameter)
        #expect(check { $0.tipping = .onPart(Money(minorUnits: -1, currency: .eur)) } == .invalidRequiredParameter)
        #expect(check { $0.metadata = ["": "x"] } == .invalidRequiredParameter)
        #expect(check { $0.metadata = ["k": String(repeating: "x", count: 501)] } == .invalidRequiredParameter)
        let many = Dictionary(uniqueKeysWithValues: (0..<47).map { ("k\($0)", "v") })
        #expect(check { $0.metadata = many } == .invalidRequiredParameter)
    }

    @Test func theShopsOwnMetadataDoesNotHideWhatTheIntentBelongsTo() {
        var parameters = PaymentIntentParameters(
            amount: Money(minorUnits: 100, currency: .eur), order: OrderID(rawValue: "42"))
        parameters.metadata = ["till_order": "43", "table": "7"]
        let all = parameters.metadata(account: ReaderWorld.shop, reader: ScriptedDriver.m2)
        #expect(all["till_order"] == "42")
        #expect(all["table"] == "7")
        #expect(all["till_account"] == "acct_shop")
        #expect(all["till_reader_model"] == "stripe_m2")
    }

    @Test func onlyTheLastFourDigitsAreKept() {
        let details = CardPresentTransactionDetails(brand: .eftposAU, lastFour: "4242 4242 4242 1881")
        #expect(details.lastFour == "1881")
        #expect(CardPresentTransactionDetails(brand: .visa, lastFour: "").lastFour == nil)
        var routed = CardPresentTransactionDetails(brand: .mastercard, lastFour: "4444", network: .eftposAU)
        routed.availableNetworks = [.mastercard, .eftposAU]
        // The receipt names the card's brand, and beside it the network that the payment went over.
        #expect(routed.summary.brand == "mastercard")
        #expect(routed.summary.network == "eftpos_au")
    }

    @Test func aReadersBasketHasOneCurrencyAndALimit() throws {
        let euro = Money(minorUnits: 100, currency: .eur)
        let line = ReaderCart.Line(description: "Tea", quantity: 1, amount: euro)
        #expect(try ReaderCart(lines: [line], tax: .zero(.eur), total: euro).lines.count == 1)
        #expect(throws: CardReaderFailure.self) { try ReaderCart(lines: [line], tax: .zero(.usd), total: euro) }
        #expect(throws: CardReaderFailure.self) {
            try ReaderCart(lines: Array(repeating: line, count: 101), tax: .zero(.eur), total: euro)
        }
    }

    @Test func theLedgerForgetsWhatIsSettledFirstAndNeverWhatIsUnknown() throws {
        var ledger = IntentLedger(limit: 2)
        func add(_ name: String, _ standing: IntentLedger.Standing) throws -> Bool {
            let key = IntentLedger.Key(account: .main, order: OrderID(rawValue: name))
            let intent = try PaymentIntent(
                id: ProviderReference(rawValue: "pi_\(name)"), account: .main, order: key.order,
                status: .requiresPaymentMethod, amount: .zero(.eur))
            var entry = IntentLedger.Entry(
                intent: intent, parameters: PaymentIntentParameters(amount: .zero(.eur), order: key.order))
            entry.standing = standing
            return ledger.remember(entry, for: key)
        }
        #expect(try add("1", .unknown))
        #expect(try add("2", .paid))
        #expect(try add("3", .unknown))
        let orders = ledger.entries.keys.map(\.order.rawValue).sorted()
        #expect(orders == ["1", "3"])
        #expect(try add("4", .open) == false)
        let long = IntentLedger.Key(
            account: AccountID(rawValue: String(repeating: "a", count: 128)),
            order: OrderID(rawValue: String(repeating: "b", count: 128)))
        #expect(IntentLedger.intentKey(long, generation: 1).rawValue.utf8.count <= 255)
    }
}
