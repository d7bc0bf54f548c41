#if canImport(TillCanvasShell)
    import CoreTextInterface
    import Foundation
    import Testing
    import TillCanvas
    import TillCanvasShell
    import TillCore
    import TillReceipts

    /// What the adapter asks of CoreText and CoreGraphics, written down by the declared interface.
    @Suite("Receipts drawn by CoreText and CoreGraphics")
    struct CoreTextDrawingTests {
        private let canvas = Canvas(CoreTextDrawing())

        private struct Written {
            var text: String
            var left: Double
            var baseline: Double
            var right: Double
            var size: Double
            var isBold: Bool
        }

        /// What was drawn since the last call, on this thread.
        private func drawn(_ body: () throws -> Void) rethrows -> (marks: [CGContext.Mark], texts: [Written]) {
            CGContext.marks = []
            try body()
            let marks = CGContext.marks
            return (
                marks,
                marks.compactMap { mark in
                    guard case .text(let text, let x, let y, let width, let size, let isBold) = mark else { return nil }
                    let words = text.unicodeScalars.filter { $0.properties.generalCategory != .format }
                    return Written(
                        text: String(String.UnicodeScalarView(words)), left: Double(x), baseline: Double(y),
                        right: Double(x) + width, size: Double(size), isBold: isBold)
                }
            )
        }

        private func boxes(_ marks: [CGContext.Mark]) -> [CGRect] {
            marks.compactMap { mark in
                guard case .box(let box) = mark else { return nil }
                return box
            }
        }

        @Test(
            "every sample is on its paper from top to bottom, whole, in every direction",
            arguments: ReceiptSample.allCases)
        func samples(_ sample: ReceiptSample) throws {
            let document = ReceiptDocument(sample.content())
            for paper in [Paper.roll80, .roll58] {
                var pdf: [UInt8] = []
                let (marks, texts) = try drawn { pdf = try canvas.pdf(document, paper: paper) }
                let head = String(decoding: pdf, as: UTF8.self).split(separator: "\n").first ?? ""
                let height = try #require(Double(head.split(separator: " ")[2]))
                let (width, margin) = (Double(paper.width) / 2_540 * 72, Double(paper.margin) / 2_540 * 72)
                #expect(marks.first == .pageBegan && Array(marks.suffix(2)) == [.pageEnded, .closed])
                #expect(abs(height - Double(try canvas.height(document, paper: paper)) / 2_540 * 72) < 1)
                for text in texts {
                    #expect(text.left >= margin - 1 && text.right <= width - margin + 1, "\(text.text)")
                    #expect(text.baseline > margin && text.baseline < height - margin, "\(text.text)")
                }
                for box in boxes(marks) {
                    #expect(box.minX >= margin - 1 && box.maxX <= width - margin + 1)
                    #expect(box.minY >= margin - 1 && box.maxY <= height - margin + 1)
                }
                // From top to bottom: a label is never under its value's line.
                for (above, below) in zip(texts, texts.dropFirst()) { #expect(below.baseline <= above.baseline + 20) }
                let all = texts.map(\.text).joined(separator: " ").filter { $0 != " " }
                for block in document.blocks {
                    guard case .table(let table) = block else { continue }
                    for row in table.rows {
                        #expect(all.contains(row.label.plain.filter { $0 != " " }), "\(row.label.plain)")
                        #expect(all.contains(row.value.plain.filter { $0 != " " }), "\(row.value.plain)")
                    }
                }
            }
        }

        @Test("amounts end at one edge and labels begin at the other; from right to left it is turned round")
        func edges() throws {
            for (sample, isTurned) in [(ReceiptSample.sale, false), (.arabic, true)] {
                let document = ReceiptDocument(sample.content())
                #expect(document.isRightToLeft == isTurned)
                let (_, texts) = try drawn { _ = try canvas.pdf(document, paper: .roll80) }
                let edge = (8_000.0 - 400) / 2_540 * 72
                let near = 400.0 / 2_540 * 72
                for block in document.blocks {
                    guard case .table(let table) = block, table.holdsAmounts else { continue }
                    for row in table.rows {
                        let value = try #require(texts.first { $0.text == row.value.plain })
                        #expect(abs(isTurned ? value.left - near : value.right - edge) < 1.1, "\(value)")
                    }
                }
            }
        }

        @Test("the total is larger and bold, and stands on one line with its amount")
        func total() throws {
            let document = ReceiptDocument(ReceiptSample.sale.content())
            let (_, texts) = try drawn { _ = try canvas.pdf(document) }
            let label = try #require(texts.first { $0.text.hasPrefix("Total ") })
            let amount = try #require(
                texts.first { $0.isBold && $0.baseline == label.baseline && $0.text != label.text })
            #expect(label.isBold && label.size > 11 && amount.size == label.size)
        }

        @Test("a long number stands beside its label, a little smaller if it must")
        func numbers() throws {
            let sale = ReceiptSample.sale.content()
            let (_, texts) = try drawn { _ = try canvas.pdf(ReceiptDocument(sale), paper: .roll58) }
            let label = try #require(texts.first { $0.text == "Payment" })
            let number = try #require(texts.first { $0.text == sale.paymentID.rawValue })
            #expect(abs(number.baseline - label.baseline) < 0.1)
            #expect(number.size < label.size && number.size > label.size * 0.75)
        }

        @Test("a long sale on sheets has a page after the other, and nothing below the edge")
        func sheets() throws {
            var sale = ReceiptSample.sale.content()
            sale.lineItems = (0..<200).map {
                ReceiptLineItem(name: "Line \($0)", amount: Money(minorUnits: 20, currency: sale.total.currency))
            }
            let document = ReceiptDocument(sale)
            let (marks, texts) = try drawn { _ = try canvas.pdf(document, paper: .a4) }
            let pages = try canvas.pageCount(document, paper: .a4)
            #expect(pages >= 4)
            #expect(marks.count { $0 == .pageBegan } == pages && marks.count { $0 == .pageEnded } == pages)
            #expect(texts.allSatisfy { $0.baseline > 56 && $0.baseline < 786 })
            #expect(texts.count { $0.text.hasSuffix("Line 199") } == 1)
        }

        @Test("pictures have what is drawn where it is drawn, the right way up")
        func pictures() throws {
            let document = ReceiptDocument(ReceiptSample.sale.content())
            let dots = try canvas.dots(document, width: 576)
            let (marks, _) = try drawn { _ = try canvas.dots(document, width: 576) }
            let points = 72.0 / 203
            for box in boxes(marks) where box.width > 1 && box.height > 1 {
                let x = Int((box.midX / points).rounded(.down))
                let y = dots.height - 1 - Int((box.midY / points).rounded(.down))
                #expect(dots[x, y], "\(box)")
            }
            #expect(!dots[0, 0])
            let black = dots.bytes.reduce(0) { $0 + $1.nonzeroBitCount }
            #expect(black > 1_000 && black < dots.width * dots.height / 2)
            let png = try canvas.png(document)
            #expect(String(decoding: png.prefix(11), as: UTF8.self) == "public.png:")
            #expect(png.contains(0) && png.contains(255))
            var page: GrayPage?
            try canvas.forEachPage(document, paper: .roll58, dotsPerInch: 203) { drawn, _ in page = drawn }
            #expect(page?.width == 464)
            #expect(page?.rows.contains(0) == true && page?.rows.first == 255)
        }

        @Test("what only the font of last resort has is not drawn")
        func lastResort() throws {
            defer { CTFont.missing = "" }
            CTFont.missing = "合計"
            let japanese = ReceiptDocument(ReceiptSample.japanese.content())
            // The made-up font has the rest of the script, so that no package would help.
            let (_, texts) = try drawn { _ = try canvas.pdf(japanese) }
            #expect(!texts.contains { $0.text.contains("合") } && texts.contains { $0.text.contains("?") })
            CTFont.missing += "漢国简體、あアー"
            #expect(throws: CanvasError.noFont([.kana, .han])) { try canvas.pdf(japanese) }
            #expect(throws: Never.self) { try canvas.pdf(ReceiptDocument(ReceiptSample.sale.content())) }
        }

        @Test("lines for receipt printers are drawn with it too")
        func lines() {
            let receipt = ReceiptRenderer.escpos(
                ReceiptDocument(ReceiptSample.arabic.content()), profile: .narrow, rasterizer: CanvasLines(canvas))
            #expect(receipt.damagedLines == 0 && receipt.drawnLines > 5)
        }
    }
#endif
