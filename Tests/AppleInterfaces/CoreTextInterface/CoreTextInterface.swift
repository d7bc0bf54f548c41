// The part of CoreGraphics', CoreText's and ImageIO's public interfaces that Till's adapter uses, declared so that the
// adapter is type-checked and run where they are not. Nothing is drawn but boxes: text stands in one made-up font, in
// which every visible character is equally wide, and what was drawn is written down. It is in no product, and does not
// bear a framework's name, since packages that find that would take it for the real one.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
// What each is for, and its name, stand in Apple's documentation.
public import Foundation

// On Apple's systems these are the same objects as Foundation's.
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFMutableData = NSMutableData
public typealias CFAttributedString = NSAttributedString
public typealias CFArray = NSArray
public typealias CFIndex = Int

public struct CFRange {
    public var location: CFIndex
    public var length: CFIndex
    public init(location: CFIndex, length: CFIndex) {
        self.location = location
        self.length = length
    }
}

// There they are `CFString`s, which turn into both.
public let kCTFontAttributeName = "NSFont"
public let kCTLanguageAttributeName = "NSLanguage"
public nonisolated(unsafe) let kCGPDFContextTitle = NSString(string: "kCGPDFContextTitle")

// MARK: Text

public enum CTFontUIFontType: UInt32, Sendable { case system = 2, emphasizedSystem = 3 }

public final class CTFont {
    public let size: CGFloat
    public let isBold: Bool
    public let language: String
    /// Of every visible character.
    public var advance: CGFloat { size * (isBold ? 0.6 : 0.5) }
    let name: String
    init(size: CGFloat, isBold: Bool, language: String, name: String = ".SFUI-Regular") {
        self.size = size
        self.isBold = isBold
        self.language = language
        self.name = name
    }

    /// Characters that no font has, of this thread, for tests.
    public static var missing: String {
        get { Thread.current.threadDictionary["missing"] as? String ?? "" }
        set { Thread.current.threadDictionary["missing"] = newValue }
    }
}

public func CTFontCopyPostScriptName(_ font: CTFont) -> CFString { NSString(string: font.name) }

public func CTFontCreateUIFontForLanguage(_ uiType: CTFontUIFontType, _ size: CGFloat, _ language: CFString?) -> CTFont?
{
    size > 0 ? CTFont(size: size, isBold: uiType == .emphasizedSystem, language: "\(language ?? "")") : nil
}

public final class CTTypesetter {
    let units: [UInt16]
    let font: CTFont
    init(_ string: NSAttributedString) {
        units = Array(string.string.utf16)
        let key = NSAttributedString.Key(rawValue: kCTFontAttributeName)
        let attribute = string.length > 0 ? string.attribute(key, at: 0, effectiveRange: nil) : nil
        font = attribute as? CTFont ?? CTFont(size: 12, isBold: false, language: "")
    }

    /// How many characters from a place fit.
    func fitting(_ start: Int, _ width: Double) -> Int {
        var used = 0.0
        var count = 0
        for unit in units.dropFirst(start) {
            if isVisible(unit) { used += Double(font.advance) }
            // A space at the end may stand over the edge.
            if used > width, unit != 0x20 { break }
            count += 1
        }
        return count
    }
}

/// Marks of direction have no width.
private func isVisible(_ unit: UInt16) -> Bool { !(0x2066...0x2069).contains(unit) && unit != 0x200E && unit != 0x200F }

public func CTTypesetterCreateWithAttributedString(_ string: CFAttributedString) -> CTTypesetter {
    CTTypesetter(string)
}

public func CTTypesetterSuggestLineBreak(_ typesetter: CTTypesetter, _ startIndex: CFIndex, _ width: Double) -> CFIndex
{
    let most = typesetter.fitting(startIndex, width)
    guard startIndex + most < typesetter.units.count else { return most }
    let line = typesetter.units[startIndex..<(startIndex + most)]
    return line.lastIndex(of: 0x20).map { $0 + 1 - startIndex } ?? 0
}

public func CTTypesetterSuggestClusterBreak(_ typesetter: CTTypesetter, _ startIndex: CFIndex, _ width: Double)
    -> CFIndex
{
    typesetter.fitting(startIndex, width)
}

public final class CTLine {
    public let text: String
    public let font: CTFont
    public var width: Double { Double(text.utf16.count { isVisible($0) }) * Double(font.advance) }
    init(_ units: some Sequence<UInt16>, _ font: CTFont) {
        text = String(decoding: Array(units), as: UTF16.self)
        self.font = font
    }
}

public func CTTypesetterCreateLine(_ typesetter: CTTypesetter, _ stringRange: CFRange) -> CTLine {
    CTLine(typesetter.units.dropFirst(stringRange.location).prefix(stringRange.length), typesetter.font)
}

/// Glyphs of one font.
public final class CTRun {
    let count: Int
    let font: CTFont
    init(count: Int, font: CTFont) {
        self.count = count
        self.font = font
    }
}

public func CTRunGetGlyphCount(_ run: CTRun) -> CFIndex { run.count }

public func CTRunGetAttributes(_ run: CTRun) -> CFDictionary {
    NSDictionary(object: run.font, forKey: NSString(string: kCTFontAttributeName))
}

/// Those that the made-up font has, and those that it lacks.
public func CTLineGetGlyphRuns(_ line: CTLine) -> CFArray {
    let lacking = line.text.count { CTFont.missing.contains($0) }
    let last = CTFont(size: line.font.size, isBold: line.font.isBold, language: line.font.language, name: "LastResort")
    let runs = [CTRun(count: line.text.count - lacking, font: line.font), CTRun(count: lacking, font: last)]
    return NSArray(array: runs.filter { $0.count > 0 })
}

