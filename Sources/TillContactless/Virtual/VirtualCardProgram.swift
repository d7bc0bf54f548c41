import Crypto
import TillCore

/// The program of a virtual card: commands in, responses out.
struct VirtualCardProgram {
    let card: VirtualCard
    private let signedRecord: [DataObject]
    private let certificates: [DataObject]
    private var counter: UInt16 = 1
    private var isInWallet = false
    private var isSelected = false
    private var processing: [UInt8] = []
    private var confirmations: Int

    init(_ card: VirtualCard) {
        self.card = card
        confirmations = if case .asksForTheOwner(let times) = card.fault { times } else { 0 }
        signedRecord = VirtualCardProgram.record(card)
        let signed = signedRecord.flatMap(\.encoded) + (card.style == .full ? VirtualCardProgram.profile(card) : [])
        var made = VirtualCertificates.made(number: card.number, signed: signed)
        if card.fault == .forged, let index = made.firstIndex(where: { $0.tag == 0x9F46 }) {
            var bytes = made[index].value
            bytes[bytes.count / 2] ^= 1
            made[index] = DataObject(0x9F46, bytes)
        }
        certificates = made
    }

    /// Returns the response to a command at a time.
    mutating func answer(_ command: CommandAPDU, at time: Timestamp) -> ResponseAPDU {
        switch command.name {
        case "SELECT": return select(command.data)
        case "GET PROCESSING OPTIONS": return options(command.data)
        case "READ RECORD": return record(command)
        case "GENERATE AC": return generate(command)
        case "GET VAS DATA": return pass(command, time)
        default: return ResponseAPDU(status: .instructionNotSupported)
        }
    }

    private mutating func select(_ name: [UInt8]) -> ResponseAPDU {
        (isInWallet, isSelected) = (false, false)
        if name == Array("2PAY.SYS.DDF01".utf8) {
            if card.fault == .garbage { return ResponseAPDU([0x6F, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]) }
            let entry = DataObject(
                0x61,
                [
                    DataObject(0x4F, card.aid), DataObject(0x50, Array(card.label.utf8)), DataObject(0x87, [1]),
                ])
            return ResponseAPDU(VirtualCardProgram.control(name, [DataObject(0xBF0C, [entry])]))
        }
        if name == Array("OSE.VAS.01".utf8) {
            guard !card.passes.isEmpty else { return ResponseAPDU(status: .notFound) }
            isInWallet = true
            let objects = [
                DataObject(0x50, Array("ApplePay".utf8)), DataObject(0x9F21, [1, 0]),
                DataObject(0x9F24, [1, 2, 3, 4]), DataObject(0x9F23, [0, 0, 0, 8]),
            ]
            return ResponseAPDU(DataObject(0x6F, objects).encoded)
        }
        guard name == card.aid else { return ResponseAPDU(status: .notFound) }
        if card.fault == .blocked { return ResponseAPDU(status: .selectedInvalidated) }
        isSelected = true
        let list: [UInt8] =
            card.style == .fast
            ? [0x9F, 0x66, 4, 0x9F, 0x02, 6, 0x9F, 0x03, 6, 0x9F, 0x1A, 2, 0x95, 5, 0x5F, 0x2A, 2, 0x9A, 3, 0x9C, 1]
                + [0x9F, 0x37, 4]
            : []
        var inside = [DataObject(0x50, Array(card.label.utf8)), DataObject(0x87, [1])]
        if !list.isEmpty { inside.append(DataObject(0x9F38, list)) }
        return ResponseAPDU(VirtualCardProgram.control(name, inside))
    }

    private static func control(_ name: [UInt8], _ inside: [DataObject]) -> [UInt8] {
        DataObject(0x6F, [DataObject(0x84, name), DataObject(0xA5, inside)]).encoded
    }

    private mutating func options(_ data: [UInt8]) -> ResponseAPDU {
        guard isSelected else { return ResponseAPDU(status: .conditionsNotSatisfied) }
        if confirmations > 0 {
            confirmations -= 1
            return ResponseAPDU(status: .notAllowed)
        }
        processing = DataObject.parse(ifValid: data)?.first(0x83)?.value ?? []
        counter &+= 1
        // File 1, record 1 is signed; records 2 and 3 hold the certificates.
        let locator: [UInt8] = card.fault == .endless ? [0x08, 1, 0xFF, 0] : [0x08, 1, 3, 1]
        guard card.style == .fast else {
            return ResponseAPDU(
                DataObject(0x77, [DataObject(0x82, VirtualCardProgram.profile(card)), DataObject(0x94, locator)])
                    .encoded)
        }
        guard processing.count == 33 else { return ResponseAPDU(status: .wrongLength) }
        let kind: UInt8 = card.fault == .declines ? 0x00 : 0x80
        var own: [UInt8] = [0x01, 0xA1, 0xB2, 0xC3, 0xD4]
        own += [0x00, 0x00]
        let challenge = Array(processing[29..<33]) + Array(processing[4..<10]) + Array(processing[23..<25]) + own
        let counterBytes = TerminalData.bigEndian(UInt64(counter), 2)
        return ResponseAPDU(
            DataObject(
                0x77,
                [
                    DataObject(0x82, VirtualCardProgram.profile(card)), DataObject(0x94, locator),
                    DataObject(0x9F36, counterBytes), DataObject(0x9F26, cryptogram(processing)),
                    DataObject(0x9F27, [kind]),
                    DataObject(0x9F10, [0x06, 0x01, 0x0A, 0x03, kind == 0 ? 0x80 : 0xA0, 0x00, 0x00]),
                    DataObject(0x57, VirtualCardProgram.track(card)), DataObject(0x5F34, [1]),
                    DataObject(0x9F6C, card.passes.isEmpty ? [0x40, 0x00] : [0x00, 0x80]),
                    DataObject(0x9F69, own),
                    DataObject(0x9F4B, VirtualCertificates.signature([2] + counterBytes, challenge)),
                ]
            ).encoded)
    }

