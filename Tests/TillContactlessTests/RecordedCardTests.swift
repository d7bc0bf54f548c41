import Testing
import TillContactless
import TillCore

/// Recordings as they are found: with commands left out, logs, files of the issuer's own, and passes.
@Suite("Recordings of whole cards")
struct RecordedCardTests {
    static let directory = "00A404000E325041592E5359532E444446303100"
    static let offers = "6F23840E325041592E5359532E4444463031A511BF0C0E610C4F07A00000000310108701019000"
    static let selected = "6F198407A0000000031010A50E500456495341BF0C059F4D020B0A9000"
    static let options = "800A3C0008010100100101009000"
    static let record = "701457124761739001010010D301220100000000000F9000"

    static func steps(_ text: String) throws -> [TranscriptExplanation.Step] {
        TranscriptExplanation.steps(try Transcript(text: text))
    }

    @Test("A command that was left out is told from its answer, and replayed in its place")
    func missingCommand() async throws {
        let text = """
            send: \(Self.directory)
            resp: \(Self.offers)
            send: 00A4040007A000000003101000
            resp: \(Self.selected)
            send:
            resp: \(Self.options)
            send:
            resp: \(Self.record)
            """
        let transcript = try Transcript(text: text)
        #expect(
            transcript.exchanges.map { $0.command?.name } == [
                "SELECT", "SELECT", "GET PROCESSING OPTIONS", "READ RECORD",
            ])
        #expect(transcript.exchanges.map(\.isInferred) == [false, false, true, true])
        #expect(transcript.assumptions.count == 1 && transcript.unreadLines.isEmpty)
        let steps = TranscriptExplanation.steps(transcript)
        #expect(steps[2].sentence == "The card starts the application, names 2 records to read.")
        #expect(steps[3].title == "READ RECORD 1 of file 1")
        #expect(steps[3].notes.count == 1)
        // The second record is not there: said by its name.
        guard case .failure(let error) = await TranscriptExplanation.ending(transcript) else {
            Issue.record("it cannot be read to the end")
            return
        }
        #expect(error.description == "The recording holds no answer to READ RECORD 00B20114.")
    }

    @Test("An answer that tells nothing answers what comes at its place; many in a row are no trap")
    func wildcard() async throws {
        let text =
            "send: \(Self.directory)\nresp: \(Self.offers)\nsend: 00A4040007A000000003101000\nresp: 6985\n"
            + String(repeating: "send:\nresp: 69 85\n", count: 50)
        let transcript = try Transcript(text: text)
        #expect(transcript.exchanges.count == 52 && transcript.exchanges[10].command == nil)
        #expect(try Self.steps(text)[10].title == "A command that the recording does not hold")
        guard case .failure(let error) = await TranscriptExplanation.ending(transcript) else {
            Issue.record("nothing was opened")
            return
        }
        #expect(
            error.description == "The card names Visa and does not open it: 6985 (conditions of use not satisfied).")
    }

    @Test("A recording whose commands are all missing is none")
    func nothingTold() {
        #expect(throws: TranscriptError.empty) { try Transcript(text: "send:\nresp: 6985\nsend:\nresp: 6985") }
    }

    @Test("The log is told by its format, whether that was asked for before or after; the rest is the issuer's own")
    func log() throws {
        let entries = """
            send: 00B2015C00
            resp: 000000004600400250097814031600 9000
            send: 00B2025C00
            resp: 000000000000000000000000000000 9000
            send: 00B2035C00
            resp: 6A83
            send: 00B201BC00
            resp: 67259044150000111100171213019000

            """
        let format = "send: 80CA9F4F00\nresp: 9F4F109F02069F27019F1A025F2A029A039C01 9000\n"
        let select = "send: 00A4040007A000000003101000\nresp: \(Self.selected)\n"
        for text in [select + format + entries, select + entries + format] {
            let steps = try Self.steps(text).filter { $0.title.hasPrefix("READ RECORD") }
            #expect(
                steps.map(\.sentence) == [
                    "Entry 1 of the card's log: 46.00 EUR on 2014-03-16.", "Entry 2 of the card's log is empty.",
                    "The card has no such record: record not found.",
                    "The record holds 14 bytes in a form of the scheme's or the issuer's own.",
                ])
            #expect(steps.allSatisfy { $0.notes.isEmpty })
            #expect(steps[0].answer.map(\.tag) == [0x9F02, 0x9F27, 0x9F1A, 0x5F2A, 0x9A, 0x9C])
            #expect(steps[3].answer.isEmpty)
        }
    }

    @Test("Messages told by their fields, a wallet's pass, and nothing but a pass")
    func pass() async throws {
        let text = """
            *** Select VAS applet:
            --> Command(cla=0x00; ins=0xa4; p1=0x04; p2=0x00; lc=10; data=4f53452e5641532e3031; le=0)
            <-- Response(sw1=0x90; sw2=0x00; data=6f1d50084170706c655061799f210201009f2404e9caede39f23040000003e(31))
            --> Command(cla=0x80; ins=0xca; p1=0x01; p2=0x01; lc=5; data=9f22020100; le=0)
            <-- Response(sw1=0x90; sw2=0x00; data=700a9f2a009f27041b7ecc57)
            --> Command(cla=0x80; ins=0xca; p1=0x01; p2=0x01; lc=5; data=9f22020100; le=0)
            <-- Response(sw1=0x6a; sw2=0x83; data=(0))
            """
        let transcript = try Transcript(text: text)
        let steps = TranscriptExplanation.steps(transcript)
        #expect(
            steps.map(\.sentence) == [
                "Apple's wallet answers.", "The wallet gives a pass, sealed for the key 1B7ECC57.",
                "The wallet holds no such pass.",
            ])
        #expect(steps[1].answer.last?.name == "Sealed Pass" && steps[1].answer.last?.bits == [])
        #expect(TranscriptExplanation.holdsOnlyPasses(transcript))
    }

    @Test("A wallet with a pass and a card, recorded and replayed, gives both again")
    func wallet() async throws {
        let wallet = try #require(VirtualCard.all.first { $0.name == "wallet" })
        let merchant = try #require(VASMerchant(passTypeIdentifier: "pass.com.example.loyalty"))
        let channel = RecordingChannel(VirtualCardChannel(wallet))
        try await channel.waitForCard()
        let first = try await VASReader().read([merchant], mode: .passAndPayment, over: channel)
        let reading = try await ContactlessReader(authorities: .virtual).read(
            try ContactlessReaderTests.request(), over: channel)
        let transcript = try Transcript(text: await channel.transcript.text)
        #expect(!TranscriptExplanation.holdsOnlyPasses(transcript))
        let replay = ReplayChannel(transcript)
        try await replay.waitForCard()
        let again = try await VASReader().read([merchant], mode: .passAndPayment, over: replay)
        #expect(again.map { $0.cryptogram?.bytes } == first.map { $0.cryptogram?.bytes })
        #expect(first.contains { $0.cryptogram != nil })
        guard case .success(let read) = await TranscriptExplanation.ending(transcript) else {
            Issue.record("the card is in the recording")
            return
        }
        #expect(read.maskedNumber == reading.maskedNumber && read.outcome == .onlineRequest)
    }

    @Test("Without a directory the applications of the recording are asked for")
    func direct() async throws {
        let channel = RecordingChannel(VirtualCardChannel(.mastercard))
        _ = try await ContactlessReader(authorities: .virtual).read(
            try ContactlessReaderTests.request(), over: channel)
        var transcript = await channel.transcript
        transcript.exchanges.removeFirst()
        guard case .success(let read) = await TranscriptExplanation.ending(transcript) else {
            Issue.record("it is read by its name")
            return
        }
        #expect(read.scheme == "Mastercard")
    }

    @Test("The rest of an answer, fetched by a command of a program's own making, is one answer")
    func ownGetResponse() throws {
        let text = "send: 00A4040005A00000000300\nresp: 6108\nsend: 000C000008\nresp: 6F068404A0000000 9000"
        let transcript = try Transcript(text: text)
        #expect(transcript.exchanges.count == 1)
        #expect(transcript.exchanges.first?.response?.data.count == 8)
    }

    @Test("A directory's current record, asked for without a number, is a record of it")
    func currentRecord() async throws {
        let text = """
            send: 00A404000E315041592E5359532E444446303100
            resp: 6F15840E315041592E5359532E4444463031A5038801019000
            send: 00B2000C00
            resp: 701461124F07A00000000310105004564953418701019000
            send: 00B2010C00
            resp: 6985
            send: 00A4040007A000000003101000
            resp: 6A82
            """
        guard case .failure(let error) = await TranscriptExplanation.ending(try Transcript(text: text)) else {
            Issue.record("it is not opened")
            return
        }
        #expect(error.description == "The card names Visa and does not open it: 6A82 (not found).")
    }

    @Test("Files in UTF-16 and with byte order marks are read", arguments: [0, 1, 2, 3, 4])
    func encodings(kind: Int) throws {
        let text = "send: \(Self.directory)\r\nresp: \(Self.offers)\r\n"
        let low = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let high = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let bytes = [
            Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), [0xFF, 0xFE] + low, [0xFE, 0xFF] + high, low,
        ][kind]
        let transcript = try Transcript(bytes: bytes)
        #expect(transcript.exchanges.count == 1 && transcript.unreadLines.isEmpty)
        #expect(Hex.text(transcript.exchanges.first?.command?.bytes ?? []) == Self.directory)
    }

    @Test("What explains a recording is not taken for one")
    func explanation() {
        let text = """
            C-APDU: Select: 2PAY.SYS.DDF01
            R-APDU: 9000
              6F (FCI template): 840E325041592E5359532E4444463031A529BF0C2661244F08A00000...4004
                82 (AIP - Application Interchange Profile): 1C00
                  0020000000 (Byte 2 Bit 6): something
                  0000 0000 0480
            C-APDU: Read Record: SFI 1 record 1
            """
        #expect(throws: TranscriptError.empty) { try Transcript(text: text) }
    }
}
