public import TillCore

/// The decrypted contents of a token. Sensitive values are `Secret`; unknown members are preserved.
public struct PaymentTokenPayload: Sendable {
    /// The proof that the cardholder's device took part.
    public enum Credential: Sendable {
        /// A 3-D Secure cryptogram. The indicator is passed on if, and only if, the wallet supplied one.
        case threeDSecure(cryptogram: Secret<String>, eciIndicator: String?)
        /// An EMV cryptogram with its data, and the PIN where the region uses one.
        case emv(data: Secret<String>, encryptedPIN: Secret<String>?)
        /// An unknown kind; its members are in ``PaymentTokenPayload/document``.
        case other(kind: String)
    }

    /// One merchant's part of a shared payment.
    public struct AuthenticationResponse: Sendable {
        /// The merchant that receives the part.
        public let merchantIdentifier: String
        public let authenticationData: Secret<String>
        /// The amount of the part; `nil` if it was not a whole number of minor units.
        public let amount: Money?
    }

    /// The device account number, or the merchant token.
    public let accountNumber: Secret<String>
    /// The last four digits of ``accountNumber``, which differ from those printed on the card.
    public let accountLastFour: String
    /// The expiry of the account number.
    public let expiry: Secret<TokenExpiry>
    /// The amount that the customer authorized.
    public let amount: Money
    /// The cardholder name, if the wallet supplied it.
    public let cardholderName: Secret<String>?
    /// The device manufacturer, about ten hexadecimal digits.
    public let deviceManufacturer: String?
    /// The proof that the device took part, in addition to the account number.
    public let credential: Credential
    /// The merchant token for later charges, if the request asked for one.
    public let merchantTokenIdentifier: Secret<String>?
    /// Expiry, last four digits and artwork of the card behind a merchant token.
    public let merchantTokenMetadata: JSONValue?
    /// The parts of a shared payment; empty otherwise.
    public let authenticationResponses: [AuthenticationResponse]
    /// The complete payload as received.
    public let document: Secret<JSONValue>

    init(parsing bytes: some Collection<UInt8>) throws(PaymentTokenError) {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: 16_384, maximumDepth: 16))
        } catch {
            throw Self.malformed("not_json", "The token's payload is not JSON.")
        }
        guard let number = document["applicationPrimaryAccountNumber"]?.stringValue,
            (8...19).contains(number.utf8.count), number.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw Self.malformed("account_number", "The token's payload has no account number.") }
        guard let date = document["applicationExpirationDate"]?.stringValue, let expiry = TokenExpiry(yymmdd: date)
        else { throw Self.malformed("expiry", "The token's payload has no expiry that is a date.") }
        guard let code = document["currencyCode"]?.stringValue, let currency = Self.currency(numeric: code) else {
            throw Self.malformed("currency", "The token's payload has no currency of ISO 4217.")
        }
        guard let amount = document["transactionAmount"].flatMap(Self.minorUnits) else {
            throw Self.malformed("amount", "The token's payload has no amount in whole minor units.")
        }
        accountNumber = Secret(number)
        accountLastFour = String(number.suffix(4))
        self.expiry = Secret(expiry)
        self.amount = Money(minorUnits: amount, currency: currency)
        cardholderName = document["cardholderName"]?.stringValue.map { Secret($0) }
        deviceManufacturer = document["deviceManufacturerIdentifier"]?.stringValue
        credential = Self.credential(document)
        merchantTokenIdentifier = document["merchantTokenIdentifier"]?.stringValue.map { Secret($0) }
        merchantTokenMetadata = document["merchantTokenMetadata"]
        authenticationResponses = (document["authenticationResponses"]?.arrayValue ?? []).compactMap { part in
            guard let merchant = part["merchantIdentifier"]?.stringValue,
                let data = part["authenticationData"]?.stringValue
            else { return nil }
            let units = part["transactionAmount"].flatMap(Self.minorUnits)
            return AuthenticationResponse(
                merchantIdentifier: merchant, authenticationData: Secret(data),
                amount: units.map { Money(minorUnits: $0, currency: currency) })
        }
        self.document = Secret(document)
    }

    private static func credential(_ document: JSONValue) -> Credential {
        let data = document["paymentData"]
        switch document["paymentDataType"]?.stringValue {
        case "3DSecure"?:
            if let cryptogram = data?["onlinePaymentCryptogram"]?.stringValue {
                return .threeDSecure(
                    cryptogram: Secret(cryptogram), eciIndicator: data?["eciIndicator"]?.stringValue)
            }
            return .other(kind: "3DSecure")
        case "EMV"?:
            if let emv = data?["emvData"]?.stringValue {
                return .emv(data: Secret(emv), encryptedPIN: data?["encryptedPINData"]?.stringValue.map { Secret($0) })
            }
            return .other(kind: "EMV")
        case let kind: return .other(kind: kind ?? "")
        }
    }

    /// Returns a non-negative whole number of minor units, written as a number or as text.
    private static func minorUnits(_ value: JSONValue) -> Int64? {
        let units = value.int64Value ?? value.stringValue.flatMap { Int64($0) }
        return units.flatMap { $0 >= 0 ? $0 : nil }
    }

    private static let currencies: [Int: Currency] = Dictionary(
        Currency.all.map { ($0.numericCode, $0) }, uniquingKeysWith: { first, _ in first })

    private static func currency(numeric text: String) -> Currency? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text).flatMap { currencies[$0] }
    }

    private static func malformed(_ code: String, _ what: String) -> PaymentTokenError {
        PaymentTokenError(.payload, code, what)
    }
}

/// The expiry date of a token's account number.
public struct TokenExpiry: Hashable, Sendable {
    /// The four-digit year, 2000 to 2099.
    public let year: Int
    /// The month, from 1 for January to 12.
    public let month: Int
    /// 1 to 31; 0 if the issuer specifies only the month.
    public let day: Int

    /// Parses `YYMMDD`; `nil` for anything else. Years are 2000 to 2099.
    init?(yymmdd text: String) {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            (1...12).contains(number / 100 % 100), (0...31).contains(number % 100)
        else { return nil }
        year = 2000 + number / 10_000
        month = number / 100 % 100
        day = number % 100
    }
}

extension PaymentTokenPayload {
    /// The payload's members under Apple's names, with sensitive values masked. Unknown members are masked completely.
    public var masked: JSONValue {
        guard case .object(let members) = document.reveal() else { return .null }
        return .object(members.map { JSONMember(key: $0.key, value: Self.mask($0.value, key: $0.key)) })
    }

    private static let shown: Set<String> = [
        "currencyCode", "transactionAmount", "deviceManufacturerIdentifier", "paymentDataType", "eciIndicator",
        "merchantIdentifier",
    ]

    private static func mask(_ value: JSONValue, key: String) -> JSONValue {
        switch value {
        case .object(let members):
            return .object(members.map { JSONMember(key: $0.key, value: mask($0.value, key: $0.key)) })
        case .array(let values): return .array(values.map { mask($0, key: key) })
        case .string(let text) where key == "applicationPrimaryAccountNumber":
            return .string("•••• " + text.suffix(4))
        case _ where shown.contains(key): return value
        default: return .string("••••")
        }
    }
}
