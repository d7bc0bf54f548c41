import Foundation
import Testing
import TillCore

@testable import TillCanvas
@testable import TillReceipts

#if canImport(Glibc)
    import Glibc
#endif

#if os(Linux)
    /// A process of its own for each, since Fontconfig reads FONTCONFIG_FILE once: a machine with one family of fonts,
    /// which has Latin, Greek and Cyrillic, and neither Chinese nor Japanese.
    @Suite("A character that no font has")
    struct MissingGlyphTests {
        private static let latinOnly = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fonts/latin.conf").standardizedFileURL.path

        /// A canvas of that machine; `nil` without Pango or those fonts.
        private static func canvas() -> Canvas? {
            setenv("FONTCONFIG_FILE", latinOnly, 1)
            guard let canvas = try? Canvas(), (try? canvas.missingScripts())?.contains(.latin) == false else {
                return nil
            }
            return canvas
        }

        private static func sale(of name: String) -> ReceiptDocument {
            var sale = ReceiptSample.sale.content()
            sale.lineItems = [ReceiptLineItem(name: name, amount: sale.total)]
            return ReceiptDocument(sale)
        }

        private static let japanese = CanvasError.noFont([.kana, .han])

        @Test("refuses the receipt in every form that is drawn, and names the script and the package")
        func refused() async {
            await #expect(processExitsWith: .success) {
                guard let canvas = MissingGlyphTests.canvas() else { return }
                let document = ReceiptDocument(ReceiptSample.japanese.content())
                #expect(throws: MissingGlyphTests.japanese) { try canvas.pdf(document) }
                #expect(throws: MissingGlyphTests.japanese) { try canvas.png(document) }
                #expect(throws: MissingGlyphTests.japanese) { try canvas.dots(document, width: 576) }
                #expect(throws: MissingGlyphTests.japanese) { try canvas.height(document, paper: .roll80) }
                #expect(throws: MissingGlyphTests.japanese) {
                    try canvas.forEachPage(document, paper: .a4, dotsPerInch: 203) { _, _ in }
                }
                #expect(throws: MissingGlyphTests.japanese) { try ESCPOSReceipt(drawing: document, profile: .wide) }
                let error = MissingGlyphTests.japanese
                #expect(error.what.contains("Kana (Japanese) or Han (Chinese and Japanese)"))
                #expect(error.next.contains("Debian: fonts-noto-cjk)") && error.moneyMoved == .no)
            }
        }

        @Test("refuses a receipt of another language for one name")
        func name() async {
            await #expect(processExitsWith: .success) {
                guard let canvas = MissingGlyphTests.canvas() else { return }
                #expect(throws: CanvasError.noFont([.han])) { try canvas.pdf(MissingGlyphTests.sale(of: "Tea 茶")) }
                #expect(throws: CanvasError.noFont([.thai])) {
                    try ESCPOSReceipt(drawing: MissingGlyphTests.sale(of: "ชา"), profile: .wide)
                }
                #expect(throws: Never.self) { try canvas.pdf(MissingGlyphTests.sale(of: "Herbata żółta, чай, τσάι")) }
            }
        }

        @Test("stands as a question mark if it is a picture, which no receipt needs")
        func pictures() async {
            await #expect(processExitsWith: .success) {
                guard let canvas = MissingGlyphTests.canvas() else { return }
                for name in ["🍕", "🍕 Pizza", "👩‍👩‍👧 Family"] {
                    let mark = name.replacing(/[^A-Za-z ]+/, with: "?")
                    let drawn = try canvas.dots(MissingGlyphTests.sale(of: name), width: 576)
                    let marked = try canvas.dots(MissingGlyphTests.sale(of: mark), width: 576)
                    #expect(drawn == marked)
                }
                _ = try ESCPOSReceipt(drawing: MissingGlyphTests.sale(of: "🍕 Pizza"), profile: .wide)
            }
        }

        @Test("is listed for each language of receipts, and for each script of names")
        func coverage() async {
            await #expect(processExitsWith: .success) {
                guard let canvas = MissingGlyphTests.canvas() else { return }
                let languages = try canvas.languages()
                #expect(languages.map(\.language) == ReceiptLabels.languages)
                for language in languages {
                    switch language.language {
                    case "ja": #expect(language.missing == [.kana, .han])
                    case "ar", "he": break
                    default: #expect(language.missing == [], "\(language.language)")
                    }
                }
                let missing = try canvas.missingScripts()
                #expect(missing.contains(.han) && missing.contains(.thai) && !missing.contains(.cyrillic))
            }
        }

        @Test("is found by scripts/setup too, whose list has every script under its package")
        func setup() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../scripts/setup")
            let listed = try String(contentsOf: file, encoding: .utf8).matches(of: /(fonts-[a-z-]+)=([0-9a-f]+)/)
            for script in Script.allCases {
                #expect(
                    listed.contains { match in
                        let scalar = UInt32(match.2, radix: 16).flatMap(Unicode.Scalar.init)
                        return String(match.1) == script.package && scalar.flatMap(Script.init) == script
                    }, "\(script.name)")
            }
        }
    }
#endif
