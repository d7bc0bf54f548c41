import TillCanvas
import TillReceipts

/// A receipt as the document that a printer likes best, and the job that asks for the right paper.
enum ReceiptPage {
    /// Draws it.
    /// - Throws: ``IPPError/noFormat(_:)`` and ``IPPError/noMedia(_:)``
    static func make(
        _ document: ReceiptDocument, _ abilities: PrinterCapabilities, _ canvas: Canvas, name: String, copies: Int
    ) throws(IPPError) -> (IPPJob, [UInt8]) {
        guard let format = abilities.format else { throw .noFormat(abilities.formats) }
        let paper = abilities.paper
        var job = IPPJob(name: name, format: format.rawValue)
        job.copies = min(max(1, copies), 10)
        job.trims = abilities.trims && paper.height == nil
        do throws(CanvasError) {
            let height = try canvas.height(document, paper: paper)
            guard let allowed = abilities.height(height, width: paper.width) else { throw .tooLarge }
            job.media = (paper.width, allowed)
            switch format {
            case .pdf: return (job, try canvas.pdf(document, paper: paper))
            case .pwgRaster:
                let picture = try canvas.gray(document, paper: paper, dotsPerInch: abilities.dotsPerInch)
                guard
                    let page = PWGRaster.page(
                        width: picture.width, height: picture.height, rows: picture.rows,
                        dotsPerInch: abilities.dotsPerInch, isBlack: !abilities.takesGray)
                else { throw .tooLarge }
                return (job, page)
            case .jpeg:
                let picture = try canvas.gray(document, paper: paper, dotsPerInch: abilities.dotsPerInch)
                guard
                    let page = JPEGPicture.bytes(
                        width: picture.width, height: picture.height, rows: picture.rows,
                        dotsPerInch: abilities.dotsPerInch)
                else { throw .tooLarge }
                return (job, page)
            }
        } catch { throw .noMedia(error.what) }
    }
}

/// The documents that are written here, the best first.
public enum PrintFormat: String, Hashable, Sendable, CaseIterable {
    /// Drawn by the printer at its own resolution.
    case pdf = "application/pdf"
    /// Dots, as every IPP Everywhere printer takes them.
    case pwgRaster = "image/pwg-raster"
    /// A picture.
    case jpeg = "image/jpeg"
}
