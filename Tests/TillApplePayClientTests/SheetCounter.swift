import Foundation
import HTTPTypes
import Synchronization
import TillApplePay
import TillApplePayClient
import TillClient
import TillCore
import TillTestSupport

/// A counter with one basket, in memory: it answers as `till serve` does, and loses what a test wants.
final class SheetCounter: HTTPTransport {
    /// The fate of a request to pay.
    enum Fate: Sendable {
        case pays
        /// It arrives and is charged, and the answer is lost.
        case paysUnheard
        case answers(Int, String)
        /// It never arrives, and nobody says so.
        case lost
        case notSent
    }

    struct Books: Sendable {
        var basket: SheetBasket
        var fates: [Fate]
        var outcome = #"{"status":"open","moneyMoved":"no"}"#
        /// The amount that the answer about a paid order has.
        var paid = "13.50"
        var lines: [String] = []
        var bodies: [JSONValue] = []
        var proofs: [String?] = []
        var isDown = false
        /// A selection is applied, and its answer is lost.
        var losesUpdates = false
        /// A selection never arrives; everything else does.
        var dropsUpdates = false
        /// The time that each exchange takes; one that takes longer than its deadline has no answer.
        var slowness = Span.milliseconds(0)
        /// The total in the sheet's request; the basket's if it is `nil`.
        var shown: String?
    }

    /// Called with the time that an exchange has taken.
    private let onCall: @Sendable (Span) -> Void

    static let bound = Array("b-1.bound".utf8)
    let books: Mutex<Books>

    init(_ fates: Fate..., onCall: @escaping @Sendable (Span) -> Void = { _ in }) {
        self.onCall = onCall
        let basket = SheetBasket(
            id: "b-1", currency: .gbp, service: .delivery,
            lines: [SheetItem(label: "Tea", amount: Money(minorUnits: 1250, currency: .gbp))],
            shippingMethods: [
                SheetShippingMethod(
                    identifier: "slow", label: "Slow", detail: "", amount: Money(minorUnits: 100, currency: .gbp)),
                SheetShippingMethod(
                    identifier: "fast", label: "Fast", detail: "", amount: Money(minorUnits: 300, currency: .gbp)),
            ])
        books = Mutex(Books(basket: basket, fates: fates))
    }

    var payments: Int { books.withLock { $0.lines.count { $0 == "POST /applepay/payment" } } }
    var lines: [String] { books.withLock { $0.lines } }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let line = "\(request.method.rawValue) \(request.path ?? "")"
        let proof = HTTPField.Name("X-Till-Basket-Proof").flatMap { request.headerFields[$0] }
        let slowness = books.withLock { $0.slowness }
        if slowness.milliseconds > 0 {
            onCall(min(slowness, deadline))
            if slowness > deadline { throw .unknown(reason: "no answer within the deadline") }
        }
        let answer = books.withLock { books -> Result<(Int, String), TransportFailure> in
            books.lines.append(line)
            books.proofs.append(proof)
            if let json = JSONValue(ifValid: body) { books.bodies.append(json) }
            return SheetCounter.answer(line, JSONValue(ifValid: body) ?? .null, &books)
        }
        let (status, text) = try answer.get()
        return HTTPReply(response: HTTPResponse(status: .init(code: status)), body: Array(text.utf8))
    }

    private static func answer(
        _ line: String, _ body: JSONValue, _ books: inout Books
    ) -> Result<(Int, String), TransportFailure> {
        guard !books.isDown else { return .failure(.unknown(reason: "lost")) }
        switch line {
        case "GET /applepay/basket/b-1":
            guard
                var request = try? ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB").request(
                    for: books.basket, applicationData: bound)
            else { return .success((500, "")) }
            if let shown = books.shown.flatMap({ Money(ifValid: $0, currency: .gbp) }) { request.total.amount = shown }
            let text = #"{"proof":"proof-1","request":\#(request.json.text),"basket":\#(books.basket.json.text)}"#
            return .success((200, text))
        case "GET /applepay/payment/b-1": return .success((200, books.outcome))
        case "POST /applepay/basket/b-1/update":
            guard !books.dropsUpdates else { return .failure(.unknown(reason: "lost")) }
            if let name = body["identifier"]?.stringValue { _ = books.basket.choose(shippingMethod: name) }
            guard !books.losesUpdates else { return .failure(.unknown(reason: "lost")) }
            let errors =
                body["couponCode"] == nil
                ? "" : #","errors":[{"code":"couponCodeInvalid","message":"We do not know this coupon."}]"#
            return .success((200, #"{"basket":\#(books.basket.json.text),"update":{"newTotal":null\#(errors)}}"#))
        case "POST /applepay/basket/b-1/details": return .success((200, "{}"))
        case "POST /applepay/payment": return payment(&books)
        default: return .success((404, #"{"code":"not_found","detail":"None.","next":"No.","money_moved":"no"}"#))
        }
    }

    private static func payment(_ books: inout Books) -> Result<(Int, String), TransportFailure> {
        // As at the counter: a basket has one payment, and a repeated request gets its state.
        if books.outcome.contains("placed") { return .success((201, books.outcome)) }
        guard !books.fates.isEmpty else { return .failure(.unknown(reason: "lost")) }
        let placed =
            #"{"status":"placed","orderId":"1001","amount":"\#(books.paid)","currency":"GBP","moneyMoved":"yes"}"#
        switch books.fates.removeFirst() {
        case .pays:
            books.outcome = placed
            return .success((201, placed))
        case .paysUnheard:
            books.outcome = placed
            return .failure(.unknown(reason: "cut"))
        case .answers(let status, let text): return .success((status, text))
        case .lost: return .failure(.unknown(reason: "cut"))
        case .notSent: return .failure(.notSent(reason: "refused"))
        }
    }
}
