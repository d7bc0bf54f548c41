/// A receipt as printer bytes, with counts of the lines that the printer's characters did not cover.
public struct ESCPOSReceipt: Hashable, Sendable {
    /// The bytes to send to the printer.
    public var bytes: [UInt8] = []
    /// The number of lines drawn as images.
    public var drawnLines = 0
    /// The number of lines with characters that the printer lacks and that were not drawn: they contain `?` instead. A
    /// value above zero should be logged as an error.
    public var damagedLines = 0
    /// The characters replaced by `?`.
    public var lostText = ""
}

extension ReceiptRenderer {
    /// Renders the receipt for an ESC/POS printer: each line in one of the printer's code pages, or drawn if none has
    /// all its characters. No byte below 0x20 originates from the content: texts hold none, and codes carry a length.
    /// Never opens the drawer.
    ///
    /// ```swift
    /// let printed = ReceiptRenderer.escpos(ReceiptDocument(receipt), profile: .tmT88V)
    /// if printed.damagedLines > 0 { print("Characters without a shape: \(printed.lostText)") }
    /// let job = ESCPOSCommand.drawer(pin: 2) + printed.bytes  // a sale in cash opens the drawer
    /// ```
    public static func escpos(
        _ document: ReceiptDocument, profile: ESCPOSProfile, rasterizer: (any LineRasterizer)? = nil
    ) -> ESCPOSReceipt {
        var writer = ESCPOSWriter(
            profile: profile, rasterizer: rasterizer, isRightToLeft: document.isRightToLeft)
        for line in TextPage.lines(of: document, columns: profile.columns) { writer.put(line) }
        return writer.receipt
    }
}

private struct ESCPOSWriter {
    /// Height of a line at the default size, in dots.
    static let lineHeight = 30

    let profile: ESCPOSProfile
    let rasterizer: (any LineRasterizer)?
    let isRightToLeft: Bool
    private(set) var receipt = ESCPOSReceipt()
    private var current: ESCPOSProfile.Page?

    init(profile: ESCPOSProfile, rasterizer: (any LineRasterizer)?, isRightToLeft: Bool) {
        self.profile = profile
        self.rasterizer = rasterizer
        self.isRightToLeft = isRightToLeft
        receipt.bytes = ESCPOSCommand.initialize
        current = profile.pages.first
        if let current { receipt.bytes += ESCPOSCommand.codePage(current.number) }
    }

    mutating func put(_ line: TextPage.Line) {
        switch line {
        case .text(let words): put(words)
        case .rule(let dashes): receipt.bytes += Array(dashes.utf8) + ESCPOSCommand.lineFeed
        case .image(let image):
            guard image.width <= profile.dots else { return }
            put(centered: image)
        case .code(let code, _): put(code)
        case .cut:
            receipt.bytes += profile.cuts ? ESCPOSCommand.cut(partial: profile.cutsPartly) : ESCPOSCommand.feed(6)
        }
    }

    private mutating func put(_ words: TextPage.Words) {
        let plain = ESCPOSWriter.plainPunctuation(words.text)
        if let (page, bytes) = encode(plain) {
            switchTo(page)
            put(bytes, words.style)
        } else if let picture = rasterizer?.raster(
            RasterLine(words, isRightToLeft: isRightToLeft), dots: profile.dots, lineHeight: ESCPOSWriter.lineHeight),
            picture.width <= profile.dots
        {
            receipt.bytes += ESCPOSCommand.raster(picture)
            receipt.drawnLines += 1
        } else {
            let page = current ?? .init(0, .cp437)
            // Encoded character by character to keep the readable part.
            var bytes: [UInt8] = []
            for character in plain {
                if let known = page.page.encode(String(character)) {
                    bytes += known
                } else {
                    bytes.append(UInt8(ascii: "?"))
                    receipt.lostText.append(character)
                }
            }
            put(bytes, words.style)
            receipt.damagedLines += 1
        }
    }

    private mutating func put(_ bytes: [UInt8], _ style: TextPage.Style) {
        switch style {
        case .plain: receipt.bytes += bytes + ESCPOSCommand.lineFeed
        case .strong:
            receipt.bytes += ESCPOSCommand.bold(true) + bytes + ESCPOSCommand.lineFeed
            receipt.bytes += ESCPOSCommand.bold(false)
        case .heading:
            receipt.bytes += ESCPOSCommand.bold(true) + ESCPOSCommand.size(width: 1, height: 2) + bytes
            receipt.bytes += ESCPOSCommand.lineFeed
            receipt.bytes += ESCPOSCommand.size(width: 1, height: 1) + ESCPOSCommand.bold(false)
        }
    }

    private mutating func put(_ code: CodeText) {
        receipt.bytes += ESCPOSCommand.align(.center)
        if profile.drawsCodes {
            receipt.bytes += ESCPOSCommand.code(code, module: 6)
        } else if let symbol = QRCode(code) {
            let side = symbol.size + 8
            let factor = min(6, profile.dots / side)
            if factor >= 2, let image = symbol.image(quiet: 4)?.scaled(by: factor) {
                receipt.bytes += ESCPOSCommand.raster(image)
            } else {
                receipt.damagedLines += 1
            }
        }
        receipt.bytes += ESCPOSCommand.lineFeed + ESCPOSCommand.align(.left)
    }

    private mutating func put(centered image: MonochromeImage) {
        receipt.bytes += ESCPOSCommand.align(.center) + ESCPOSCommand.raster(image) + ESCPOSCommand.align(.left)
    }

    private mutating func switchTo(_ page: ESCPOSProfile.Page) {
        guard page != current else { return }
        receipt.bytes += ESCPOSCommand.codePage(page.number)
        current = page
    }

    /// Encodes text in the active page if possible, else in the first page that has all characters.
    private func encode(_ text: String) -> (ESCPOSProfile.Page, [UInt8])? {
        if let current, let bytes = current.page.encode(text) { return (current, bytes) }
        for page in profile.pages { if let bytes = page.page.encode(text) { return (page, bytes) } }
        return nil
    }

    /// Replaces typographic spaces, dashes and quotes by the equivalents that code pages have.
    private static func plainPunctuation(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{A0}", "\u{202F}", "\u{2009}": plain.append(" ")
            case "\u{2010}", "\u{2011}", "\u{2013}", "\u{2014}", "\u{2212}": plain.append("-")
            case "\u{2018}", "\u{2019}": plain.append("'")
            case "\u{201C}", "\u{201D}": plain.append("\"")
            case "\u{2026}": plain.append(".")
            case "\u{D7}": plain.append("x")
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }
}
