import HTTPTypes
import Testing
import TillCore
import TillSandbox
import TillStandInAdyen
import TillTestSupport

@testable import TillAdyen

@Suite("A sale at a terminal of Adyen's")
struct AdyenTerminalProviderTests {
    static func provider(_ sandbox: SandboxAdyen, at now: Int64 = 200_000) throws -> AdyenTerminalProvider {
        let seal = try AdyenTerminalTests.seal()
        return AdyenTerminalProvider(
            terminal: try AdyenTerminalTests.terminal(seal, sandbox), checkout: nil,
            clock: ManualClock(Timestamp(milliseconds: now)))
    }

    static func sandbox() throws -> SandboxAdyen { SandboxAdyen(terminalKey: AdyenTerminalTests.key) }

    static func context(_ name: String = "att_1") -> AttemptContext {
        AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: PaymentID(rawValue: "pay_1"),
            attempt: AttemptID(rawValue: name), startedAt: Timestamp(milliseconds: 0), reference: nil)
    }

    static func request(_ minor: Int64, _ name: String = "att_1") -> AuthorizationRequest {
        AuthorizationRequest(
            context: context(name), amount: Money(minorUnits: minor, currency: .eur), captureMode: .automatic,
            prepareKey: IdempotencyKey(rawValue: "p"), key: IdempotencyKey(rawValue: "k"))
    }

    static func query(_ minor: Int64, _ name: String = "att_1") -> QueryRequest {
        QueryRequest(
            context: context(name), authorizationKey: IdempotencyKey(rawValue: "k"),
            amount: Money(minorUnits: minor, currency: .eur))
    }

    static func void(_ name: String = "att_1") -> VoidRequest {
        VoidRequest(
            context: context(name), authorizationKey: IdempotencyKey(rawValue: "k"), reason: "abandoned",
            key: IdempotencyKey(rawValue: "v"))
    }

    @Test("Money is taken at once; the card and the payment's name come with it")
    func taken() async throws {
        let provider = try Self.provider(try Self.sandbox())
        guard case .approved(let paid) = await provider.authorize(Self.request(1250), with: provider.tender) else {
            Issue.record("not approved")
            return
        }
        #expect(paid.isCaptured && paid.amount.minorUnits == 1250 && paid.card?.lastFour == "9999")
        #expect(AdyenProvider.name(paid.reference)?.name == "TILLPSP1")
    }

    @Test("A refusal and a customer who walks away moved no money")
    func refused() async throws {
        let provider = try Self.provider(try Self.sandbox())
        guard case .declined(let decline) = await provider.authorize(Self.request(1224), with: provider.tender) else {
            Issue.record("not declined")
            return
        }
        #expect(decline.reason == .insufficientFunds && decline.code == "210")
        guard case .declined(let left) = await provider.authorize(Self.request(1225, "att_2"), with: provider.tender)
        else {
            Issue.record("not declined")
            return
        }
        #expect(left.reason == .canceledAtReader)
    }

    @Test("A lost answer is unknown, and the terminal tells by the request's name that it was paid")
    func lostAnswer() async throws {
        let provider = try Self.provider(try Self.sandbox())
        guard case .unknown = await provider.authorize(Self.request(1227), with: provider.tender) else {
            Issue.record("a lost answer must be unknown")
            return
        }
        guard case .approved(let snapshot) = await provider.query(Self.query(1227)),
            case .authorized(let paid) = snapshot.standing
        else {
            Issue.record("the terminal knows it")
            return
        }
        #expect(paid.amount.minorUnits == 1227 && snapshot.captured == paid.amount)
        // Too late to call it off.
        guard case .declined = await provider.void(Self.void()) else {
            Issue.record("what is paid cannot be canceled")
            return
        }
    }

    @Test("A request that never came is canceled, and cannot be paid any more when it comes late")
    func lostRequest() async throws {
        let provider = try Self.provider(try Self.sandbox())
        guard case .unknown = await provider.authorize(Self.request(1228), with: provider.tender) else {
            Issue.record("a lost request must be unknown")
            return
        }
        guard case .approved(let snapshot) = await provider.query(Self.query(1228)), snapshot.standing == .notFound
        else {
            Issue.record("the terminal does not know it")
            return
        }
        guard case .approved = await provider.void(Self.void()) else {
            Issue.record("it is canceled")
            return
        }
        guard case .declined = await provider.authorize(Self.request(1200), with: provider.tender) else {
            Issue.record("what was canceled is never paid")
            return
        }
    }

    @Test("Another terminal's word counts for nothing")
    func elsewhere() async throws {
        let sandbox = try Self.sandbox()
        let provider = try Self.provider(sandbox)
        guard case .approved(let named) = await provider.prepare(Self.request(1228)) else {
            Issue.record("the terminal has a name")
            return
        }
        #expect(named.reference?.rawValue == provider.terminal.terminal)
        var context = Self.context()
        context.reference = try ProviderReference(validating: "V400m-999")
        let query = QueryRequest(
            context: context, authorizationKey: IdempotencyKey(rawValue: "k"),
            amount: Money(minorUnits: 1228, currency: .eur))
        guard case .unknown(let reason) = await provider.query(query), reason.sentence.contains("V400m-999") else {
            Issue.record("only the terminal that was asked can tell")
            return
        }
        let void = VoidRequest(
            context: context, authorizationKey: IdempotencyKey(rawValue: "k"), reason: "abandoned",
            key: IdempotencyKey(rawValue: "v"))
        guard case .unknown = await provider.void(void) else {
            Issue.record("only the terminal that was asked can call it off")
            return
        }
    }

    /// A terminal that has never heard of anything.
    struct Forgetful: HTTPTransport {
        func send(
            _ request: HTTPRequest, body: [UInt8], deadline: Span
        ) async throws(TransportFailure) -> HTTPReply {
            guard let asked = (try? JSONValue(parsing: body))?["SaleToPOIRequest"],
                let header = asked["MessageHeader"], let category = header["MessageCategory"]?.stringValue
            else { throw .unknown(reason: "no message") }
            let text =
                "{\"SaleToPOIResponse\":{\"MessageHeader\":\(String(decoding: header.bytes(), as: UTF8.self)),"
                + "\"\(category)Response\":{\"Response\":{\"Result\":\"Failure\",\"ErrorCondition\":\"NotFound\"}}}}"
            return HTTPReply(response: HTTPResponse(status: .ok), body: Array(text.utf8))
        }
    }

    @Test("A request that may still be on its way is not canceled; after its time it is", arguments: [1, 149, 151])
    func onItsWay(seconds: Int64) async throws {
        let terminal = try #require(
            AdyenTerminal(
                terminal: "V400m-1", till: "Till", url: "http://127.0.0.1:1", seal: nil, transport: Forgetful()))
        let provider = AdyenTerminalProvider(
            terminal: terminal, checkout: nil, clock: ManualClock(Timestamp(milliseconds: seconds * 1000)))
        switch await provider.void(Self.void()) {
        case .approved: #expect(seconds > 150)
        case .unknown: #expect(seconds < 150)
        case let answer: Issue.record("\(answer)")
        }
    }

    @Test("A broken seal leaves it open; the same request again is not paid twice")
    func brokenSeal() async throws {
        let sandbox = try Self.sandbox()
        let provider = try Self.provider(sandbox)
        guard case .unknown = await provider.authorize(Self.request(1226), with: provider.tender) else {
            Issue.record("a broken seal must be unknown")
            return
        }
        let first = await provider.authorize(Self.request(1300, "att_3"), with: provider.tender)
        let again = await provider.authorize(Self.request(1300, "att_3"), with: provider.tender)
        #expect(first == again)
    }

    @Test("Words of tomorrow, another amount and a payment without a name are never read as an end")
    func open() {
        func outcome(_ result: String, _ word: String?, _ name: String?, _ minor: Int64) -> AdyenTerminal.Outcome {
            AdyenTerminal.Outcome(
                result: result, errorCondition: word, message: nil, transaction: name, transactionTime: nil,
                amount: Money(minorUnits: minor, currency: .eur), card: nil)
        }
        let price = Money(minorUnits: 100, currency: .eur)
        for wrong in [
            outcome("Failure", "SomethingNew", nil, 0), outcome("Partial", nil, "A.B", 50),
            outcome("Success", nil, "A.B", 50), outcome("Success", nil, nil, 100), outcome("", nil, nil, 100),
            outcome("Failure", "InProgress", nil, 0), outcome("Failure", "UnreachableHost", nil, 0),
        ] {
            guard case .open = AdyenTerminalConversation.standing(wrong, price) else {
                Issue.record("\(wrong) must stay open")
                continue
            }
        }
    }

    @Test("The name of a request is the attempt's alone, and short enough for the terminal")
    func names() {
        let one = AdyenTerminalConversation.requestName("att_1", "pay")
        #expect(one.utf8.count == AdyenTerminal.longestName)
        #expect(one == AdyenTerminalConversation.requestName("att_1", "pay"))
        #expect(one != AdyenTerminalConversation.requestName("att_2", "pay"))
    }
}
