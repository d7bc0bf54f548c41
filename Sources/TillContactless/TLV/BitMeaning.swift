import TillCore

/// The meaning of the bits of bit-mapped data elements. Source: EMV Book 3, annex C; EMV Contactless Books C.
public enum BitMeaning {
    /// Returns a sentence for each known bit that is set, in byte order.
    public static func explain(_ tag: Tag, _ value: [UInt8]) -> [String] {
        switch tag {
        case 0x94: return locator(value)
        case 0x9F34: return verification(value)
        case 0x9F27: return value.first.map { [cryptogram($0)] } ?? []
        case 0x8E: return methods(value)
        default: break
        }
        guard let rows = tables[tag] else { return [] }
        return rows.compactMap { index, mask, text in
            index < value.count && value[index] & mask == mask ? text : nil
        }
    }

    private static func cryptogram(_ information: UInt8) -> String {
        switch information & 0xC0 {
        case 0x00: "AAC: the card declined"
        case 0x40: "TC: the card approved offline"
        case 0x80: "ARQC: the card asks to go online"
        default: "RFU cryptogram type"
        }
    }

    private static func locator(_ value: [UInt8]) -> [String] {
        stride(from: 0, to: value.count - value.count % 4, by: 4).map { at in
            "SFI \(value[at] >> 3), records \(value[at + 1]) to \(value[at + 2]), "
                + "\(value[at + 3]) of them for offline data authentication"
        }
    }

    private static func verification(_ value: [UInt8]) -> [String] {
        guard value.count == 3 else { return [] }
        let result =
            switch value[2] {
            case 0: "result unknown"
            case 1: "failed"
            case 2: "successful"
            default: "result RFU"
            }
        return ["\(method(value[0])), \(condition(value[1])), \(result)"]
    }

    private static func methods(_ value: [UInt8]) -> [String] {
        guard value.count >= 10, value.count.isMultiple(of: 2) else { return [] }
        return stride(from: 8, to: value.count, by: 2).map { at in
            let next = value[at] & 0x40 != 0 ? "else the next rule" : "else fail"
            return "\(method(value[at])), \(condition(value[at + 1])), \(next)"
        }
    }

    private static func method(_ code: UInt8) -> String {
        switch code & 0x3F {
        case 0x00: "fail verification"
        case 0x01: "plaintext PIN verified by the card"
        case 0x02: "enciphered PIN verified online"
        case 0x03: "plaintext PIN verified by the card and signature"
        case 0x04: "enciphered PIN verified by the card"
        case 0x05: "enciphered PIN verified by the card and signature"
        case 0x1E: "signature"
        case 0x1F: "no verification required"
        case 0x3F: "no verification performed"
        default: "method \(Hex.text([code & 0x3F]))"
        }
    }

    private static func condition(_ code: UInt8) -> String {
        switch code {
        case 0x00: "always"
        case 0x01: "if unattended cash"
        case 0x02: "if not cash"
        case 0x03: "if the terminal supports it"
        case 0x04: "if manual cash"
        case 0x05: "if purchase with cashback"
        case 0x06: "if in the application's currency and under X"
        case 0x07: "if in the application's currency and over X"
        case 0x08: "if in the application's currency and under Y"
        case 0x09: "if in the application's currency and over Y"
        default: "condition \(Hex.text([code]))"
        }
    }

    private static let tables: [Tag: [(Int, UInt8, String)]] = [
        0x82: [
            (0, 0x40, "SDA supported"), (0, 0x20, "DDA supported"),
            (0, 0x10, "cardholder verification supported"), (0, 0x08, "terminal risk management to be performed"),
            (0, 0x04, "issuer authentication by EXTERNAL AUTHENTICATE"), (0, 0x02, "on-device verification supported"),
            (0, 0x01, "CDA supported"), (1, 0x80, "EMV mode supported"), (1, 0x01, "relay resistance supported"),
        ],
        0x95: [
            (0, 0x80, "offline data authentication not performed"), (0, 0x40, "SDA failed"),
            (0, 0x20, "ICC data missing"), (0, 0x10, "card on the exception file"), (0, 0x08, "DDA failed"),
            (0, 0x04, "CDA failed"), (1, 0x80, "application versions differ"), (1, 0x40, "application expired"),
            (1, 0x20, "application not yet effective"), (1, 0x10, "service not allowed for the card"),
            (1, 0x08, "new card"), (2, 0x80, "cardholder verification failed"), (2, 0x40, "unrecognised CVM"),
            (2, 0x20, "PIN tries exceeded"), (2, 0x10, "PIN required, no pad"), (2, 0x08, "PIN required, not entered"),
            (2, 0x04, "online PIN entered"), (3, 0x80, "floor limit exceeded"),
            (3, 0x40, "lower consecutive offline limit exceeded"), (3, 0x20, "upper consecutive limit exceeded"),
            (3, 0x10, "chosen at random for online"), (3, 0x08, "merchant forced online"),
            (4, 0x80, "default TDOL used"), (4, 0x40, "issuer authentication failed"),
            (4, 0x20, "script failed before the last GENERATE AC"), (4, 0x10, "script failed after it"),
        ],
        0x9B: [
            (0, 0x80, "offline data authentication performed"), (0, 0x40, "cardholder verification performed"),
            (0, 0x20, "card risk management performed"), (0, 0x10, "issuer authentication performed"),
            (0, 0x08, "terminal risk management performed"), (0, 0x04, "script processing performed"),
        ],
        0x9F07: [
            (0, 0x80, "domestic cash"), (0, 0x40, "international cash"), (0, 0x20, "domestic goods"),
            (0, 0x10, "international goods"), (0, 0x08, "domestic services"), (0, 0x04, "international services"),
            (0, 0x02, "at ATMs"), (0, 0x01, "at terminals other than ATMs"), (1, 0x80, "domestic cashback"),
            (1, 0x40, "international cashback"),
        ],
        0x9F33: [
            (0, 0x80, "manual key entry"), (0, 0x40, "magnetic stripe"), (0, 0x20, "chip with contacts"),
            (1, 0x80, "plaintext PIN to the card"), (1, 0x40, "enciphered PIN online"), (1, 0x20, "signature"),
            (1, 0x10, "enciphered PIN to the card"), (1, 0x08, "no verification"), (2, 0x80, "SDA"), (2, 0x40, "DDA"),
            (2, 0x20, "card capture"), (2, 0x08, "CDA"),
        ],
        0x9F66: [
            (0, 0x80, "mag-stripe mode supported"), (0, 0x20, "EMV mode supported"),
            (0, 0x10, "contact chip supported"), (0, 0x08, "offline-only reader"), (0, 0x04, "online PIN supported"),
            (0, 0x02, "signature supported"), (0, 0x01, "offline data authentication for online supported"),
            (1, 0x80, "online cryptogram required"), (1, 0x40, "verification required"),
            (1, 0x20, "contact chip offline PIN supported"), (2, 0x80, "issuer updates supported"),
            (2, 0x40, "consumer device verification supported"),
        ],
        0x9F6C: [
            (0, 0x80, "online PIN required"), (0, 0x40, "signature required"),
            (0, 0x20, "go online if data authentication fails"),
            (0, 0x10, "switch interface if data authentication fails"), (0, 0x08, "go online if expired"),
            (0, 0x04, "switch interface for cash"), (0, 0x02, "switch interface for cashback"),
            (1, 0x80, "consumer device verification performed"), (1, 0x40, "issuer updates supported at the reader"),
        ],
    ]
}
