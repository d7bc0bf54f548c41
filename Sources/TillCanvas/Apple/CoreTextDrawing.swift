#if canImport(CoreText) || TILL_SHELL_APART
    import Foundation
    #if TILL_SHELL_APART
        import CoreTextInterface
        package import TillCanvas
    #else
        import CoreGraphics
        import CoreText
        import ImageIO
    #endif

    /// A drawing library for Apple's systems: layout by CoreText, drawing by CoreGraphics.
    package struct CoreTextDrawing: DrawingLibrary {
        /// Creates the library.
        package init() {}

        package func typesetter(language: String, isRightToLeft: Bool) throws(CanvasError) -> any Typesetter {
            CoreTextTypesetter(language: language, isRightToLeft: isRightToLeft)
        }

        /// Returns `false`: the system detects new fonts by itself.
        package func refreshFonts() -> Bool { false }

        package func pdf(
            width: Double, height: Double, title: String, pages: Int, draw: (Int, any Pen) -> Void
        ) throws(CanvasError) -> [UInt8] {
            let data = NSMutableData()
            var box = CGRect(x: 0, y: 0, width: width, height: height)
            let about = NSDictionary(object: NSString(string: title), forKey: kCGPDFContextTitle as NSString)
            guard let consumer = CGDataConsumer(data: data as CFMutableData),
                let context = CGContext(consumer: consumer, mediaBox: &box, about as CFDictionary)
            else { throw .failed(-1) }
            for page in 0..<pages {
                context.beginPDFPage(nil)
                draw(page, CoreGraphicsPen(context: context, height: height))
                context.endPDFPage()
            }
            context.closePDF()
            return [UInt8](Data(referencing: data))
        }

        package func png(
            width: Int, height: Int, scale: Double, draw: (any Pen) -> Void
        ) throws(CanvasError) -> [UInt8] {
            let context = try picture(width, height, scale, draw)
            let data = NSMutableData()
            guard let image = context.makeImage(),
                let file = CGImageDestinationCreateWithData(
                    data as CFMutableData, NSString(string: "public.png") as CFString, 1, nil)
            else { throw .failed(-1) }
            CGImageDestinationAddImage(file, image, nil)
            guard CGImageDestinationFinalize(file) else { throw .failed(-1) }
            return [UInt8](Data(referencing: data))
        }

        package func darkness<Value>(
            width: Int, height: Int, scale: Double, draw: (any Pen) -> Void,
            read: (UnsafeBufferPointer<UInt8>, Int) -> Value
        ) throws(CanvasError) -> Value {
            let context = try picture(width, height, scale, draw)
            let stride = context.bytesPerRow
            guard let data = context.data, stride >= width else { throw .failed(-1) }
            // The dots are brightness values, top row first.
            let dark = UnsafeRawBufferPointer(start: data, count: stride * height).map { 255 - $0 }
            return withExtendedLifetime(context) { dark.withUnsafeBufferPointer { read($0, stride) } }
        }

        /// Draws a gray picture, white where nothing is drawn.
        private func picture(
            _ width: Int, _ height: Int, _ scale: Double, _ draw: (any Pen) -> Void
        ) throws(CanvasError) -> CGContext {
            guard
                let context = CGContext(
                    data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width,
                    space: CGColorSpaceCreateDeviceGray(), bitmapInfo: CGImageAlphaInfo.none.rawValue)
            else { throw .tooLarge }
            context.setFillColor(gray: 1, alpha: 1)
            context.fill(CGRect(x: 0, y: 0, width: width, height: height))
            context.scaleBy(x: scale, y: scale)
            draw(CoreGraphicsPen(context: context, height: Double(height) / scale))
            return context
        }
    }

    /// A pen for the system's coordinates, which begin at the lower edge.
    private struct CoreGraphicsPen: Pen {
        let context: CGContext
        let height: Double

        init(context: CGContext, height: Double) {
            self.context = context
            self.height = height
            context.setFillColor(gray: 0, alpha: 1)
            context.textMatrix = .identity
        }

        func show(_ text: any TextLayout, x: Double, y: Double) {
            guard let text = text as? CoreTextLayout else { return }
            for (line, across, down) in text.placed {
                context.textPosition = CGPoint(x: x + across, y: height - y - down)
                CTLineDraw(line, context)
            }
        }

        func fill(_ boxes: [DrawnBox], x: Double, y: Double) {
            context.setShouldAntialias(false)
            for box in boxes {
                context.fill(
                    CGRect(
                        x: x + box.x, y: height - y - box.y - box.height, width: box.width, height: box.height))
            }
            context.setShouldAntialias(true)
        }
    }

    private final class CoreTextTypesetter: Typesetter {
        private let language: String
        private let isRightToLeft: Bool

        init(language: String, isRightToLeft: Bool) {
            self.language = language
            self.isRightToLeft = isRightToLeft
        }

        func layout(
            _ text: String, width: Double?, size: Int, isBold: Bool, alignment: TextSide
        ) -> (any TextLayout)? {
            let kind: CTFontUIFontType = isBold ? .emphasizedSystem : .system
            guard
                let font = CTFontCreateUIFontForLanguage(
                    kind, CGFloat(size) / 10, NSString(string: language) as CFString)
            else { return nil }
            // U+2067 or U+2066: the receipt's own direction around texts with a direction of their own.
            let directed = "\(isRightToLeft ? "\u{2067}" : "\u{2066}")\(text)\u{2069}"
            let whole = NSAttributedString(
                string: directed,
                attributes: [
                    NSAttributedString.Key(rawValue: kCTFontAttributeName as String): font,
                    NSAttributedString.Key(rawValue: kCTLanguageAttributeName as String): NSString(string: language),
                ])
            return CoreTextLayout(whole, width: width, alignment)
        }
    }

    private final class CoreTextLayout: TextLayout {
        /// Each line, the distance of its first character from the left edge, and of its baseline from the top.
        private(set) var placed: [(line: CTLine, across: Double, down: Double)] = []
        private(set) var size = (width: 0.0, height: 0.0)
        private(set) var baseline = 0.0

        private let text: NSAttributedString
        private let typesetter: CTTypesetter
        private let alignment: TextSide

        init(_ text: NSAttributedString, width: Double?, _ alignment: TextSide) {
            self.text = text
            self.alignment = alignment
            typesetter = CTTypesetterCreateWithAttributedString(text as CFAttributedString)
            breakLines(width)
        }

        func setWidth(_ width: Double) { breakLines(width) }

        /// The system draws characters without a font in one called LastResort, as boxes.
        var unknownGlyphs: Int {
            placed.reduce(0) { count, placed in
                let runs = CTLineGetGlyphRuns(placed.line) as? [CTRun] ?? []
                return count + runs.reduce(0) { $0 + (CoreTextLayout.isLastResort($1) ? CTRunGetGlyphCount($1) : 0) }
            }
        }

        private static func isLastResort(_ run: CTRun) -> Bool {
            let attributes = CTRunGetAttributes(run) as NSDictionary
            guard let font = attributes[kCTFontAttributeName] else { return false }
            let name = CTFontCopyPostScriptName(unsafeDowncast(font as AnyObject, to: CTFont.self))
            return "\(name)".hasSuffix("LastResort")
        }

        private func breakLines(_ width: Double?) {
            placed = []
            size = (0, 0)
            var start = 0
            var lines: [(line: CTLine, down: Double)] = []
            while start < text.length {
                let count = length(from: start, width)
                let line = CTTypesetterCreateLine(
                    typesetter, CFRange(location: start, length: shown(from: start, count)))
                var (ascent, descent, leading) = (CGFloat(0), CGFloat(0), CGFloat(0))
                let across = CTLineGetTypographicBounds(line, &ascent, &descent, &leading)
                if lines.isEmpty { baseline = Double(ascent) }
                lines.append((line, size.height + Double(ascent)))
                size = (max(size.width, across), size.height + Double(ascent + descent + leading))
                start += count
            }
            let flush: CGFloat =
                switch alignment {
                case .left: 0
                case .center: 0.5
                case .right: 1
                }
            placed = lines.map { line, down in
                (line, CTLineGetPenOffsetForFlush(line, flush, width ?? size.width), down)
            }
        }

        /// Returns the number of characters on the next line: whole words where they fit, and at least one.
        private func length(from start: Int, _ width: Double?) -> Int {
            let rest = text.length - start
            guard let width else { return rest }
            let words = CTTypesetterSuggestLineBreak(typesetter, start, width)
            let count = words > 0 ? words : CTTypesetterSuggestClusterBreak(typesetter, start, width)
            return min(rest, max(1, count))
        }

        /// Returns the line without the trailing spaces at its break, which would shift it from the right edge.
        private func shown(from start: Int, _ count: Int) -> Int {
            let string = NSString(string: text.string)
            var end = start + count
            while end > start + 1, string.character(at: end - 1) == 0x20 { end -= 1 }
            return end - start
        }
    }
#endif