public func CTLineGetTypographicBounds(
    _ line: CTLine, _ ascent: UnsafeMutablePointer<CGFloat>?, _ descent: UnsafeMutablePointer<CGFloat>?,
    _ leading: UnsafeMutablePointer<CGFloat>?
) -> Double {
    ascent?.pointee = line.font.size * 0.8
    descent?.pointee = line.font.size * 0.2
    leading?.pointee = line.font.size * 0.2
    return line.width
}

public func CTLineGetPenOffsetForFlush(_ line: CTLine, _ flushFactor: CGFloat, _ flushWidth: Double) -> Double {
    max(0, flushWidth - line.width) * min(1, max(0, Double(flushFactor)))
}

public func CTLineDraw(_ line: CTLine, _ context: CGContext) {
    let position = context.textPosition
    context.note(
        .text(
            line.text, x: position.x, y: position.y, width: line.width, size: line.font.size, isBold: line.font.isBold))
    context.fillBits(
        CGRect(x: position.x, y: position.y, width: CGFloat(line.width), height: line.font.size * 0.5))
}

// MARK: Drawing

public final class CGColorSpace {
    init() {}
}
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { CGColorSpace() }

public enum CGImageAlphaInfo: UInt32, Sendable { case none = 0 }

public struct CGAffineTransform: Sendable {
    public static let identity = CGAffineTransform()
}

public final class CGDataConsumer {
    let data: NSMutableData
    public init?(data: CFMutableData) { self.data = data }
}

public final class CGImage {
    let dots: [UInt8]
    init(_ dots: [UInt8]) { self.dots = dots }
}

public final class CGContext {
    /// What was drawn, in the context's own measure, from the lower left corner.
    public enum Mark: Equatable {
        case text(String, x: CGFloat, y: CGFloat, width: Double, size: CGFloat, isBold: Bool)
        case box(CGRect)
        case pageBegan
        case pageEnded
        case closed
    }

    /// Of all contexts of this thread, for tests.
    public static var marks: [Mark] {
        get { Thread.current.threadDictionary["marks"] as? [Mark] ?? [] }
        set { Thread.current.threadDictionary["marks"] = newValue }
    }

    public var textMatrix = CGAffineTransform.identity
    public var textPosition = CGPoint.zero
    public let bytesPerRow: Int
    public let data: UnsafeMutableRawPointer?
    private let height: Int
    private let consumer: CGDataConsumer?
    private var gray: CGFloat = 0
    private var scale: CGFloat = 1

    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) {
        guard data == nil, bitsPerComponent == 8, bytesPerRow >= width, width > 0, height > 0, bitmapInfo == 0 else {
            return nil
        }
        // Rows are longer than asked for, as real ones may be.
        self.bytesPerRow = bytesPerRow + 3
        self.height = height
        self.data = .allocate(byteCount: (bytesPerRow + 3) * height, alignment: 1)
        consumer = nil
    }

    public init?(consumer: CGDataConsumer, mediaBox: UnsafePointer<CGRect>?, _ auxiliaryInfo: CFDictionary?) {
        guard let mediaBox else { return nil }
        bytesPerRow = 0
        height = Int(mediaBox.pointee.height)
        data = nil
        self.consumer = consumer
        let title = auxiliaryInfo?.object(forKey: kCGPDFContextTitle) as? NSString ?? ""
        consumer.data.append(Data("%PDF \(mediaBox.pointee.width) \(mediaBox.pointee.height) \(title)\n".utf8))
    }

    deinit { data?.deallocate() }

    func note(_ mark: Mark) { CGContext.marks.append(mark) }

    public func beginPDFPage(_ pageInfo: CFDictionary?) { note(.pageBegan) }
    public func endPDFPage() { note(.pageEnded) }
    public func closePDF() {
        note(.closed)
        consumer?.data.append(Data("%%EOF".utf8))
    }

    public func setFillColor(gray: CGFloat, alpha: CGFloat) { self.gray = gray }
    public func setShouldAntialias(_ shouldAntialias: Bool) {}
    public func scaleBy(x: CGFloat, y: CGFloat) { scale *= x }
    public func fill(_ rect: CGRect) {
        if gray == 0 { note(.box(rect)) }
        fillBits(rect)
    }
    public func makeImage() -> CGImage? {
        data.map { CGImage(Array(UnsafeRawBufferPointer(start: $0, count: bytesPerRow * height))) }
    }

    /// Colors whole dots; the first row of the memory is the uppermost.
    func fillBits(_ rect: CGRect) {
        guard let data else { return }
        let width = bytesPerRow - 3
        func dots(_ low: CGFloat, _ high: CGFloat, _ limit: Int) -> Range<Int> {
            let first = min(max(0, Int((low * scale).rounded())), limit)
            return first..<max(first, min(limit, Int((high * scale).rounded())))
        }
        for y in dots(rect.minY, rect.maxY, height) {
            for x in dots(rect.minX, rect.maxX, width) {
                let place = (height - 1 - y) * bytesPerRow + x
                data.storeBytes(of: gray == 0 ? 0 : 255, toByteOffset: place, as: UInt8.self)
            }
        }
    }
}

// MARK: Pictures

public final class CGImageDestination {
    let data: NSMutableData
    var images: [CGImage] = []
    let type: String
    init(_ data: NSMutableData, _ type: String) {
        self.data = data
        self.type = type
    }
}

public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    CGImageDestination(data, "\(type)")
}

public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {
    idst.images.append(image)
}

public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool {
    guard idst.images.count == 1 else { return false }
    idst.data.append(Data("\(idst.type):".utf8) + Data(idst.images[0].dots))
    return true
}
