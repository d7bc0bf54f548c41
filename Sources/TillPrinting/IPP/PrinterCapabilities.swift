public import TillCanvas

/// The capabilities that a printer reports, as far as receipts need them.
public struct PrinterCapabilities: Hashable, Sendable {
    /// Supported widths and heights, in hundredths of a millimeter.
    public struct MediaSize: Hashable, Sendable {
        /// Supported widths, in hundredths of a millimeter.
        public let width: ClosedRange<Int>
        /// Supported heights, in hundredths of a millimeter; for a roll the shortest and longest receipt.
        public let height: ClosedRange<Int>
    }

    /// The reported make and model.
    public let name: String
    /// Media types of the supported documents, in the printer's order.
    public let formats: [String]
    /// Supported paper sizes, loaded or not.
    public let sizes: [MediaSize]
    /// `true` if the printer cuts the roll after a receipt (`finishings` 11).
    public let trims: Bool
    /// `true` if a job can be created before its document is sent.
    public let createsJobs: Bool
    /// The resolution of raster documents, in dots per inch.
    public let dotsPerInch: Int
    /// `true` if raster documents may be gray.
    public let takesGray: Bool
    /// The default paper size, such as `iso_a4_210x297mm`.
    public let defaultMedia: String

    /// Takes the attributes of a Get-Printer-Attributes answer; missing ones count as unsupported.
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

    /// The paper to draw on: a roll if the printer supports one of its width and any height, otherwise its sheet.
    public var paper: Paper {
        for roll in [Paper.roll80, .roll58] where isRoll(roll.width) { return roll }
        return defaultMedia.contains("letter") ? .letter : .a4
    }

    private func isRoll(_ width: Int) -> Bool {
        // A photo printer supports odd sizes too; a roll printer supports nothing as wide as a sheet.
        let takesSheets = sizes.contains { $0.width.upperBound >= 20_000 }
        return !takesSheets && sizes.contains { $0.width.contains(width) && $0.height.count > 1 }
    }

    /// Returns `true` if the printer supports a paper, or reports no sizes.
    public func takes(_ paper: Paper) -> Bool {
        sizes.isEmpty
            || sizes.contains { size in
                size.width.contains(paper.width)
                    && (paper.height.map { size.height.contains($0) } ?? (size.height.count > 1))
            }
    }

    /// Returns the height to request: the receipt's, fitted to the range of its width.
    /// - Returns: `nil` if the receipt is longer than the printer supports.
    public func height(_ height: Int, width: Int) -> Int? {
        let ranges = sizes.filter { $0.width.contains(width) }.map(\.height)
        guard !ranges.isEmpty else { return height }
        return ranges.compactMap { $0.upperBound < height ? nil : max(height, $0.lowerBound) }.min()
    }

    /// The best document format that both sides support.
    public var format: PrintFormat? { PrintFormat.allCases.first { formats.contains($0.rawValue) } }
}
