import Testing
import TillContactless

@Suite("Recordings")
struct TranscriptTests {
    @Test(
        "What tools write is read",
        arguments: [
            "send: 00A404000E325041592E5359532E444446303100\nresp: 6F0084009000",
            ">> 00 A4 04 00 0E 32 50 41 59 2E 53 59 53 2E 44 44 46 30 31 00\n<< 6F 00 84 00 90 00",
            "> 00 A4 04 00 0E 32 50 41 59 2E 53 59 53 2E 44 44 46 30 31 00\n< 6F 00 84 00 90 00 : Normal processing.",
            "# a remark\nC-APDU: 00A404000E325041592E5359532E444446303100\n\nR-APDU: 6F008400 9000\n",
            "A>> T=1 (4+0014) 00A40400 0E 325041592E5359532E4444463031 00\nA<< (0004+2) (18ms) 6F008400 9000",
            "00A404000E325041592E5359532E444446303100\n6F0084009000",
            "[12:00] Command: 00 a4 04 00 0e 32 50 41 59 2e 53 59 53\n 2e 44 44 46 30 31 00\nResponse: 6f0084009000",
            "APDU: 00 A4 04 00 0E 32 50 41 59 2E 53 59 53 2E 44 44 46 30 31 00\nSW: 6F 00 84 00 90 00",
            "reader -> card : 00A404000E325041592E5359532E444446303100\ncard -> reader : 6F0084009000",
            "TX: 00A404000E325041592E5359532E444446303100\nRX: 6F00840061 00\nTX: 00C0000000\nRX: 9000",
        ])
    func formats(text: String) throws {
        let transcript = try Transcript(text: text)
        #expect(transcript.exchanges.count == 1)
        #expect(transcript.exchanges.first?.command?.data == Array("2PAY.SYS.DDF01".utf8))
        #expect(transcript.exchanges.first?.response == ResponseAPDU([0x6F, 0, 0x84, 0]))
    }

    @Test(
        "What is no recording is refused",
        arguments: ["", "hello", "send: 00", "resp: 9000", "{}", "[1,2]"])
    func refused(text: String) {
        #expect(throws: TranscriptError.self) { try Transcript(text: text) }
    }
}
