import Crypto
import TillCore

/// The certificates of a virtual card, signed with the test keys. Source: EMV Book 2, tables 5, 13 and 14.
struct VirtualCertificates: Sendable {
    /// Tag 90, 92 and 32 of the issuer, 9F46, 9F48 and 9F47 of the card.
    let objects: [DataObject]

    /// Cached certificates: creating them takes as long as a whole tap.
    private static let known = Guarded<[[UInt8]: [DataObject]]>([:])
    private static let mostKnown = 256

    /// Returns the certificates of a card, created once.
    static func made(number: String, signed: [UInt8]) -> [DataObject] {
        let name = Array(number.utf8) + signed
        if let found = known.withLock({ $0[name] }) { return found }
        let objects = VirtualCertificates(number: number, signed: signed).objects
        known.withLock { if $0.count < mostKnown { $0[name] = objects } }
        return objects
    }

    /// - Parameter signed: the bytes covered by offline data authentication.
    init(number: String, signed: [UInt8]) {
        let (authority, issuer, card) = (VirtualTestKeys.authority, VirtualTestKeys.issuer, VirtualTestKeys.card)
        let until: [UInt8] = [0x12, 0x49]
        let identifier = Hex.bytes(ifValid: String((number.prefix(6) + "FF").prefix(8))) ?? []
        let (issuerCertificate, issuerRemainder) = VirtualCertificates.certify(
            head: [0x02] + identifier + until + [0, 0, 1, 1, 1], key: issuer.modulus, with: authority, more: [])
        let padded = Hex.bytes(ifValid: String((number + "FFFFFFFFFF").prefix(20))) ?? []
        let (cardCertificate, cardRemainder) = VirtualCertificates.certify(
            head: [0x04] + padded + until + [0, 0, 2, 1, 1], key: card.modulus, with: issuer, more: signed)
        objects = [
            DataObject(0x8F, [VirtualTestKeys.index]), DataObject(0x90, issuerCertificate),
            DataObject(0x92, issuerRemainder), DataObject(0x9F32, [3]),
            DataObject(0x9F46, cardCertificate), DataObject(0x9F47, [3]), DataObject(0x9F48, cardRemainder),
        ].filter { !$0.value.isEmpty }
    }

    private static func certify(
        head: [UInt8], key: [UInt8], with signer: VirtualPrivateKey, more: [UInt8]
    ) -> (certificate: [UInt8], remainder: [UInt8]) {
        let start = head + [UInt8(clamping: key.count), 1]
        let room = signer.modulus.count - start.count - 22
        let left = Array(key.prefix(room)) + [UInt8](repeating: 0xBB, count: max(0, room - key.count))
        let remainder = Array(key.dropFirst(room))
        let hash = Array(Insecure.SHA1.hash(data: start + left + remainder + [3] + more))
        return (signer.sign([0x6A] + start + left + hash + [0xBC]), remainder)
    }

    /// Signs the card's dynamic data and the terminal's challenge: tag 9F4B.
    static func signature(_ dynamic: [UInt8], _ challenge: [UInt8]) -> [UInt8] {
        let card = VirtualTestKeys.card
        let start: [UInt8] = [0x05, 0x01, UInt8(clamping: dynamic.count)] + dynamic
        let padding = [UInt8](repeating: 0xBB, count: max(0, card.modulus.count - start.count - 22))
        let hash = Array(Insecure.SHA1.hash(data: start + padding + challenge))
        return card.sign([0x6A] + start + padding + hash + [0xBC])
    }
}

extension CertificationAuthorities {
    /// The authority of the virtual cards, for every scheme. It certifies only virtual cards.
    public static let virtual: CertificationAuthorities = {
        var set = CertificationAuthorities()
        guard let key = VirtualTestKeys.authority.publicKey else { return set }
        for card in VirtualCard.all {
            try? set.add(key, provider: Array(card.aid.prefix(5)), index: VirtualTestKeys.index)
        }
        return set
    }()
}
