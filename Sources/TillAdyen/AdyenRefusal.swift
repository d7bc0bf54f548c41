internal import TillCore

/// Adyen's refusal reasons in our words ("Refusal reasons" of its documentation). A code that is not here keeps its
/// number. Everything that must not be told to the person with the card is `fraud`.
enum AdyenRefusal {
    static func decline(_ json: JSONValue, reference: String?) -> Decline {
        let code = json["refusalReasonCode"]?.stringValue.map { String($0.prefix(16)) }
        let text = json["refusalReason"]?.stringValue ?? json["resultCode"]?.stringValue
        return decline(code: code, text: text, reference: reference)
    }

    static func decline(code: String?, text: String?, reference: String?) -> Decline {
        let message = text.map { CardScrubbing.withoutNumbers(String($0.prefix(300))) }
        let reason =
            code.flatMap { byCode[$0] } ?? message.flatMap { byText[$0.uppercased()] }
            ?? code.map { DeclineReason(rawValue: "adyen_\($0)") } ?? .generic
        return Decline(reason: reason, code: code, message: message, requestID: reference)
    }

    private static let byCode: [String: DeclineReason] = [
        "2": .generic, "3": .generic, "4": .generic, "5": .fraud, "6": .expiredCard, "7": .invalidAmount,
        "8": .incorrectNumber, "9": .generic, "10": .cardNotSupported, "11": .cardNotSupported,
        "12": .insufficientFunds, "14": .fraud, "15": .canceledAtReader, "16": .canceledAtReader, "17": .incorrectPIN,
        "18": .tooManyPINTries, "19": .tooManyPINTries, "20": .fraud, "22": .fraud, "23": .cardNotSupported,
        "24": .incorrectCVC, "25": .fraud, "26": .fraud, "27": .generic, "28": .insufficientFunds,
        "29": .insufficientFunds, "31": .fraud, "38": .generic,
    ]

    /// Webhooks carry the words without the number.
    private static let byText: [String: DeclineReason] = [
        "BLOCKED CARD": .fraud, "EXPIRED CARD": .expiredCard, "INVALID AMOUNT": .invalidAmount,
        "INVALID CARD NUMBER": .incorrectNumber, "NOT SUPPORTED": .cardNotSupported,
        "NOT ENOUGH BALANCE": .insufficientFunds, "FRAUD": .fraud, "INVALID PIN": .incorrectPIN,
        "PIN TRIES EXCEEDED": .tooManyPINTries, "CVC DECLINED": .incorrectCVC,
    ]
}
