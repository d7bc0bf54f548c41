import Crypto
import TillCore

/// Offline data authentication: verifies that the issuer signed the card's data, and that the genuine card is present
/// to sign. Source: EMV Book 2, sections 5 and 6; EMV Contactless Book C-3 for fDDA.
public struct DataAuthentication: Sendable {
    /// The result of offline data authentication.
    public enum Result: Hashable, Sendable, CustomStringConvertible {
        /// The card does not support it, or no key is available to verify it.
        case notPerformed
        /// Every certificate and signature verifies, up to the scheme's key.
        case verified
        /// Verification failed, with the reason.
        case failed(String)

        /// `true` if verification failed.
        public var isFailed: Bool { if case .failed = self { true } else { false } }

        /// `verified`, `not_performed` or `failed`.
        public var description: String {
            switch self {
            case .notPerformed: "not_performed"
            case .verified: "verified"
            case .failed: "failed"
            }
        }
    }

    let card: [Tag: [UInt8]]
    let authenticated: [UInt8]
    let processing: [UInt8]
    let generate: [UInt8]
    let generated: [UInt8]
    let request: TapRequest
    let kernel: KernelID

    /// Verifies everything that the card provides; each certificate is recovered once.
    /// - Returns: the result, and the cryptogram inside a combined signature, if there is one.
    func check(_ authorities: CertificationAuthorities, aid: [UInt8]) -> (result: Result, cryptogram: [UInt8]?) {
        guard let index = card[0x8F]?.first, let authority = authorities.key(for: aid, index),
            card[0x93] != nil || card[0x9F4B] != nil
        else { return (.notPerformed, nil) }
        do {
            let issuer = try issuerKey(authority)
            guard card[0x9F4B] != nil, card[0x9F46] != nil else {
                try checkStatic(issuer)
                return (.verified, nil)
            }
            return (.verified, try checkDynamic(try cardKey(issuer)))
        } catch {
            return (.failed(error.reason), nil)
        }
    }

    private struct Failure: Error { let reason: String }

    private func issuerKey(_ authority: RSAPublicKey) throws(Failure) -> RSAPublicKey {
        guard let certificate = card[0x90], let opened = authority.recover(certificate, format: 0x02) else {
            throw Failure(reason: "the issuer's certificate does not open")
        }
        let remainder = card[0x92] ?? []
        let exponent = card[0x9F32] ?? []
        try checkHash(opened, remainder + exponent, "the issuer's certificate")
        let issuer = Hex.text(opened[2..<6]).prefix { $0 != "F" }
        guard let number, number.hasPrefix(issuer) else {
            throw Failure(reason: "the issuer's certificate is for other card numbers")
        }
        try checkDate(Array(opened[6..<8]), "the issuer's certificate")
        return try key(opened, header: 15, lengthAt: 13, remainder, exponent, "the issuer's key")
    }

    private func cardKey(_ issuer: RSAPublicKey) throws(Failure) -> RSAPublicKey {
        guard let certificate = card[0x9F46], let opened = issuer.recover(certificate, format: 0x04),
            opened.count > 42
        else { throw Failure(reason: "the card's certificate does not open") }
        let remainder = card[0x9F48] ?? []
        let exponent = card[0x9F47] ?? []
        try checkHash(opened, remainder + exponent + (try signedData()), "the card's certificate")
        guard let number, Hex.text(opened[2..<12]).prefix(while: { $0 != "F" }) == number else {
            throw Failure(reason: "the card's certificate is for another card number")
        }
        try checkDate(Array(opened[12..<14]), "the card's certificate")
        return try key(opened, header: 21, lengthAt: 19, remainder, exponent, "the card's key")
    }

    private func checkStatic(_ issuer: RSAPublicKey) throws(Failure) {
        guard let signature = card[0x93], let opened = issuer.recover(signature, format: 0x03) else {
            throw Failure(reason: "the signed data do not open")
        }
        try checkHash(opened, try signedData(), "the signed data")
    }

