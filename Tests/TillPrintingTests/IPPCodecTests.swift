import Foundation
import Testing
import TillCanvas
import TillCore
import TillTestSupport

@testable import TillPrinting

/// A message with every kind of value.
private let sample = IPPMessage(
    code: 0, requestID: 7,
    groups: [
        .init(
            tag: IPPTag.operationGroup,
            [
                IPPAttribute("attributes-charset", .text("utf-8", tag: IPPTag.charset)),
                IPPAttribute("numbers", .integer(-1), .enumeration(11), .boolean(true)),
                IPPAttribute("range", IPPValue(tag: IPPTag.range, .range(4_800, 8_000))),
                IPPAttribute("resolution", IPPValue(tag: IPPTag.resolution, .resolution(203, 203, 3))),
                IPPAttribute("with-language", IPPValue(tag: 0x35, .bytes([0, 2, 0x65, 0x6E, 0, 1, 0xFF]))),
                IPPAttribute("nothing", IPPValue(tag: 0x13, .bytes([]))),
            ]),
        .init(
            tag: IPPTag.printerGroup,
            [
                IPPAttribute(
                    "media",
                    .collection([
                        IPPAttribute("size", .collection([IPPAttribute("x", .integer(8_000), .integer(5_800))])),
                        IPPAttribute("kind", .keyword("roll")),
                    ]))
            ]),
    ], data: [1, 2, 3])

@Suite("IPP messages")
struct IPPCodecTests {
    @Test("what is read is written back byte for byte")
    func roundTrip() throws {
        let read = try IPPMessage(parsing: sample.bytes)
        #expect(read == sample)
        #expect(read.bytes == sample.bytes)
    }

    @Test("the bytes are those of the standard")
    func bytes() {
        let message = IPPMessage(
            code: 0x000B, requestID: 1,
            groups: [.init(tag: 1, [IPPAttribute("a", .integer(2), .integer(3))])])
        #expect(
            message.bytes == [
                2, 0, 0, 0x0B, 0, 0, 0, 1, 1, 0x21, 0, 1, 0x61, 0, 4, 0, 0, 0, 2, 0x21, 0, 0, 0, 4, 0, 0, 0, 3, 3,
            ])
    }

    @Test("of an attribute that comes twice the first is meant")
    func duplicate() {
        let attributes = [IPPAttribute("a", .integer(1)), IPPAttribute("a", .integer(2))]
        #expect(attributes.int("a") == 1)
    }

    @Test("a message that breaks off anywhere is refused, not read in part")
    func truncated() {
        let whole = sample.bytes
        for count in 0..<(whole.count - 3) {
            #expect(throws: IPPError.self) { try IPPMessage(parsing: Array(whole.prefix(count))) }
        }
    }

    @Test("collections in collections without end are refused")
    func depth() {
        var bytes: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 1, 4, 0x34, 0, 1, 0x61, 0, 0]
        for _ in 0..<10_000 { bytes += [0x4A, 0, 0, 0, 1, 0x61, 0x34, 0, 0, 0, 0] }
        #expect(throws: IPPError.malformed("its collections are nested too deep")) {
            try IPPMessage(parsing: bytes)
        }
    }

    /// `TILL_FUZZ_MESSAGES=10000000 swift test -c release --filter IPPCodecTests` runs ten million.
    @Test("changed messages never trap, and those that are read are written back as they came")
    func fuzz() throws {
        let count = ProcessInfo.processInfo.environment["TILL_FUZZ_MESSAGES"].flatMap { Int($0) } ?? 20_000
        let whole = sample.bytes
        var random = SeededRandom(seed: 7)
        var readable = 0
        for _ in 0..<count {
            var bytes = whole
            for _ in 0...random.below(4) {
                switch random.below(4) {
                case 0: bytes[random.below(bytes.count)] = UInt8(random.below(256))
                case 1: bytes.removeLast(random.below(min(bytes.count, 20)))
                case 2: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
                default:
                    let start = random.below(bytes.count)
                    bytes.replaceSubrange(
                        start..<min(bytes.count, start + random.below(9)), with: [UInt8(random.below(256))])
                }
                if bytes.isEmpty { bytes = [0] }
            }
            guard let message = try? IPPMessage(parsing: bytes) else { continue }
            readable += 1
            // An attribute of a zero-length name or a group without attributes is written as it was read.
            #expect(message.bytes == bytes)
        }
        #expect(readable > 0)
    }
}

@Suite("Printer addresses")
struct PrinterAddressTests {
    @Test(
        "what is one is read",
        arguments: [
            ("ipp://printer.local", "ipp://printer.local:631/ipp/print"),
            ("ipps://10.0.0.7:8631/ipp/print", "ipps://10.0.0.7:8631/ipp/print"),
            ("ipp://[::1]:631/printers/bar", "ipp://[::1]:631/printers/bar"),
            ("socket://10.0.0.7", "socket://10.0.0.7:9100"), ("/dev/usb/lp0", "/dev/usb/lp0"),
        ])
    func good(_ text: String, _ expected: String) throws {
        #expect(try PrinterAddress(parsing: text).description == expected)
    }

