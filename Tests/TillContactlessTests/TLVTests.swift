import Testing
import TillContactless
import TillCore
import TillTestSupport

@Suite("Data objects")
struct TLVTests {
    @Test("Objects are read to the bottom and written back as they were")
    func roundTrip() throws {
        let bytes = try Hex.bytes("6F1A840E325041592E5359532E4444463031A5088801025F2D02656E")
        let objects = try DataObject.parse(bytes)
        #expect(objects.first(0x84)?.value == Array("2PAY.SYS.DDF01".utf8))
        #expect(objects.first(0x5F2D)?.value == Array("en".utf8))
        #expect(objects.flatMap(\.encoded) == bytes)
    }

    @Test("The length octet 80 is refused: EMV has no indefinite form")
    func indefinite() throws {
        let bytes = try Hex.bytes("70805A015500")
        #expect(throws: TLVError.indefiniteLength(at: 1)) { try DataObject.parse(bytes) }
    }

    @Test(
        "Broken bytes are refused by name",
        arguments: [
            ("9F", TLVError.truncatedTag(at: 0)), ("9F8181818101", .tagTooLong(at: 0)), ("5A", .truncatedLength(at: 1)),
            ("5A8", .notHexadecimal(at: 3)), ("5A85FFFFFFFFFF", .lengthTooLong(at: 1)),
            ("5A8201", .truncatedLength(at: 2)),
            ("5A84FFFFFFFF00", .truncatedValue(tag: 0x5A, needs: 4_294_967_295, has: 1)),
        ])
    func broken(text: String, error: TLVError) {
        #expect(throws: error) { try DataObject.parse(Hex.bytes(text)) }
    }

    @Test("Templates within templates end at the limit, not at the stack's end")
    func depth() {
        var bytes: [UInt8] = []
        for _ in 0..<120 { bytes = [0x70, UInt8(bytes.count)] + bytes }
        #expect(throws: TLVError.self) { try DataObject.parse(bytes) }
    }

    @Test("Padding before, between and after objects is passed over, also in templates, and values keep theirs")
    func padding() throws {
        #expect(try DataObject.parse([0, 0, 0x82, 1, 5, 0xFF, 0x84, 0]).map(\.tag) == [0x82, 0x84])
        let padded = try DataObject.parse([0x70, 9, 0x00, 0x82, 1, 5, 0xFF, 0x84, 1, 0, 0x00])
        #expect(padded == [DataObject(0x70, [DataObject(0x82, [5]), DataObject(0x84, [0])])])
        #expect(throws: TLVError.self) { try DataObject.parse([0x70, 4, 0x82, 0x00, 0x01]) }
        #expect(try DataObject.parse([0xFF, 0xFF, 0x81, 0x05, 3, 0x84, 1, 7]).map(\.tag) == [0xFF8105])
    }

    @Test("No bytes at all trap the reader")
    func fuzz() {
        var generator = SeededRandom(seed: 7)
        for _ in 0..<20_000 {
            let count = Int(generator.next() % 64)
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            if let objects = try? DataObject.parse(bytes) {
                _ = objects.explained()
                #expect((try? DataObject.parse(objects.flatMap(\.encoded))) == objects)
            }
            _ = try? DataObjectList(bytes).filled { _ in [1, 2, 3] }
        }
    }

    @Test("A wish is filled by its format: numbers from the right, compressed numbers with F, others from the left")
    func lists() throws {
        let list = try DataObjectList(Hex.bytes("9F0206 9F3704 5A0A 9F4E04 DF0103"))
        let filled = list.filled { tag in
            switch tag {
            case 0x9F02: [0x12, 0x50]
            case 0x9F37: [1, 2, 3, 4, 5]
            case 0x5A: [0x41, 0x11]
            case 0x9F4E: Array("AB".utf8)
            default: nil
            }
        }
        #expect(Hex.text(filled) == "000000001250" + "01020304" + "4111FFFFFFFFFFFFFFFF" + "41420000" + "000000")
    }

    @Test("A card number, a track and a name are never shown, even in a tag that nobody knows")
    func masked() throws {
        let lines = try DataObject.parse(
            Hex.bytes("5A084761739001010119570C4761739001010119D3012201 5F2003414243 DF11084761739001010119")
        ).explained()
        let shown = lines.map { "\($0)" }.joined()
        #expect(!shown.contains("4761739001010119") && !shown.contains("414243"))
        #expect(lines.first?.value == "476173••••••0119")
    }
}
