// The part of PassKit's and UIKit's public interface that Till's button uses. It draws nothing; a test presses it.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What each is for stands in Apple's documentation.
public import Foundation

public enum PKPaymentButtonType: Int, Sendable {
    case plain, buy, setUp, inStore, donate, checkout, book, subscribe, reload, addMoney, topUp, order, rent, support
    case contribute, tip, `continue`
}

public enum PKPaymentButtonStyle: Int, Sendable { case white, whiteOutline, black, automatic }

open class PKPassLibrary: NSObject {
    /// What a test says the device has; not part of PassKit.
    @MainActor public static var testIsAvailable = true
    /// The number of times that the set-up was opened; not part of PassKit.
    @MainActor public static var testSetups = 0
    public override init() {}
    @MainActor open class func isPassLibraryAvailable() -> Bool { testIsAvailable }
    @MainActor open func openPaymentSetup() { PKPassLibrary.testSetups += 1 }
}

@MainActor open class UIView: NSObject {
    open var frame: CGRect
    open var isHidden = false
    open var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }
    open private(set) var subviews: [UIView] = []
    private weak var superview: UIView?
    /// `true` after a change that asks for a layout; not part of UIKit.
    public private(set) var testNeedsLayout = false

    public init(frame: CGRect) { self.frame = frame }
    public required init?(coder: NSCoder) { frame = .zero }

    open func addSubview(_ view: UIView) {
        subviews.append(view)
        view.superview = self
    }
    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }
    open func didMoveToWindow() {}
    open func layoutSubviews() { testNeedsLayout = false }
    open func setNeedsLayout() { testNeedsLayout = true }
    open func invalidateIntrinsicContentSize() {}
    open var intrinsicContentSize: CGSize { CGSize(width: -1, height: -1) }
}

@MainActor open class UIAction: NSObject {
    fileprivate let handler: (UIAction) -> Void
    public init(handler: @escaping (UIAction) -> Void) { self.handler = handler }
}

@MainActor open class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let touchUpInside = Event(rawValue: 1 << 6)
    }
    private var actions: [(action: UIAction, event: Event)] = []

    open func addAction(_ action: UIAction, for controlEvents: Event) { actions.append((action, controlEvents)) }
    /// Does what a tap does; not part of UIKit.
    public func testTap() {
        for (action, event) in actions where event.contains(.touchUpInside) { action.handler(action) }
    }
}

@MainActor open class UIButton: UIControl {}

@MainActor open class PKPaymentButton: UIButton {
    /// What it was made with; not part of PassKit.
    public let testType: PKPaymentButtonType
    public let testStyle: PKPaymentButtonStyle
    open var cornerRadius: CGFloat = 4

    public init(paymentButtonType type: PKPaymentButtonType, paymentButtonStyle style: PKPaymentButtonStyle) {
        (testType, testStyle) = (type, style)
        super.init(frame: .zero)
    }
    public required init?(coder: NSCoder) { return nil }
    open override var intrinsicContentSize: CGSize { CGSize(width: 140, height: 30) }
}

@MainActor open class UIApplication: NSObject {
    public nonisolated static var didBecomeActiveNotification: Notification.Name {
        Notification.Name("UIApplicationDidBecomeActiveNotification")
    }
}
