import TillCore

/// The transaction with one application, from GET PROCESSING OPTIONS to the outcome.
struct KernelTap {
    let candidate: Candidate
    /// The file control information.
    let control: [DataObject]
    var terminal: TerminalData
    let authorities: CertificationAuthorities
    /// The card's data by tag; the first value is kept.
    var card: [Tag: [UInt8]] = [:]
    /// The bytes covered by offline data authentication.
    var authenticated: [UInt8] = []
    /// The data sent in GET PROCESSING OPTIONS.
    private(set) var processingValues: [UInt8] = []
    /// The data sent in GENERATE AC.
    private(set) var generateValues: [UInt8] = []
    /// The response to GENERATE AC in template 77, for combined authentication.
    private(set) var generated: [UInt8] = []
    /// Tags from the selection response: a record may replace their values.
    private var fromSelection: Set<Tag> = []

    init(
        candidate: Candidate, control: [DataObject], terminal: TerminalData, authorities: CertificationAuthorities
    ) {
        self.candidate = candidate
        self.control = control
        self.terminal = terminal
        self.authorities = authorities
    }

    enum End {
        case reading(CardReading)
        case selectNext(String)
    }

    mutating func run(_ talk: inout Conversation) async throws(TapError) -> End {
        try keep(control)
        fromSelection = Set(card.keys)
        let list = try processingList()
        processingValues = list.filled { terminal.value(of: $0) }
        let command = CommandAPDU(0x80, 0xA8, 0x00, 0x00, data: DataObject(0x83, processingValues).encoded)
        let options = try await talk.send(command)
        switch options.status {
        case .done: break
        case .conditionsNotSatisfied: return .selectNext("The card refuses this application for this sale.")
        case .notAllowed, .dataInvalidated:
            return .reading(ended(.tryAgain, "The customer must check the phone and confirm."))
        default: return .selectNext("The card does not start this application: \(options.status).")
        }
        try takeOptions(options.data)
        try await readRecords(&talk)
        if card[0x9F26] == nil {
            if let list = card[0x8C] {
                try await generate(list, &talk)
            } else if candidate.kernel == .mastercard {
                try await checksum(&talk)
            }
        }
        return .reading(try conclude())
    }

    private func processingList() throws(TapError) -> DataObjectList {
        do {
            return try DataObjectList(card[0x9F38] ?? [])
        } catch { throw .malformed(error) }
    }

    /// Stores every value; a tag repeated with another value is an error, except for those from the selection response.
    private mutating func keep(_ objects: [DataObject]) throws(TapError) {
        for object in objects {
            if case .constructed(let inner) = object.content {
                try keep(inner)
            } else if let known = card[object.tag], fromSelection.remove(object.tag) == nil {
                guard known == object.value || object.tag == 0x9F27 || object.tag == 0x9F36 || object.tag == 0x9F10
                else { throw .cardError("it gives two values for \(object.tag)") }
                card[object.tag] = object.value
            } else {
                card[object.tag] = object.value
            }
        }
    }

    private mutating func takeOptions(_ data: [UInt8]) throws(TapError) {
        let objects = try ContactlessReader.objects(data)
        if let plain = objects.first, plain.tag == 0x80 {
            let value = plain.value
            guard value.count >= 2 else { throw .cardError("its processing options are too short") }
            card[0x82] = Array(value.prefix(2))
            card[0x94] = Array(value.dropFirst(2))
        } else {
            guard objects.first?.tag == 0x77 else { throw .cardError("its processing options have no template") }
            try keep(objects)
        }
        guard card[0x82]?.count == 2 else { throw .cardError("it gives no interchange profile") }
    }

