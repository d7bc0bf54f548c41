import Foundation
import Testing
import TillCore

@testable import TillReceipts

/// Receipts of every kind in every form that is text or can be written as text, byte for byte as in
/// `Tests/GoldenReceipts`. `make golden` writes them anew; look at what changed before you commit it.
@Suite("Golden receipts")
struct GoldenReceiptsTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("GoldenReceipts")
    private static let isWriting = ProcessInfo.processInfo.environment["TILL_WRITE_GOLDEN"] != nil

    @Test("is what it was", arguments: ReceiptSample.allCases)
    func golden(sample: ReceiptSample) throws {
        let content = sample.content()
        try content.check()
        let document = ReceiptDocument(content)
        func printed(_ profile: ESCPOSProfile) -> [UInt8] {
            let bytes = ReceiptRenderer.escpos(document, profile: profile, rasterizer: ShapeOfLines()).bytes
            return Array(PrinterBytes.readable(bytes).utf8)
        }
        let forms: [(name: String, bytes: [UInt8])] = [
            ("html", ReceiptRenderer.htmlBytes(document)),
            ("58.txt", Array(ReceiptRenderer.text(content, columns: 32).utf8)),
            ("80.txt", Array(ReceiptRenderer.text(content, columns: 48).utf8)),
            ("80-columns.txt", Array(ReceiptRenderer.text(content, columns: 80).utf8)),
            ("json", content.jsonValue.bytes() + [0x0A]),
            ("escpos.txt", printed(.wide)), ("58.escpos.txt", printed(.narrow)),
        ]
        for form in forms {
            let file = GoldenReceiptsTests.folder.appendingPathComponent("\(sample.rawValue).\(form.name)")
            if GoldenReceiptsTests.isWriting {
                try Data(form.bytes).write(to: file)
            } else {
                let kept = [UInt8](try Data(contentsOf: file))
                #expect(kept == form.bytes, "\(file.lastPathComponent) is not what it was; make golden, then look")
            }
        }
    }

    @Test("no file is left of a sample that is gone")
    func complete() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: GoldenReceiptsTests.folder.path)
        let known = Set(ReceiptSample.allCases.map(\.rawValue))
        for name in names where !name.hasPrefix(".") {
            #expect(known.contains(String(name.prefix { $0 != "." })), "\(name)")
        }
        #expect(names.filter { !$0.hasPrefix(".") }.count == known.count * 7)
    }

    @Test("each says what it is", arguments: ReceiptSample.allCases)
    func says(sample: ReceiptSample) throws {
        let content = sample.content()
        let text = ReceiptRenderer.text(content)
        #expect(text.contains("Not a receipt of a payment."))
        #expect((sample == .gaps) == !content.missingFields.isEmpty, "\(content.missingFields)")
        let isPaid = content.verdict == .paid || content.verdict == .refunded || content.verdict == .partlyPaid
        #expect(isPaid == ![.void, .authorization, .decline, .offline, .unknown].contains(sample))
    }
}

/// Draws no letters: a row of dots for each line, as long as it has characters. So golden bytes depend on no font.
private struct ShapeOfLines: LineRasterizer {
    func raster(_ line: RasterLine, dots: Int, lineHeight: Int) -> MonochromeImage? {
        guard var image = MonochromeImage(width: dots, height: 1) else { return nil }
        for x in 0..<min(dots, line.start.unicodeScalars.count) { image[x, 0] = true }
        for x in 0..<min(dots, line.end?.unicodeScalars.count ?? 0) { image[dots - 1 - x, 0] = true }
        return image
    }
}

/// Printers' bytes as text that can be compared by eye, without loss: what is no printable ASCII stands as `\XX`, a
/// line feed also ends the line.
private enum PrinterBytes {
    static func readable(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case 0x0A: text += "\\0A\n"
            case 0x5C: text += "\\5C"
            case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "\\" + Hex.lowercase([byte]).uppercased()
            }
        }
        return text + "\n"
    }
}
