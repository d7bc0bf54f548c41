import TillCore

extension KernelTap {
    /// Assembles the reading and decides the outcome.
    mutating func conclude() throws(TapError) -> CardReading {
        var reading = ended(.endApplication, "")
        let number = try cardNumber()
        reading.number = number.map { Secret($0) }
        reading.maskedNumber = number.map(CardDataMask.masked)
        reading.lastFour = number.map { String($0.suffix(4)) }
        reading.track2 = (card[0x57] ?? card[0x9F6B]).map { Secret($0) }
        reading.verification = verification
        let authentication = DataAuthentication(
            card: card, authenticated: authenticated, processing: processingValues, generate: generateValues,
            generated: generated, request: terminal.request, kernel: candidate.kernel)
        let checked = authentication.check(authorities, aid: candidate.aid)
        reading.authentication = checked.result
        if card[0x9F26] == nil, let signed = checked.cryptogram {
            card[0x9F26] = signed
            reading.general = (reading.general + [DataObject(0x9F26, signed)]).sorted { $0.tag < $1.tag }
        }
        (reading.outcome, reading.reason) = outcome(reading, number)
        return reading
    }

    func ended(_ outcome: TapOutcome, _ reason: String) -> CardReading {
        var reading = CardReading(candidate)
        reading.outcome = outcome
        reading.reason = reason
        reading.label = card[0x50].map(Candidate.printable) ?? candidate.label
        reading.preferredName = card[0x9F12].map(Candidate.printable)
        reading.expiration = expiration
        let terminalTags: [Tag] = [
            0x9F02, 0x9F03, 0x9F1A, 0x5F2A, 0x9A, 0x9C, 0x9F37, 0x95, 0x9F33, 0x9F35, 0x9F41, 0x9F34,
        ]
        let said = card.filter { !TagDictionary.isSensitive($0.key) && TagDictionary.entry(of: $0.key) != nil }
        let own = terminalTags.compactMap { tag in
            card[tag] == nil ? terminal.value(of: tag).map { DataObject(tag, $0) } : nil
        }
        reading.general = (said.map { DataObject($0.key, $0.value) } + own).sorted { $0.tag < $1.tag }
        return reading
    }

    /// Returns the card number; the track must agree with the number's own tag.
    private func cardNumber() throws(TapError) -> String? {
        let plain = card[0x5A].map { String(Hex.text($0).prefix { $0 != "F" }) }
        let track = (card[0x57] ?? card[0x9F6B]).map { String(Hex.text($0).prefix { $0 != "D" && $0 != "F" }) }
        if let plain, let track, plain != track { throw .cardError("its number and its track disagree") }
        guard let number = plain ?? track else { return nil }
        guard (8...19).contains(number.count), number.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw .cardError("its number is not one")
        }
        return number
    }

    var expiration: CardReading.ExpirationState {
        let today = terminal.yearMonthDay
        var date = card[0x5F24]
        if date == nil, let track = card[0x57] ?? card[0x9F6B] {
            // In the track, year and month follow the separator.
            let text = Hex.text(track)
            if let separator = text.firstIndex(of: "D") {
                date = Hex.bytes(ifValid: String(text[text.index(after: separator)...].prefix(4)))
            }
        }
        guard let date, date.count >= 2, date[1] <= 0x12, date[1] > 0, date[0] & 15 < 10, today.count == 3 else {
            return .unknown
        }
        return Array(date.prefix(2)).lexicographicallyPrecedes(Array(today.prefix(2))) ? .expired : .notExpired
    }

    /// Derived from the card transaction qualifiers, else from the interchange profile and the CVM list.
    private var verification: CardReading.Verification {
        if let qualifiers = card[0x9F6C], qualifiers.count == 2 {
            if qualifiers[1] & 0x80 != 0 { return .device }
            guard terminal.needsVerification else { return .none }
            if qualifiers[0] & 0x80 != 0 { return .onlinePIN }
            if qualifiers[0] & 0x40 != 0 { return .signature }
            return .failed
        }
        guard terminal.needsVerification else { return .none }
        if let profile = card[0x82], profile.first.map({ $0 & 0x02 != 0 }) ?? false { return .device }
        guard let methods = card[0x8E], methods.count >= 10 else { return .failed }
        for at in stride(from: 8, to: methods.count - 1, by: 2) {
            switch methods[at] & 0x3F {
            case 0x02: return .onlinePIN
            case 0x1E: return .signature
            case 0x1F: return .none
            default: continue
            }
        }
        return .failed
    }

    private func outcome(_ reading: CardReading, _ number: String?) -> (TapOutcome, String) {
        guard let number else { return (.tryAnotherInterface, "The card gave no number over this way.") }
        if case .failed(let reason) = reading.authentication {
            return (.declined, "The card's data are not authentic: \(reason).")
        }
        if card[0x9F26] == nil, card[0x9F60] == nil, card[0x9F61] == nil {
            if card[0x9F4B] != nil, card[0x9F27] != nil {
                return (
                    .tryAnotherInterface,
                    "The card signed its cryptogram, and the key that opens the signature is not here."
                )
            }
            return (.tryAnotherInterface, "The card gave no cryptogram.")
        }
        switch information {
        case 0x00: return (.declined, "The card declined.")
        case 0x40:
            guard reading.authentication == .verified else {
                return (.declined, "The card approved offline, and nothing shows that it is genuine.")
            }
        default: break
        }
        if reading.expiration == .expired, (card[0x9F6C]?.first ?? 0) & 0x08 == 0 {
            return (.declined, "The card is expired.")
        }
        if reading.verification == .failed {
            return (.tryAnotherInterface, "The amount needs the customer's verification, which this tap did not give.")
        }
        guard terminal.profile.acceptance.takes(number) else {
            return (.endApplication, "The card was read; it is not a test card, and this reader is not certified.")
        }
        return information == 0x40
            ? (.approved, "The card approved offline.") : (.onlineRequest, "The provider decides.")
    }

    /// The cryptogram type: from the cryptogram information data, or for kernel 3 from the issuer application data.
    private var information: UInt8 {
        if let given = card[0x9F27]?.first { return given & 0xC0 }
        // Visa's issuer application data: byte 5, bits 6 and 5, hold the type of the cryptogram.
        if candidate.kernel == .visa, let data = card[0x9F10], data.count >= 5 {
            switch data[4] & 0x30 {
            case 0x00: return 0x00
            case 0x10: return 0x40
            default: return 0x80
            }
        }
        return 0x80
    }
}
