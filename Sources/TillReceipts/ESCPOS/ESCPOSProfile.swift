/// The capabilities of a receipt printer.
public struct ESCPOSProfile: Hashable, Sendable {
    /// A code page with the printer's number for it.
    public struct Page: Hashable, Sendable {
        /// The `n` of `ESC t n`.
        public let number: UInt8
        /// The characters of the page.
        public let page: CodePage

        /// Creates a page from its number for `ESC t n`.
        public init(_ number: UInt8, _ page: CodePage) {
            self.number = number
            self.page = page
        }
    }

    /// The name used to select the profile.
    public let name: String
    /// Characters per line at the default size.
    public var columns: Int
    /// Dots per line.
    public var dots: Int
    /// The code pages; the first is active after `ESC @`.
    public var pages: [Page]
    /// `true` if the printer has a cutter; otherwise the paper is fed to the tear bar.
    public var cuts: Bool
    /// `true` for a partial cut.
    public var cutsPartly: Bool
    /// `true` if the printer draws QR codes itself.
    public var drawsCodes: Bool
    /// The cash drawer pins of its connector, 2 and 5; empty without a connector.
    public var drawerPins: [Int]
    /// `true` if the printer reports its status automatically after `GS a`. Printers that do not know the command may
    /// print its bytes, so it is sent only to printers known to support it.
    public var reportsState: Bool

    /// Creates a custom profile.
    public init(
        name: String, columns: Int, dots: Int, pages: [Page] = ESCPOSProfile.defaultPages, cuts: Bool = true,
        cutsPartly: Bool = true, drawsCodes: Bool = false,
        drawerPins: [Int] = [2, 5], reportsState: Bool = false
    ) {
        self.name = name
        self.columns = columns
        self.dots = dots
        self.pages = pages
        self.cuts = cuts
        self.cutsPartly = cutsPartly
        self.drawsCodes = drawsCodes
        self.drawerPins = drawerPins
        self.reportsState = reportsState
    }

    /// Epson's code page numbers, adopted by most other vendors.
    public static let defaultPages = [
        Page(0, .cp437), Page(2, .cp850), Page(19, .cp858), Page(16, .cp1252), Page(18, .cp852), Page(17, .cp866),
        Page(45, .cp1250),
    ]
    /// 80 mm paper, 203 dpi.
    public static let wide = ESCPOSProfile(name: "80", columns: 48, dots: 576)
    /// 58 mm paper, 203 dpi; these printers rarely have a cutter.
    public static let narrow = ESCPOSProfile(name: "58", columns: 32, dots: 384, cuts: false)
    /// Epson TM-T88V: 180 dpi.
    public static let tmT88V = ESCPOSProfile(
        name: "tm-t88v", columns: 42, dots: 512, drawsCodes: true, reportsState: true)
    /// An ASCII-only printer; everything else is drawn as an image.
    public static let plain = ESCPOSProfile(
        name: "plain", columns: 48, dots: 576, pages: [Page(0, .cp437)], cutsPartly: false)

    /// The profiles selectable by name.
    public static let all = [wide, narrow, tmT88V, plain]

    /// Returns the profile of a name.
    public static func named(_ name: String) -> ESCPOSProfile? { all.first { $0.name == name.lowercased() } }
}
