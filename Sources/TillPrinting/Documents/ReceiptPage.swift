import TillCanvas
import TillReceipts

/// A receipt as the document that a printer handles best, and the job that requests the right paper.
enum ReceiptPage {
    /// Draws the receipt on as many pages as it needs.
    /// - Parameter paper: the paper to print on; `nil`: the printer's own.
    /// - Throws: ``IPPError/noFormat(_:)``, ``IPPError/noMedia(_:)``, ``IPPError/tooLong(_:)`` and
    ///   ``IPPError/notDrawn(_:)``
    static func make(
        _ document: ReceiptDocument, _ abilities: PrinterCapabilities, _ canvas: Canvas, name: String, copies: Int,
        on wanted: Paper? = nil
    ) throws(IPPError) -> (IPPJob, [UInt8]) {
        guard let format = abilities.format else { throw .noFormat(abilities.formats) }
        let paper = wanted ?? abilities.paper
        guard wanted == nil || abilities.takes(paper) else {
            throw .noMedia("it takes no \(paper.words)")
        }
        var job = IPPJob(name: name, format: format.rawValue)
        job.copies = min(max(1, copies), 10)
        job.trims = abilities.trims && paper.height == nil
        let (height, pages): (Int, Int)
        do throws(CanvasError) {
            height = try canvas.height(document, paper: paper)
            pages = try canvas.pageCount(document, paper: paper)
        } catch { throw .notDrawn(error) }
        guard let allowed = abilities.height(height, width: paper.width) else {
            throw .tooLong("it is \(height / 100) mm long, and the printer has no paper of that length")
        }
        guard pages == 1 || format != .jpeg else {
            throw .tooLong("it has \(pages) pages, and the printer takes pictures only, which hold one")
        }
        job.media = (paper.width, allowed)
        do throws(CanvasError) {
            return (job, try bytes(document, as: format, on: paper, abilities, canvas))
        } catch { throw .notDrawn(error) }
    }

    private static func bytes(
        _ document: ReceiptDocument, as format: PrintFormat, on paper: Paper, _ abilities: PrinterCapabilities,
        _ canvas: Canvas
    ) throws(CanvasError) -> [UInt8] {
        let dotsPerInch = abilities.dotsPerInch
        switch format {
        case .pdf: return try canvas.pdf(document, paper: paper)
        case .pwgRaster:
            var raster = PWGRaster(dotsPerInch: dotsPerInch, isBlack: !abilities.takesGray)
            try canvas.forEachPage(document, paper: paper, dotsPerInch: dotsPerInch) { raster.append($0, of: $1) }
            return raster.bytes
        case .jpeg:
            var picture: [UInt8]?
            try canvas.forEachPage(document, paper: paper, dotsPerInch: dotsPerInch) { page, _ in
                picture = JPEGPicture.bytes(
                    width: page.width, height: page.height, rows: page.rows, dotsPerInch: dotsPerInch)
            }
            guard let picture else { throw .tooLarge }
            return picture
        }
    }
}

/// The supported document formats, the best first.
public enum PrintFormat: String, Hashable, Sendable, CaseIterable {
    /// Drawn by the printer at its own resolution.
    case pdf = "application/pdf"
    /// Dots, as accepted by every IPP Everywhere printer.
    case pwgRaster = "image/pwg-raster"
    /// Gray, one page only.
    case jpeg = "image/jpeg"
}
