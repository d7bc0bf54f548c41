import TillCore

/// A step-by-step explanation of a recording.
public enum TranscriptExplanation {
    /// One exchange in words, with its data objects.
    public struct Step: Sendable {
        /// The terminal's action, as a title.
        public let title: String
        /// The card's action, in a sentence.
        public let sentence: String
        /// The data objects sent; for a data object list, each entry with its value.
        public let sent: [ExplainedLine]
        /// The status word; `nil` without a response.
        public let status: StatusWord?
        /// The data objects of the response.
        public let answer: [ExplainedLine]
        /// Irregularities in the exchange.
        public let notes: [String]
    }

    /// Explains every exchange. Card numbers, tracks and names are masked.
    public static func steps(_ transcript: Transcript) -> [Step] {
        var lists: [Tag: [UInt8]] = [:]
        var application: [UInt8] = []
        var cryptograms = 0
        let logs = RecordedLog.logs(transcript)
        return zip(transcript.exchanges, logs).map { exchange, log in
            guard let command = exchange.command else { return unknown(exchange) }
            var notes: [String] = []
            if exchange.isInferred { notes.append("The recording does not hold the command: the answer tells it.") }
            if command.name == "SELECT" {
                application = command.data
                (lists, cryptograms) = ([:], 0)
            }
            var sent: [DataObject] = []
            switch command.name {
            case _ where exchange.isInferred: break
            case "GET PROCESSING OPTIONS":
                let value = DataObject.parse(ifValid: command.data)?.first(0x83)?.value ?? []
                sent = filled(lists[0x9F38] ?? [], value, &notes)
            case "GENERATE AC":
                // The second one, after the issuer's response, uses the other list.
                sent = filled(lists[cryptograms == 0 ? 0x8C : 0x8D] ?? lists[0x8C] ?? [], command.data, &notes)
                cryptograms += 1
            case "INTERNAL AUTHENTICATE": sent = filled(lists[0x9F49] ?? [0x9F, 0x37, 4], command.data, &notes)
            case "COMPUTE CRYPTOGRAPHIC CHECKSUM":
                sent = filled(lists[0x9F69] ?? [0x9F, 0x6A, 4], command.data, &notes)
            case "GET VAS DATA": sent = DataObject.parse(ifValid: command.data) ?? []
            default: break
            }
            let data = exchange.response?.data ?? []
            let decoded = decoded(data, command, log)
            let answer = decoded.objects
            if let note = decoded.note { notes.append(note) }
            for tag: Tag in [0x9F38, 0x8C, 0x8D, 0x9F49, 0x9F69] {
                if let list = answer.first(tag)?.value { lists[tag] = list }
            }
            let isPass = application == Array("OSE.VAS.01".utf8)
            return Step(
                title: title(command, application),
                sentence: decoded.sentence ?? TranscriptWords.sentence(command, exchange.response, answer),
                sent: PassWords.lines(sent, isPass), status: exchange.response?.status,
                answer: PassWords.lines(answer, isPass), notes: notes)
        }
    }

    private static func unknown(_ exchange: Transcript.Exchange) -> Step {
        let answer = (exchange.response?.data).flatMap { DataObject.parse(ifValid: $0) } ?? []
        let status = exchange.response?.status
        return Step(
            title: "A command that the recording does not hold",
            sentence: status.map { $0 == .done ? "Done." : "Not done: \($0.meaning)." } ?? "The card gives no answer.",
            sent: [], status: status, answer: answer.explained(), notes: [])
    }

    /// Decodes the data of a response: objects, an entry of the card's log, or issuer-specific data.
    private static func decoded(
        _ data: [UInt8], _ command: CommandAPDU, _ log: RecordedLog
    ) -> (objects: [DataObject], sentence: String?, note: String?) {
        guard !data.isEmpty else { return ([], nil, nil) }
        if command.name == "READ RECORD", command.p2 >> 3 > 10, data.first != 0x70,
            let entry = log.entry(command, data)
        {
            return (entry, RecordedLog.sentence(command.p1, entry), nil)
        }
        do {
            let objects = try DataObject.parse(data)
            if let plain = objects.first, plain.tag == 0x80 {
                return (opened(plain.value, command.name) ?? objects, nil, nil)
            }
            return (objects, nil, nil)
        } catch {
            // Files 11 to 30 belong to the scheme and the issuer, and may contain anything (EMV Book 3, 7.5).
            if command.name == "READ RECORD", command.p2 >> 3 > 10 {
                return ([], "The record holds \(data.count) bytes in a form of the scheme's or the issuer's own.", nil)
            }
            return ([], nil, "The data cannot be read: \(error)")
        }
    }

    /// Returns `true` if passes were requested and no payment application was selected.
    public static func holdsOnlyPasses(_ transcript: Transcript) -> Bool {
        let selected = transcript.exchanges.compactMap { $0.command?.name == "SELECT" ? $0.command?.data : nil }
        return !selected.isEmpty && selected.allSatisfy { $0 == Array("OSE.VAS.01".utf8) }
    }

