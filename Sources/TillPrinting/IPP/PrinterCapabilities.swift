public import TillCanvas

/// What a printer says it can do, as far as receipts need it.
public struct PrinterCapabilities: Hashable, Sendable {
    /// Widths and heights that are taken, in hundredths of a millimeter.
    public struct MediaSize: Hashable, Sendable {
        /// Widths it takes, in hundredths of a millimeter.
        public let width: ClosedRange<Int>
        /// Heights it takes, in hundredths of a millimeter; of a roll the shortest and longest receipt.
        public let height: ClosedRange<Int>
    }

    /// The make and model, as it reports them.
    public let name: String
    /// Media types of the documents that it takes, as it lists them.
    public let formats: [String]
    /// Sizes of paper that it takes, loaded or not.
    public let sizes: [MediaSize]
    /// It cuts the roll behind a receipt (`finishings` 11).
    public let trims: Bool
    /// A job can be made before its document is sent.
    public let createsJobs: Bool
    /// The resolution of raster documents, in dots per inch.
    public let dotsPerInch: Int
    /// Raster documents may be gray.
    public let takesGray: Bool
    /// The size it is set to, such as `iso_a4_210x297mm`.
    public let defaultMedia: String

    /// From the answer to Get-Printer-Attributes; what is missing is not there.
    public init(_ attributes: [IPPAttribute]) {
        name = attributes.strings("printer-make-and-model").first ?? attributes.strings("printer-name").first ?? ""
        formats = attributes.strings("document-format-supported")
        sizes = PrinterCapabilities.sizes(attributes["media-size-supported"])
        trims = attributes["finishings-supported"]?.values.contains { $0.int == 11 } ?? false
        let operations = attributes["operations-supported"]?.values.compactMap(\.int) ?? []
        createsJobs = operations.contains(5) && operations.contains(6)
        var resolution = 203
        let known = attributes["pwg-raster-document-resolution-supported"] ?? attributes["printer-resolution-default"]
        if case .resolution(let across, _, 3)? = known?.values.first?.content, (72...600).contains(across) {
            resolution = Int(across)
        }
        dotsPerInch = resolution
        let types = attributes.strings("pwg-raster-document-type-supported")
        takesGray = types.isEmpty || types.contains("sgray_8")
        defaultMedia = attributes.strings("media-default").first ?? ""
    }

    private static func sizes(_ attribute: IPPAttribute?) -> [MediaSize] {
        func range(_ value: IPPValue?) -> ClosedRange<Int>? {
            switch value?.content {
            case .number(let one): Int(one)...Int(one)
            case .range(let low, let high) where low <= high: Int(low)...Int(high)
            default: nil
            }
        }
        return (attribute?.values ?? []).compactMap { value in
            guard let members = value.members, let width = range(members["x-dimension"]?.values.first),
                let height = range(members["y-dimension"]?.values.first)
            else { return nil }
            return MediaSize(width: width, height: height)
        }
    }

    /// The paper to draw on: a roll if the printer takes one of its width and any height, else its sheet.
    public var paper: Paper {
        for roll in [Paper.roll80, .roll58] where isRoll(roll.width) { return roll }
        return defaultMedia.contains("letter") ? .letter : .a4
    }

    private func isRoll(_ width: Int) -> Bool {
        // A photo printer takes odd sizes too; a roll printer takes nothing as wide as a sheet.
        let takesSheets = sizes.contains { $0.width.upperBound >= 20_000 }
        return !takesSheets && sizes.contains { $0.width.contains(width) && $0.height.count > 1 }
    }

    /// Whether it has a paper, as far as it says.
    public func takes(_ paper: Paper) -> Bool {
        sizes.isEmpty
            || sizes.contains { size in
                size.width.contains(paper.width)
                    && (paper.height.map { size.height.contains($0) } ?? (size.height.count > 1))
            }
    }

    /// The height to ask for: the receipt's, made to fit the range of its width.
    /// - Returns: `nil` if the receipt is longer than the printer takes.
    public func height(_ height: Int, width: Int) -> Int? {
        let ranges = sizes.filter { $0.width.contains(width) }.map(\.height)
        guard !ranges.isEmpty else { return height }
        return ranges.compactMap { $0.upperBound < height ? nil : max(height, $0.lowerBound) }.min()
    }

    /// The best document that both sides know.
    public var format: PrintFormat? { PrintFormat.allCases.first { formats.contains($0.rawValue) } }
}
