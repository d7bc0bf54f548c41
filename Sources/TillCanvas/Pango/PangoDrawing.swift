/// A drawing library: layout by Pango, drawing by Cairo.
struct PangoDrawing: DrawingLibrary {
    private let pango: PangoCairo

    init() throws(CanvasError) { pango = try PangoCairo.found.get() }

    func typesetter(language: String, isRightToLeft: Bool) throws(CanvasError) -> any Typesetter {
        try PangoTypesetter(pango, language: language, isRightToLeft: isRightToLeft)
    }

    /// Replaces this thread's font map, in which Pango caches its results; Fontconfig rescans the font folders at most
    /// every 30 s.
    func refreshFonts() -> Bool {
        guard pango.bringFontsUpToDate() != 0 else { return false }
        pango.setFontMap(nil)
        return true
    }

    func pdf(
        width: Double, height: Double, title: String, pages: Int, draw: (Int, any Pen) -> Void
    ) throws(CanvasError) -> [UInt8] {
        let sink = Sink()
        let surface = pango.pdfSurface(Sink.write, Unmanaged.passUnretained(sink).toOpaque(), width, height)
        defer { pango.destroySurface(surface) }
        title.withCString { pango.pdfTitle(surface, 0, $0) }
        let cairo = pango.create(surface)
        for page in 0..<pages {
            pango.sourceRGB(cairo, 0, 0, 0)
            draw(page, CairoPen(pango: pango, cairo: cairo))
            pango.showPage(cairo)
        }
        pango.destroy(cairo)
        pango.finish(surface)
        try check(surface)
        return withExtendedLifetime(sink) { sink.bytes }
    }

    func png(width: Int, height: Int, scale: Double, draw: (any Pen) -> Void) throws(CanvasError) -> [UInt8] {
        let surface = pango.imageSurface(1, Int32(clamping: width), Int32(clamping: height))
        defer { pango.destroySurface(surface) }
        let cairo = pango.create(surface)
        pango.sourceRGB(cairo, 1, 1, 1)
        pango.paint(cairo)
        try finish(cairo, on: surface, scale: scale, draw)
        let sink = Sink()
        let status = pango.writePNG(surface, Sink.write, Unmanaged.passUnretained(sink).toOpaque())
        guard status == 0 else { throw .failed(status) }
        return withExtendedLifetime(sink) { sink.bytes }
    }

    func darkness<Value>(
        width: Int, height: Int, scale: Double, draw: (any Pen) -> Void,
        read: (UnsafeBufferPointer<UInt8>, Int) -> Value
    ) throws(CanvasError) -> Value {
        let surface = pango.imageSurface(2, Int32(clamping: width), Int32(clamping: height))
        defer { pango.destroySurface(surface) }
        try finish(pango.create(surface), on: surface, scale: scale, draw)
        guard let data = pango.imageData(surface) else { throw .failed(-1) }
        let stride = Int(pango.imageStride(surface))
        return read(UnsafeBufferPointer(start: data, count: stride * height), stride)
    }

    private func finish(
        _ cairo: PangoCairo.Object?, on surface: PangoCairo.Object?, scale: Double, _ draw: (any Pen) -> Void
    ) throws(CanvasError) {
        pango.scale(cairo, scale, scale)
        pango.sourceRGB(cairo, 0, 0, 0)
        draw(CairoPen(pango: pango, cairo: cairo))
        pango.destroy(cairo)
        pango.flush(surface)
        try check(surface)
    }

    private func check(_ surface: PangoCairo.Object?) throws(CanvasError) {
        let status = pango.surfaceStatus(surface)
        guard status == 0 else { throw .failed(status) }
    }
}

private struct CairoPen: Pen {
    let pango: PangoCairo
    let cairo: PangoCairo.Object?

    func show(_ text: any TextLayout, x: Double, y: Double) {
        guard let text = text as? PangoLayout else { return }
        pango.moveTo(cairo, x, y)
        pango.show(cairo, text.layout)
    }

    func fill(_ boxes: [DrawnBox], x: Double, y: Double) {
        pango.antialias(cairo, 1)
        for box in boxes { pango.rectangle(cairo, x + box.x, y + box.y, box.width, box.height) }
        pango.fill(cairo)
        pango.antialias(cairo, 0)
    }
}

private final class PangoTypesetter: Typesetter {
    private let pango: PangoCairo
    private let context: PangoCairo.Object
    private var fonts: [Font: PangoCairo.Object] = [:]

    private struct Font: Hashable {
        let size: Int
        let isBold: Bool
    }

    init(_ pango: PangoCairo, language: String, isRightToLeft: Bool) throws(CanvasError) {
        guard let map = pango.fontMap(), let context = pango.context(map) else { throw .failed(-1) }
        self.pango = pango
        self.context = context
        pango.resolution(context, 72)
        pango.baseDirection(context, isRightToLeft ? 1 : 0)
        pango.setLanguage(context, pango.language(language))
        let options = pango.fontOptions()
        // No hinting: the same positions at every resolution.
        pango.hintStyle(options, 1)
        pango.hintMetrics(options, 1)
        pango.useFontOptions(context, options)
        pango.destroyFontOptions(options)
    }

    deinit {
        for font in fonts.values { pango.freeFont(font) }
        pango.release(context)
    }

    func layout(_ text: String, width: Double?, size: Int, isBold: Bool, alignment: TextSide) -> (any TextLayout)? {
        guard let layout = pango.layout(context) else { return nil }
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                pango.setText(layout, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
        pango.setFont(layout, font(Font(size: size, isBold: isBold)))
        pango.setAutoDirection(layout, 0)
        pango.setAlignment(layout, alignment.rawValue)
        pango.setWrap(layout, 2)
        let laid = PangoLayout(pango, layout)
        if let width { laid.setWidth(width) }
        return laid
    }

    private func font(_ font: Font) -> PangoCairo.Object? {
        if let known = fonts[font] { return known }
        let made = pango.font("Sans \(font.isBold ? "Bold " : "")\(font.size / 10).\(font.size % 10)")
        if let made { fonts[font] = made }
        return made
    }
}

private final class PangoLayout: TextLayout {
    private let pango: PangoCairo
    let layout: PangoCairo.Object

    init(_ pango: PangoCairo, _ layout: PangoCairo.Object) {
        self.pango = pango
        self.layout = layout
    }

    deinit { pango.release(layout) }

    func setWidth(_ width: Double) { pango.setWidth(layout, Int32(max(1, min(1_000_000, width)) * 1024)) }

    var size: (width: Double, height: Double) {
        var width: Int32 = 0
        var height: Int32 = 0
        pango.size(layout, &width, &height)
        return (Double(width) / 1024, Double(height) / 1024)
    }

    var baseline: Double { Double(pango.baseline(layout)) / 1024 }

    var unknownGlyphs: Int { Int(pango.unknownGlyphs(layout)) }
}

/// A buffer for Cairo's output.
private final class Sink {
    var bytes: [UInt8] = []

    static let write: PangoCairo.Write = { closure, data, count in
        guard let closure, let data else { return 0 }
        Unmanaged<Sink>.fromOpaque(closure).takeUnretainedValue()
            .bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
        return 0
    }
}