    /// Replays the recording with this reader and returns the result, for any card and any original purpose.
    public static func ending(_ transcript: Transcript) async -> Result<CardReading, TapError> {
        do throws(TapError) {
            let channel = ReplayChannel(transcript)
            var profile = TerminalProfile(
                acceptance: .anyCard, usesContactDirectory: true, directApplications: channel.applications)
            profile.verificationLimit = nil
            let request = TapRequest(
                amount: amount(transcript), time: time(transcript), unpredictableNumber: number(transcript))
            return .success(
                try await ContactlessReader(profile: profile).read(request, over: channel))
        } catch {
            return .failure(error)
        }
    }

    private static func title(_ command: CommandAPDU, _ application: [UInt8]) -> String {
        switch command.name {
        case "SELECT":
            if command.data == Array("2PAY.SYS.DDF01".utf8) { return "SELECT the contactless directory" }
            if command.data == Array("1PAY.SYS.DDF01".utf8) { return "SELECT the directory of the contact side" }
            if command.data == Array("OSE.VAS.01".utf8) { return "SELECT the wallet's passes" }
            return "SELECT \(Scheme(aid: command.data)?.name ?? "application") \(Hex.text(command.data))"
        case "READ RECORD": return "READ RECORD \(command.p1) of file \(command.p2 >> 3)"
        case "GENERATE AC":
            let kind =
                switch command.p1 & 0xC0 {
                case 0x00: "AAC (decline)"
                case 0x40: "TC (approve offline)"
                case 0x80: "ARQC (go online)"
                default: "a type that is not defined"
                }
            return "GENERATE AC: the terminal asks for \(kind)\(command.p1 & 0x10 != 0 ? ", signed" : "")"
        case "GET DATA":
            let tag = Tag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
            return "GET DATA \(TagDictionary.entry(of: tag)?.name ?? tag.description)"
        default: return command.description
        }
    }

    /// Returns the values sent for a list, each with its tag.
    private static func filled(_ list: [UInt8], _ value: [UInt8], _ notes: inout [String]) -> [DataObject] {
        guard let wishes = DataObjectList(ifValid: list) else {
            notes.append("The card's list of wishes cannot be read.")
            return []
        }
        var objects: [DataObject] = []
        var at = 0
        for entry in wishes.entries {
            guard value.count - at >= entry.length else {
                notes.append("The terminal sent less than the card asked for.")
                return objects
            }
            objects.append(DataObject(entry.tag, Array(value[at..<at + entry.length])))
            at += entry.length
        }
        if at < value.count {
            notes.append("The terminal sent \(value.count - at) bytes more than the card asked for.")
        }
        return objects
    }

    /// Returns the parts of a format 1 response, which has no tags.
    static func opened(_ value: [UInt8], _ name: String) -> [DataObject]? {
        switch name {
        case "GET PROCESSING OPTIONS" where value.count >= 2:
            return [DataObject(0x82, Array(value.prefix(2))), DataObject(0x94, Array(value.dropFirst(2)))]
        case "GENERATE AC" where value.count >= 11:
            return [
                DataObject(0x9F27, [value[0]]), DataObject(0x9F36, Array(value[1...2])),
                DataObject(0x9F26, Array(value[3...10])), DataObject(0x9F10, Array(value.dropFirst(11))),
            ]
        case "INTERNAL AUTHENTICATE": return [DataObject(0x9F4B, value)]
        default: return nil
        }
    }

    private static func said(_ transcript: Transcript, _ tag: Tag) -> [UInt8]? {
        var lists: [Tag: [UInt8]] = [:]
        var ignored: [String] = []
        for exchange in transcript.exchanges {
            guard let command = exchange.command, !exchange.isInferred else { continue }
            let list: [UInt8]? =
                switch command.name {
                case "GET PROCESSING OPTIONS": lists[0x9F38]
                case "GENERATE AC": lists[0x8C]
                default: nil
                }
            if let list {
                let data = command.data
                let value = DataObject.parse(ifValid: data)?.first(0x83)?.value ?? data
                if let found = filled(list, value, &ignored).first(tag) { return found.value }
            }
            let objects = (exchange.response?.data).flatMap { DataObject.parse(ifValid: $0) } ?? []
            for tag: Tag in [0x9F38, 0x8C] { if let list = objects.first(tag)?.value { lists[tag] = list } }
        }
        return nil
    }

    private static func number(_ transcript: Transcript) -> [UInt8]? { said(transcript, 0x9F37) }

    private static func amount(_ transcript: Transcript) -> Money {
        let minor = said(transcript, 0x9F02).flatMap { Int64(Hex.text($0)) } ?? 0
        let code = said(transcript, 0x5F2A).flatMap { Int(Hex.text($0)) } ?? 978
        let currency = Currency.all.first { $0.numericCode == code } ?? .eur
        return Money(minorUnits: minor, currency: currency)
    }

    /// The transaction date sent by the terminal, so that dates are judged as of then; the current time without one.
    private static func time(_ transcript: Transcript) -> Timestamp {
        guard let date = said(transcript, 0x9A), date.count == 3, let digits = Int64(Hex.text(date)) else {
            return SystemClock().now()
        }
        let (year, month, day) = (2000 + digits / 10000, digits / 100 % 100, digits % 100)
        guard (1...12).contains(month), (1...31).contains(day) else { return SystemClock().now() }
        return Timestamp(milliseconds: Timestamp.days(year: year, month: month, day: day) * 86_400_000)
    }
}