    @Test(
        "what is none is refused",
        arguments: [
            "", "printer", "http://a/", "file:///etc/passwd", "ipp://", "ipp://user:pw@host/", "socket://h:99999",
            "/dev/sda", "/dev/null", "/dev/mem", "ipp://169.254.169.254/", "socket://0xA9FEA9FE", "ipp://[fe80::1]/",
            "ipp://[::ffff:169.254.1.1]/", "socket://0.0.0.0", "socket://224.0.0.1", "ipp://[ff02::1]/", "ipp://[::]/",
            "socket://h:0", "socket://h/path", "ipp://h/\u{1B}", "ipp://h?x=1", "/dev/../etc/passwd", "ipp://a b/",
        ])
    func bad(_ text: String) {
        #expect(throws: PrinterAddressError.self) { try PrinterAddress(parsing: text) }
    }
}

@Suite("What a printer says of itself")
struct PrinterStateTests {
    @Test("the answers of a receipt printer are read, and silence is not taken for ready")
    func status() throws {
        func ask(_ printer: UInt8, _ offline: UInt8, _ paper: UInt8) throws -> PrinterState {
            ESCPOSStatus.state(
                try zip(ESCPOSStatus.questions, [printer, offline, paper]).map { question, byte in
                    try #require(ESCPOSStatus(question, byte))
                })
        }
        #expect(try ask(0x12, 0x12, 0x12) == PrinterState(.idle))
        #expect(try ask(0x1A, 0x32, 0x7E) == PrinterState(.stopped, reasons: ["media-empty-error"]))
        #expect(try ask(0x1A, 0x16, 0x12).sentence == "The printer has stopped. Its cover is open.")
        #expect(try ask(0x12, 0x12, 0x1E).reasons.map(\.keyword) == ["media-low"])
        #expect(ESCPOSStatus(ESCPOSStatus.questions[0], 0x00) == nil)
        #expect(ESCPOSStatus(ESCPOSStatus.questions[0], 0xFF) == nil)
        #expect(PrinterState([]).activity == .unknown)
    }

    @Test("what a printer tells unasked is read, and never taken for an answer")
    func automatic() throws {
        #expect(ESCPOSStatus.automatic([0x14, 0, 0, 0]) == PrinterState(.idle))
        #expect(ESCPOSStatus.automatic([0x3C, 0, 0, 0]) == PrinterState(.stopped, reasons: ["cover-open-error"]))
        #expect(ESCPOSStatus.automatic([0x1C, 0, 0x0F, 0]) == PrinterState(.stopped, reasons: ["media-empty-error"]))
        #expect(ESCPOSStatus.automatic([0x14, 0, 0x03, 0])?.reasons.map(\.keyword) == ["media-low"])
        #expect(ESCPOSStatus.automatic([0x12, 0, 0, 0]) == nil)
        var answers = ESCPOSAnswers()
        answers.take([0x14, 0, 0])
        #expect(answers.next() == nil)
        answers.take([0, 0x16])
        #expect(answers.next() == 0x16)
        answers.take(Array("HTTP/1.1 400".utf8))
        #expect(answers.isTalk)
        var lines = ESCPOSAnswers()
        lines.take(Array("\r\n220 hello".utf8))
        #expect(lines.isTalk)
        var many = ESCPOSAnswers()
        many.take(Array(repeating: 0x12, count: 100_000))
        #expect(!many.isTalk && many.next() == 0x12)
    }

    @Test("a roll is seen as one, its length is asked for, and a sheet printer gets a sheet")
    func media() {
        func size(_ width: IPPValue, _ height: IPPValue) -> IPPValue {
            .collection([IPPAttribute("x-dimension", width), IPPAttribute("y-dimension", height)])
        }
        func range(_ low: Int32, _ high: Int32) -> IPPValue { IPPValue(tag: IPPTag.range, .range(low, high)) }
        let roll = PrinterCapabilities([
            IPPAttribute(
                "media-size-supported", size(.integer(8_000), .integer(15_000)),
                size(range(4_800, 8_000), range(3_000, 327_600))),
            IPPAttribute("finishings-supported", .enumeration(3), .enumeration(11)),
        ])
        #expect(roll.paper == .roll80)
        #expect(roll.trims)
        #expect(roll.height(1_000, width: 8_000) == 3_000)
        #expect(roll.height(9_512, width: 8_000) == 9_512)
        #expect(roll.height(400_000, width: 8_000) == nil)
        let sheets = PrinterCapabilities([
            IPPAttribute("media-size-supported", size(.integer(21_000), .integer(29_700)))
        ])
        #expect(sheets.paper == .a4)
    }

    @Test("a browser's lines become addresses")
    func discovery() throws {
        let found = PrinterDiscovery.parse(
            """
            +;lo;IPv4;Receipt\\032Test;_ipp._tcp;local
            =;lo;IPv4;Receipt\\032Test;_ipp._tcp;local;postest.local;127.0.0.1;8631;"rp=ipp/print" "pdl=application/pdf"
            =;lo;IPv4;bad;_ipp._tcp;local;h;not a host;8631;"rp=x"
            =;lo;IPv4;Six;Internet Printer;local;postest.local;::1;8631;"rp=ipp/print"
            =;lo;IPv6;Near;_ipp._tcp;local;postest.local;fe80::1;8631;"rp=ipp/print"
            """, service: "_ipp._tcp")
        #expect(found.map(\.name) == ["Receipt Test", "Six"])
        #expect(found.last?.address.description == "ipp://[::1]:8631/ipp/print")
        #expect(found.first?.address.description == "ipp://127.0.0.1:8631/ipp/print")
        #expect(found.first?.facts["pdl"] == "application/pdf")
    }
}