    private func record(_ command: CommandAPDU) -> ResponseAPDU {
        guard isSelected, command.p2 == 0x0C else { return ResponseAPDU(status: .recordNotFound) }
        switch command.p1 {
        case 1: return ResponseAPDU(DataObject(0x70, signedRecord).encoded)
        case 2: return ResponseAPDU(DataObject(0x70, Array(certificates.prefix(4))).encoded)
        case 3: return ResponseAPDU(DataObject(0x70, Array(certificates.dropFirst(4))).encoded)
        default: return ResponseAPDU(status: .recordNotFound)
        }
    }

    private func generate(_ command: CommandAPDU) -> ResponseAPDU {
        guard isSelected, card.style == .full else { return ResponseAPDU(status: .conditionsNotSatisfied) }
        let kind: UInt8 = card.fault == .declines || command.p1 & 0xC0 == 0 ? 0x00 : 0x80
        let counterBytes = TerminalData.bigEndian(UInt64(counter), 2)
        let mac = cryptogram(command.data)
        var objects = [DataObject(0x9F27, [kind]), DataObject(0x9F36, counterBytes)]
        let data: [UInt8] = [0x01, 0x10, 0xA0, 0x00, 0x00, 0x00, 0x00, 0x00]
        if command.p1 & 0x10 != 0 {
            objects.append(DataObject(0x9F10, data))
            let hash = Array(Insecure.SHA1.hash(data: processing + command.data + objects.flatMap(\.encoded)))
            let dynamic: [UInt8] = [2] + counterBytes + [kind] + mac + hash
            let challenge = Array(command.data.suffix(4))
            objects.insert(DataObject(0x9F4B, VirtualCertificates.signature(dynamic, challenge)), at: 2)
        } else {
            objects += [DataObject(0x9F26, mac), DataObject(0x9F10, data)]
        }
        return ResponseAPDU(DataObject(0x77, objects).encoded)
    }

    private func pass(_ command: CommandAPDU, _ time: Timestamp) -> ResponseAPDU {
        guard isInWallet, let objects = DataObject.parse(ifValid: command.data),
            let hash = objects.first(0x9F25)?.value
        else { return ResponseAPDU(status: StatusWord(rawValue: 0x6A80)) }
        if confirmations > 0 { return ResponseAPDU(status: StatusWord(rawValue: 0x6287)) }
        let found = card.passes.first { Array(SHA256.hash(data: Array($0.passTypeIdentifier.utf8))) == hash }
        guard let found, let bytes = found.cryptogram(at: time) else { return ResponseAPDU(status: .recordNotFound) }
        return ResponseAPDU(DataObject(0x70, [DataObject(0x9F2A, [UInt8]()), DataObject(0x9F27, bytes)]).encoded)
    }

    /// Computes a simulated cryptogram from all data exchanged; no issuer shares a key with this card.
    private func cryptogram(_ data: [UInt8]) -> [UInt8] {
        let counterBytes = TerminalData.bigEndian(UInt64(counter), 2)
        return Array(SHA256.hash(data: Array(card.number.utf8) + counterBytes + data).prefix(8))
    }

    private static func profile(_ card: VirtualCard) -> [UInt8] {
        card.style == .fast ? [0x20, 0x00] : card.passes.isEmpty ? [0x39, 0x80] : [0x3B, 0x80]
    }

    private static func track(_ card: VirtualCard) -> [UInt8] {
        let number = card.fault == .lies ? String(card.number.reversed()) : card.number
        let text = number + "D" + card.expiry + "201" + "1234500000"
        return Hex.bytes(ifValid: text.count.isMultiple(of: 2) ? text : text + "F") ?? []
    }

    private static func record(_ card: VirtualCard) -> [DataObject] {
        let number = card.number.count.isMultiple(of: 2) ? card.number : card.number + "F"
        var objects = [
            DataObject(0x5A, Hex.bytes(ifValid: number) ?? []),
            DataObject(0x5F24, (Hex.bytes(ifValid: card.expiry) ?? []) + [0x31]),
            DataObject(0x5F28, [0x02, 0x76]), DataObject(0x9F07, [0xFF, 0xC0]),
        ]
        guard card.style == .full else { return objects }
        objects += [
            DataObject(0x57, track(card)), DataObject(0x5F34, [1]), DataObject(0x9F4A, [0x82]),
            DataObject(0x8E, [0, 0, 0, 0, 0, 0, 0, 0, 0x5E, 0x03, 0x1F, 0x00]),
            DataObject(
                0x8C,
                [0x9F, 0x02, 6, 0x9F, 0x03, 6, 0x9F, 0x1A, 2, 0x95, 5, 0x5F, 0x2A, 2, 0x9A, 3, 0x9C, 1, 0x9F, 0x37, 4]),
        ]
        return objects
    }
}
