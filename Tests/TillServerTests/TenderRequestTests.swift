import Testing
import TillCards
import TillCore
@testable import TillCounter

@testable import TillServer
@testable import TillWeb

@Suite("A typed card in a request") struct TenderRequestTests {
    static let now = Timestamp(milliseconds: 1_763_700_000_000)  // 2025-11-21

    private func card(_ tender: String) throws -> CardDetails {
        let body = try JSONValue(parsing: #"{"tender":{"type":"card",\#(tender)}}"#.utf8)
        guard case .card(let card) = try TenderRequest(body, currency: .eur, now: Self.now).kind else {
            throw Problem.notFound
        }
        return card.details
    }

    private func fault(_ tender: String) -> String? {
        do { _ = try card(tender) } catch let problem as Problem {
            #expect(problem.code == "invalid_card")
            return problem.errors.first?.field
        } catch { Issue.record(error) }
        return nil
    }

    @Test(
        "its network is one of all that the till knows",
        arguments: [
            ("36259600000004", "diners"), ("6759649826438453", "maestro"), ("6200680000000005", "unionpay"),
            ("4032 0362 4732 7321", "visa"), ("٤٠٣٢٠٣٦٢٤٧٣٢٧٣٢١", "visa"), ("9999999999999995", "unknown"),
        ])
    func networks(_ row: (String, String)) throws {
        let card = try card(#""number":"\#(row.0)","expiry":"12/30""#)
        #expect(card.summary.brand == row.1)
        #expect(card.number.reveal() == TypedDigits.digits(in: row.0))
    }

    @Test("what is wrong is named by its member")
    func faults() {
        let good = #""number":"4032036247327321","expiry":"12/30""#
        #expect(fault(good) == nil)
        #expect(fault(#""number":"4032036247327322","expiry":"12/30""#) == "tender.number")
        #expect(fault(#""number":"4032036247327321","expiry":"13/30""#) == "tender.expiry")
        #expect(fault(good + #","cvc":"1234""#) == "tender.cvc")
        #expect(fault(#""number":"371449635398431","expiry":"12/30","cvc":"123""#) == "tender.cvc")
        #expect(
            fault(good + #","billing_address":{"country":"DE","postal_code":"1"}"#)
                == "tender.billing_address.postal_code")
    }

    @Test("a card that has expired is read all the same: a request that was answered can be repeated later")
    func repeated() throws {
        #expect(try card(#""number":"4032036247327321","expiry":"10/25""#).expiry.reveal().year == 2025)
    }

    @Test("a token is kept as a trace of it, which tells it from another one")
    func token() throws {
        func redacted(_ token: String) throws -> String {
            let body = try JSONValue(parsing: #"{"tender":{"type":"token","token":"\#(token)"}}"#.utf8)
            guard case .token(let read) = try TenderRequest(body, currency: .eur, now: Self.now).kind else {
                throw Problem.notFound
            }
            #expect(read.value.reveal() == token)
            return TenderRequest.redacted(body).text
        }
        let (one, other) = (try redacted("pm_1"), try redacted("pm_2"))
        #expect(one != other && !one.contains("pm_1") && one.contains("token_sha256"))
        #expect(throws: Problem.self) { try redacted("4242424242424242") }
    }

    @Test("cash has what was handed over and a tip, each above zero")
    func cash() throws {
        func kind(_ more: String) throws -> TenderRequest.Kind {
            let body = try JSONValue(parsing: #"{"tender":{"type":"cash"\#(more)}}"#.utf8)
            return try TenderRequest(body, currency: .eur, now: Self.now).kind
        }
        guard case .cash(let tendered, let tip) = try kind(#","tendered":2000,"tip":150"#) else {
            Issue.record("another kind")
            return
        }
        #expect(tendered == Money(minorUnits: 2_000, currency: .eur))
        #expect(tip == Money(minorUnits: 150, currency: .eur))
        for more in [#","tip":0"#, #","tip":-1"#, #","tip":"1.50""#, #","tip":1.5"#, #","tips":150"#] {
            #expect(throws: Problem.self) { try kind(more) }
        }
    }

    @Test("cash has the name of a drawer, an empty one for the account's first")
    func drawers() throws {
        func drawer(_ more: String) throws -> DrawerName? {
            let body = try JSONValue(parsing: #"{"tender":{"type":"cash"\#(more)}}"#.utf8)
            return try TenderRequest(body, currency: .eur, now: Self.now).drawer
        }
        for more in ["", #","drawer":null"#] { #expect(try drawer(more) == nil) }
        for more in [#","drawer":"""#, #","drawer":"main""#] { #expect(try drawer(more) == DrawerName.main) }
        #expect(try drawer(#","drawer":"bar","tip":150"#) == DrawerName(rawValue: "bar"))
        for more in [#","drawer":"Bar""#, #","drawer":1"#] { #expect(throws: Problem.self) { try drawer(more) } }
    }

    @Test("a card of PayPal's fields has nothing else")
    func payPalCard() throws {
        func kind(_ more: String) throws -> TenderRequest.Kind {
            let body = try JSONValue(parsing: #"{"tender":{"type":"paypal_card"\#(more)}}"#.utf8)
            return try TenderRequest(body, currency: .eur, now: Self.now).kind
        }
        guard case .payPalCard = try kind("") else {
            Issue.record("another kind")
            return
        }
        for more in [#","number":"4032036247327321""#, #","order_id":"5O190127TN364715T""#, #","token":"pm_1""#] {
            #expect(throws: Problem.self) { try kind(more) }
        }
    }

    @Test("a session of Adyen's has nothing else")
    func adyenSession() throws {
        func kind(_ more: String) throws -> TenderRequest.Kind {
            let body = try JSONValue(parsing: #"{"tender":{"type":"adyen_session"\#(more)}}"#.utf8)
            return try TenderRequest(body, currency: .eur, now: Self.now).kind
        }
        guard case .adyenSession = try kind("") else {
            Issue.record("another kind")
            return
        }
        for more in [#","session":"CS1""#, #","token":"pm_1""#] {
            #expect(throws: Problem.self) { try kind(more) }
        }
    }

    @Test("of its number the last four digits are kept, in whatever script they were typed")
    func redacted() throws {
        let body = try JSONValue(parsing: #"{"tender":{"type":"card","number":"٤٠٣٢٠٣٦٢٤٧٣٢٧٣٢١","cvc":"123"}}"#.utf8)
        #expect(TenderRequest.redacted(body).text == #"{"tender":{"type":"card","last_four":"7321"}}"#)
    }
}