    private mutating func readRecords(_ talk: inout Conversation) async throws(TapError) {
        let locator = card[0x94] ?? []
        guard locator.count.isMultiple(of: 4) else { throw .cardError("its file locator is cut short") }
        var records = 0
        for at in stride(from: 0, to: locator.count, by: 4) {
            let (file, first, last) = (locator[at] >> 3, locator[at + 1], locator[at + 2])
            let signed = Int(locator[at + 3])
            guard (1...30).contains(file), first > 0, last >= first, signed <= Int(last - first) + 1 else {
                throw .cardError("its file locator names records that cannot be")
            }
            records += Int(last - first) + 1
            guard records <= ContactlessReader.mostRecords else { throw .cardError("it has too many records") }
            for record in first...last {
                let answer = try await talk.send(.readRecord(record, file: file))
                guard answer.status == .done else {
                    throw .cardError("it does not give record \(record) of file \(file): \(answer.status)")
                }
                let objects = try ContactlessReader.objects(answer.data)
                guard file > 10 || objects.first?.tag == 0x70 else {
                    throw .cardError("record \(record) of file \(file) is not in its template, 70")
                }
                if Int(record - first) < signed {
                    // As sent by the card, including padding and lengths: the issuer signed exactly these bytes.
                    authenticated += file <= 10 ? try ContactlessReader.content(answer.data) : answer.data
                }
                try keep(objects)
            }
        }
    }

    /// Runs GENERATE AC as kernel 2 does: an online cryptogram, with combined authentication if supported.
    private mutating func generate(_ list: [UInt8], _ talk: inout Conversation) async throws(TapError) {
        let wishes: DataObjectList
        do { wishes = try DataObjectList(list) } catch { throw .malformed(error) }
        assess()
        generateValues = wishes.filled { [terminal] in terminal.value(of: $0) }
        let canCombine = (card[0x82]?.first ?? 0) & 0x01 != 0 && authorities.hasKey(for: candidate.aid, card)
        let combined: UInt8 = canCombine ? 0x10 : 0
        let kind: UInt8 = terminal.verificationResults[1] & 0x40 != 0 ? 0x00 : 0x80
        let answer = try await talk.send(CommandAPDU(0x80, 0xAE, kind | combined, 0x00, data: generateValues))
        guard answer.status == .done else { throw .cardError("it gives no cryptogram: \(answer.status)") }
        let objects = try ContactlessReader.objects(answer.data)
        if let plain = objects.first, plain.tag == 0x80 {
            let value = plain.value
            guard value.count >= 11 else { throw .cardError("its cryptogram is too short") }
            card[0x9F27] = [value[0]]
            card[0x9F36] = Array(value[1...2])
            card[0x9F26] = Array(value[3...10])
            card[0x9F10] = Array(value.dropFirst(11))
        } else {
            try keep(objects)
            generated = answer.data
        }
        guard card[0x9F27]?.count == 1 else { throw .cardError("it gives no cryptogram information") }
    }

    /// Runs COMPUTE CRYPTOGRAPHIC CHECKSUM, for cards without EMV mode.
    private mutating func checksum(_ talk: inout Conversation) async throws(TapError) {
        let wishes: DataObjectList
        do { wishes = try DataObjectList(card[0x9F69] ?? [0x9F, 0x6A, 0x04]) } catch { throw .malformed(error) }
        let asked = wishes.filled { [terminal] in terminal.value(of: $0) }
        let answer = try await talk.send(CommandAPDU(0x80, 0x2A, 0x8E, 0x80, data: asked))
        guard answer.status == .done else { throw .cardError("it gives no checksum: \(answer.status)") }
        try keep(try ContactlessReader.objects(answer.data))
    }

    /// Sets the terminal verification results before the cryptogram is requested.
    private mutating func assess() {
        if expiration == .expired { terminal.verificationResults[1] |= 0x40 }
        if let start = card[0x5F25], start.count == 3, terminal.yearMonthDay.lexicographicallyPrecedes(start) {
            terminal.verificationResults[1] |= 0x20
        }
        if terminal.request.amount.minorUnits >= terminal.profile.floorLimit {
            terminal.verificationResults[3] |= 0x80
        }
        if !authorities.hasKey(for: candidate.aid, card) { terminal.verificationResults[0] |= 0x80 }
    }
}
