#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Pango and Cairo, loaded on first use and not linked: on a machine without them all of Till builds, runs and starts
/// equally fast, and reports the missing packages when a picture is requested.
///
/// The functions are as declared in the public headers; `gboolean` and enumerations are `Int32`. All pointers are
/// opaque. Both libraries may be used from any thread as long as an object stays on one, and none leaves ``Canvas``.
struct PangoCairo: @unchecked Sendable {
    typealias Object = UnsafeMutableRawPointer
    typealias Write = @convention(c) (Object?, UnsafePointer<UInt8>?, UInt32) -> Int32

    // Surfaces.
    let pdfSurface: @convention(c) (Write, Object?, Double, Double) -> Object?
    let pdfTitle: @convention(c) (Object?, Int32, UnsafePointer<CChar>?) -> Void
    let imageSurface: @convention(c) (Int32, Int32, Int32) -> Object?
    let imageData: @convention(c) (Object?) -> UnsafeMutablePointer<UInt8>?
    let imageStride: @convention(c) (Object?) -> Int32
    let writePNG: @convention(c) (Object?, Write, Object?) -> Int32
    let flush: @convention(c) (Object?) -> Void
    let finish: @convention(c) (Object?) -> Void
    let surfaceStatus: @convention(c) (Object?) -> Int32
    let destroySurface: @convention(c) (Object?) -> Void
    // Drawing.
    let create: @convention(c) (Object?) -> Object?
    let destroy: @convention(c) (Object?) -> Void
    let scale: @convention(c) (Object?, Double, Double) -> Void
    let moveTo: @convention(c) (Object?, Double, Double) -> Void
    let rectangle: @convention(c) (Object?, Double, Double, Double, Double) -> Void
    let fill: @convention(c) (Object?) -> Void
    let paint: @convention(c) (Object?) -> Void
    let sourceRGB: @convention(c) (Object?, Double, Double, Double) -> Void
    let antialias: @convention(c) (Object?, Int32) -> Void
    let showPage: @convention(c) (Object?) -> Void
    // Text.
    let fontMap: @convention(c) () -> Object?
    let setFontMap: @convention(c) (Object?) -> Void
    let bringFontsUpToDate: @convention(c) () -> Int32
    let context: @convention(c) (Object?) -> Object?
    let resolution: @convention(c) (Object?, Double) -> Void
    let baseDirection: @convention(c) (Object?, Int32) -> Void
    let language: @convention(c) (UnsafePointer<CChar>?) -> Object?
    let setLanguage: @convention(c) (Object?, Object?) -> Void
    let fontOptions: @convention(c) () -> Object?
    let hintStyle: @convention(c) (Object?, Int32) -> Void
    let hintMetrics: @convention(c) (Object?, Int32) -> Void
    let useFontOptions: @convention(c) (Object?, Object?) -> Void
    let destroyFontOptions: @convention(c) (Object?) -> Void
    let font: @convention(c) (UnsafePointer<CChar>?) -> Object?
    let freeFont: @convention(c) (Object?) -> Void
    let layout: @convention(c) (Object?) -> Object?
    let setText: @convention(c) (Object?, UnsafePointer<CChar>?, Int32) -> Void
    let setFont: @convention(c) (Object?, Object?) -> Void
    let setWidth: @convention(c) (Object?, Int32) -> Void
    let setWrap: @convention(c) (Object?, Int32) -> Void
    let setAlignment: @convention(c) (Object?, Int32) -> Void
    let setAutoDirection: @convention(c) (Object?, Int32) -> Void
    let size: @convention(c) (Object?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?) -> Void
    let baseline: @convention(c) (Object?) -> Int32
    let unknownGlyphs: @convention(c) (Object?) -> Int32
    let show: @convention(c) (Object?, Object?) -> Void
    let release: @convention(c) (Object?) -> Void

