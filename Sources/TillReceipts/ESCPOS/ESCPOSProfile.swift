/// What a receipt printer can do.
public struct ESCPOSProfile: Hashable, Sendable {
    /// A code page under the number by which the printer knows it.
    public struct Page: Hashable, Sendable {
        /// The `n` of `ESC t n`.
        public let number: UInt8
        /// The characters on that page of the printer.
        public let page: CodePage

        /// A page of the printer, by its number for `ESC t n`.
        public init(_ number: UInt8, _ page: CodePage) {
            self.number = number
            self.page = page
        }
    }

    /// Its name, as typed.
    public let name: String
    /// Characters of the default size on a line.
    public var columns: Int
    /// Dots on a line.
    public var dots: Int
    /// Its code pages; the first is the one after `ESC @`.
    public var pages: [Page]
    /// The printer has a cutter; otherwise the paper is fed to where it is torn.
    public var cuts: Bool
    /// It leaves a bridge when it cuts.
    public var cutsPartly: Bool
    /// It draws QR codes itself.
    public var drawsCodes: Bool
    /// Pins of its plug for a cash drawer, of 2 and 5; none: it has no plug.
    public var drawerPins: [Int]
    /// It reports its state by itself, once `GS a` has asked it to. Printers that do not know the command may print its
    /// bytes, so it goes only to those that are known to.
    public var reportsState: Bool

    /// A printer of one's own.
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

    /// The numbers that Epson gave and most others took over.
    public static let defaultPages = [
        Page(0, .cp437), Page(2, .cp850), Page(19, .cp858), Page(16, .cp1252), Page(18, .cp852), Page(17, .cp866),
        Page(45, .cp1250),
    ]
    /// 80 mm paper, 203 dots an inch.
    public static let wide = ESCPOSProfile(name: "80", columns: 48, dots: 576)
    /// 58 mm paper, 203 dots an inch; these seldom have a knife.
    public static let narrow = ESCPOSProfile(name: "58", columns: 32, dots: 384, cuts: false)
    /// Epson TM-T88V: 180 dots an inch.
    public static let tmT88V = ESCPOSProfile(
        name: "tm-t88v", columns: 42, dots: 512, drawsCodes: true, reportsState: true)
    /// A printer that knows ASCII only; everything else is drawn.
    public static let plain = ESCPOSProfile(
        name: "plain", columns: 48, dots: 576, pages: [Page(0, .cp437)], cutsPartly: false)

    /// The profiles that can be chosen by name.
    public static let all = [wide, narrow, tmT88V, plain]

    /// The profile of a name.
    public static func named(_ name: String) -> ESCPOSProfile? { all.first { $0.name == name.lowercased() } }
}
