import TillApplePay
import TillCore
import TillFeatureWebhooks
import TillWeb

/// A shop's answer to a question for a price, judged: what is in it can be shown and charged.
enum QuoteAnswer: Hashable, Sendable {
    /// All lines of the price, and the shipping methods from now on, if the shop told any.
    case priced([SheetItem], methods: [SheetShippingMethod]?)
    /// The shop sells nothing to this address, or not with these choices.
    case refused([SheetError])

    /// Judges an answer.
    /// - Parameter basket: the basket that the question was about.
    init(_ answer: WebhookAnswer, for basket: SheetBasket, on terms: BasketTerms) throws(QuoteFault) {
        guard answer.status == 200 else { throw .status(answer.status) }
        guard let body = JSONValue(ifValid: answer.body, limits: QuoteLimits.answer), body.objectValue != nil else {
            throw .notJSON
        }
        do {
            self = try QuoteAnswer.judge(body, basket, terms)
        } catch let fault as QuoteFault { throw fault } catch { throw .malformed(Problem(error).detail) }
    }

    private static func judge(
        _ body: JSONValue, _ basket: SheetBasket, _ terms: BasketTerms
    ) throws -> QuoteAnswer {
        if let errors = body["errors"], !errors.isNull {
            try body.allow(["errors"])
            return .refused(try refusals(errors))
        }
        try body.allow(["items", "total", "currency", "methods", "errors"])
        guard body["currency"]?.stringValue == basket.currency.code else { throw QuoteFault.otherCurrency }
        let items = try BasketRequest.items(in: body, basket.currency)
        var methods: [SheetShippingMethod]?
        if let given = body["methods"], !given.isNull {
            let told = try BasketRequest.shippingMethods(in: body, basket.currency, named: "methods")
            guard basket.service == .delivery, !told.isEmpty else {
                throw QuoteFault.malformed("methods: They go with a delivery, and there is at least one.")
            }
            methods = told
        }
        var quoted = basket
        quoted.quote(items, methods: methods)
        let sum = try quoted.total()
        if let total = body["total"], !total.isNull {
            guard total.int64Value == sum.minorUnits else { throw QuoteFault.wrongSum }
        }
        // Above zero and within the limits of an order, so that what the sheet shows can be charged.
        do { _ = try ApplePayCheckout.order(of: quoted, on: terms) } catch let error as OrderError {
            throw QuoteFault.malformed(error.what)
        }
        return .priced(items, methods: methods)
    }

    private static func refusals(_ value: JSONValue) throws -> [SheetError] {
        guard let list = value.arrayValue, (1...QuoteLimits.errors).contains(list.count) else {
            throw QuoteFault.malformed("errors: It must be a list of 1 to \(QuoteLimits.errors) errors.")
        }
        return try list.enumerated().map { index, error in
            let place = "errors/\(index)/"
            try BasketRequest.checkObject(error, ["code", "field", "message"], place)
            guard let code = error["code"]?.stringValue.flatMap(SheetError.Code.init) else {
                throw Problem.field(place + "code", "There is no such code.")
            }
            var field: SheetError.Field?
            if let named = error["field"], !named.isNull {
                field = named.stringValue.flatMap(SheetError.Field.init)
                guard field != nil else { throw Problem.field(place + "field", "There is no such field.") }
            }
            return SheetError(code, field, try BasketRequest.label("message", of: error, place))
        }
    }
}

/// The reason that a shop's price is not known. Nothing was charged.
enum QuoteFault: Error, Hashable, Sendable {
    /// No answer came: the shop is down, too slow, sent too much, or is not called.
    case noAnswer(SignedCallError)
    case status(Int)
    case notJSON
    /// The answer has another form; the text names the place.
    case malformed(String)
    /// The answer does not say that it is in the basket's currency.
    case otherCurrency
    /// The lines do not add up to the total.
    case wrongSum
    /// As many questions were asked about the basket as may be.
    case tooMany

    /// The word in the metrics.
    var code: String {
        switch self {
        case .noAnswer(.endpoint), .noAnswer(.otherOrigin): "not_called"
        case .noAnswer(.busy): "busy"
        case .noAnswer(.failed): "no_answer"
        case .status: "status"
        case .notJSON: "not_json"
        case .malformed: "malformed"
        case .otherCurrency: "other_currency"
        case .wrongSum: "wrong_sum"
        case .tooMany: "too_many"
        }
    }
}
