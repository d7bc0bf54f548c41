import Testing
import TillContactless
import TillCore
import TillTestSupport

/// Every way of writing a conversation down must read back to the same conversation.
@Suite("Recordings in the forms that tools write")
struct TranscriptFormatTests {
    typealias Exchange = Transcript.Exchange

    private static let visa = Task { try await record(.visa) }
    private static let mastercard = Task { try await record(.mastercard) }

    static func conversation(_ card: VirtualCard) async throws -> [Exchange] {
        try await (card.name == "visa" ? visa : mastercard).value
    }

    private static func record(_ card: VirtualCard) async throws -> [Exchange] {
        let channel = RecordingChannel(VirtualCardChannel(card))
        _ = try await ContactlessReader(authorities: .virtual).read(
            try ContactlessReaderTests.request(), over: channel)
        let refused = Exchange(
            command: CommandAPDU(0x80, 0xCA, 0x9F, 0x17), response: ResponseAPDU(status: StatusWord(rawValue: 0x6A88)))
        return await channel.transcript.exchanges + [refused]
    }

    static func pairs(_ bytes: [UInt8]) -> String { bytes.map { Hex.text([$0]) }.joined(separator: " ") }

    /// Sixteen to a line, with the bytes as text beside them, and perhaps a count before.
    static func dump(_ bytes: [UInt8], gap: String, counts: Bool = false, columns: Bool = false) -> [String] {
        stride(from: 0, to: bytes.count, by: 16).map { at in
            let row = Array(bytes[at..<min(at + 16, bytes.count)])
            let text = row.map { (0x21...0x7E).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
            let halves = columns ? pairs(Array(row.prefix(8))) + "  " + pairs(Array(row.dropFirst(8))) : pairs(row)
            let count = counts ? Hex.text([UInt8(at >> 8), UInt8(at & 255)]).lowercased() + ": " : ""
            return count + halves + gap + text
        }
    }

    /// The explanation that programs print under an answer.
    static func explained(_ bytes: [UInt8]) -> [String] {
        guard let objects = try? DataObject.parse(bytes) else { return [] }
        return objects.explained().map { line in
            "\(String(repeating: "      ", count: line.depth))\(line.tag) \(line.value?.count ?? 0) -- \(line.name ?? "?")"
        } + objects.flatMap(\.children).filter { $0.children.isEmpty }.map { "      \(pairs($0.value)) (BINARY)" }
    }

    static let forms: [(name: String, write: @Sendable (Exchange) -> [String])] = [
        ("send and resp", { ["send: \(sent($0))", "resp: \(Hex.text(said($0)))"] }),
        (
            "small letters, spaces",
            { ["send: \(pairs(bytes($0)).lowercased())", "resp: \(pairs(said($0)).lowercased())"] }
        ),
        ("arrows", { ["--> \(sent($0))", "<-- \(Hex.text(said($0)))"] }),
        ("double arrows with times", { ["10:15:32.104 >> \(sent($0))", "10:15:32.131 << \(Hex.text(said($0)))"] }),
        (
            "dated log",
            {
                [
                    "2022-01-20 13:39:18.223095 +08:00 DEBUG reader - Sending: \(pairs(bytes($0)))",
                    "2022-01-20 13:39:18.263095 +08:00 DEBUG reader - Received: \(pairs(said($0)))",
                ]
            }
        ),
        (
            "phone's log",
            {
                [
                    "01-20 13:39:18.223  1234  5678 D NfcEmv  : C-APDU: \(sent($0))",
                    "01-20 13:39:18.263  1234  5678 D NfcEmv  : R-APDU: \(Hex.text(said($0)))",
                ]
            }
        ),
        (
            "phone's log with lengths and an explanation under each answer",
            {
                [
                    "01 select PPSE command  length \(bytes($0).count) data: \(sent($0).lowercased())",
                    "01 select PPSE response length \(said($0).count) data: \(Hex.text(said($0)).lowercased())",
                    "------------------------------------",
                ] + explained($0.response?.data ?? []) + ["90 00 -- Command successfully executed (OK)", "", ""]
            }
        ),
        (
            "reader library with an explanation",
            {
                ["send: \(pairs(bytes($0)))", "resp: \(pairs(said($0)))", ""] + explained($0.response?.data ?? []) + [
                    ""
                ]
            }
        ),
        (
            "card manager",
            {
                let data = $0.command?.data ?? []
                let head = Hex.text(Array(bytes($0).prefix(4)))
                let body = data.isEmpty ? "" : " \(Hex.text([UInt8(data.count)])) \(Hex.text(data))"
                let answer = Hex.text($0.response?.data ?? [])
                return [
                    "A>> T=1 (4+\(data.count)) \(head)\(body) 00",
                    "A<< (\(answer.count / 2)+2) (18ms) \(answer) \(Hex.text(Array(said($0).suffix(2))))",
                ]
            }
        ),
        ("service's log", { ["00000016 APDU: \(pairs(bytes($0)))", "00008520 SW: \(pairs(said($0)))"] }),
        ("script's output", { ["> \(pairs(bytes($0)))", "< \(pairs(said($0))) : Normal processing."] }),
        (
            "short status",
            {
                let status = said($0).suffix(2).map { String($0, radix: 16, uppercase: true) }.joined(separator: " ")
                return ["> \(pairs(bytes($0)))", "<  \(pairs($0.response?.data ?? [])) \(status)"]
            }
        ),
        (
            "status first, then the data as a dump",
            {
                let status = said($0).suffix(2).map { "0x" + Hex.text([$0]) }
                return ["Sending: \(pairs(bytes($0)))", "Received (SW1=\(status[0]), SW2=\(status[1])):"]
                    + dump($0.response?.data ?? [], gap: " ")
            }
        ),
        (
            "dumps with lengths announced",
            {
                ["Outgoing APDU (\(bytes($0).count) bytes):"] + dump(bytes($0), gap: " ")
                    + ["Incoming APDU (\(said($0).count) bytes):"] + dump(said($0), gap: " ")
            }
        ),
        (
            "dumps with counts and columns",
            {
                ["Command:"] + dump(bytes($0), gap: "  |", counts: true, columns: true).map { $0 + "|" }
                    + ["Response:"] + dump(said($0), gap: "  |", counts: true, columns: true).map { $0 + "|" }
            }
        ),
        (
            "explorer's log: status first, lines indented, text beside",
            {
                let data = dump($0.response?.data ?? [], gap: "     ")
                let command = dump(bytes($0), gap: "    ").map { String($0.prefix(48)) }
                return ["SEND " + (command.first ?? "")] + command.dropFirst().map { "     " + $0 }
                    + ["RECV \(Hex.text(Array(said($0).suffix(2))))                    # Normal processing"]
                    + data.map { "     " + $0 }
            }
        ),
        (
            "status on its own line, spelled out",
            {
                [
                    "[Step 2] SELECT FILE 1PAY.SYS.DDF01 to get the PSE directory", pairs(bytes($0)),
                    "response hex    :",
                    pairs($0.response?.data ?? []).lowercased(),
                    "response SW1SW2 : \(pairs(Array(said($0).suffix(2))))",
                    "response ascii  : ......", "response parsed :",
                ] + explained($0.response?.data ?? [])
            }
        ),
        (
            "status apart with one word",
            {
                [
                    "Command: \(sent($0))", "Response: \(Hex.text($0.response?.data ?? []))",
                    "Status: \(Hex.text(Array(said($0).suffix(2))))",
                ]
            }
        ),
        ("both ends named", { ["reader -> card: \(pairs(bytes($0)))", "card -> reader: \(pairs(said($0)))"] }),
        ("both ends named by a letter", { ["T -> C: \(sent($0))", "C -> T: \(Hex.text(said($0)))"] }),
        ("arrows as signs", { ["Reader → Card:  \(pairs(bytes($0)))", "Card → Reader:  \(pairs(said($0)))"] }),
        ("letters", { ["C: \(sent($0))", "R: \(Hex.text(said($0)))"] }),
        (
            "transceive",
            {
                [
                    "transceive(3) in: \(pairs(bytes($0)).lowercased())",
                    "SendAPDU data: \(pairs(bytes($0)).lowercased()),tw:3",
                    "SendAPDU ret:0,outlen:\(said($0).count),tw:3", "picc transceive success!",
                    "transceive out: \(pairs(said($0)).lowercased())", "resp: \(pairs(said($0)))", "resp:",
                ] + explained($0.response?.data ?? [])
            }
        ),
        ("hexadecimal lines alone", { [sent($0), Hex.text(said($0))] }),
        ("pairs alone, with remarks", { ["# a step", pairs(bytes($0)), pairs(said($0)), ""] }),
        (
            "prefixed numbers",
            {
                let numbers = { (bytes: [UInt8]) in bytes.map { "0x" + Hex.text([$0]) }.joined(separator: ", ") }
                return ["Tx: [\(numbers(bytes($0)))]", "Rx: [\(numbers(said($0)))]"]
            }
        ),
        (
            "colons",
            {
                let text = { (bytes: [UInt8]) in bytes.map { Hex.text([$0]).lowercased() }.joined(separator: ":") }
                return ["-> \(text(bytes($0)))", "<- \(text(said($0)))"]
            }
        ),
        (
            "line broken inside a message",
            {
                let (command, answer) = (sent($0), Hex.text(said($0)))
                let half = answer.count > 8 ? answer.count / 4 * 2 : answer.count
                return [
                    "Command: \(command.prefix(command.count > 12 ? 8 : 12))",
                    "   \(command.dropFirst(command.count > 12 ? 8 : 12))", "Response: \(answer.prefix(half))",
                    "   \(answer.dropFirst(half))",
                ].filter { !$0.allSatisfy { $0 == " " } }
            }
        ),
        (
            "bracketed marks",
            { ["[+] >>>>[sel ] \(pairs(bytes($0)).lowercased())", "[+] <<<< \(pairs(said($0)).lowercased())"] }
        ),
        ("table with a row each", { ["12,\(sent($0)),\(Hex.text(said($0))),18"] }),
        ("one line each", { ["\(sent($0)) => \(Hex.text(said($0)))"] }),
        (
            "arrows behind a word that is both",
            {
                let answer = $0.response?.data ?? []
                return [
                    "APDU --> \(sent($0))", "APDU <-- \(pairs(answer)) (SW: \(Hex.text(Array(said($0).suffix(2)))))",
                ]
            }
        ),
        (
            "arrays of a program",
            {
                let numbers = { (bytes: [UInt8]) in bytes.map { "(byte)0x" + Hex.text([$0]) }.joined(separator: ", ") }
                return ["byte[] cmd = { \(numbers(bytes($0))) };", "byte[] resp = { \(numbers(said($0))) };"]
            }
        ),
        (
            "status first, data behind a label",
            {
                let answer = $0.response?.data ?? []
                return ["Command APDU: \(sent($0))", "SW: \(Hex.text(Array(said($0).suffix(2))))"]
                    + (answer.isEmpty ? [] : ["Data: \(Hex.text(answer))"])
            }
        ),
        (
            "fields on a line",
            {
                let command = $0.command ?? CommandAPDU(0, 0, 0, 0)
                let head = Hex.text([command.cla, command.ins, command.p1, command.p2])
                let part = { (at: Int) in String(head.dropFirst(at).prefix(2)).lowercased() }
                let answer = $0.response?.data ?? []
                let status = Hex.text(Array(said($0).suffix(2))).lowercased()
                return [
                    "--> Command(cla=0x\(part(0)); ins=0x\(part(2)); p1=0x\(part(4)); p2=0x\(part(6)); "
                        + "lc=\(command.data.count); data=\(Hex.text(command.data).lowercased()); le=0)",
                    "<-- Response(sw1=0x\(status.prefix(2)); sw2=0x\(status.suffix(2)); "
                        + "data=\(Hex.text(answer).lowercased())(\(answer.count)))",
                ]
            }
        ),
        (
            "fields on lines of their own, and an answer object by object",
            {
                let command = $0.command ?? CommandAPDU(0, 0, 0, 0)
                var lines = ["PCD     A step"]
                for (name, byte) in [
                    ("CLA", command.cla), ("INS", command.ins), ("P1", command.p1), ("P2", command.p2),
                ] { lines.append("            \(name): \(Hex.text([byte]))") }
                if !command.data.isEmpty {
                    lines.append("            Lc: \(Hex.text([UInt8(command.data.count)]))")
                    lines.append("            Data: \(pairs(command.data)) // a remark")
                }
                lines += ["            Le: 00", "PICC    An answer"]
                if let whole = try? DataObject.parse($0.response?.data ?? []).first {
                    lines += ["            Data", "                Tag \(whole.tag):Something"]
                    lines += ["                Length:\(Hex.text([UInt8(min(255, whole.value.count))]))"]
                    lines += [
                        "                Value :"
                            + stride(from: 0, to: whole.value.count, by: 16).map {
                                pairs(Array(whole.value[$0..<min($0 + 16, whole.value.count)]))
                            }.joined(separator: "\n   ")
                    ]
                    for inner in whole.children {
                        lines += ["   Tag \(inner.tag):More", "   Length:01", "   Value :\(pairs(inner.value))"]
                    }
                }
                return lines + ["                SW1 SW2: \(pairs(Array(said($0).suffix(2))))"]
            }
        ),
        (
            "a phone's controller",
            {
                let packet = { (bytes: [UInt8]) in "0000" + Hex.text([UInt8(bytes.count & 255)]) + Hex.text(bytes) }
                return [
                    "01-20 13:39:18.223  12  56 D NxpTml  : Write requested.....",
                    "01-20 13:39:18.223  12  56 D NxpNciX : len =  23 > \(packet(bytes($0)))",
                    "01-20 13:39:18.230  12  56 D NxpNciR : len =   6 > 60060301000100",
                    "01-20 13:39:18.263  12  56 D NxpNciR : len =  65 > \(packet(said($0)))",
                ]
            }
        ),
        (
            "an explorer's file",
            { ["C:\(sent($0)):\(Hex.text(Array(said($0).suffix(2)))):\(Hex.text($0.response?.data ?? []))"] }
        ),
        (
            "a service's watcher",
            {
                ["SCardTransmit", " i hCard: 0x00012345", " i bSendBuffer"]
                    + dump(bytes($0), gap: " ", counts: true).map { " i  " + $0.replacing(": ", with: " ") }
                    + [" o bRecvBuffer"]
                    + dump(said($0), gap: " ", counts: true).map { " o  " + $0.replacing(": ", with: " ") }
                    + [" => Command successful. (SCARD_S_SUCCESS [0x00000000])"]
            }
        ),
        (
            "a page of the web",
            { ["&gt;&gt; \(pairs(bytes($0)))", "&lt;&lt; \(pairs(said($0)))"] }
        ),
        (
            "lists of a program, the status apart",
            {
                let list = { (bytes: [UInt8]) in
                    "[" + bytes.map { "'0x" + Hex.text([$0]).lowercased() + "'" }.joined(separator: ", ") + "]"
                }
                let status = said($0).suffix(2).map { "0x" + Hex.text([$0]) }.joined(separator: " ")
                return ["\(list(bytes($0))) -> \(list($0.response?.data ?? [])) \(status)"]
            }
        ),
        ("elements", { ["  <command>\(sent($0))</command>", "  <response>\(Hex.text(said($0)))</response>"] }),
        (
            "on the air with frames",
            {
                ["     R>> \(pairs(frame(bytes($0))).lowercased())", "     T<< \(pairs(frame(said($0))).lowercased())"]
            }
        ),
        (
            "table of the air with more rows",
            {
                let row = { (who: String, bytes: [UInt8]) -> [String] in
                    stride(from: 0, to: bytes.count, by: 18).map { at in
                        let part = bytes[at..<min(at + 18, bytes.count)].map { Hex.text([$0]) }.joined(separator: "  ")
                        let padded = part + String(repeating: " ", count: max(0, 72 - part.count))
                        let isLast = at + 18 >= bytes.count
                        return at == 0
                            ? "    6468352 |    6477728 | \(who) |\(padded)| \(isLast ? "A ok" : "") | \(isLast ? "SELECT FILE" : "")"
                            : "            |            |     |\(padded)| \(isLast ? "A ok" : "") | "
                    }
                }
                return row("Rdr", frame(bytes($0))) + row("Tag", frame(said($0)))
            }
        ),
    ]

    static func bytes(_ exchange: Exchange) -> [UInt8] { exchange.command?.bytes ?? [] }
    static func said(_ exchange: Exchange) -> [UInt8] { exchange.response?.bytes ?? [] }
    static func sent(_ exchange: Exchange) -> String { Hex.text(bytes(exchange)) }

    static func frame(_ bytes: [UInt8]) -> [UInt8] {
        let block = [0x02] + bytes
        var sum: UInt16 = 0x6363
        for byte in block {
            sum ^= UInt16(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x8408 : sum >> 1 }
        }
        return block + [UInt8(sum & 255), UInt8(sum >> 8)]
    }

    @Test("Each form reads back to the conversation", arguments: TranscriptFormatTests.forms.indices)
    func readsBack(index: Int) async throws {
        let form = Self.forms[index]
        for card in [VirtualCard.visa, .mastercard] {
            let conversation = try await Self.conversation(card)
            let text = conversation.flatMap(form.write).joined(separator: "\n")
            let read = try Transcript(text: text)
            #expect(read.exchanges.count == conversation.count, "\(form.name)")
            for (one, other) in zip(read.exchanges, conversation) {
                #expect(one == other, "\(form.name): \(other.command as Any)")
                if one != other {
                    Issue.record(
                        "\(form.name)\n\(text)\n\(read.unreadLines)\n\(Hex.text(Self.bytes(one))) \(Hex.text(Self.said(one)))"
                    )
                    return
                }
            }
            let windows = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
            #expect(try Transcript(text: windows).exchanges == read.exchanges, "\(form.name): other line ends")
        }
    }

    @Test(
        "JSON in its shapes reads back, too",
        arguments: [
            "{\"steps\":[{\"cmd\":\"C1\",\"resp\":\"R1\",\"timing_ms\":4},{\"cmd\":\"C2\",\"resp\":\"R2\"}]}",
            "[{\"command\":\"C1\",\"response\":\"R1\"},{\"command\":\"C2\",\"response\":\"R2\"}]",
            "[{\"c-apdu\":\"C1\",\"data\":\"D1\",\"sw\":\"9000\"},{\"c-apdu\":\"C2\",\"data\":\"D2\",\"sw\":\"9000\"}]",
            "[{\"direction\":\"command\",\"data\":\"C1\"},{\"direction\":\"response\",\"data\":\"R1\"},"
                + "{\"direction\":\"command\",\"data\":\"C2\"},{\"direction\":\"response\",\"data\":\"R2\"}]",
            "{\"type\":\"tx\",\"hex\":\"C1\"}\n{\"type\":\"rx\",\"hex\":\"R1\"}\n{\"type\":\"tx\",\"hex\":\"C2\"}\n"
                + "{\"type\":\"rx\",\"hex\":\"R2\"}",
            "{\"log\":{\"apdus\":[{\"request\":{\"data\":\"C1\"},\"response\":{\"data\":\"D1\",\"sw\":\"9000\"}},"
                + "{\"request\":{\"data\":\"C2\"},\"response\":{\"data\":\"D2\",\"sw\":\"9000\"}}]}}",
        ])
    func json(shape: String) async throws {
        let conversation = Array(try await Self.conversation(.visa).prefix(2))
        var text = shape
        for (index, exchange) in conversation.enumerated() {
            text = text.replacing("\"C\(index + 1)\"", with: "\"\(Self.sent(exchange))\"")
            text = text.replacing("\"R\(index + 1)\"", with: "\"\(Hex.text(Self.said(exchange)))\"")
            text = text.replacing("\"D\(index + 1)\"", with: "\"\(Hex.text(exchange.response?.data ?? []))\"")
        }
        #expect(try Transcript(text: text).exchanges == conversation)
    }

    @Test("What is not understood is named by its line; blacked out digits and a missing status word are said")
    func said() throws {
        let text = """
            hello, this is my card
            send: 00B2010C00
            resp: 700A5A084761XXXXXXXX0119
            @@@ what is this
            ATR: 3B 80 80 01 01
            send: 80
            """
        let read = try Transcript(text: text)
        #expect(read.exchanges.first?.response == ResponseAPDU([0x70, 10, 0x5A, 8, 0x47, 0x61, 0, 0, 0, 0, 1, 0x19]))
        #expect(read.unreadLines == [1, 4, 6])
        #expect(read.assumptions.count == 2)
    }

    @Test("No text traps the reader, however it was mangled")
    func mangled() async throws {
        var generator = SeededRandom(seed: 21)
        let conversation = try await Self.conversation(.visa)
        for form in Self.forms {
            let text = Array(conversation.flatMap(form.write).joined(separator: "\n").utf8)
            for _ in 0..<8 {
                var changed = text
                for _ in 0..<(1 + generator.next() % 12) {
                    let at = Int(generator.next() % UInt64(changed.count))
                    switch generator.next() % 3 {
                    case 0: changed[at] = UInt8(truncatingIfNeeded: generator.next())
                    case 1: changed.remove(at: at)
                    default: changed.insert(UInt8(truncatingIfNeeded: generator.next() % 128), at: at)
                    }
                }
                guard let read = try? Transcript(text: String(decoding: changed, as: UTF8.self)) else { continue }
                _ = TranscriptExplanation.steps(read)
                _ = await TranscriptExplanation.ending(read)
            }
        }
    }
}