    /// - Returns: the cryptogram in a combined signature; `nil` for the other kinds.
    private func checkDynamic(_ key: RSAPublicKey) throws(Failure) -> [UInt8]? {
        guard let signature = card[0x9F4B], let opened = key.recover(signature, format: 0x05) else {
            throw Failure(reason: "the card's signature does not open")
        }
        let isCombined = kernel != .visa && !generated.isEmpty
        try checkHash(opened, isCombined ? request.unpredictableNumber : fastChallenge, "the card's signature")
        guard isCombined else { return nil }
        let data = opened[4..<min(opened.count, 4 + Int(opened[3]))]
        let dynamicLength = Int(data.first ?? 0)
        let after = Array(data.dropFirst(1 + dynamicLength))
        guard after.count >= 29, after[0] == card[0x9F27]?.first,
            card[0x9F26].map({ $0 == Array(after[1..<9]) }) ?? true
        else { throw Failure(reason: "the card signed another cryptogram") }
        let said = processing + generate + (try answerWithoutSignature())
        guard Array(Insecure.SHA1.hash(data: said)) == Array(after[9..<29]) else {
            throw Failure(reason: "the card signed another transaction")
        }
        return Array(after[1..<9])
    }

    /// The data signed in fDDA: unpredictable number, amount, currency and the card's own data.
    private var fastChallenge: [UInt8] {
        let own = card[0x9F69] ?? []
        guard own.first == 0x01 else { return request.unpredictableNumber }
        return request.unpredictableNumber + TerminalData.packed(Int(clamping: request.amount.minorUnits), 6)
            + TerminalData.packed(request.amount.currency.numericCode, 2) + own
    }

    private func answerWithoutSignature() throws(Failure) -> [UInt8] {
        guard let objects = DataObject.parse(ifValid: generated) else {
            throw Failure(reason: "the card's answer cannot be read")
        }
        return objects.flatMap(\.children).filter { $0.tag != 0x9F4B }.flatMap(\.encoded)
    }

    /// The records, and the application interchange profile if the tag list names it; it may name nothing else.
    private func signedData() throws(Failure) -> [UInt8] {
        guard let list = card[0x9F4A] else { return authenticated }
        guard list == [0x82] else { throw Failure(reason: "the list of signed tags names more than the profile") }
        return authenticated + (card[0x82] ?? [])
    }

    private var number: String? {
        card[0x5A].map { String(Hex.text($0).prefix { $0 != "F" }) }
            ?? card[0x57].map { String(Hex.text($0).prefix { $0 != "D" }) }
    }

    private func checkHash(_ opened: [UInt8], _ more: [UInt8], _ name: String) throws(Failure) {
        let body = opened[1..<opened.count - 21]
        let hash = opened[(opened.count - 21)..<(opened.count - 1)]
        guard Array(Insecure.SHA1.hash(data: Array(body) + more)) == Array(hash) else {
            throw Failure(reason: "\(name) does not fit its data")
        }
    }

    /// Checks a packed month and year; valid to the end of the month.
    private func checkDate(_ date: [UInt8], _ name: String) throws(Failure) {
        let today = TerminalData(profile: TerminalProfile(), request: request).yearMonthDay
        guard date.count == 2, today.count == 3, (1...0x12).contains(date[0]) else {
            throw Failure(reason: "\(name) has no date")
        }
        guard ![date[1], date[0]].lexicographicallyPrecedes(Array(today.prefix(2))) else {
            throw Failure(reason: "\(name) is expired")
        }
    }

    private func key(
        _ opened: [UInt8], header: Int, lengthAt: Int, _ remainder: [UInt8], _ exponent: [UInt8], _ name: String
    ) throws(Failure) -> RSAPublicKey {
        guard opened.count > header + 21 else { throw Failure(reason: "\(name) is cut short") }
        let length = Int(opened[lengthAt])
        let left = opened[header..<opened.count - 21]
        let modulus = Array((Array(left) + remainder).prefix(length))
        guard modulus.count == length, let key = RSAPublicKey(modulus: modulus, exponent: exponent) else {
            throw Failure(reason: "\(name) is not a key")
        }
        return key
    }
}
