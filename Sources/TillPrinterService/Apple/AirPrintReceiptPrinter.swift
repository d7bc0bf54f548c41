#if (canImport(UIKit) && (os(iOS) || os(visionOS))) || TILL_SHELL_APART
    import Foundation
    #if TILL_SHELL_APART
        public import TillPrinterService
        import UIKitPrinting
    #else
        import UIKit
    #endif
    public import TillReceipts

    /// Prints receipts through the system's print dialog (AirPrint, which is IPP) on a printer chosen by the user.
    ///
    /// One dialog at a time. Returns once the system has accepted the receipt; the system does not report whether it
    /// was actually printed.
    @MainActor
    public final class AirPrintReceiptPrinter: PrinterService {
        private var isOpen = false

        /// Creates a printer that shows the dialog on the app's screen.
        public nonisolated init() {}

        /// Shows the dialog and waits for its end. Canceling the task closes it.
        /// - Throws: `ReceiptError` if the content is inconsistent, without showing a dialog. ``PrinterServiceError``
        public func printReceipt(content: ReceiptContent) async throws {
            try content.check()
            guard UIPrintInteractionController.isPrintingAvailable else { throw PrinterServiceError.notAvailable }
            guard !isOpen else { throw PrinterServiceError.busy }
            isOpen = true
            defer { isOpen = false }
            let request = AirPrintRequest(content)
            let formatter = UIMarkupTextPrintFormatter(markupText: request.markup)
            let margin = CGFloat(request.marginInPoints)
            formatter.perPageContentInsets = UIEdgeInsets(top: margin, left: margin, bottom: margin, right: margin)
            let info = UIPrintInfo.printInfo()
            info.jobName = request.jobName
            info.outputType = .grayscale
            info.duplex = .none
            let paper = PaperChoice(formatter, margin: margin)
            let controller = UIPrintInteractionController.shared
            controller.printInfo = info
            controller.printFormatter = formatter
            controller.delegate = paper
            let outcome = await withTaskCancellationHandler {
                await AirPrintReceiptPrinter.show(controller)
            } onCancel: {
                Task { @MainActor in UIPrintInteractionController.shared.dismiss(animated: false) }
            }
            controller.delegate = nil
            try outcome.get()
        }

        private static func show(_ controller: UIPrintInteractionController) async -> Result<Void, PrinterServiceError>
        {
            await withCheckedContinuation { done in
                let isShown = controller.present(animated: true) { _, isCompleted, error in
                    done.resume(returning: AirPrintRequest.outcome(isCompleted: isCompleted, error: error))
                }
                if !isShown { done.resume(returning: .failure(.notAvailable)) }
            }
        }
    }

    /// Chooses among the printer's papers, and the cut length of a roll.
    @MainActor
    private final class PaperChoice: NSObject, UIPrintInteractionControllerDelegate {
        private let formatter: UIPrintFormatter
        private let margin: CGFloat

        init(_ formatter: UIPrintFormatter, margin: CGFloat) {
            self.formatter = formatter
            self.margin = margin
        }

        func printInteractionController(
            _ printInteractionController: UIPrintInteractionController, choosePaper paperList: [UIPrintPaper]
        ) -> UIPrintPaper {
            let widths = paperList.map { Int($0.paperSize.width.rounded()) }
            if let roll = AirPrintRequest.roll(amongWidths: widths) { return paperList[roll] }
            return UIPrintPaper.bestPaper(
                forPageSize: CGSize(width: AirPrintRequest.sheet.width, height: AirPrintRequest.sheet.height),
                withPapersFrom: paperList)
        }

        func printInteractionController(
            _ printInteractionController: UIPrintInteractionController, cutLengthFor paper: UIPrintPaper
        ) -> CGFloat {
            let heights = (0..<max(1, formatter.pageCount)).map { formatter.rectForPage(at: $0).height }
            return heights.reduce(2 * margin, +)
        }
    }
#endif