    /// The libraries, or the name of the missing one.
    static let found: Result<PangoCairo, CanvasError> = {
        do throws(CanvasError) { return .success(try PangoCairo()) } catch { return .failure(error) }
    }()

    private init() throws(CanvasError) {
        let cairo = try Library("libcairo", 2)
        let pango = try Library("libpango-1.0", 0)
        let both = try Library("libpangocairo-1.0", 0)
        let objects = try Library("libgobject-2.0", 0)
        let fontconfig = try Library("libfontconfig", 1)
        pdfSurface = try cairo("cairo_pdf_surface_create_for_stream")
        pdfTitle = try cairo("cairo_pdf_surface_set_metadata")
        imageSurface = try cairo("cairo_image_surface_create")
        imageData = try cairo("cairo_image_surface_get_data")
        imageStride = try cairo("cairo_image_surface_get_stride")
        writePNG = try cairo("cairo_surface_write_to_png_stream")
        flush = try cairo("cairo_surface_flush")
        finish = try cairo("cairo_surface_finish")
        surfaceStatus = try cairo("cairo_surface_status")
        destroySurface = try cairo("cairo_surface_destroy")
        create = try cairo("cairo_create")
        destroy = try cairo("cairo_destroy")
        scale = try cairo("cairo_scale")
        moveTo = try cairo("cairo_move_to")
        rectangle = try cairo("cairo_rectangle")
        fill = try cairo("cairo_fill")
        paint = try cairo("cairo_paint")
        sourceRGB = try cairo("cairo_set_source_rgb")
        antialias = try cairo("cairo_set_antialias")
        showPage = try cairo("cairo_show_page")
        fontOptions = try cairo("cairo_font_options_create")
        hintStyle = try cairo("cairo_font_options_set_hint_style")
        hintMetrics = try cairo("cairo_font_options_set_hint_metrics")
        destroyFontOptions = try cairo("cairo_font_options_destroy")
        fontMap = try both("pango_cairo_font_map_get_default")
        setFontMap = try both("pango_cairo_font_map_set_default")
        bringFontsUpToDate = try fontconfig("FcInitBringUptoDate")
        context = try pango("pango_font_map_create_context")
        resolution = try both("pango_cairo_context_set_resolution")
        useFontOptions = try both("pango_cairo_context_set_font_options")
        show = try both("pango_cairo_show_layout")
        baseDirection = try pango("pango_context_set_base_dir")
        language = try pango("pango_language_from_string")
        setLanguage = try pango("pango_context_set_language")
        font = try pango("pango_font_description_from_string")
        freeFont = try pango("pango_font_description_free")
        layout = try pango("pango_layout_new")
        setText = try pango("pango_layout_set_text")
        setFont = try pango("pango_layout_set_font_description")
        setWidth = try pango("pango_layout_set_width")
        setWrap = try pango("pango_layout_set_wrap")
        setAlignment = try pango("pango_layout_set_alignment")
        setAutoDirection = try pango("pango_layout_set_auto_dir")
        size = try pango("pango_layout_get_size")
        baseline = try pango("pango_layout_get_baseline")
        unknownGlyphs = try pango("pango_layout_get_unknown_glyphs_count")
        release = try objects("g_object_unref")
    }

    /// A shared library; it stays open for the process lifetime.
    private struct Library {
        let name: String
        private let handle: Object

        init(_ name: String, _ version: Int) throws(CanvasError) {
            self.name = name
            #if os(macOS)
                let files = ["\(name).\(version).dylib", "/opt/homebrew/lib/\(name).\(version).dylib"]
            #else
                let files = ["\(name).so.\(version)"]
            #endif
            for file in files {
                if let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) {
                    self.handle = handle
                    return
                }
            }
            throw .notInstalled(name)
        }

        func callAsFunction<Function>(_ symbol: String) throws(CanvasError) -> Function {
            guard let address = dlsym(handle, symbol) else { throw .notInstalled("\(symbol) in \(name)") }
            return unsafeBitCast(address, to: Function.self)
        }
    }
}
