#if canImport(PassKit) && ((canImport(UIKit) && (os(iOS) || os(visionOS))) || TILL_SHELL_APART)
    public import Foundation
    public import PassKit
    #if TILL_SHELL_APART
        public import TillApplePay
    #else
        public import UIKit
    #endif

    /// PassKit's button in a view of its own: to pay where the device can pay, to set up Apple Pay where it lacks a
    /// card, and empty without size otherwise. ``ApplePayButton`` decides; this view shows it.
    ///
    /// The decision is made anew when the app becomes active, because the customer may have added a card in the wallet
    /// meanwhile, when the view enters a window, and with ``refresh()``.
    @MainActor public final class PassKitPaymentButton: UIView {
        /// The button as it is shown.
        public private(set) var shown = ApplePayButton.hidden
        /// The words on a button that pays.
        public var type: ApplePayButtonType { didSet { if type != oldValue { rebuild() } } }
        /// The colors of the button.
        public var style: ApplePayButtonStyle { didSet { if style != oldValue { rebuild() } } }
        /// The radius of the corners in points; `nil` for PassKit's own.
        public var cornerRadius: CGFloat? { didSet { if cornerRadius != oldValue { rebuild() } } }
        /// Opens the payment sheet; called for each press of a button that pays.
        public var pay: @MainActor () -> Void
        /// Returns the availability of Apple Pay, such as ``ApplePayService/availability``.
        public var availability: @MainActor () -> ApplePayAvailability

        private var button: PKPaymentButton?
        private var activation: Observation?

        /// Creates a button, which shows itself if the device can pay or be set up.
        public init(
            _ type: ApplePayButtonType = .plain, style: ApplePayButtonStyle = .automatic, cornerRadius: CGFloat? = nil,
            availability: @escaping @MainActor () -> ApplePayAvailability, pay: @escaping @MainActor () -> Void
        ) {
            self.type = type
            self.style = style
            self.cornerRadius = cornerRadius
            self.availability = availability
            self.pay = pay
            super.init(frame: .zero)
            activation = Observation(of: UIApplication.didBecomeActiveNotification) { [weak self] in
                guard let self else { return }
                Task { @MainActor in self.refresh() }
            }
            refresh()
        }

        /// A button is not made from an archive, which has no closures: `nil`.
        public required init?(coder: NSCoder) { return nil }

        /// Decides anew whether there is a button, and which.
        public func refresh() {
            let decided = decide()
            if decided != shown { show(decided) }
        }

        /// Opens the sheet or the set-up, as a press of the button does; has no effect without a button.
        public func press() {
            switch shown {
            case .pay: pay()
            case .setUp: PKPassLibrary().openPaymentSetup()
            case .hidden: break
            }
        }

        public override func didMoveToWindow() {
            super.didMoveToWindow()
            refresh()
        }

        public override func layoutSubviews() {
            super.layoutSubviews()
            button?.frame = bounds
        }

        /// The size of PassKit's button; zero without one.
        public override var intrinsicContentSize: CGSize { button?.intrinsicContentSize ?? .zero }

        private func decide() -> ApplePayButton {
            ApplePayButton(type, on: availability(), canSetUp: PKPassLibrary.isPassLibraryAvailable())
        }

        /// Shows a button of another look: PassKit's is made with its look and does not change.
        private func rebuild() { show(decide()) }

        private func show(_ decided: ApplePayButton) {
            shown = decided
            button?.removeFromSuperview()
            button = decided.type.map { type in
                let made = PKPaymentButton(
                    paymentButtonType: PassKitConversion.buttonType(type),
                    paymentButtonStyle: PassKitConversion.buttonStyle(style))
                if let cornerRadius { made.cornerRadius = cornerRadius }
                made.addAction(UIAction { [weak self] _ in self?.press() }, for: .touchUpInside)
                return made
            }
            if let button { addSubview(button) }
            isHidden = button == nil
            invalidateIntrinsicContentSize()
            setNeedsLayout()
        }
    }

    extension PassKitConversion {
        /// Converts the words on a button; a number that PassKit does not know is the logo alone.
        public static func buttonType(_ type: ApplePayButtonType) -> PKPaymentButtonType {
            PKPaymentButtonType(rawValue: type.rawValue) ?? .plain
        }

        /// Converts the colors of a button; a number that PassKit does not know follows the device's appearance.
        public static func buttonStyle(_ style: ApplePayButtonStyle) -> PKPaymentButtonStyle {
            PKPaymentButtonStyle(rawValue: style.rawValue) ?? .automatic
        }
    }

    /// An observation of a notification that ends with its owner.
    private final class Observation {
        private let token: any NSObjectProtocol

        init(of name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
            token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in body() }
        }

        deinit { NotificationCenter.default.removeObserver(token) }
    }
#endif
