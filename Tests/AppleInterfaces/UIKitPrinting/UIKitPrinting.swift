// The part of UIKit's public interface for printing that Till's adapter uses, declared so that the adapter is
// type-checked and run where UIKit is not. It shows no dialog: what the person does in it is set by a test. It is in no
// product, and does not bear the framework's name, since packages that find that would take it for the real one.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What each is for stands in Apple's documentation.
public import Foundation

@MainActor
open class UIPrintFormatter: NSObject {
    public var maximumContentWidth: CGFloat = 0
    public var perPageContentInsets = UIEdgeInsets()
    open var pageCount: Int { 1 }
    open func rectForPage(at pageIndex: Int) -> CGRect { CGRect(x: 0, y: 0, width: maximumContentWidth, height: 400) }
}

public struct UIEdgeInsets: Sendable {
    public var top: CGFloat = 0
    public var left: CGFloat = 0
    public var bottom: CGFloat = 0
    public var right: CGFloat = 0
    public init() {}
    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}

@MainActor
public final class UIMarkupTextPrintFormatter: UIPrintFormatter {
    public var markupText: String?
    public init(markupText: String) { self.markupText = markupText }
}

@MainActor
public final class UIPrintInfo: NSObject {
    public enum OutputType: Int, Sendable { case general, photo, grayscale, photoGrayscale }
    public enum Duplex: Int, Sendable { case none, longEdge, shortEdge }
    public class func printInfo() -> UIPrintInfo { UIPrintInfo() }
    public var jobName = ""
    public var outputType = OutputType.general
    public var duplex = Duplex.none
}

@MainActor
public final class UIPrintPaper: NSObject {
    public let paperSize: CGSize
    public var printableRect: CGRect { CGRect(origin: .zero, size: paperSize) }
    public init(paperSize: CGSize) { self.paperSize = paperSize }
    public class func bestPaper(forPageSize contentSize: CGSize, withPapersFrom paperList: [UIPrintPaper])
        -> UIPrintPaper
    {
        paperList.last ?? UIPrintPaper(paperSize: contentSize)
    }
}

@MainActor
public protocol UIPrintInteractionControllerDelegate: AnyObject {
    func printInteractionController(
        _ printInteractionController: UIPrintInteractionController, choosePaper paperList: [UIPrintPaper]
    ) -> UIPrintPaper
    func printInteractionController(
        _ printInteractionController: UIPrintInteractionController, cutLengthFor paper: UIPrintPaper
    ) -> CGFloat
}

@MainActor
public final class UIPrintInteractionController: NSObject {
    public typealias CompletionHandler = (UIPrintInteractionController, Bool, (any Error)?) -> Void

    public static let shared = UIPrintInteractionController()
    public static var isPrintingAvailable = true

    public var printInfo: UIPrintInfo?
    public var printFormatter: UIPrintFormatter?
    public weak var delegate: (any UIPrintInteractionControllerDelegate)?

    /// What the person does: set by a test. `nil`: the dialog cannot be shown.
    public var person: ((UIPrintInteractionController, @escaping CompletionHandler) -> Void)?
    public private(set) var isDismissed = false

    @discardableResult
    public func present(animated: Bool, completionHandler: CompletionHandler?) -> Bool {
        isDismissed = false
        guard let person, let completionHandler else { return false }
        person(self, completionHandler)
        return true
    }

    public func dismiss(animated: Bool) { isDismissed = true }
}
